//go:build linux || darwin

package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// While the new content stands at the target in an exchange that is undone,
// others may write into it, or put files there. Nothing that they wrote is lost.
func TestUndo(t *testing.T) {
	tests := []struct {
		name      string
		meanwhile func(t *testing.T, path string)
		want      string // at the target
		kept      string // "" for none
	}{
		{"nobody", func(*testing.T, string) {}, "theirs", ""},
		{"an appender", func(t *testing.T, path string) { must(t, appendTo(path, " more")) }, "theirs", "ours more"},
		{"one that writes over it", func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("hers"), 0o644)) }, "theirs", "hers"},
		{"one that empties it", func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, "theirs", "empty"},
		{"a newer file", func(t *testing.T, path string) {
			must(t, os.WriteFile(path+".x", []byte("newer"), 0o644))
			must(t, os.Rename(path+".x", path))
		}, "newer", ""},
		{"one that removes it", func(t *testing.T, path string) { must(t, os.Remove(path)) }, "theirs", ""},
		{"one that is not done yet", func(t *testing.T, path string) {
			if runtime.GOOS != "linux" {
				t.Skip("nobody can tell on this system")
			}
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			must(t, err)
			t.Cleanup(func() { must(t, f.Close()) })
		}, "theirs", "ours"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(realDir(t), "f")
			must(t, os.WriteFile(path, []byte("theirs"), 0o644))
			dir, err := openFolder(Target{Path: path})
			must(t, err)
			defer dir.close()
			tmp, err := dir.createTemp("f", 0o644)
			must(t, err)
			defer tmp.close()
			sum, size, err := fill(t.Context(), tmp.file, content("ours"))
			must(t, err)
			st, err := statOf(tmp.file)
			must(t, err)
			must(t, tmp.exchangeable())
			must(t, exchange(dir.file, tmp.name, "f"))
			test.meanwhile(t, path)

			r := &replacement{dir: dir, path: path, name: "f"}
			err = r.undo(tmp, written(st, sum, size), conflict("it differs"))
			tmp.close()
			if !errors.Is(err, ErrConflict) {
				t.Errorf("undo = %v, want ErrConflict", err)
			}
			if got := readFile(t, path); got != test.want {
				t.Errorf("the target holds %q, want %q", got, test.want)
			}
			kept, ok := errors.AsType[*KeptError](err)
			if ok != (test.kept != "") {
				t.Fatalf("undo = %v, want a *KeptError: %v", err, test.kept != "")
			}
			if !ok {
				wantNames(t, filepath.Dir(path), "f")
				return
			}
			if got := readFile(t, kept.Kept); got != strings.TrimSuffix(test.kept, "empty") || kept.Found != "it differs" || !strings.Contains(err.Error(), kept.Kept) {
				t.Errorf("undo = %v, which holds %q; want it named, with %q", err, got, test.kept)
			}
			wantNames(t, filepath.Dir(path), "f", filepath.Base(kept.Kept))
		})
	}
}

// A change that is there before the swap is found before it: the other side's
// file never leaves its place, which would change its time.
func TestLastLook(t *testing.T) {
	path := filepath.Join(realDir(t), "f")
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	var changed stat
	_, err = Replace(t.Context(), Options{}, Target{Path: path}, Expect{Snapshot: snap(t, path)}, func(w io.Writer) error {
		must(t, appendTo(path, " theirs"))
		changed, err = statOf(f)
		must(t, err)
		return content(strings.Repeat("ours", 4<<20))(w)
	})
	if !errors.Is(err, ErrConflict) {
		t.Errorf("Replace = %v, want ErrConflict", err)
	}
	after, err := statOf(f)
	must(t, err)
	if after != changed {
		t.Errorf("the file was touched: %+v, want %+v", after, changed)
	}
}

// A change between the last look and the exchange is found in what comes out.
func TestChangeAfterTheLastLook(t *testing.T) {
	for name, test := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"an appender": {func(p string) error { return appendTo(p, " theirs") }, "old theirs"},
		"a new file": {func(p string) error {
			return errors.Join(os.WriteFile(p+".x", []byte("new"), 0o644), os.Rename(p+".x", p))
		}, "new"},
		"a new mode":  {func(p string) error { return os.Chmod(p, 0o600) }, "old"},
		"its removal": {os.Remove, ""},
		"none":        {func(string) error { return nil }, "ours"},
	} {
		path := filepath.Join(realDir(t), "f")
		must(t, os.WriteFile(path, []byte("old"), 0o644))
		dir, err := openFolder(Target{Path: path})
		must(t, err)
		r := &replacement{dir: dir, path: path, name: "f", expect: Expect{Snapshot: snap(t, path)}}
		must(t, r.inspect())
		tmp, _, err := r.prepare()
		must(t, err)
		sum, size, err := fill(t.Context(), tmp.file, content("ours"))
		must(t, err)
		st, err := statOf(tmp.file)
		must(t, err)
		if name == "none" {
			err = r.swap(tmp, written(st, sum, size))
		} else {
			must(t, tmp.exchangeable())
			must(t, test.change(path))
			err = r.place(tmp, written(st, sum, size))
		}
		if _, _, ok := markedBy(tmp.name, swapMark); !ok {
			t.Errorf("%s: the file was exchanged under the name %s, which a sweep removes", name, tmp.name)
		}
		if errors.Is(err, ErrConflict) != (name != "none") {
			t.Errorf("%s: place = %v, want ErrConflict: %v", name, err, name != "none")
		}
		tmp.close()
		r.close()
		dir.close()
		if got, _ := os.ReadFile(path); string(got) != test.want {
			t.Errorf("%s: the file holds %q, want %q", name, got, test.want)
		}
		if test.want != "" {
			wantNames(t, filepath.Dir(path), "f")
		}
	}
}

// Whoever has a file open for writing is seen on Linux, and who only reads is not.
func TestOpenForWriting(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody can tell on this system")
	}
	path := filepath.Join(realDir(t), "f")
	must(t, os.WriteFile(path, nil, 0o644))
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
		other, err := os.OpenFile(path, flag, 0)
		must(t, err)
		if got := openForWriting(f); got != (flag != os.O_RDONLY) {
			t.Errorf("openForWriting = %v while it is open with %d", got, flag)
		}
		must(t, other.Close())
		if openForWriting(f) {
			t.Errorf("openForWriting = true after a close of %d", flag)
		}
	}
}
