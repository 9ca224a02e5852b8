//go:build unix

package builtins

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"raw/contract"
)

// change calls write or edit so that "old" in a file becomes "new".
func (b *bench) change(tool, name string) (string, contract.Result) {
	b.t.Helper()
	if tool == "write" {
		return b.write(name, "new\n")
	}
	return b.edit(name, "old", "new")
}

// Links stay links and their target is changed; the checked path is the
// written one (B19, B21). Modes are kept (B22). So are hard links.
func TestChangeKeepsWhatTheFileIs(t *testing.T) {
	for _, tool := range []string{"write", "edit"} {
		t.Run(tool, func(t *testing.T) {
			b := newBench(t)
			link := func(target, name string) {
				t.Helper()
				if err := os.Symlink(target, b.path(name)); err != nil {
					t.Fatal(err)
				}
			}
			ok := func(name string) {
				t.Helper()
				if text, res := b.change(tool, name); res.IsError() {
					t.Fatalf("%s of %s: %s", tool, name, text)
				}
			}
			linked := func(name, target string) {
				t.Helper()
				if got, err := os.Readlink(b.path(name)); err != nil || got != target {
					t.Errorf("after %s, %s is a link to %q (%v), want %q", tool, name, got, err, target)
				}
			}

			b.put("real", "old\n")
			link("real", "link")
			ok("link")
			linked("link", "real")
			b.holds("real", "new\n")

			if err := os.Mkdir(b.path("sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			b.put("sub/real", "old\n")
			link("l2", "l1")
			link("sub/real", "l2")
			ok("l1")
			linked("l1", "l2")
			linked("l2", "sub/real")
			b.holds("sub/real", "new\n")

			link("cycle", "cycle")
			if text, res := b.change(tool, "cycle"); !res.IsError() || !strings.Contains(text, "links") {
				t.Errorf("%s of a cycle of links answers %q, want an error that says so", tool, text)
			}

			for _, mode := range []fs.FileMode{0o755, 0o600, 0o640, 0o700} {
				name := mode.String()
				b.put(name, "old\n")
				if err := os.Chmod(b.path(name), mode); err != nil {
					t.Fatal(err)
				}
				ok(name)
				if info, err := os.Stat(b.path(name)); err != nil || info.Mode() != mode {
					t.Errorf("after %s the mode is %v (%v), want %v", tool, info.Mode(), err, mode)
				}
			}

			b.put("h1", "old\n")
			if err := os.Link(b.path("h1"), b.path("h2")); err != nil {
				t.Fatal(err)
			}
			text, _ := b.change(tool, "h1")
			if !strings.Contains(text, "[written in place, as it has 2 hard links]") {
				t.Errorf("%s of a file with two names answers %q, want it to say how", tool, text)
			}
			b.holds("h2", "new\n")
		})
	}
}

// A dangling link leads to where its target is made; what lies outside the
// roots is asked about, and nothing happens without a yes (B21).
func TestDanglingLink(t *testing.T) {
	b := newBench(t)
	outside := t.TempDir()
	for name, target := range map[string]string{"in": "sub/none", "out": filepath.Join(outside, "none")} {
		if err := os.Symlink(target, b.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if text, res := b.edit("in", "a", "b"); outcome(res) != "precondition" || !strings.Contains(text, "no such file") {
		t.Errorf("edit of a dangling link answers %q, %s; want precondition", text, outcome(res))
	}
	if text, res := b.write("in", "x\n"); res.IsError() || !strings.HasPrefix(text, "created in: 2 bytes, 1 line") {
		t.Errorf("write of a dangling link answers %q", text)
	}
	b.holds("sub/none", "x\n")

	if text, res := b.write("out", "x\n"); outcome(res) != "approval_denied" {
		t.Errorf("write through a link that leads out answers %q, want a question", text)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside there is %v (%v), want nothing", entries, err)
	}
	b.approve = func(contract.Approval) contract.Answer { return contract.AllowOnce }
	if text, res := b.write("out", "x\n"); res.IsError() {
		t.Errorf("write with a yes: %s", text)
	}
	b.holds("out", "x\n")
}

// What is no regular file is refused at once, by its name and through a link
// (B31, B30).
func TestChangeRefusesSpecialFiles(t *testing.T) {
	b := newBench(t)
	b.approve = func(contract.Approval) contract.Answer { return contract.AllowOnce }
	if err := syscall.Mkfifo(b.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(b.path("dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "pipe", "zero": "/dev/zero", "null": "/dev/null"} {
		if err := os.Symlink(target, b.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	short, err := os.MkdirTemp("", "s") // the address of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	kinds := map[string]string{
		"pipe": "named pipe", "link": "named pipe", "zero": "device", "null": "device", "/dev/full": "device",
		"dir": "directory", ".": "directory", filepath.Join(short, "s"): "socket",
	}
	for name, kind := range kinds {
		for _, tool := range []string{"write", "edit"} {
			begun := time.Now()
			text, res := b.change(tool, name)
			if outcome(res) != "precondition" || !strings.Contains(text, kind) {
				t.Errorf("%s of %s answers %q, %s; want precondition and %q", tool, name, text, outcome(res), kind)
			}
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("%s of %s took %v, want an answer at once", tool, name, took)
			}
		}
	}
}

// An empty old_text is refused before anything is opened, and does no harm to
// what comes after it (B16).
func TestEmptyOldNeedsNoFile(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(b.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.put("f", "old\n")
	for _, name := range []string{"none", "pipe", "f"} {
		text, res := b.edit(name, "", "x")
		if outcome(res) != "invalid_arguments" || !strings.Contains(text, "/edits/0/old_text: empty") {
			t.Errorf("edit of %s answers %q, %s; want invalid_arguments", name, text, outcome(res))
		}
	}
	if text, res := b.edit("f", "old", "new"); res.IsError() {
		t.Errorf("a later edit: %s", text)
	}
	b.holds("f", "new\n")
}

// Under a file size limit the system's reason is told, the original stays whole,
// nothing is left beside it, and the process lives on (B24).
func TestFileSizeLimit(t *testing.T) {
	const mark = "RAW_TEST_FILE_SIZE_LIMIT"
	if os.Getenv(mark) == "" {
		child := exec.Command("sh", "-c", `ulimit -f 64; exec "$0" -test.run '^TestFileSizeLimit$' -test.v`, os.Args[0])
		child.Env = append(os.Environ(), mark+"=1", "GOCOVERDIR="+t.TempDir())
		out, err := child.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("PASS")) {
			t.Errorf("under ulimit -f 64: %v\n%s", err, out)
		}
		return
	}
	b := newBench(t)
	old := strings.Repeat("0123456789abcde\n", 64) + "old\n"
	b.put("f", old)
	large := strings.Repeat("x", 10<<20)
	for tool, args := range map[string]any{
		"write": writeInput{"f", large},
		"edit":  editArgs("f", "old", large),
	} {
		text, res := b.call(tool, args)
		if outcome(res) != "fatal" || !strings.Contains(text, "file too large") || !strings.Contains(text, "the old content stands") || strings.Contains(text, "raw-tmp") {
			t.Errorf("%s of 10 MiB answers %q, %s; want fatal and the system's reason", tool, short(text), outcome(res))
		}
		b.holds("f", old)
	}
	if text, res := b.write("new/f", large); !res.IsError() {
		t.Errorf("write of a new file of 10 MiB answers %q, want an error", text)
	}
	if _, err := os.Stat(b.path("new/f")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part of the new file is left (%v)", err)
	}
	if text, res := b.edit("f", "old", "new"); res.IsError() {
		t.Errorf("a later edit: %s", text)
	}
}

// Names are bytes: an odd blank and both forms of a letter stay what they are
// (B32).
func TestChangeNames(t *testing.T) {
	b := newBench(t)
	const shot = "Shot 1.02.03\u202fPM.txt"
	b.put(shot, "old\n")
	b.put("a\u0308.txt", "old decomposed\n")
	b.put("\u00e4.txt", "old composed\n")
	text, res := b.edit("Shot 1.02.03 PM.txt", "old", "new")
	if outcome(res) != "precondition" || !strings.Contains(text, shot) {
		t.Errorf("edit with a plain blank answers %q, want the name that there is", text)
	}
	for _, name := range []string{shot, "a\u0308.txt"} {
		if text, res := b.edit(name, "old", "new"); res.IsError() {
			t.Errorf("edit of %q: %s", name, text)
		}
	}
	b.holds(shot, "new\n")
	b.holds("a\u0308.txt", "new decomposed\n")
	b.holds("\u00e4.txt", "old composed\n")
}

// A file that may not be written is refused, although its folder may be
// written, and the system's reason is told.
func TestReadOnlyFile(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is read-only to this user")
	}
	for _, tool := range []string{"write", "edit"} {
		b := newBench(t)
		b.put("f", "old\n")
		if err := os.Chmod(b.path("f"), 0o444); err != nil {
			t.Fatal(err)
		}
		text, res := b.change(tool, "f")
		if outcome(res) != "precondition" || !strings.Contains(text, "permission denied") {
			t.Errorf("%s answers %q, %s; want precondition and the reason", tool, text, outcome(res))
		}
		b.holds("f", "old\n")
	}
}
