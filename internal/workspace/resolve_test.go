package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tree makes files ("name": content), folders ("name/") and links ("name": "-> target").
func tree(t testing.TB, dir string, entries ...string) {
	t.Helper()
	for i := 0; i < len(entries); i += 2 {
		path, what := filepath.Join(dir, entries[i]), entries[i+1]
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if target, ok := strings.CutPrefix(what, "-> "); err == nil && ok {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(what), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestResolve(t *testing.T) {
	base := realDir(t)
	dir, out := filepath.Join(base, "w"), filepath.Join(base, "out")
	tree(t, base,
		"w/sub/real", "text",
		"w/l1", "-> l2",
		"w/l2", "-> sub/real",
		"w/abs", "-> "+dir+"/sub",
		"w/up", "-> sub/../sub/./real",
		"w/dangling", "-> sub/none/deep",
		"w/leak", "-> "+out+"/secret",
		"w/leakdir", "-> ../out",
		"w/deeper/back", "-> ../sub",
		"out/secret", "secret",
		"out/in", "-> ../w/sub",
	)
	w := newWorkspace(t, "", dir)
	tests := []struct {
		path, real string
		exists     bool
	}{
		{"sub/real", dir + "/sub/real", true},
		{"l1", dir + "/sub/real", true},
		{"abs/real", dir + "/sub/real", true},
		{"up", dir + "/sub/real", true},
		{"deeper/back/real", dir + "/sub/real", true},
		{"dangling", dir + "/sub/none/deep", false},
		{"none", dir + "/none", false},
		{"abs/none/x", dir + "/sub/none/x", false},
		{"leak", out + "/secret", true},
		{"leakdir/secret", out + "/secret", true},
		{"leakdir/none", out + "/none", false},
		{"sub/../../out/secret", out + "/secret", true},
		{"../out/in/real", dir + "/sub/real", true},
		{".//sub/../l1", dir + "/sub/real", true},
		{".", dir, true},
		{"/", "/", true},
	}
	for _, test := range tests {
		p, err := w.Resolve(test.path)
		if err != nil || p.Real != test.real || p.Exists != test.exists {
			t.Errorf("Resolve(%q) = %+v, %v, want %s, exists %v", test.path, p, err, test.real, test.exists)
			continue
		}
		if lexical, _ := Lexical(test.path, dir); p.Lexical != lexical {
			t.Errorf("Resolve(%q).Lexical = %q, want %q", test.path, p.Lexical, lexical)
		}
		if inside := Contains(dir, test.real); (p.Root == dir) != inside || (p.Root == "") == inside {
			t.Errorf("Resolve(%q).Root = %q, inside is %v", test.path, p.Root, inside)
		}
		var device, inode uint64
		if fi, err := os.Stat(test.real); err == nil {
			device, inode = numbersOf(fi)
		}
		if p.Device != device || p.Inode != inode || (inode != 0) != test.exists {
			t.Errorf("Resolve(%q) is file %d:%d, want %d:%d", test.path, p.Device, p.Inode, device, inode)
		}
	}
}

// numbersOf reads a file's identity by another way than the product.
func numbersOf(fi fs.FileInfo) (device, inode uint64) {
	v := reflect.Indirect(reflect.ValueOf(fi.Sys()))
	return v.FieldByName("Dev").Convert(reflect.TypeFor[uint64]()).Uint(), v.FieldByName("Ino").Uint()
}

func TestResolveErrors(t *testing.T) {
	dir := realDir(t)
	tree(t, dir,
		"file", "text",
		"self", "-> self",
		"a", "-> b",
		"b", "-> c/../a",
		"c/x", "",
		"through", "-> none/../file",
		"filelink", "-> file/x",
	)
	chain := "file"
	for i := range maxLinks + 1 {
		name := fmt.Sprintf("chain%d", i)
		tree(t, dir, name, "-> "+chain)
		chain = name
	}
	w := newWorkspace(t, "", dir)
	tests := []struct {
		path, want string
		links      bool
	}{
		{"self", "cycle", true},
		{"self/x", "cycle", true},
		{"a", "cycle", true},
		{chain, "too many links", true},
		{"file/x", dir + "/file is a regular file, not a folder", false},
		{"filelink", "not a folder", false},
		{"through", "none does not exist", false},
		{strings.Repeat("n", 300), "too long; use a shorter name", false},
	}
	for _, test := range tests {
		p, err := w.Resolve(test.path)
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, ErrLinks) != test.links || len(err.Error()) > 300 {
			t.Errorf("Resolve(%q) = %+v, %v, want a short error that says %q (ErrLinks %v)", test.path, p, err, test.want, test.links)
		}
	}
	if p, err := w.Resolve(fmt.Sprintf("chain%d", maxLinks-1)); err != nil || p.Real != filepath.Join(dir, "file") {
		t.Errorf("Resolve of %d links = %+v, %v, want the file", maxLinks, p, err)
	}
}

// The two compositions of a letter are two names.
func TestCompositionsStayApart(t *testing.T) {
	dir := realDir(t)
	tree(t, dir, "a\u0308.txt", "decomposed", "\u00e4.txt", "composed")
	w := newWorkspace(t, "", dir)
	for name, want := range map[string]string{"a\u0308.txt": "decomposed", "\u00e4.txt": "composed"} {
		p, err := w.Resolve(name)
		must(t, err)
		f, err := Open(p)
		must(t, err)
		got := make([]byte, 32)
		n, _ := f.Read(got)
		f.Close()
		if p.Real != filepath.Join(dir, name) || string(got[:n]) != want {
			t.Errorf("Resolve(%+q) = %+q with %q, want the %s one", name, p.Real, got[:n], want)
		}
	}
}

// Names that a person could take for one another stay what they are on a disk
// that does not fold, hard links included.
func TestNoFoldingOnAnExactDisk(t *testing.T) {
	dir := realDir(t)
	tree(t, dir, "Secret.txt", "s")
	if _, err := os.Lstat(filepath.Join(dir, "SECRET.TXT")); err == nil {
		t.Skip("this disk folds case")
	}
	w := newWorkspace(t, "", dir)
	if p, err := w.Resolve("secret.txt"); err != nil || p.Exists || p.Real != filepath.Join(dir, "secret.txt") {
		t.Errorf("Resolve(secret.txt) = %+v, %v, want a missing file of that name", p, err)
	}
	must(t, os.Link(filepath.Join(dir, "Secret.txt"), filepath.Join(dir, "sECRET.TXT")))
	for _, name := range []string{"Secret.txt", "sECRET.TXT"} {
		if p, err := w.Resolve(name); err != nil || p.Real != filepath.Join(dir, name) {
			t.Errorf("Resolve(%q) = %+v, %v, want its own name", name, p, err)
		}
	}
}

// FuzzResolve builds a small tree of links from bytes and compares every name
// with filepath.EvalSymlinks.
func FuzzResolve(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5})
	f.Add([]byte{9, 0, 9, 1, 9, 9, 200, 13})
	f.Add([]byte("\x03\x13\x23\x33\x43\x53\x63\x73"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 64 {
			return
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		names := buildTree(t, dir, script)
		w, err := New([]string{dir}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			want, wantErr := filepath.EvalSymlinks(filepath.Join(dir, name))
			p, err := w.Resolve(name)
			switch {
			case wantErr == nil:
				if err != nil || p.Real != want || !p.Exists {
					t.Errorf("Resolve(%q) = %+v, %v, want %s", name, p, err, want)
				}
				if got, err := filepath.EvalSymlinks(p.Real); err != nil || got != p.Real {
					t.Errorf("Resolve(%q).Real = %s still has links: %s, %v", name, p.Real, got, err)
				}
			case errors.Is(wantErr, fs.ErrNotExist):
				if err == nil && p.Exists {
					t.Errorf("Resolve(%q) = %+v, want a missing file", name, p)
				}
			default: // a cycle, or a file as a folder
				if err == nil {
					t.Errorf("Resolve(%q) = %+v, want an error like %v", name, p, wantErr)
				}
			}
		}
	})
}

// buildTree makes folders, files and links, and returns names to look up.
func buildTree(t *testing.T, dir string, script []byte) []string {
	parts := []string{"a", "b", "c", "d/a", "d/b", "d/e/c", "..", ".", "d", "d/e", "../d", dir + "/b", dir + "/d/e", "b/..", "none"}
	if err := os.MkdirAll(filepath.Join(dir, "d", "e"), 0o755); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := 0; i+1 < len(script); i += 2 {
		name := parts[int(script[i])%6]
		path := filepath.Join(dir, name)
		target := parts[int(script[i+1]>>1)%len(parts)]
		if script[i]&0x40 != 0 {
			target += "/" + parts[int(script[i]>>3)%11]
		}
		// What is there already stays; the tree only has to be varied.
		if script[i+1]&1 == 0 || script[i]&0x80 == 0 {
			_ = os.Symlink(target, path)
		} else {
			_ = os.WriteFile(path, nil, 0o644)
		}
		names = append(names, name, name+"/a", name+"/b/c", filepath.Join(name, target))
	}
	return names
}

// storedName is asked for a spelling that is no entry but leads to the file, as
// a folding disk does. Here a second name of the same file stands in for it.
func TestStoredName(t *testing.T) {
	dir := realDir(t)
	tests := []struct{ stored, other, spelled string }{
		{"Secret.txt", "secret.txt", "SECRET.TXT"},
		{"Stra\u00dfe", "strasse", "STRASSE"},
		{"\u00c4x", "A\u0308X", "a\u0308x"},
		{"\u1112\u1161\u11ab", "", "\ud55c"},
		{"\ud55c", "", "\u1112\u1161\u11ab"},
	}
	for i, test := range tests {
		sub := filepath.Join(dir, fmt.Sprint(i))
		tree(t, sub, test.stored, "text", "another", "text")
		stored := filepath.Join(sub, test.stored)
		want := []string{stored}
		if test.other != "" {
			other := filepath.Join(sub, test.other)
			must(t, os.Link(stored, other))
			want = append(want, other)
		}
		stat, err := lstat(stored)
		must(t, err)
		if got := storedName(sub, test.spelled, stat); !slices.Contains(want, got) {
			t.Errorf("storedName(%+q) = %+q, want one of %+q", test.spelled, got, want)
		}
		if got := storedName(sub, "another", stat); got != filepath.Join(sub, "another") {
			t.Errorf("storedName(another) = %+q, want it unchanged", got)
		}
	}
}
