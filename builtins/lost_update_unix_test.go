//go:build unix

package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"raw/contract"
	"raw/internal/atomicfile"
)

// What changes a file while it is being edited stays (B25, B27).
func TestChangeDuringAnEdit(t *testing.T) {
	b := newBench(t)
	content := sourceText(24 << 20)
	b.put("f", content)
	ctx, cancel := context.WithCancel(t.Context())
	var other sync.WaitGroup
	other.Go(func() {
		for ctx.Err() == nil {
			if temps, _ := filepath.Glob(b.path(".f.raw-tmp-*")); len(temps) > 0 {
				if err := os.WriteFile(b.path("f"), []byte("theirs\n"), 0o644); err != nil {
					t.Error(err)
				}
				return
			}
		}
	})
	text, res := b.edit("f", "value[77]", "other[77]")
	cancel()
	other.Wait()
	if outcome(res) != "conflict" || !strings.Contains(text, "read it again") {
		t.Errorf("edit answers %q, %s; want a conflict", short(text), outcome(res))
	}
	b.holds("f", "theirs\n")
}

// A call that is cancelled while another has the file does nothing.
func TestCancelledWhileItWaits(t *testing.T) {
	b := newBench(t)
	locks := new(atomicfile.Locks)
	s := b.open(locks)
	b.put("f", "old\n")
	unlock, err := locks.Lock(t.Context(), b.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for tool, args := range map[string]any{"write": writeInput{"f", "new\n"}, "edit": editArgs("f", "old", "new")} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		res := s.Call(ctx, request(t, tool, args))
		cancel()
		if text := fmt.Sprint(res.Content); outcome(res) != "aborted" || res.Failure.Kind != contract.KindTransient || !strings.Contains(text, "as it was") {
			t.Errorf("%s answers %s, %s; want aborted", tool, text, outcome(res))
		}
		b.holds("f", "old\n")
	}
}

// Edits of one file that are sent together all land (B25).
func TestEditsSentTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 200 {
		b.put("f", numbers(100))
		answers := b.together(b.session, editArgs("f", "50\n", "FIFTY\n"), b.session, editArgs("f", "75\n", "SEVENTY\n"))
		for _, a := range answers {
			if a.IsError() {
				t.Fatalf("round %d: %v", i, a.Content)
			}
		}
		b.holds("f", strings.NewReplacer("\n50\n", "\nFIFTY\n", "\n75\n", "\nSEVENTY\n").Replace(numbers(100)))
	}
}

// Two sessions lose nothing either: who comes second edits what the first one
// wrote, or is told of a conflict (B25).
func TestEditsOfTwoSessions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	locks := new(atomicfile.Locks)
	one, two := b.open(locks), b.open(locks)
	for i := range 40 {
		b.put("f", numbers(100))
		answers := b.together(one, editArgs("f", "50\n", "FIFTY\n"), two, editArgs("f", "75\n", "SEVENTY\n"))
		want := numbers(100)
		for n, change := range [][2]string{{"\n50\n", "\nFIFTY\n"}, {"\n75\n", "\nSEVENTY\n"}} {
			switch outcome(answers[n]) {
			case "ok":
				want = strings.Replace(want, change[0], change[1], 1)
			case "conflict":
			default:
				t.Fatalf("round %d: %v", i, answers[n].Content)
			}
		}
		b.holds("f", want)
	}
}

// A file that two calls make at once is whole, and both calls were let do it.
func TestWritesOfANewFileSentTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 20 {
		name := fmt.Sprintf("new%d", i)
		tickets := []*contract.Ticket{
			b.session.Accept(request(t, "write", writeInput{name, "1\n"})),
			b.session.Accept(request(t, "write", writeInput{name, "2\n"})),
		}
		var calls sync.WaitGroup
		for _, ticket := range tickets {
			calls.Go(func() {
				if r := ticket.Run(t.Context()); r.IsError() {
					t.Errorf("round %d: %v", i, r.Content)
				}
			})
		}
		calls.Wait()
		if got, err := os.ReadFile(b.path(name)); err != nil || string(got) != "1\n" && string(got) != "2\n" {
			t.Errorf("round %d: the file holds %q (%v)", i, got, err)
		}
	}
}

// together runs two edits that arrived in this order, at once.
func (b *bench) together(one *contract.Session, first editInput, two *contract.Session, second editInput) (answers [2]contract.Result) {
	b.t.Helper()
	tickets := [2]*contract.Ticket{one.Accept(request(b.t, "edit", first)), two.Accept(request(b.t, "edit", second))}
	var calls sync.WaitGroup
	for i, ticket := range tickets {
		calls.Go(func() { answers[i] = ticket.Run(b.t.Context()) })
	}
	calls.Wait()
	return answers
}

// A session never writes over what it has not seen, once it has seen the file
// (B27); a write may replace what it never read, and says so.
func TestWriteOverAChange(t *testing.T) {
	tests := []struct {
		name    string
		before  func(b *bench)
		want    string
		says    string
		noticed bool // the file existed and was never seen
	}{
		{name: "never read", before: func(*bench) {}, want: "ok", says: "replaced f", noticed: true},
		{name: "read", before: func(b *bench) { b.read("f") }, want: "ok", says: "replaced f"},
		{name: "read in part", before: func(b *bench) { b.call("read", map[string]any{"path": "f", "limit": 1}) }, want: "ok", says: "replaced f"},
		{name: "read, then edited by another session", before: func(b *bench) {
			b.read("f")
			b.callIn(b.open(new(atomicfile.Locks)), "edit", editArgs("f", "one", "two"))
		}, want: "conflict", says: "read it again"},
		{name: "read in part, then changed", before: func(b *bench) {
			b.call("read", map[string]any{"path": "f", "limit": 1})
			b.put("f", "two\n2\n3\n")
		}, want: "conflict", says: "read it again"},
		{name: "written, then changed at once", before: func(b *bench) {
			b.write("f", "mine\n")
			b.put("f", "MINE\n")
		}, want: "conflict", says: "read it again"},
		{name: "edited, then changed in place with its old time", before: func(b *bench) {
			b.edit("f", "one", "two")
			info, err := os.Stat(b.path("f"))
			if err != nil {
				b.t.Fatal(err)
			}
			b.put("f", strings.Replace("two\n2\n3\n", "3", "4", 1))
			if err := os.Chtimes(b.path("f"), info.ModTime(), info.ModTime()); err != nil {
				b.t.Fatal(err)
			}
		}, want: "conflict", says: "read it again"},
		{name: "read, changed, read", before: func(b *bench) {
			b.read("f")
			b.put("f", "two\n")
			b.read("f")
		}, want: "ok", says: "replaced f"},
		{name: "edited by this session", before: func(b *bench) {
			b.read("f")
			b.edit("f", "one", "two")
		}, want: "ok", says: "replaced f"},
		{name: "read, then removed", before: func(b *bench) {
			b.read("f")
			if err := os.Remove(b.path("f")); err != nil {
				b.t.Fatal(err)
			}
		}, want: "ok", says: "created f"},
		{name: "read, then touched", before: func(b *bench) {
			b.read("f")
			now := time.Now().Add(time.Hour)
			if err := os.Chtimes(b.path("f"), now, now); err != nil {
				b.t.Fatal(err)
			}
		}, want: "ok", says: "replaced f"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.put("f", "one\n2\n3\n")
			test.before(b)
			stood, err := os.ReadFile(b.path("f"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			text, res := b.write("f", "whole\n")
			if outcome(res) != test.want || !strings.Contains(text, test.says) {
				t.Errorf("write answers %q, %s; want %s and %q", text, outcome(res), test.want, test.says)
			}
			if strings.Contains(text, "had not been read") != test.noticed {
				t.Errorf("write answers %q; told that the file was never seen, want %v", text, test.noticed)
			}
			if test.want == "ok" {
				b.holds("f", "whole\n")
			} else {
				b.holds("f", string(stood))
			}
		})
	}
}

func (b *bench) read(name string) {
	b.t.Helper()
	if text, res := b.call("read", map[string]any{"path": name}); res.IsError() {
		b.t.Fatalf("read: %s", text)
	}
}
