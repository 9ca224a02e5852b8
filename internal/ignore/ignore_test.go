package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		list, path string
		dir        bool
		want       Verdict
	}{
		{"a", "a", false, Ignored},
		{"a", "b/a", true, Ignored},
		{"a/", "a", false, Unmatched},
		{"a/", "x/a", true, Ignored},
		{"/a", "a", false, Ignored},
		{"/a", "b/a", false, Unmatched},
		{"b/a", "x/b/a", false, Unmatched},
		{"*.o\n!keep.o", "x/keep.o", false, Included},
		{"!keep.o\n*.o", "x/keep.o", false, Ignored},
		{"a \r\n", "a", false, Ignored},
		{"a\\ \n", "a ", false, Ignored},
		{"\\#a\n\\!b", "#a", false, Ignored},
		{"\\#a\n\\!b", "!b", false, Ignored},
		{"#a", "#a", false, Unmatched},
		{"\xef\xbb\xbfa", "a", false, Ignored},
		{"{a,b}", "a", false, Unmatched},
		{"{a,b}", "{a,b}", false, Ignored},
		{"a/**", "a", true, Unmatched},
		{"a/**", "a/b", false, Ignored},
		{"**/a/**/b", "a/b", false, Ignored},
		{"**/a/**/b", "x/a/c/d/b", false, Ignored},
		{"?", "\xc3", false, Ignored},
		{"?", "ä", false, Unmatched},
		{"[", "[", false, Unmatched},
		{"a\\", "a\\", false, Unmatched},
	} {
		if got := Parse([]byte(tc.list)).Match(tc.path, tc.dir); got != tc.want {
			t.Errorf("Parse(%q).Match(%q, dir %v) = %v, want %v", tc.list, tc.path, tc.dir, got, tc.want)
		}
	}
}

func TestStack(t *testing.T) {
	var s *Stack
	s = s.Push("", Parse([]byte("*.o\nscripts/*\n*\n!*/")))
	s = s.Push("sub", Parse([]byte("!k.o\n/x\n")))
	for _, tc := range []struct {
		path string
		want bool
	}{
		{"sub/k.o", false},
		{"sub/l.o", true},
		{"sub/x", true},
	} {
		if got := s.Ignores(tc.path, false); got != tc.want {
			t.Errorf("Ignores(%q) = %v, want %v", tc.path, got, tc.want)
		}
	}
	if !s.Covers("scripts") || s.Covers("sub") || s.Covers("other") {
		t.Errorf("Covers: scripts %v, sub %v, other %v; want only scripts", s.Covers("scripts"), s.Covers("sub"), s.Covers("other"))
	}
}

// pieces are what the patterns of the oracle test are made of.
var pieces = []string{
	"a", "b", "c", "ab", "*", "**", "***", "?", "/", "/", "/", "[ab]", "[!a]", "[^b-c]", "[[:alpha:]]", "[[:digit:][:punct:]]", "[]a]", "[a-]",
	"[b/c]", "[\\]a]", "[a", "\\*", "\\a", "\\/", "{a,b}", "ä", ".", " ", "\\ ", "-", "[[:nope:]]", "[[:a]", "!", "#", "A", "\x01", "[b-a]", "[\\a-c]",
}

var common = []string{"a", "b", "c", "ab", "ba", "abc", "*", "**", "a*", "*b", "?", "ä", "\\*"}

// TestOracle: git check-ignore says the same of every path of many trees.
func TestOracle(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	rounds := 40
	if testing.Short() {
		rounds = 3
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	judged := map[bool]int{}
	names := []string{"a", "b", "c", "ab", "ba", "abc", "ä", "{a,b}", "*", "a b", "b ", "]", "-", "[", "A", "\\", "!", "#a", ".", "a*c"}
	for round := range rounds {
		dir := t.TempDir()
		git(t, dir, nil, "init", "-q")
		var paths []string
		var grow func(at string, depth int)
		grow = func(at string, depth int) {
			for range 1 + rnd.IntN(7) {
				name := names[rnd.IntN(len(names))]
				if name == "." {
					name = ".x"
				}
				p := filepath.Join(at, name)
				if _, err := os.Lstat(filepath.Join(dir, p)); err == nil {
					continue
				}
				paths = append(paths, p)
				if depth < 3 && rnd.IntN(3) > 0 {
					mkdir(t, filepath.Join(dir, p))
					grow(p, depth+1)
				} else {
					write(t, filepath.Join(dir, p), "x")
				}
			}
		}
		grow("", 0)
		lists := map[string]string{"": randomList(rnd, rnd.IntN(9))}
		for _, p := range paths {
			if info, err := os.Lstat(filepath.Join(dir, p)); err == nil && info.IsDir() && rnd.IntN(3) == 0 {
				lists[p] = randomList(rnd, 4)
			}
		}
		for at, list := range lists {
			write(t, filepath.Join(dir, at, ".gitignore"), list)
		}
		exclude := randomList(rnd, 2)
		write(t, filepath.Join(dir, ".git", "info", "exclude"), exclude)

		for p, want := range asked(t, dir, paths) {
			judged[want]++
			if got := ignored(dir, lists, exclude, p); got != want {
				t.Errorf("round %d: %q ignored = %v, git says %v; lists %q, exclude %q", round, p, got, want, lists, exclude)
			}
		}
	}
	t.Logf("paths ignored and not: %v", judged)
	if !testing.Short() && min(judged[true], judged[false]) < 200 {
		t.Errorf("paths ignored and not: %v; want 200 of both at least", judged)
	}
}

// ignored judges a path as a walk from the top would.
func ignored(dir string, lists map[string]string, exclude, path string) bool {
	var s *Stack
	s = s.Push("", Parse([]byte(exclude))).Push("", Parse([]byte(lists[""])))
	at := ""
	for name := range strings.SplitSeq(path, "/") {
		at = strings.TrimPrefix(at+"/"+name, "/")
		info, err := os.Lstat(filepath.Join(dir, at))
		if err != nil {
			panic(err)
		}
		if s.Ignores(at, info.IsDir()) {
			return true
		}
		if list, ok := lists[at]; ok {
			s = s.Push(at, Parse([]byte(list)))
		}
	}
	return false
}

// asked is what git says of paths.
func asked(t *testing.T, dir string, paths []string) map[string]bool {
	t.Helper()
	out := git(t, dir, []byte(strings.Join(paths, "\x00")), "check-ignore", "--no-index", "-z", "--stdin", "-v", "-n")
	fields := strings.Split(out, "\x00")
	said := map[string]bool{}
	for ; len(fields) >= 4; fields = fields[4:] {
		said[fields[3]] = fields[0] != "" && !strings.HasPrefix(fields[2], "!")
	}
	if len(said) != len(paths) {
		t.Fatalf("git told of %d paths, asked for %d", len(said), len(paths))
	}
	return said
}

func randomList(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		if rnd.IntN(4) == 0 {
			b.WriteString("!")
		}
		if rnd.IntN(5) == 0 {
			b.WriteString("/")
		}
		if rnd.IntN(3) > 0 { // one that is likely to match
			b.WriteString(common[rnd.IntN(len(common))])
			for range rnd.IntN(2) {
				b.WriteString("/" + common[rnd.IntN(len(common))])
			}
		} else {
			for range 1 + rnd.IntN(5) {
				b.WriteString(pieces[rnd.IntN(len(pieces))])
			}
		}
		b.WriteString([]string{"\n", "/\n", "\r\n", " \n", "\t\n"}[rnd.IntN(5)])
	}
	return b.String()
}

func git(t *testing.T, dir string, in []byte, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "XDG_CONFIG_HOME="+filepath.Join(dir, ".git"))
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
		err = nil // nothing is ignored
	}
	if err != nil {
		t.Fatal(fmt.Errorf("git %v: %w: %s", args, err, &errs))
	}
	return string(out)
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
