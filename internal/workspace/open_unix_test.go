//go:build unix

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOpen(t *testing.T) {
	base := realDir(t)
	tree(t, base, "w/f", "text", "w/link", "-> f", "w/d/x", "", "out/f", "outside")
	w := newWorkspace(t, "", filepath.Join(base, "w"))
	for path, want := range map[string]string{"f": "text", "link": "text", "../out/f": "outside"} {
		p, err := w.Resolve(path)
		must(t, err)
		f, err := Open(p)
		if err != nil {
			t.Errorf("Open(%q): %v", path, err)
			continue
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != want {
			t.Errorf("Open(%q) reads %q, %v, want %q", path, got, err, want)
		}
		f.Close()
	}
	missing, err := w.Resolve("none")
	must(t, err)
	if _, err := Open(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing file: %v, want fs.ErrNotExist", err)
	}

	for _, path := range []string{"d", ".", "../out"} {
		p, err := w.Resolve(path)
		must(t, err)
		d, err := OpenDir(p)
		if err != nil {
			t.Errorf("OpenDir(%q): %v", path, err)
			continue
		}
		if names, err := d.Readdirnames(-1); err != nil || len(names) == 0 {
			t.Errorf("OpenDir(%q) lists %q, %v, want its entries", path, names, err)
		}
		d.Close()
	}
	p, err := w.Resolve("f")
	must(t, err)
	var special *SpecialError
	if _, err := OpenDir(p); !errors.As(err, &special) || special.Kind != "regular file" || errors.Is(err, ErrNotRegular) {
		t.Errorf("OpenDir of a file: %v, want a SpecialError of kind regular file", err)
	}
}

// Nothing special blocks, by its own name or through a link.
func TestOpenSpecial(t *testing.T) {
	dir := realDir(t)
	tree(t, dir, "d/x", "", "pipelink", "-> pipe", "zerolink", "-> /dev/zero")
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	t.Chdir(dir) // the address of a socket is short
	l, err := net.Listen("unix", "sock")
	must(t, err)
	defer l.Close()
	w := newWorkspace(t, "", dir)
	for path, want := range map[string]string{
		"pipe": "named pipe", "pipelink": "named pipe", "sock": "socket", "d": "directory",
		"/dev/zero": "device", "/dev/null": "device", "zerolink": "device",
	} {
		p, err := w.Resolve(path)
		must(t, err)
		_, err = Open(p)
		var special *SpecialError
		if !errors.As(err, &special) || special.Kind != want || !errors.Is(err, ErrNotRegular) {
			t.Errorf("Open(%q): %v, want a SpecialError of kind %s", path, err, want)
		}
	}
	if got := Near(filepath.Join(dir, "pipe", "x"), 3); len(got) > 0 {
		t.Errorf("Near below a pipe = %q, want none", got)
	}
	// The type is looked at again on what was opened: a pipe that takes the
	// place of a file after the first look does not block either.
	p, err := w.Resolve("pipe")
	must(t, err)
	f, err := openReal(p, openFile)
	if err != nil {
		t.Fatalf("open a pipe without a writer: %v", err)
	}
	f.Close()
}

// Whatever takes the place of the resolved file is not opened.
func TestOpenChanged(t *testing.T) {
	tests := []struct {
		name   string
		change func(dir string) error
	}{
		{"another file", func(dir string) error {
			return os.Rename(filepath.Join(dir, "w/other"), filepath.Join(dir, "w/d/f"))
		}},
		{"a link in its place", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "w/d/f")), os.Symlink("../other", filepath.Join(dir, "w/d/f")))
		}},
		{"a link in its path", func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "w/d"), filepath.Join(dir, "w/d2")),
				os.Symlink("../out", filepath.Join(dir, "w/d")))
		}},
		{"a pipe", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "w/d/f")), syscall.Mkfifo(filepath.Join(dir, "w/d/f"), 0o644))
		}},
	}
	for _, test := range tests {
		for _, root := range []string{"w", "elsewhere"} {
			dir := realDir(t)
			tree(t, dir, "w/d/f", "text", "w/other", "other", "out/f", "outside", "elsewhere/x", "")
			w := newWorkspace(t, "", filepath.Join(dir, root))
			p, err := w.Resolve(filepath.Join(dir, "w/d/f"))
			must(t, err)
			must(t, test.change(dir))
			// A new pipe may have got the number of the removed file.
			f, err := Open(p)
			if ok := errors.Is(err, ErrChanged) || test.name == "a pipe" && errors.Is(err, ErrNotRegular); !ok {
				t.Errorf("%s, root %s: Open = %v, %v, want ErrChanged", test.name, root, f, err)
			}
		}
	}
}

// Not even the open itself leaves the root by a link that is new in the path.
func TestOpenStaysInRoot(t *testing.T) {
	dir := realDir(t)
	tree(t, dir, "w/d/f", "text", "out/f", "outside")
	w := newWorkspace(t, "", filepath.Join(dir, "w"))
	p, err := w.Resolve("d/f")
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(dir, "w/d")))
	must(t, os.Symlink("../out", filepath.Join(dir, "w/d")))
	if f, err := openReal(p, openFile); err == nil {
		f.Close()
		t.Errorf("openReal(%s) left the root by a link", p.Real)
	}
}
