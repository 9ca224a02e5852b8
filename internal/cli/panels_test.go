//go:build linux

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/ledger"
)

// paint records a call of a session that made panels.
func paint(t *testing.T, l *ledger.Log, panels ...string) {
	t.Helper()
	ex, err := l.Started(ledger.Start{Identity: "builtin/x", Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	r := ledger.Receipt{Content: []ledger.Block{{Type: "text", Text: `"panels":[`}}}
	for _, p := range panels {
		r.Panels = append(r.Panels, ledger.Panel{Receipt: json.RawMessage(`{"panel":"p"}`), State: json.RawMessage(p)})
	}
	r.Panels = append(r.Panels, ledger.Panel{Receipt: json.RawMessage(`{"panel":"q","code":"panel_invalid"}`)})
	if err := l.Settled(ex, r); err != nil {
		t.Fatal(err)
	}
}

func painted(id, view string, revision int, closed bool, title string) string {
	instance := ""
	if view != "" {
		instance = fmt.Sprintf(`"view":{"instanceId":%q},`, view)
	}
	return fmt.Sprintf(`{"panel":%q,%s"owner":"builtin/x","revision":%d,"closed":%t,"summary":"sum\u001b of %s","document":{"title":%q,"blocks":[{"id":"b","kind":"markdown","text":"text"}]}}`,
		id, instance, revision, closed, title, title)
}

func recorded(t *testing.T, home, name string) *ledger.Log {
	t.Helper()
	l, err := ledger.Open(ledger.Options{Folder: filepath.Join(home, "raw"), Session: name, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var times = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

func TestPanels(t *testing.T) {
	home := t.TempDir()
	run := func(args ...string) outcome {
		t.Helper()
		got := runCommand(t, home, false, "", append([]string{"panels"}, args...)...)
		got.stdout = regexp.MustCompile(` +`).ReplaceAllString(times.ReplaceAllString(got.stdout, "AT"), " ")
		return got
	}
	check := func(what string, got, want outcome) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("nothing", run(), outcome{0, "no panels are recorded in " + filepath.Join(home, "raw") + "\n", ""})

	old := recorded(t, home, "first")
	paint(t, old, painted("builtin/x#todo", "", 1, false, "Old"))
	if err := old.Note(ledger.Interaction{ID: "q-1", Execution: "ex-1", State: "pending", Question: json.RawMessage(`{"title":"Which\u001b way?"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	l := recorded(t, home, "second")
	paint(t, l, painted("builtin/x#todo", "", 1, false, "One"), painted("builtin/x#questions", "AB", 1, false, "Chat"))
	paint(t, l, painted("builtin/x#todo", "", 2, true, "Two"))
	for _, state := range []string{"pending", "answered"} {
		if err := l.Note(ledger.Interaction{ID: "q-2", Execution: "ex-3", State: state, Question: json.RawMessage(`{"title":"Done?"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Note(ledger.Interaction{ID: "q-3", Execution: "ex-3", State: "pending", Question: json.RawMessage(`{"title":"Ready?"}`)}); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	check("all", run(), outcome{0, `PANEL CHANGED REVISION STATE SUMMARY
second/builtin/x#todo AT 2 closed sum\x1b of Two
second/builtin/x#questions@AB AT 1 open sum\x1b of Chat
first/builtin/x#todo AT 1 open sum\x1b of Old
question q-1 of ex-1 is interrupted: Which\x1b way?
question q-3 of ex-3 is pending: Ready?
`, ""})
	for _, tc := range []struct{ id, title string }{
		{"todo", "Two"},
		{"builtin/x#todo", "Two"},
		{"x#todo", "Two"},
		{"first/builtin/x#todo", "Old"},
		{"questions", "Chat"},
		{"second/builtin/x#questions@AB", "Chat"},
	} {
		got := run(tc.id)
		if _, text, _ := strings.Cut(got.stdout, "\n"); got.code != 0 || text != tc.title+"\ntext\n" {
			t.Errorf("panels %s = %+v, want the text of %s", tc.id, got, tc.title)
		}
	}
	for _, id := range []string{"do", "other", "builtin/x"} {
		if got := run(id); got.code != 1 || !strings.Contains(got.stderr, "no panel") {
			t.Errorf("panels %s = %+v, want exit code 1", id, got)
		}
	}
}

// TestFollow shows what is open, then what changes, until it is interrupted.
func TestFollow(t *testing.T) {
	home := t.TempDir()
	l := recorded(t, home, "s")
	defer l.Close()
	paint(t, l, painted("builtin/x#a", "", 1, false, "A"), painted("builtin/x#b", "", 4, true, "B"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout lockedBuffer
	ended := make(chan error, 1)
	b := &book{Program: &Program{Name: "raw-test", Stdout: &stdout}, person: func() bool { return false }, store: ledger.Store{Folder: filepath.Join(home, "raw")}}
	go func() { ended <- gallery{book: b, seen: map[string]bool{}}.follow(ctx) }()
	stdout.await(t, "A\ntext\n")
	paint(t, l, painted("builtin/x#a", "", 2, true, "A2"))
	stdout.await(t, "revision 2, closed")
	if err := l.Note(ledger.Interaction{ID: "q-9", Execution: "ex-1", State: "pending", Question: json.RawMessage(`{"title":"Way?"}`)}); err != nil {
		t.Fatal(err)
	}
	stdout.await(t, "question q-9 waits: Way?\n  answer it with: raw-test answer q-9\n")
	if err := l.Note(ledger.Interaction{ID: "q-9", Execution: "ex-1", State: "answered"}); err != nil {
		t.Fatal(err)
	}
	stdout.await(t, "question q-9: answered\n")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := stdout.String(); strings.Contains(got, "x#b") || strings.Count(got, "revision 1") != 1 {
		t.Errorf("followed:\n%s\nwant no panel that was closed before, and nothing twice", got)
	}
}

// lockedBuffer is written by one goroutine and read by another.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// await looks until part was written.
func (l *lockedBuffer) await(t *testing.T, part string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(l.String(), part) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%q was not written within 20 s; there is:\n%s", part, l.String())
		}
	}
}
