package ledger_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/ledger"
)

func TestRoundTrip(t *testing.T) {
	state := t.TempDir()
	l := openWith(t, ledger.Options{Folder: state, Session: "s", Clock: fixed(noon)})
	exit := 3
	large := strings.Repeat("größer <&> \" \\ \n", 2000)
	ex := start(t, l, "bash")
	want := map[ledger.Kind]any{
		ledger.KindStarted:     ledger.Start{Identity: "builtin/bash", Name: "bash", Arguments: json.RawMessage(`{"n":9007199254740993}`)},
		ledger.KindSucceeded:   text(large),
		ledger.KindRefused:     ledger.Refusal{Start: ledger.Start{Identity: "builtin/x", Name: "x"}, Step: "rules", Code: "tool_denied", Rule: "law.toml:3"},
		ledger.KindHook:        ledger.Hook{Name: "h", Event: "PreToolUse", Decision: "deny", Exit: 2},
		ledger.KindApproval:    ledger.Approval{Identity: "builtin/x", Name: "x", Verdict: "allowed", Reasons: []string{"rules.toml:1"}},
		ledger.KindInteraction: ledger.Interaction{ID: "q1", State: "answered", Reply: json.RawMessage(`{"a":"b"}`)},
		ledger.KindJob:         ledger.Job{ID: "j1", State: "ended", Process: 12, Exit: &exit},
		ledger.KindChild:       ledger.Child{ID: "c1", State: "crashed", Text: "stderr"},
		ledger.KindNote:        ledger.Note{Text: "a remark"},
	}
	must(t, l.Settled(ex, want[ledger.KindSucceeded].(ledger.Receipt)))
	for _, e := range want {
		if e, ok := e.(ledger.Event); ok {
			must(t, l.Note(e))
		}
	}
	records, faults := read(t, state, "s")
	if len(faults) > 0 || len(records) != len(want)+1 {
		t.Fatalf("read %d records with faults %v, want %d and none", len(records), faults, len(want)+1)
	}
	store := ledger.Store{Folder: state}
	for i, r := range records {
		if r.Seq != uint64(i) || !r.At.Equal(noon) {
			t.Errorf("record %d has seq %d and time %v, want %d and %v", i, r.Seq, r.At, i, noon)
		}
		data, err := store.Data(r)
		must(t, err)
		if r.Kind == ledger.KindSegment {
			continue
		}
		got, err := json.Marshal(json.RawMessage(data))
		must(t, err)
		wanted, err := json.Marshal(want[r.Kind])
		must(t, err)
		if d := cmp.Diff(string(wanted), string(got)); d != "" {
			t.Errorf("data of %s (-want +got):\n%s", r.Kind, d)
		}
		if isBlob := r.Blob != nil; isBlob != (r.Kind == ledger.KindSucceeded) {
			t.Errorf("%s lies in a blob: %v", r.Kind, isBlob)
		}
	}
	if info, err := os.Stat(filepath.Join(state, "sessions", "s")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the session's folder: %v, %v, want mode 0700", info.Mode(), err)
	}
	must(t, filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); e == nil && d.Type().IsRegular() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", path, info.Mode())
		}
		return err
	}))
}

func TestSegmentsFollow(t *testing.T) {
	state := t.TempDir()
	l := open(t, state, "s")
	if got := run(t, l, text("a")); got != "ex-1" {
		t.Errorf("the first execution is %s, want ex-1", got)
	}
	lost := start(t, l, "write")
	if got := uncertain(t, state, "s"); got != nil {
		t.Errorf("while its process lives, %v is uncertain", got)
	}
	if _, err := ledger.Open(ledger.Options{Folder: state, Session: "s"}); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("Open of a session that is written = %v, want ErrBusy", err)
	}
	closeLog(t, l)
	if got := uncertain(t, state, "s"); !cmp.Equal(got, []string{lost}) {
		t.Errorf("uncertain after the end: %v, want %s", got, lost)
	}

	second := open(t, state, "s")
	if got := run(t, second, text("b")); got != "ex-4" {
		t.Errorf("the first execution of the second process is %s, want ex-4", got)
	}
	for _, tc := range []struct {
		id      string
		verdict ledger.Verdict
		ok      bool
	}{
		{"ex-1", ledger.Abandoned, false}, // has a receipt
		{"ex-9", ledger.Rerun, false},
		{lost, "maybe", false},
		{lost, ledger.Rerun, true},
		{lost, ledger.Abandoned, false}, // decided
	} {
		if err := second.Resolve(tc.id, tc.verdict); (err == nil) != tc.ok {
			t.Errorf("Resolve(%s, %s) = %v, want success %v", tc.id, tc.verdict, err, tc.ok)
		}
	}
	closeLog(t, second)
	if got := uncertain(t, state, "s"); got != nil {
		t.Errorf("uncertain after the verdict: %v, want none", got)
	}
	report, err := ledger.Store{Folder: state}.Verify("s")
	must(t, err)
	if want := (ledger.Report{Session: "s", Segments: 2, Records: 8}); !cmp.Equal(report, want) {
		t.Errorf("Verify = %+v, want %+v", report, want)
	}

	// A segment that lost its end at a line looks whole, but for the next one.
	lines := segmentLines(t, state, "s", 1)
	must(t, os.WriteFile(segmentPath(state, "s", 1), []byte(strings.Join(lines[:len(lines)-1], "")), 0o600))
	if _, faults := read(t, state, "s"); len(faults) != 1 || faults[0].Kind != ledger.Gap {
		t.Errorf("faults of a session whose first segment lost its last record: %v, want one gap", faults)
	}
}

func segmentLines(t *testing.T, state, session string, n int) []string {
	t.Helper()
	data, err := os.ReadFile(segmentPath(state, session, n))
	must(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestSettledOnlyOnce(t *testing.T) {
	l := open(t, t.TempDir(), "s")
	ex := run(t, l, text("a"))
	for _, id := range []string{ex, "ex-7", "", "nonsense"} {
		if err := l.Settled(id, text("b")); !errors.Is(err, ledger.ErrUnknown) {
			t.Errorf("Settled(%q) = %v, want ErrUnknown", id, err)
		}
	}
	if err := l.Note(ledger.Job{ID: "j", State: "x", Execution: `ex-1","kind":"succeeded`}); err == nil {
		t.Error("an event of a malformed execution was recorded")
	}
	must(t, l.Close())
	if _, err := l.Started(ledger.Start{}); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("Started after Close = %v, want ErrClosed", err)
	}
}

func TestTornEndIsCutAndTold(t *testing.T) {
	state := t.TempDir()
	l := open(t, state, "s")
	run(t, l, text("kept"))
	closeLog(t, l)
	path := segmentPath(state, "s", 1)
	whole, err := os.ReadFile(path)
	must(t, err)
	torn := string(whole) + string(whole[len(whole)-100:len(whole)-30])
	must(t, os.WriteFile(path, []byte(torn), 0o600))

	_, faults := read(t, state, "s")
	if len(faults) != 1 || faults[0].Kind != ledger.Torn || faults[0].Line != 4 {
		t.Errorf("a reader told %v, want a torn line 4", faults)
	}
	if now, _ := os.ReadFile(path); string(now) != torn {
		t.Error("a reader changed the segment")
	}
	next := open(t, state, "s")
	if now, _ := os.ReadFile(path); string(now) != string(whole) {
		t.Error("the next owner did not cut the torn record off, or cut more")
	}
	if cut := next.Cut(); len(cut) != 1 || cut[0].Kind != ledger.Torn {
		t.Errorf("Cut() = %v, want the torn record", cut)
	}
	records, faults := read(t, state, "s")
	if last := records[len(records)-1]; len(faults) != 0 || last.Kind != ledger.KindNote || !strings.Contains(string(last.Data), "cut off") {
		t.Errorf("after the cut: faults %v, last record %s %s; want none and a note", faults, last.Kind, last.Data)
	}
	// The number of the torn record is not given away twice.
	if ex := start(t, next, "x"); ex != "ex-5" {
		t.Errorf("the next execution is %s, want ex-5", ex)
	}
}

func TestSessionNames(t *testing.T) {
	state := t.TempDir()
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, "-a", "a\x00", strings.Repeat("a", 129)} {
		if _, err := ledger.Open(ledger.Options{Folder: state, Session: name}); err == nil {
			t.Errorf("Open accepted the session %q", name)
		}
		if _, err := (ledger.Store{Folder: state}).Records(name); err == nil {
			t.Errorf("Records accepted the session %q", name)
		}
	}
	if _, err := ledger.Open(ledger.Options{Folder: "relative", Session: "s"}); err == nil {
		t.Error("Open accepted a relative state folder")
	}
}

func TestSessionsUncertainFirst(t *testing.T) {
	state := t.TempDir()
	for i, name := range []string{"a", "b", "c"} {
		l := openWith(t, ledger.Options{Folder: state, Session: name, Clock: fixed(noon.Add(time.Duration(i) * time.Hour))})
		run(t, l, text("x"))
		if name == "a" {
			start(t, l, "write")
		}
		if name != "c" {
			closeLog(t, l)
		}
	}
	all, err := ledger.Store{Folder: state}.Sessions()
	must(t, err)
	var got []string
	for _, s := range all {
		got = append(got, s.Session)
	}
	if want := []string{"a", "c", "b"}; !cmp.Equal(got, want) {
		t.Errorf("Sessions() in the order %v, want %v", got, want)
	}
	if a, c := all[0], all[1]; a.Live || !c.Live || len(a.Uncertain) != 1 || a.Uncertain[0].Start.Name != "write" || a.Calls != 2 || c.Process != os.Getpid() {
		t.Errorf("Sessions() = %+v", all)
	}
}

func TestRemovedSegment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed there")
	}
	state := t.TempDir()
	l := open(t, state, "s")
	ex := start(t, l, "x")
	must(t, os.RemoveAll(state))
	if err := l.Settled(ex, text("a")); err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("Settled in a segment that was removed = %v, want an error that says so", err)
	}
	must(t, os.MkdirAll(filepath.Dir(segmentPath(state, "s", 1)), 0o700))
	must(t, os.WriteFile(segmentPath(state, "s", 1), nil, 0o600))
	if _, err := l.Started(ledger.Start{}); err == nil {
		t.Error("Started in a segment that was replaced succeeded")
	}
}
