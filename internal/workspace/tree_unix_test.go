//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestOpenTree: only the folder that was resolved is opened, inside and outside
// a root, and nothing above it through it.
func TestOpenTree(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in/sub", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := New([]string{filepath.Join(dir, "in")}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sub", ".", "../out"} {
		p, err := w.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := OpenTree(p)
		if err != nil {
			t.Errorf("OpenTree(%s): %v", name, err)
			continue
		}
		if _, err := tree.Open("../in"); err == nil {
			t.Errorf("OpenTree(%s) leads out of it", name)
		}
		tree.Close()
		moved := p.Real + ".moved"
		if err := os.Rename(p.Real, moved); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(moved, p.Real); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTree(p); !errors.Is(err, ErrChanged) {
			t.Errorf("OpenTree(%s) after it became a link = %v, want %v", name, err, ErrChanged)
		}
		if err := os.Remove(p.Real); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.Real, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTree(p); err == nil {
			t.Errorf("OpenTree(%s) opened a file", name)
		}
		if err := os.Remove(p.Real); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTree(p); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("OpenTree(%s) of nothing = %v", name, err)
		}
		if err := os.Rename(moved, p.Real); err != nil {
			t.Fatal(err)
		}
	}
}
