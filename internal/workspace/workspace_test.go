package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// realDir returns a fresh folder in its resolved spelling.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorkspace(t *testing.T, cwd string, roots ...string) *Workspace {
	t.Helper()
	w, err := New(roots, cwd)
	must(t, err)
	return w
}

func TestLexical(t *testing.T) {
	home := realDir(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	cwd := filepath.Join(home, "work")
	tests := []struct {
		path, want string
	}{
		{"a/b", filepath.Join(cwd, "a", "b")},
		{".", cwd},
		{"./a//b/../c", filepath.Join(cwd, "a", "c")},
		{"../x", filepath.Join(home, "x")},
		{"~", filepath.Join(cwd, "~")},
		{"~/x", filepath.Join(home, "x")},
		{"~other/x", filepath.Join(cwd, "~other", "x")},
		{"a/~/x", filepath.Join(cwd, "a", "~", "x")},
		{"$HOME/x", filepath.Join(cwd, "$HOME", "x")},
		{"a\u0308", filepath.Join(cwd, "a\u0308")},
		{filepath.Join(home, "y"), filepath.Join(home, "y")},
	}
	for _, test := range tests {
		if got, err := Lexical(test.path, cwd); err != nil || got != test.want {
			t.Errorf("Lexical(%q) = %q, %v, want %q", test.path, got, err, test.want)
		}
	}
	for _, bad := range []struct{ path, cwd string }{{"", cwd}, {"a\x00b", cwd}, {"a", "rel"}, {"a", ""}} {
		if got, err := Lexical(bad.path, bad.cwd); err == nil {
			t.Errorf("Lexical(%q, %q) = %q, want an error", bad.path, bad.cwd, got)
		}
	}
}

func TestContains(t *testing.T) {
	tests := []struct {
		root, path string
		want       bool
	}{
		{"/", "/", true},
		{"/", "/a/b", true},
		{"/w", "/w", true},
		{"/w", "/w/x", true},
		{"/w", "/w2", false},
		{"/w", "/w2/x", false},
		{"/w", "/", false},
		{"/w", "/W/x", false},
		{"", "/w", false},
	}
	for _, test := range tests {
		root, path := filepath.FromSlash(test.root), filepath.FromSlash(test.path)
		if got := Contains(root, path); got != test.want {
			t.Errorf("Contains(%q, %q) = %v, want %v", root, path, got, test.want)
		}
	}
}

func TestNew(t *testing.T) {
	dir := realDir(t)
	root, link, file := filepath.Join(dir, "root"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755))
	must(t, os.Symlink("root", link))
	must(t, os.WriteFile(file, nil, 0o644))

	w := newWorkspace(t, "", link+"/", root, filepath.Join(root, "sub"))
	if diff := cmp.Diff([]string{root, filepath.Join(root, "sub")}, w.Roots()); diff != "" {
		t.Errorf("Roots (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{link, filepath.Join(root, "sub")}, w.SpelledRoots()); diff != "" {
		t.Errorf("SpelledRoots (-want +got):\n%s", diff)
	}
	if w.Cwd() != link {
		t.Errorf("Cwd() = %q, want the first root as spelled, %q", w.Cwd(), link)
	}
	if got, want := newWorkspace(t, "sub", link).Cwd(), filepath.Join(link, "sub"); got != want {
		t.Errorf("Cwd() = %q, want %q", got, want)
	}
	if got := newWorkspace(t, dir).Cwd(); got != dir {
		t.Errorf("Cwd() without roots = %q, want %q", got, dir)
	}

	bad := []struct {
		roots []string
		cwd   string
		want  string
	}{
		{[]string{filepath.Join(dir, "none")}, "", "does not exist"},
		{[]string{file}, "", "regular file, not a folder"},
		{[]string{root, ""}, "", "path is empty"},
		{[]string{root}, "none", "does not exist"},
		{nil, "", "no root"},
		{nil, "sub", "no root"},
	}
	for _, test := range bad {
		if _, err := New(test.roots, test.cwd); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New(%q, %q) error = %v, want it to say %q", test.roots, test.cwd, err, test.want)
		}
	}
}

// A root given through a link takes both spellings, and a folder whose name
// begins like the root's is outside.
func TestRootSpellings(t *testing.T) {
	dir := realDir(t)
	root, link := filepath.Join(dir, "w"), filepath.Join(dir, "link")
	for _, d := range []string{root, root + "2"} {
		must(t, os.Mkdir(d, 0o755))
		must(t, os.WriteFile(filepath.Join(d, "x"), []byte(d), 0o644))
	}
	must(t, os.Symlink(root, link))

	for _, given := range []string{link, root, root + "/", root + "/./../w"} {
		w := newWorkspace(t, "", given)
		for _, path := range []string{root + "/x", link + "/x", root + "/./x", root + "//x", "x", "../w/x"} {
			p, err := w.Resolve(path)
			if err != nil || p.Real != filepath.Join(root, "x") || p.Root != root || !p.Exists {
				t.Errorf("root %s: Resolve(%q) = %+v, %v, want %s in root %s", given, path, p, err, filepath.Join(root, "x"), root)
			}
			if f, err := Open(p); err != nil {
				t.Errorf("root %s: Open(%q): %v", given, path, err)
			} else {
				f.Close()
			}
		}
		for _, path := range []string{root + "2/x", root + "2", dir, "../w2/x"} {
			p, err := w.Resolve(path)
			if err != nil || p.Root != "" || w.Under(p) {
				t.Errorf("root %s: Resolve(%q) = %+v, %v, want it outside", given, path, p, err)
			}
			if !w.Under(p, dir) || w.Under(p, dir+"/none") {
				t.Errorf("Under(%q) with extra folders is wrong", path)
			}
		}
	}

	all := newWorkspace(t, "", root, string(filepath.Separator))
	for path, want := range map[string]string{root + "/x": root, root + "2/x": string(filepath.Separator)} {
		if p, err := all.Resolve(path); err != nil || p.Root != want {
			t.Errorf("Resolve(%q).Root = %q, %v, want the innermost root %q", path, p.Root, err, want)
		}
		p, err := all.Resolve(path)
		must(t, err)
		if f, err := Open(p); err != nil {
			t.Errorf("Open(%q) through the root /: %v", path, err)
		} else {
			f.Close()
		}
	}
}

func TestNear(t *testing.T) {
	dir := realDir(t)
	for _, name := range []string{
		"Shot 1.02.03\u202fPM.png", "config.json", "config.jsonc", "Config.yaml", "main.go", "main_test.go", "zzz",
		"p\u1680q", "p.q", "\ufb01le", "tile",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	tests := []struct {
		name string
		n    int
		want []string
	}{
		{"Shot 1.02.03 PM.png", 3, []string{"Shot 1.02.03\u202fPM.png"}},
		{"CONFIG.JSON", 3, []string{"config.json", "config.jsonc"}},
		{"config.jso", 1, []string{"config.json"}},
		{"config.yml", 3, []string{"Config.yaml"}},
		{"main.og", 3, []string{"main.go"}},
		{"p q", 1, []string{"p\u1680q"}},
		{"file", 1, []string{"\ufb01le"}},
		{"unlike anything", 3, []string{}},
		{"main.go", 0, []string{}},
	}
	for _, test := range tests {
		got := Near(filepath.Join(dir, test.name), test.n)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Near(%q, %d) (-want +got):\n%s", test.name, test.n, diff)
		}
	}
	if got := Near(filepath.Join(dir, "none", "x"), 3); len(got) > 0 {
		t.Errorf("Near in a missing folder = %q, want none", got)
	}
}
