package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"raw/internal/pathglob"
)

// files makes files and folders; a name that ends with a slash is a folder, and
// "a -> b" a link.
func files(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		name, content, _ := strings.Cut(name, "=")
		name, target, link := strings.Cut(name, " -> ")
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case link:
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// walked is what a walk of dir visits, sorted. The pattern sees dots as o says.
func walked(t testing.TB, dir, pattern string, hidden bool, o Options) ([]string, Skipped) {
	t.Helper()
	top, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	if o.Pattern, err = pathglob.Compile(pattern, hidden); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	o.Visit = func(_ int, e Entry) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, e.Path)
		if e.Type.IsRegular() {
			f, err := e.Open()
			if err != nil {
				t.Errorf("open %s: %v", e.Path, err)
				return
			}
			f.Close()
		}
	}
	skipped, err := Walk(t.Context(), top, o)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return got, skipped
}

func tally(paths ...string) Tally { return Tally{N: len(paths), Examples: paths} }

func TestWalk(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	files(t, dir, "a.go", "sub/b.go", "sub/c.md", ".dot", ".hid/d.go", "node_modules/x/e.go", "target/f.go", "vendor/target",
		".gitignore=*.o\n/out/\nscripts/*\n", "g.o", "sub/h.o", "out/i.go", "scripts/j.go", "link -> sub", "self -> .",
		"nest/.git/info/exclude=k.go\n", "nest/k.go", "nest/l.o", "nest/.gitignore=m.go", "nest/m.go")
	for _, tc := range []struct {
		name, pattern string
		hidden        bool
		options       Options
		want          []string
		skipped       Skipped
	}{
		{
			name: "go files", pattern: "**/*.go",
			want: []string{"a.go", "sub/b.go"},
			skipped: Skipped{
				Ignored: Tally{N: 6, Examples: []string{"nest/k.go", "nest/m.go", "node_modules"}},
				Hidden:  tally(".hid", "nest/.git"), Links: tally("link", "self"),
			},
		},
		{
			name: "all of it", pattern: "**", hidden: true, options: Options{Ignored: true},
			want: []string{
				".dot", ".gitignore", ".hid/d.go", "a.go", "g.o", "link", "nest/.git/info/exclude", "nest/.gitignore", "nest/k.go", "nest/l.o", "nest/m.go",
				"node_modules/x/e.go", "out/i.go", "scripts/j.go", "self", "sub/b.go", "sub/c.md", "sub/h.o", "target/f.go", "vendor/target",
			},
			skipped: Skipped{Folders: Tally{N: 11, Examples: []string{".hid", "nest", "nest/.git"}}},
		},
		{
			name: "named although excluded", pattern: "{out,scripts,node_modules/x,g.o}/**",
			want:    []string{"g.o", "node_modules/x/e.go", "out/i.go", "scripts/j.go"},
			skipped: Skipped{Folders: tally("node_modules/x", "out", "scripts")},
		},
		{
			name: "named somewhere", pattern: "**/target/**",
			want:    []string{"target/f.go", "vendor/target"},
			skipped: Skipped{Ignored: tally("node_modules", "out"), Hidden: tally(".hid", "nest/.git"), Links: tally("link", "self"), Folders: tally("target")},
		},
		{
			name: "folders", pattern: "*/",
			want:    []string{"nest", "scripts", "sub", "vendor"},
			skipped: Skipped{Ignored: tally("node_modules", "out", "target"), Hidden: tally(".hid")},
		},
		{
			name: "closed", pattern: "**/*.go", options: Options{Closed: []string{"sub"}, Ignored: true},
			want:    []string{"a.go", "nest/k.go", "nest/m.go", "node_modules/x/e.go", "out/i.go", "scripts/j.go", "target/f.go"},
			skipped: Skipped{Hidden: tally(".hid", "nest/.git"), Links: tally("link", "self")},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, batch := range []int{0, 1} {
				tc.options.Batch = batch
				got, skipped := walked(t, dir, tc.pattern, tc.hidden, tc.options)
				if d := cmp.Diff(tc.want, got); d != "" {
					t.Errorf("visited (-want +got):\n%s", d)
				}
				if d := cmp.Diff(tc.skipped, skipped); d != "" {
					t.Errorf("skipped (-want +got):\n%s", d)
				}
			}
		})
	}
}

// TestAbove: gitignore files above the top hold below it, unless they exclude
// the very folder that was named.
func TestAbove(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, ".gitignore=*.o\n/out\nscripts/*\n", "a/b/x.o", "a/b/x.go", "a/.gitignore=!y.o\n/b/z*\n", "a/b/y.o", "a/b/z.go",
		"out/deep/x.go", "scripts/w.py", "nest/.git/", "nest/in/x.o")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tc := range []struct {
		path    string
		covered bool
		want    []string
	}{
		{"", false, []string{"a/b/x.go", "a/b/y.o", "nest/in/x.o"}},
		{"a", false, []string{"b/x.go", "b/y.o"}},
		{"a/b", false, []string{"x.go", "y.o"}},
		{"out", true, []string{"deep/x.go"}},
		{"out/deep", true, []string{"x.go"}},
		{"scripts", true, []string{"w.py"}},
		{"nest/in", false, []string{"x.o"}},
	} {
		rules, covered, err := Above(root, tc.path)
		if err != nil || covered != tc.covered {
			t.Errorf("Above(%q): covered %v, %v; want %v", tc.path, covered, err, tc.covered)
		}
		got, _ := walked(t, filepath.Join(dir, tc.path), "**", false, Options{Prefix: tc.path, Rules: rules})
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("below %q (-want +got):\n%s", tc.path, d)
		}
	}
}

// TestOracle: git lists the same files of generated trees.
func TestOracle(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	names := []string{"a", "b", "c.go", "ä", "a b", "new\nline", "bad\xff", ".x", "[id]", "{x}", "-n", "*", "d.o", "e.o"}
	patterns := []string{"a", "b/", "/a/b", "*.o", "!d.o", "**/ä", "a/**", "!a/**", "\\*", "[[]id]", "a*b", "?", "!b/", ".x", "/*/*/c.go", "new*"}
	total := 0
	for round := range 15 {
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		var grow func(at string, depth int)
		grow = func(at string, depth int) {
			if rnd.IntN(3) == 0 {
				var list []string
				for range rnd.IntN(5) {
					list = append(list, patterns[rnd.IntN(len(patterns))])
				}
				files(t, dir, at+".gitignore="+strings.Join(list, "\n"))
			}
			for range 2 + rnd.IntN(6) {
				name := at + names[rnd.IntN(len(names))]
				if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
					continue
				}
				switch n := rnd.IntN(8); {
				case depth < 4 && n < 4:
					files(t, dir, name+"/")
					grow(name+"/", depth+1)
				case n == 4:
					files(t, dir, name+" -> .")
				default:
					files(t, dir, name)
				}
			}
		}
		grow("", 0)
		want := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "-z", "-o", "--exclude-standard"), "\x00"), "\x00")
		slices.Sort(want)
		got, skipped := walked(t, dir, "**", true, Options{})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("round %d (-git +got):\n%s", round, d)
		}
		all := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "-z", "-o"), "\x00"), "\x00")
		if len(all) > len(got) && skipped.Ignored.N == 0 {
			t.Errorf("round %d: %d of %d files visited, and none counted as ignored", round, len(got), len(all))
		}
		total += len(got)
	}
	if total < 200 {
		t.Errorf("only %d files in all trees", total)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "XDG_CONFIG_HOME="+filepath.Join(dir, ".git"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("git %v: %w", args, err))
	}
	return string(out)
}

// TestWide: folders with many entries, many folders, deep ones; no folder stays
// open.
func TestWide(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		files(t, dir, fmt.Sprintf("d%d/e/f/", i))
	}
	for i := range 3000 {
		files(t, dir, fmt.Sprintf("d7/%d", i))
	}
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 600 { // longer than a path may be
		name := fmt.Sprintf("%d-%s", i, strings.Repeat("x", 20))
		if err := at.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = next
	}
	if err := at.WriteFile("end", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	at.Close()
	before := openFiles(t)
	most := 0
	walkedOnce, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := pathglob.Compile("**/end", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Walk(t.Context(), walkedOnce, Options{Pattern: pattern, Visit: func(int, Entry) { most = openFiles(t) }}); err != nil {
		t.Fatal(err)
	}
	walkedOnce.Close()
	if most > before+4*maxWorkers {
		t.Errorf("%d files were open at the deepest folder, before it were %d", most, before)
	}
	got, skipped := walked(t, dir, "**", false, Options{Batch: 16})
	if len(got) != 3001 || skipped.Unreadable.N > 0 {
		t.Errorf("visited %d files, want 3001; skipped %+v", len(got), skipped)
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d open files, before it were %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

// TestCancel: a walk whose context ends stops, closes what it opened, and says
// why it ended.
func TestCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	for i := range 200 {
		files(t, dir, fmt.Sprintf("d%d/e/f", i))
	}
	top, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	pattern, err := pathglob.Compile("**", false)
	if err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var mu sync.Mutex
	visits := 0
	_, err = Walk(ctx, top, Options{Pattern: pattern, Visit: func(int, Entry) {
		mu.Lock()
		defer mu.Unlock()
		if visits++; visits == 10 {
			cancel(why)
		}
	}})
	if !errors.Is(err, why) || visits > 10+Workers() {
		t.Errorf("Walk = %v after %d visits, want %v soon after 10", err, visits, why)
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d open files, before it were %d", after, before)
	}
}

func BenchmarkWalk(b *testing.B) {
	dir := filepath.Join(os.Getenv("GOROOT"), "src")
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		dir = filepath.Join(strings.TrimSpace(string(out)), "src")
	}
	top, err := os.OpenRoot(dir)
	if err != nil {
		b.Skip(err)
	}
	defer top.Close()
	pattern, err := pathglob.Compile("**/*.go", false)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			if _, err := Walk(b.Context(), top, Options{Pattern: pattern, Visit: func(int, Entry) {}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("rg", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("rg", "--files", "-g", "*.go", dir).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
