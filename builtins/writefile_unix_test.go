//go:build unix

package builtins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/patch"
	"raw/internal/workspace"
)

// A patch refuses links, in every section; links on the way are resolved.
func TestPatchRefusesLinks(t *testing.T) {
	b := newBatchBench(t)
	b.tree(map[string]string{"real": "1\n", "dir/f": "1\n"})
	for name, target := range map[string]string{"link": "real", "dangling": "none", "way": "dir"} {
		if err := os.Symlink(target, b.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	before := b.files()
	for _, lines := range [][]string{
		{"*** Update File: link", "@@", "-1", "+2"},
		{"*** Delete File: link"},
		{"*** Update File: link", "*** Move to: new"},
		{"*** Add File: dangling", "+x"},
		{"*** Update File: real", "*** Move to: dangling"},
	} {
		if text, res := b.patch(lines...); outcome(res) != "precondition" || !strings.Contains(text, "is a symbolic link") {
			t.Errorf("%q answers %q, %s; want it refused as a link", lines, text, outcome(res))
		}
		if d := cmp.Diff(before, b.files()); d != "" {
			t.Fatalf("%q changed (-before +after):\n%s", lines, d)
		}
	}
	if text, res := b.patch("*** Update File: way/f", "@@", "-1", "+2", "*** Add File: way/n", "*** Delete File: real"); res.IsError() {
		t.Errorf("a patch through a linked folder: %s", text)
	}
	want := map[string]string{"link": "-> real", "dangling": "-> none", "way": "-> dir", "dir/f": "2\n", "dir/n": ""}
	if d := cmp.Diff(want, b.files()); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	// The same file by two ways is one file.
	if text, res := b.patch("*** Delete File: dir/f", "*** Update File: way/f", "@@", "-2", "+3"); outcome(res) != "precondition" || !strings.Contains(text, "a file of [0]") {
		t.Errorf("one file by two ways: %q, %s", text, outcome(res))
	}
}

// Mode and inode go with a moved file, and there is no second name (B22).
func TestPatchMoveKeepsTheFile(t *testing.T) {
	b := newBatchBench(t)
	b.put("f", "1\n")
	if err := os.Chmod(b.path("f"), 0o750); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(b.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	if text, res := b.patch("*** Update File: f", "*** Move to: d/g"); res.IsError() {
		t.Fatal(text)
	}
	after, err := os.Stat(b.path("d/g"))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the moved file is another one (%v)", err)
	}
	if text, res := b.patch("*** Update File: d/g", "*** Move to: h", "@@", "-1", "+2"); res.IsError() {
		t.Fatal(text)
	}
	if info, err := os.Stat(b.path("h")); err != nil || info.Mode() != 0o750 {
		t.Errorf("the mode of the moved and changed file is %v (%v), want %v", info.Mode(), err, fs.FileMode(0o750))
	}
	if d := cmp.Diff(map[string]string{"h": "2\n"}, b.files()); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// A section that fails on the way stops the ones behind it, and the answer says
// what was done.
func TestPatchStops(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc, in which nobody makes a file")
	}
	b := newBatchBench(t)
	b.approve = func(contract.Approval) contract.Answer { return contract.AllowOnce }
	b.tree(map[string]string{"a": "1\n", "b": "1\n", "c": "1\n"})
	text, res := b.patch("*** Delete File: a", "*** Add File: /proc/none/such", "+x", "*** Update File: b", "@@", "-1", "+2")
	if outcome(res) != "fatal" || !strings.Contains(text, "the patch was stopped: 1 applied, 1 failed, 1 skipped\n[0] delete a: applied") ||
		!strings.Contains(text, "\n[1] add /proc/none/such: failed: ") || !strings.Contains(text, "\n[2] update b: skipped") || !strings.Contains(text, "side effects may have partially applied") {
		t.Errorf("answers\n%s\nas %s", text, outcome(res))
	}
	// Another file system: the file stays where it is.
	if text, res := b.patch("*** Update File: c", "*** Move to: /proc/none", "*** Delete File: b"); !res.IsError() || !strings.Contains(text, "0 applied, 1 failed, 1 skipped") {
		t.Errorf("a move to another file system answers\n%s\nas %s", text, outcome(res))
	}
	// The same as an operation stops nothing.
	if text, res := b.operations(overwrite("/proc/none", "x"), overwrite("c", "2\n")); outcome(res) != "fatal" || !strings.Contains(text, "1 of 2") {
		t.Errorf("operations answer\n%s\nas %s", text, outcome(res))
	}
	if d := cmp.Diff(map[string]string{"b": "1\n", "c": "2\n"}, b.files()); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// What a patch holds at once is bounded; the links are many files, as to the patch.
func TestPatchHoldsNotTooMuch(t *testing.T) {
	b := newBatchBench(t)
	b.put("f0", strings.Repeat("0123456789abcde\n", patch.MaxSource/16))
	lines := []string{"*** Delete File: f0"}
	for i := range maxStaged / patch.MaxSource {
		name := fmt.Sprintf("f%d", i+1)
		if err := os.Link(b.path("f0"), b.path(name)); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, "*** Delete File: "+name)
	}
	if text, res := b.patch(lines...); outcome(res) != "precondition" || !strings.Contains(text, "1 of 9 sections") || !strings.Contains(text, "more than 134217728 bytes together") {
		t.Errorf("a patch of 144 MiB answers %q, %s", text, outcome(res))
	}
}

// stand is a folder with files, and what the dispatcher says of them.
type stand struct {
	*bench
	tool batcher
	ws   *workspace.Workspace
}

func newStand(t *testing.T, files map[string]string) stand {
	t.Helper()
	b := newBatchBench(t)
	b.tree(files)
	ws, err := workspace.New([]string{b.dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	return stand{b, batcher{Host{Locks: new(atomicfile.Locks)}, newKnown()}, ws}
}

func (s stand) at(name string) contract.Path {
	s.t.Helper()
	p, err := s.ws.Resolve(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return contract.Path(p)
}

func (s stand) seen(p contract.Path) atomicfile.Snapshot {
	s.t.Helper()
	_, seen, err := s.tool.load(p)
	if err != nil {
		s.t.Fatal(err)
	}
	return seen
}

// Removing and moving change nothing when the name is not what was judged.
func TestRemoveAndMoveRefuse(t *testing.T) {
	tests := []struct {
		name   string
		change func(s stand)
	}{
		{"content changed", func(s stand) { s.put("d/f", "X\n") }},
		{"another file", func(s stand) {
			s.put("other", "1\n")
			_ = os.Rename(s.path("other"), s.path("d/f"))
		}},
		{"a link", func(s stand) {
			_ = os.Rename(s.path("d/f"), s.path("d/g"))
			_ = os.Symlink("g", s.path("d/f"))
		}},
		{"gone", func(s stand) { _ = os.Remove(s.path("d/f")) }},
		{"a linked folder", func(s stand) {
			_ = os.Rename(s.path("d"), s.path("e"))
			_ = os.Symlink("e", s.path("d"))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t, map[string]string{"d/f": "1\n"})
			from, to := s.at("d/f"), s.at("new/g")
			seen := s.seen(from)
			test.change(s)
			before := s.files()
			if err := s.tool.remove(from, seen); err == nil {
				t.Errorf("remove is done, want an error")
			}
			if _, err := s.tool.move(t.Context(), staged{from: from, to: to, seen: sighting{from, &seen}}); err == nil {
				t.Errorf("move is done, want an error")
			}
			if d := cmp.Diff(before, s.files()); d != "" {
				t.Errorf("files (-before +after):\n%s", d)
			}
		})
	}
}

// A move goes over no file, and into no folder that became a link.
func TestRenameKeepsWhatIsThere(t *testing.T) {
	s := newStand(t, map[string]string{"f": "1\n", "d/x": "x\n", "e/x": "x\n"})
	from, over, into := s.at("f"), s.at("g"), s.at("d/g")
	info, err := s.tool.identify(from, s.seen(from))
	if err != nil {
		t.Fatal(err)
	}
	s.put("g", "theirs\n")
	if err := os.Rename(s.path("d"), s.path("away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("e", s.path("d")); err != nil {
		t.Fatal(err)
	}
	before := s.files()
	if err := rename(from, over, info); !errors.Is(err, atomicfile.ErrConflict) {
		t.Errorf("rename over a file: %v, want a conflict", err)
	}
	if err := rename(from, into, info); !errors.Is(err, workspace.ErrChanged) {
		t.Errorf("rename into a linked folder: %v, want %v", err, workspace.ErrChanged)
	}
	if d := cmp.Diff(before, s.files()); d != "" {
		t.Errorf("files (-before +after):\n%s", d)
	}

	// Another file takes the name between the judgement and the change.
	if err := os.Rename(s.path("g"), s.path("f")); err != nil {
		t.Fatal(err)
	}
	before = s.files()
	if err := rename(from, s.at("free"), info); !errors.Is(err, atomicfile.ErrConflict) {
		t.Errorf("rename of another file: %v, want a conflict", err)
	}
	dir, err := below(s.dir, s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := removeName(dir, "f", info); !errors.Is(err, atomicfile.ErrConflict) {
		t.Errorf("remove of another file: %v, want a conflict", err)
	}
	if d := cmp.Diff(before, s.files()); d != "" {
		t.Errorf("files (-before +after):\n%s", d)
	}
}

// A file that was moved but cannot be changed goes back.
func TestMoveGoesBack(t *testing.T) {
	s := newStand(t, map[string]string{"f": "1\n"})
	// Two names: it is changed in place only, and there is no pending folder.
	if err := os.Link(s.path("f"), s.path("twin")); err != nil {
		t.Fatal(err)
	}
	from, to := s.at("f"), s.at(filepath.Join("d", "g"))
	seen := s.seen(from)
	content := plan{content: []byte("1\n"), splices: []splice{{start: 0, end: 1, text: []byte("2")}}}
	_, err := s.tool.move(t.Context(), staged{from: from, to: to, seen: sighting{from, &seen}, plan: content})
	if half, ok := errors.AsType[*halfMovedError](err); !errors.Is(err, atomicfile.ErrNoPending) || ok {
		t.Errorf("move: %v (half moved: %v), want %v", err, half, atomicfile.ErrNoPending)
	}
	if d := cmp.Diff(map[string]string{"f": "1\n", "twin": "1\n"}, s.files()); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}
