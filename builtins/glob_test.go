package builtins

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
)

func TestGlob(t *testing.T) {
	s := newSearchStand(t, map[string]string{
		"a.go": "", "sub/b.go": "", "sub/deep/c.go": "", ".env": "", ".github/ci.yml": "", "node_modules/x/i.js": "",
		".gitignore": "scripts/*\n*.log\n", "scripts/w.py": "", "x.log": "", "app/[id]/(auth)/p.tsx": "", "{x}/y": "",
		"two\nlines": "", "esc\x1b[2J": "", "narrow\u202fblank.png": "", "-n": "", "loop -> .": "", "to_b -> sub/b.go": "",
	})
	for _, tc := range []struct {
		args, want string
	}{
		{`{"pattern":"**/*.go"}`, "a.go\nsub/b.go\nsub/deep/c.go\n" +
			`[left out, a folder counted once: 1 ignored (node_modules), 1 hidden (.github), 1 link not followed (loop); "ignored":true and "hidden":true or a path that names it search there]`},
		{`{"pattern":"*.go","path":"sub"}`, "sub/b.go"},
		{`{"pattern":"sub/**"}`, "sub/b.go\nsub/deep/c.go"},
		{`{"pattern":".e*"}`, ".env"},
		{`{"pattern":".github/**"}`, ".github/ci.yml"},
		// B48
		{`{"pattern":"*.py","path":"scripts"}`, "scripts/w.py\n[gitignore files exclude scripts; it was searched because path names it]"},
		{`{"pattern":"scripts/*.py"}`, "scripts/w.py"},
		{`{"pattern":"*.log"}`, "[nothing in . matches *.log; 16 entries were looked at]\n" +
			`[left out, a folder counted once: 1 ignored (x.log); "ignored":true or a path that names it searches there]`},
		{`{"pattern":"*.log","ignored":true}`, "x.log"},
		// B50
		{`{"pattern":"*o*"}`, "a.go\nloop (link)\nnarrow\u202fblank.png\nto_b (link)\ntwo\\nlines\n" +
			"[some names have control or invalid bytes, shown as in a JSON string, invalid ones as \\xNN]\n" +
			`[left out, a folder counted once: 1 ignored (x.log), 1 hidden (.gitignore); "ignored":true and "hidden":true or a path that names it search there]`},
		// B52
		{`{"pattern":"app/[id]/(auth)/*"}`, "app/[id]/(auth)/p.tsx"},
		{`{"pattern":"*/*","path":"app/[id]"}`, "app/[id]/(auth)/p.tsx"},
		{`{"pattern":"{x}/*"}`, "{x}/y"},
		{`{"pattern":"-n"}`, "-n"},
		{`{"pattern":"esc*"}`, "esc\\x1b[2J\n[some names have control or invalid bytes, shown as in a JSON string, invalid ones as \\xNN]"},
		{`{"pattern":"sub"}`, "[no file in . matches sub, but 1 folder does: sub; a pattern that ends with / finds folders, one with /** what is in them]"},
		{`{"pattern":"sub/"}`, "sub/"},
		{`{"pattern":"**/deep/"}`, "sub/deep/\n" +
			`[left out, a folder counted once: 1 ignored (node_modules), 1 hidden (.github), 1 link not followed (loop); "ignored":true and "hidden":true or a path that names it search there]`},
	} {
		got, isError := s.callText("glob", tc.args)
		if d := cmp.Diff(tc.want, got); d != "" || isError {
			t.Errorf("glob %s: error %v (-want +got):\n%s", tc.args, isError, d)
		}
	}
}

func TestGlobRefuses(t *testing.T) {
	s := newSearchStand(t, map[string]string{"f": "", "folder/x": ""})
	for args, want := range map[string]string{
		`{"pattern":"[a"}`:                     `glob: pattern [a: "[a" is not a valid glob`,
		`{"pattern":"../*"}`:                   `it has ".."; give the folder as path`,
		`{"pattern":"/etc/*"}`:                 "it is absolute",
		`{"pattern":"*","path":"f"}`:           "it is a regular file; give the folder that holds it as path",
		`{"pattern":"*","path":"floder"}`:      "there is no " + filepath.Join(s.dir, "floder") + "; in its folder there is:\nfolder",
		`{"pattern":"*","path":"none/at/all"}`: "there is no ",
		`{"pattern":"*","paths":"f"}`:          "nearest: path",
	} {
		if got, isError := s.callText("glob", args); !isError || !strings.Contains(got, want) {
			t.Errorf("glob %s = %q, error %v; want %q", args, got, isError, want)
		}
	}
}

// TestGlobCut: the first 500 in byte order, with where the others are.
func TestGlobCut(t *testing.T) {
	s := newSearchStand(t, nil)
	var want []string
	for i := range 700 {
		name := fmt.Sprintf("d%d/f%03d", i%3, i)
		s.file(name, "")
		want = append(want, name)
	}
	s.file("zz", "")
	slices.Sort(want)
	got, _ := s.call("glob", map[string]any{"pattern": "**"})
	const notice = "[500 of 701 paths, in byte order. Most are in: d0 234, d1 233, d2 233, . 1. Narrow pattern or path to see others.]"
	if d := cmp.Diff(strings.Join(want[:500], "\n")+"\n"+notice, got); d != "" {
		t.Errorf("glob of 701 (-want +got):\n%s", d)
	}
	small := searchStandIn(t, s.dir, 1000)
	got, _ = small.call("glob", map[string]any{"pattern": "**"})
	if n := len(lines(got)); n < 80 || !strings.Contains(got, fmt.Sprintf("[%d of 701 paths", n)) {
		t.Errorf("glob in a small budget shows %d paths: %s", n, got)
	}
}

// TestGlobClosed: a folder that nobody may enter is not entered from outside.
func TestGlobClosed(t *testing.T) {
	s := newSearchStand(t, map[string]string{"state/x": "", "state/scratch/y": "", "z": ""})
	s = searchStandIn(t, s.dir, 30_000, filepath.Join(s.dir, "state"))
	for args, want := range map[string]string{
		`{"pattern":"**","ignored":true,"hidden":true}`: "z",
		`{"pattern":"**","path":"state/scratch"}`:       "state/scratch/y",
	} {
		if got, _ := s.callText("glob", args); got != want {
			t.Errorf("glob %s = %q, want %q", args, got, want)
		}
	}
}

// TestGlobOracle: what doublestar finds on the disk by itself, and git in a
// repository.
func TestGlobOracle(t *testing.T) {
	s := newSearchStand(t, map[string]string{
		"a/b/c.go": "", "a/b.go": "", "a/ä ö.md": "", "b/new\nline": "", "b/c/d/e.go": "", "c.go": "", "b/x.GO": "",
	})
	for _, pattern := range []string{"**", "**/*.go", "*.go", "a/*", "a/**", "**/b/**", "*/*/*", "{a,b}/**/*.{go,md}", "[ab]/?.go", "**/c*", "b/**/e.go", "**/*ö*"} {
		want, err := doublestar.Glob(os.DirFS(s.dir), pattern, doublestar.WithFilesOnly())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i] = visibleName(want[i])
		}
		slices.Sort(want)
		got, _ := s.call("glob", map[string]any{"pattern": pattern})
		if d := cmp.Diff(want, lines(got)); d != "" {
			t.Errorf("glob %q (-doublestar +got):\n%s", pattern, d)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	s.file(".gitignore", "b/*\n!b/c\n*.md\n")
	for _, args := range [][]string{{"init", "-q"}, {"ls-files", "-o", "--exclude-standard", "-z", "--", ":!.gitignore"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "XDG_CONFIG_HOME="+s.dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if args[0] == "init" {
			continue
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		slices.Sort(want)
		got, _ := s.call("glob", map[string]any{"pattern": "**"})
		if d := cmp.Diff(want, lines(got)); d != "" {
			t.Errorf("glob ** (-git +got):\n%s", d)
		}
	}
}
