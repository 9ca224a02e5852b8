//go:build unix

package builtins

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"raw/contract"
)

// B30, B31: what has no end is refused at once and never opened.
func TestReadSpecialFiles(t *testing.T) {
	rt := newReadTest(t, 30_000)
	at := func(name string) string { return filepath.Join(rt.dir, name) }
	if err := syscall.Mkfifo(at("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, link := range []struct{ name, target string }{{"link", "pipe"}, {"link2", "link"}, {"loop", "loop"}} {
		if err := os.Symlink(link.target, at(link.name)); err != nil {
			t.Fatal(err)
		}
	}
	// The name of a socket has room for about a hundred bytes.
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	socket := filepath.Join(short, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]string{
		"pipe": "named pipe", "link": "named pipe", "link2": "named pipe", socket: "socket",
		"/dev/zero": "device", "/dev/urandom": "device", "/dev/null": "device", "loop": "cycle",
	} {
		within(t, "read "+path, func() {
			r := rt.read(path, 0, 0)
			if got := rt.text(r); !r.IsError() || !strings.Contains(got, want) {
				t.Errorf("read(%q) = %q, want an error with %q", path, got, want)
			}
		})
	}
	if got := rt.text(rt.read(".", 0, 0)); !strings.Contains(got, "pipe (named pipe)\n") {
		t.Errorf("the folder = %q, want the pipe marked", got)
	}
}

// TestReadUnsized: files of /proc have no size and some bytes.
func TestReadUnsized(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system has no /proc")
	}
	rt := newReadTest(t, 30_000)
	if got := rt.text(rt.read("/proc/self/status", 1, 1)); !strings.HasPrefix(got, "     1\tName:\t") || !strings.Contains(got, "Showing lines 1–1 of ") {
		t.Errorf("read(/proc/self/status) = %q, want its first line", got)
	}
}

// TestReadWhole: what a file says of its size is only what is tried first.
func TestReadWhole(t *testing.T) {
	rt := newReadTest(t, 30_000)
	for _, n := range []int{0, 1, 511, 512, 513, 5000, wholeSize} {
		f, _ := openForTest(t, rt.file("f", strings.Repeat("x", n)))
		for _, size := range []int64{0, int64(n), wholeSize} {
			if got, err := readWhole(f, size); err != nil || len(got) != n {
				t.Errorf("readWhole of %d bytes that says %d = %d bytes, %v", n, size, len(got), err)
			}
		}
		f.Close()
	}
	f, _ := openForTest(t, rt.file("f", strings.Repeat("x", 2*wholeSize)))
	defer f.Close()
	for _, size := range []int64{0, 100} {
		if got, err := readWhole(f, size); err == nil {
			t.Errorf("readWhole of a file without end that says %d = %d bytes, want an error", size, len(got))
		}
	}
}

func TestReadForbidden(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	rt := newReadTest(t, 30_000)
	path := rt.file("f", "x")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	r := rt.read(path, 0, 0)
	if got := rt.text(r); r.Failure == nil || r.Failure.Kind != contract.KindFatal || !strings.Contains(got, "may not read it") {
		t.Errorf("read without permission = %q", got)
	}
}
