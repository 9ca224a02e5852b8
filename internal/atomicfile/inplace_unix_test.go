//go:build linux || darwin

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// All names of a file see the new content, and stay names of one file.
func TestHardLinks(t *testing.T) {
	for _, text := range []string{"", "n", "new", "a longer new content"} {
		base := realDir(t)
		dir, pending := filepath.Join(base, "w"), filepath.Join(base, "state", "pending")
		must(t, os.Mkdir(dir, 0o755))
		path, other := filepath.Join(dir, "f"), filepath.Join(dir, "g")
		must(t, os.WriteFile(path, []byte("old"), 0o640))
		must(t, os.Link(path, other))
		s := snap(t, path)

		_, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Snapshot: s}, content(text))
		if !errors.Is(err, ErrNoPending) || readFile(t, path) != "old" {
			t.Errorf("Replace without a pending folder: %v, want ErrNoPending and the old content", err)
		}
		// While the new content comes in, the file is as it was.
		out, err := Replace(t.Context(), Options{Pending: pending, Locks: new(Locks)}, Target{Path: path, Root: dir}, Expect{Snapshot: s},
			func(w io.Writer) error {
				if got := readFile(t, path); got != "old" {
					t.Errorf("content is %q while the copy is written, want the old one", got)
				}
				return content(text)(w)
			})
		if err != nil || out.InPlace != "it has 2 hard links" || !out.Snapshot.Holds([]byte(text)) {
			t.Errorf("Replace = %+v, %v, want it written in place for its 2 links", out, err)
		}
		for _, name := range []string{path, other} {
			if got := readFile(t, name); got != text {
				t.Errorf("%s has %q, want %q", filepath.Base(name), got, text)
			}
		}
		fi, err := os.Stat(other)
		must(t, err)
		if st := statFrom(fi); st.links != 2 || st.inode != s.Inode || fi.Mode() != 0o640 {
			t.Errorf("afterwards %d links, file %d, mode %v, want 2, %d, 0640", st.links, st.inode, fi.Mode(), s.Inode)
		}
		wantNames(t, pending)
		wantNames(t, dir, "f", "g")

		must(t, os.WriteFile(other, []byte("theirs"), 0o640))
		_, err = Replace(t.Context(), Options{Pending: pending}, Target{Path: path, Root: dir}, Expect{Snapshot: &out.Snapshot}, content("ours"))
		if !errors.Is(err, ErrConflict) || readFile(t, path) != "theirs" {
			t.Errorf("Replace after a change by the other name: %v, want ErrConflict and their content", err)
		}
		_, err = Replace(t.Context(), Options{Pending: pending}, Target{Path: path, Root: dir}, Expect{Snapshot: snap(t, path)},
			func(w io.Writer) error {
				must(t, os.WriteFile(other, []byte("later"), 0o640))
				return content("ours")(w)
			})
		if !errors.Is(err, ErrConflict) || readFile(t, path) != "later" {
			t.Errorf("Replace with a change meanwhile: %v, want ErrConflict and their content", err)
		}
		wantNames(t, pending)
	}
}

// A write in place that dies leaves a complete copy, which is reported with its
// file and never applied.
func TestLeftovers(t *testing.T) {
	dir := realDir(t)
	if got, err := Leftovers(filepath.Join(dir, "none")); err != nil || len(got) > 0 {
		t.Errorf("Leftovers of a missing folder = %v, %v, want none", got, err)
	}
	gone := exec.Command("true")
	must(t, gone.Run())
	header := func(pid int) string {
		return fmt.Sprintf(`{"target":"/w/f","pid":%d,"size":3,"started":"2026-01-02T03:04:05Z"}`, pid)
	}
	for name, text := range map[string]string{
		"dead": "new", "dead.json": header(gone.Process.Pid),
		"live": "new", "live.json": header(os.Getppid()),
		"cut":  "ne", // died before the copy was complete
		"torn": "new", "torn.json": header(gone.Process.Pid)[:20],
		"done.json": header(gone.Process.Pid),
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got, err := Leftovers(dir)
	want := Leftover{
		Copy: filepath.Join(dir, "dead"), Target: "/w/f", Size: 3,
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("Leftovers = %+v, %v, want only %+v", got, err, want)
	}
}

// When the target cannot be completed the error names the copy and keeps it;
// when its growth fails it is cut back.
func TestOverwriteErrors(t *testing.T) {
	dir := realDir(t)
	path, source := filepath.Join(dir, "f"), filepath.Join(dir, "copy")
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	must(t, os.WriteFile(source, []byte("longer"), 0o644))
	src, err := os.Open(source)
	must(t, err)
	defer src.Close()
	f, err := os.Open(path) // not for writing: every write fails
	must(t, err)
	defer f.Close()
	if touched, err := overwrite(f, 3, src, 2); err == nil || !touched {
		t.Errorf("overwrite with a failing file = %v, %v, want it touched and an error", touched, err)
	}
	cause := errors.New("cause")
	if err := error(&InPlaceError{Copy: source, Err: cause}); !errors.Is(err, cause) || !strings.Contains(err.Error(), source) {
		t.Errorf("InPlaceError says %q, want it to name the copy and the cause", err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no full device here: %v", err)
	}
	defer full.Close()
	if _, err := overwrite(full, 3, src, 6); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("overwrite of a full device: %v, want %v", err, syscall.ENOSPC)
	}
}

// What is no regular file is refused at once, also when it takes the place of one.
func TestSpecialFiles(t *testing.T) {
	dir := realDir(t)
	t.Chdir(dir) // the address of a socket is short
	must(t, os.Mkdir("d", 0o755))
	must(t, syscall.Mkfifo("pipe", 0o644))
	l, err := net.Listen("unix", "sock")
	must(t, err)
	defer l.Close()
	kinds := map[string]string{"d": "directory", "pipe": "named pipe", "sock": "socket"}
	// A node of our own, never one in /dev: a fault found here would replace it.
	if err := unix.Mknod("null", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err == nil {
		kinds["null"] = "device"
	}
	for name, kind := range kinds {
		path := filepath.Join(dir, name)
		for _, expect := range []Expect{{}, {Force: true}, {Snapshot: new(Snapshot)}} {
			_, err := Replace(t.Context(), Options{Pending: dir}, Target{Path: path}, expect, content("x"))
			if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), kind) {
				t.Errorf("Replace(%s): %v, want ErrNotRegular that says %s", path, err, kind)
			}
		}
	}
	wantNames(t, dir, slices.Sorted(maps.Keys(kinds))...)
}

// A link that comes into the path after it was resolved leads nowhere.
func TestLinkInPath(t *testing.T) {
	dir := realDir(t)
	must(t, os.MkdirAll(filepath.Join(dir, "w", "d", "deep"), 0o755))
	must(t, syscall.Mkfifo(filepath.Join(dir, "w", "pipe"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "w", "e"), 0o755))
	must(t, os.Symlink("d", filepath.Join(dir, "w", "link")))
	for _, root := range []string{filepath.Join(dir, "w"), ""} {
		for _, path := range []string{"link/new", "link/sub/new", "link/deep/new", "pipe/new", "pipe/sub/new"} {
			target := Target{Path: filepath.Join(dir, "w", path), Root: root, Parents: true}
			if _, err := Replace(t.Context(), Options{}, target, Expect{}, content("x")); !errors.Is(err, ErrConflict) {
				t.Errorf("Replace(%s) in root %q: %v, want ErrConflict", path, root, err)
			}
		}
	}
	wantNames(t, filepath.Join(dir, "w", "d"), "deep")
	wantNames(t, filepath.Join(dir, "w", "d", "deep"))
}

// Somebody else keeps renaming new versions over the file. Whenever we replace
// it, no version of theirs is lost: what we wrote was made from their last one,
// or theirs stands.
func TestNothingLostInARace(t *testing.T) {
	const versions = 300
	dir := realDir(t)
	path := filepath.Join(dir, "f")
	must(t, os.WriteFile(path, []byte("v0"), 0o644))
	stop := make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		defer close(stop)
		for i := range versions {
			if err := os.WriteFile(path+".x", fmt.Appendf(nil, "v%d", i+1), 0o644); err != nil {
				t.Error(err)
			}
			if err := os.Rename(path+".x", path); err != nil {
				t.Error(err)
			}
		}
	})
	won, lost := 0, 0
	for running := true; running; {
		select {
		case <-stop:
			running = false
		default:
		}
		f, err := os.Open(path)
		must(t, err)
		data, s, err := Read(f)
		f.Close()
		if errors.Is(err, ErrConflict) {
			continue
		}
		must(t, err)
		base, _, _ := strings.Cut(string(data), "+")
		_, err = Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Snapshot: &s}, content(base+"+ours"))
		switch {
		case err == nil:
			won++
		case errors.Is(err, ErrConflict):
			lost++
		default:
			t.Fatal(err)
		}
	}
	other.Wait()
	if got, want := readFile(t, path), fmt.Sprintf("v%d+ours", versions); got != want {
		t.Errorf("file has %q, want %q: a version was lost (%d replaced, %d conflicts)", got, want, won, lost)
	}
	wantNames(t, dir, "f")
	t.Logf("%d replaced, %d conflicts", won, lost)
}
