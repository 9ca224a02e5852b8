package ledger_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"raw/contract/ledger"
)

// sample writes a small session and returns its segment and its records.
func sample(t testing.TB, state string) (segment []byte, records []ledger.Record) {
	t.Helper()
	l, err := ledger.Open(ledger.Options{Folder: state, Session: "s", Clock: fixed(noon), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		ex, err := l.Started(ledger.Start{Identity: "builtin/x", Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Settled(ex, text(fmt.Sprintf("result %d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	segment, err = os.ReadFile(segmentPath(state, "s", 1))
	if err != nil {
		t.Fatal(err)
	}
	records, faults := read(t, state, "s")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return segment, records
}

// checkTold holds what was read against what was written: every record that came
// back is one that was written, and every other is told as lost.
func checkTold(t testing.TB, what string, whole, got []ledger.Record, faults []ledger.Fault) {
	t.Helper()
	back := map[string]bool{}
	for _, r := range got {
		i := slices.IndexFunc(whole, func(w ledger.Record) bool { return w.Hash == r.Hash })
		if i < 0 || whole[i].Kind != r.Kind || whole[i].Seq != r.Seq || !bytes.Equal(whole[i].Data, r.Data) {
			t.Errorf("%s: came back as a record that was never written: %+v", what, r)
			return
		}
		back[r.Hash] = true
	}
	for _, w := range whole {
		told := slices.ContainsFunc(faults, func(f ledger.Fault) bool {
			return f.First > 0 && f.First <= max(w.Seq, 1) && (f.Last == 0 || w.Seq <= f.Last)
		})
		if !back[w.Hash] && !told {
			t.Errorf("%s: %s %d is neither there nor told: %v", what, w.Kind, w.Seq, faults)
			return
		}
	}
}

func TestEveryPrefix(t *testing.T) {
	state := t.TempDir()
	segment, whole := sample(t, state)
	for n := len(segment) - 1; n >= 0; n-- {
		must(t, os.Truncate(segmentPath(state, "s", 1), int64(n)))
		got, faults := read(t, state, "s")
		lines := bytes.Count(segment[:n], []byte("\n"))
		cut := n > 0 && segment[n-1] != '\n'
		if len(got) != lines {
			t.Fatalf("the first %d bytes read back as %d records, want %d", n, len(got), lines)
		}
		if (len(faults) == 1 && faults[0].Kind == ledger.Torn) != cut || len(faults) > 1 {
			t.Fatalf("the first %d bytes: faults %v, want a torn record: %v", n, faults, cut)
		}
		checkTold(t, fmt.Sprintf("the first %d bytes", n), whole[:lines], got, nil)
	}
}

func TestEverySingleByte(t *testing.T) {
	state := t.TempDir()
	segment, whole := sample(t, state)
	file, err := os.OpenFile(segmentPath(state, "s", 1), os.O_WRONLY, 0)
	must(t, err)
	defer file.Close()
	put := func(i int, c byte) {
		_, err := file.WriteAt([]byte{c}, int64(i))
		must(t, err)
	}
	for i := range segment {
		for _, c := range []byte{segment[i] ^ 1, segment[i] ^ 0x20, '\n', '"', 0, '9', '}'} {
			if c == segment[i] {
				continue
			}
			put(i, c)
			got, faults := read(t, state, "s")
			what := fmt.Sprintf("byte %d changed from %q to %q", i, segment[i], c)
			if len(faults) == 0 {
				t.Fatalf("%s: nothing was told", what)
			}
			if checkTold(t, what, whole, got, faults); t.Failed() {
				return
			}
			// One byte costs its own record, or the two that a newline parts.
			if lost := len(whole) - len(got); lost > 2 {
				t.Fatalf("%s: %d records are lost: %v", what, lost, faults)
			}
			line := bytes.Count(segment[:i], []byte("\n")) + 1
			if f := faults[0]; f.Line != line || !strings.HasSuffix(f.File, filepath.Join("s", "000001.jsonl")) {
				t.Fatalf("%s: told at %s:%d, want line %d", what, f.File, f.Line, line)
			}
		}
		put(i, segment[i])
	}
}

func FuzzDamage(f *testing.F) {
	f.Add(100, 3, []byte("x"))
	f.Add(0, 0, []byte{})
	f.Add(350, 400, []byte("\n\n{\"hash\":\""))
	f.Fuzz(func(t *testing.T, at, remove int, insert []byte) {
		state := t.TempDir()
		segment, whole := sample(t, state)
		if at < 0 || remove < 0 || at > len(segment) || remove > len(segment)-at {
			t.Skip("outside the segment")
		}
		bad := slices.Concat(segment[:at], insert, segment[at+remove:])
		if err := os.WriteFile(segmentPath(state, "s", 1), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		got, faults := read(t, state, "s")
		// A change of any size may end at the end of a line, as a prefix does.
		if at+remove == len(segment) {
			faults = append(faults, ledger.Fault{First: 1})
		}
		checkTold(t, fmt.Sprintf("%d bytes at %d replaced by %q", remove, at, insert), whole, got, faults)
		if _, err := (ledger.Store{Folder: state}).Session("s"); err != nil {
			t.Error(err)
		}
		l, err := ledger.Open(ledger.Options{Folder: state, Session: "s", NoSync: true})
		if err != nil {
			return // the first line names another format or session
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOtherFormats(t *testing.T) {
	state := t.TempDir()
	open(t, state, "s")
	folder := filepath.Join(state, "sessions", "other")
	must(t, os.Mkdir(folder, 0o700))
	data, err := os.ReadFile(segmentPath(state, "s", 1))
	must(t, err)
	must(t, os.WriteFile(segmentPath(state, "other", 1), data, 0o600))
	if _, faults := read(t, state, "other"); len(faults) != 1 || !strings.Contains(faults[0].Text, `session "s"`) {
		t.Errorf("a segment of another session: faults %v, want one that names it", faults)
	}
	if _, err := ledger.Open(ledger.Options{Folder: state, Session: "other"}); err == nil {
		t.Error("Open went on behind a segment of another session")
	}
}

func TestBlobs(t *testing.T) {
	state := t.TempDir()
	l := open(t, state, "s")
	ex := run(t, l, text(strings.Repeat("x", 20_000)))
	run(t, l, text("small"))
	store := ledger.Store{Folder: state}
	blobs, err := filepath.Glob(filepath.Join(state, "sessions", "s", "blobs", "*"))
	must(t, err)
	if len(blobs) != 1 {
		t.Fatalf("blobs are %v, want one", blobs)
	}
	var out bytes.Buffer
	must(t, store.Export("s", &out))
	if n, x := strings.Count(out.String(), "\n"), strings.Count(out.String(), "x"); n != 5 || x < 20_000 || strings.Contains(out.String(), "blob") {
		t.Errorf("Export wrote %d lines with %d x, want 5 with the 20000 of the blob", n, x)
	}

	must(t, os.WriteFile(blobs[0], []byte("something else"), 0o600))
	report, err := store.Verify("s")
	must(t, err)
	if len(report.Faults) != 1 || report.Faults[0].Kind != ledger.BadBlob || report.Faults[0].Line != 3 {
		t.Errorf("Verify with a changed blob: %v, want one fault at line 3", report.Faults)
	}
	out.Reset()
	must(t, store.Export("s", &out))
	if n := strings.Count(out.String(), `{"fault":`); n != 1 {
		t.Errorf("Export with a changed blob tells %d faults, want 1", n)
	}
	if _, err := store.Recall(ledger.Recall{Session: "s", Ask: ledger.Ask{ID: ex}}); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("Recall of a changed blob = %v, want an error that says so", err)
	}
	// What is written again is whole again.
	run(t, l, text(strings.Repeat("x", 20_000)))
	if report, err := store.Verify("s"); err != nil || len(report.Faults) > 0 {
		t.Errorf("Verify after the same result was recorded again: %v, %v", report.Faults, err)
	}
}
