package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// snap reads path as a tool does before an edit.
func snap(t *testing.T, path string) *Snapshot {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	_, s, err := Read(f)
	must(t, err)
	return &s
}

// wantNames checks that a folder has exactly these entries: no temporary file.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries of the folder (-want +got):\n%s", diff)
	}
}

func TestReplace(t *testing.T) {
	dir := realDir(t)
	for _, mode := range []fs.FileMode{0o755, 0o644, 0o600, 0o640, 0o777} {
		path := filepath.Join(dir, fmt.Sprintf("m%o", mode))
		must(t, os.WriteFile(path, []byte("old"), 0o600))
		must(t, os.Chmod(path, mode))
		for _, expect := range []Expect{{Snapshot: snap(t, path)}, {Force: true}} {
			text := fmt.Sprintf("new %v", expect.Force)
			out, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, expect, content(text))
			if err != nil || out.Created || out.InPlace != "" {
				t.Fatalf("Replace(%s) = %+v, %v, want it replaced", path, out, err)
			}
			if got := readFile(t, path); got != text {
				t.Errorf("content is %q, want %q", got, text)
			}
			if fi, err := os.Stat(path); err != nil || fi.Mode() != mode {
				t.Errorf("mode is %v, %v, want %v", fi.Mode(), err, mode)
			}
			if !out.Snapshot.Holds([]byte(text)) || out.Snapshot.Holds([]byte("old")) {
				t.Errorf("snapshot of the new file does not hold the new content")
			}
			if now := snap(t, path); now.Inode != out.Snapshot.Inode || !now.sameTimes(out.Snapshot) {
				t.Errorf("snapshot after the write is %+v, want %+v", out.Snapshot, now)
			}
		}
	}
	wantNames(t, dir, "m600", "m640", "m644", "m755", "m777")
}

func TestReplaceCreates(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "a", "b", "new.txt")
	_, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{}, content("x"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Replace in a missing folder: %v, want fs.ErrNotExist", err)
	}
	for _, root := range []string{dir, ""} {
		out, err := Replace(t.Context(), Options{}, Target{Path: path, Root: root, Parents: true}, Expect{}, content("x"))
		if err != nil || !out.Created || readFile(t, path) != "x" {
			t.Errorf("Replace(%s) = %+v, %v, want it created", path, out, err)
		}
		wantNames(t, filepath.Dir(path), "new.txt")
		must(t, os.RemoveAll(filepath.Join(dir, "a")))
	}
	long := filepath.Join(dir, strings.Repeat("\u00e4", 127)+"x")
	if _, err := Replace(t.Context(), Options{}, Target{Path: long, Root: dir}, Expect{}, content("x")); err != nil {
		t.Errorf("Replace of a file with a name of 255 bytes: %v", err)
	}
	outside := Target{Path: filepath.Join(filepath.Dir(dir), "x"), Root: dir}
	if _, err := Replace(t.Context(), Options{}, outside, Expect{Force: true}, content("x")); err == nil || !strings.Contains(err.Error(), "not below") {
		t.Errorf("Replace outside its root: %v, want an error", err)
	}
}

// A change from outside, at any moment until the swap, is a conflict: what the
// other side made stays, and nothing of ours does.
func TestConflict(t *testing.T) {
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }
	tests := []struct {
		name   string
		fresh  bool // expects no file
		change func(path string) error
		want   string // content afterwards, "" for no file
	}{
		{"longer", false, func(p string) error { return write(p, "theirs, longer") }, "theirs, longer"},
		{"same size", false, func(p string) error { return write(p, "thy") }, "thy"},
		{"renamed over", false, func(p string) error {
			return errors.Join(write(p+".x", "new"), os.Rename(p+".x", p))
		}, "new"},
		{"removed", false, os.Remove, ""},
		{"a link", false, func(p string) error {
			return errors.Join(os.Remove(p), write(p+".target", "target"), os.Symlink(p+".target", p))
		}, "target"},
		{"appeared", true, func(p string) error { return write(p, "theirs") }, "theirs"},
	}
	for _, test := range tests {
		for _, when := range []string{"before", "while writing"} {
			t.Run(test.name+" "+when, func(t *testing.T) {
				dir := realDir(t)
				path := filepath.Join(dir, "f")
				var expect Expect
				if !test.fresh {
					must(t, write(path, "old"))
					expect.Snapshot = snap(t, path)
				}
				if when == "before" {
					must(t, test.change(path))
				}
				_, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, expect, func(w io.Writer) error {
					if when != "before" {
						must(t, test.change(path))
					}
					return content("ours")(w)
				})
				if !errors.Is(err, ErrConflict) {
					t.Errorf("Replace: %v, want ErrConflict", err)
				}
				got, err := os.ReadFile(path)
				if string(got) != test.want || (test.want == "") != errors.Is(err, fs.ErrNotExist) {
					t.Errorf("file has %q, %v afterwards, want %q", got, err, test.want)
				}
				left, err := filepath.Glob(filepath.Join(dir, ".*"))
				must(t, err)
				if len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
			})
		}
	}
}

// The same bytes under new times are no conflict; a snapshot by stat alone is.
func TestSnapshotMatches(t *testing.T) {
	path := filepath.Join(realDir(t), "f")
	must(t, os.WriteFile(path, []byte("text"), 0o644))
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	whole := *snap(t, path)
	hashed, err := Hash(f)
	must(t, err)
	if hashed != whole {
		t.Errorf("Hash = %+v, want the same as Read, %+v", hashed, whole)
	}
	byStat, err := Stat(f)
	must(t, err)
	check := func(what string, s Snapshot, want bool) {
		t.Helper()
		if got, err := s.Matches(f); err != nil || got != want {
			t.Errorf("%s: Matches = %v, %v, want %v", what, got, err, want)
		}
	}
	check("untouched", whole, true)
	check("untouched, by stat", byStat, true)
	must(t, os.WriteFile(path, []byte("text"), 0o644))
	check("rewritten", whole, true)
	must(t, os.WriteFile(path, []byte("tent"), 0o644))
	now, err := Stat(f)
	must(t, err)
	forged := whole
	forged.ModTime, forged.ChangeTime = now.ModTime, now.ChangeTime
	check("other bytes within one tick of the clock", forged, false)
	check("other bytes, by stat", byStat, false)
	must(t, os.WriteFile(path, []byte("longer text"), 0o644))
	check("longer", whole, false)
}

func TestErrorsLeaveNothing(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "f")
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	boom := errors.New("boom")
	cancelled, cancel := context.WithCancelCause(t.Context())
	tests := []struct {
		name  string
		ctx   context.Context
		write func(io.Writer) error
		want  error
	}{
		{"writer", t.Context(), func(w io.Writer) error { _ = content("part")(w); return boom }, boom},
		{"cancel", cancelled, func(w io.Writer) error {
			cancel(boom)
			err := content(strings.Repeat("x", 1<<20))(w)
			if !errors.Is(err, boom) {
				t.Errorf("write after the cancel: %v, want %v at once", err, boom)
			}
			return err
		}, boom},
		{"cancelled before", cancelled, content("x"), boom},
	}
	for _, test := range tests {
		for _, expect := range []Expect{{Snapshot: snap(t, path)}, {Force: true}} {
			_, err := Replace(test.ctx, Options{}, Target{Path: path, Root: dir}, expect, test.write)
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", test.name, err, test.want)
			}
			if got := readFile(t, path); got != "old" {
				t.Errorf("%s: content is %q, want the old one", test.name, got)
			}
			wantNames(t, dir, "f")
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Force: true}, func(io.Writer) error { panic(boom) })
	}()
	wantNames(t, dir, "f")
}

// An edit of a large file is spliced from slices of the old content, so that
// the whole is in memory once.
func TestReplaceStreams(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "big")
	old := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
	must(t, os.WriteFile(path, old, 0o644))
	s := snap(t, path)
	at := len(old)/2 + 3
	splice := func(w io.Writer) error {
		for _, piece := range [][]byte{old[:at], []byte("NEW"), old[at:]} {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
	before := allocated()
	out, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Snapshot: s}, splice)
	grown := allocated() - before
	must(t, err)
	if grown > uint64(len(old))/2 {
		t.Errorf("Replace allocated %d bytes for %d of content, want less than half", grown, len(old))
	}
	want := string(old[:at]) + "NEW" + string(old[at:])
	if got := readFile(t, path); got != want || !out.Snapshot.Holds([]byte(want)) {
		t.Errorf("spliced content is wrong (%d bytes, want %d)", len(got), len(want))
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func BenchmarkReplace50MiB(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 50<<16)
	for _, way := range []string{"floor", "replace"} {
		b.Run(way, func(b *testing.B) {
			dir, err := filepath.EvalSymlinks(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			path := filepath.Join(dir, "f")
			if err := os.WriteFile(path, data, 0o644); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := replaceFor(b, way, path, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// replaceFor reads and replaces path, by the shortest way or by ours.
func replaceFor(b *testing.B, way, path string, data []byte) error {
	if way == "floor" {
		if _, err := os.ReadFile(path); err != nil {
			return err
		}
		f, err := os.Create(path + ".tmp")
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Sync(), f.Close(), os.Rename(path+".tmp", path))
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, s, err := Read(f)
	if err != nil {
		return err
	}
	_, err = Replace(b.Context(), Options{}, Target{Path: path, Root: filepath.Dir(path)}, Expect{Snapshot: &s},
		func(w io.Writer) error { _, err := w.Write(data); return err })
	return err
}
