package builtins

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrep(t *testing.T) {
	s := newSearchStand(t, map[string]string{
		"a.go": "one\nneedle two\nthree\n", "sub/b.go": "Needle\r\nneedle\r\nend", "sub/c.md": "no\n", ".env": "needle\n", "bin": "needle\x00\n",
		"node_modules/x.js": "needle\n", ".gitignore": "scripts/*\n", "scripts/w.py": "needle\n", "app/[id]/p.tsx": "-77 -> --pdf-engine -e (\n",
		"-n": "dash\n", "loop -> .": "", "to_a -> a.go": "", "bad": "caf\xe9 needle\n", "two\nlines": "newline\n", "empty": "",
		"long.js": strings.Repeat("x", 100_000) + "found" + strings.Repeat("é", 1000) + "\n",
	})
	const ways = `; "ignored":true and "hidden":true or a path that names it search there]`
	const left = `[left out, a folder counted once: 2 ignored (node_modules, scripts/w.py), 2 hidden (.env, .gitignore), 2 links not followed (loop, to_a), 1 binary (bin)` + ways
	for _, tc := range []struct {
		args, want string
	}{
		{`{"pattern":"needle"}`, "a.go:2:needle two\nbad:1:caf\ufffd needle\nsub/b.go:2:needle\n[bytes that are not UTF-8 are shown as U+FFFD]\n" + left},
		{`{"pattern":"NEEDLE$","ignore_case":true}`, "bad:1:caf\ufffd needle\nsub/b.go:1:Needle\nsub/b.go:2:needle\n[bytes that are not UTF-8 are shown as U+FFFD]\n" + left},
		{`{"pattern":"needle","include":"*.go"}`, "a.go:2:needle two\nsub/b.go:2:needle\n[left out, a folder counted once: 1 ignored (node_modules), 1 link not followed (loop); \"ignored\":true or a path that names it searches there]"},
		{`{"pattern":"needle","include":"sub/*"}`, "sub/b.go:2:needle"},
		{`{"pattern":"needle","include":"{sub,none}/**/*.go","mode":"count"}`, "sub/b.go:1"},
		{`{"pattern":"needle","path":"sub","mode":"files"}`, "sub/b.go"},
		{`{"pattern":"needle","path":"sub/b.go"}`, "sub/b.go:2:needle"},
		{`{"pattern":"needle","path":"sub/b.go","mode":"count"}`, "sub/b.go:1"},
		{`{"pattern":"needle","path":"sub/b.go","context":1}`, "sub/b.go-1-Needle\nsub/b.go:2:needle\nsub/b.go-3-end"},
		{`{"pattern":"^needle$","path":".env"}`, ".env:1:needle"},
		{`{"pattern":"needle","include":".e*"}`, ".env:1:needle\n[left out, a folder counted once: 1 ignored (node_modules), 1 link not followed (loop); \"ignored\":true or a path that names it searches there]"},
		// B48
		{`{"pattern":"needle","path":"scripts"}`, "scripts/w.py:1:needle\n[gitignore files exclude scripts; it was searched because path names it]"},
		{`{"pattern":"needle","path":"scripts/w.py"}`, "scripts/w.py:1:needle"},
		{`{"pattern":"needle","include":"scripts/*"}`, "scripts/w.py:1:needle"},
		{`{"pattern":"nothing"}`, "[no line matches nothing in 9 files below .]\n" + left},
		{`{"pattern":"nothing","include":"*.rs"}`, "[no line matches nothing in 0 files below . that match *.rs]\n[left out, a folder counted once: 1 ignored (node_modules), 1 link not followed (loop); \"ignored\":true or a path that names it searches there]"},
		{`{"pattern":"nothing","path":"a.go"}`, "[no line of a.go matches nothing]"},
		{`{"pattern":"needle","path":"bin"}`, "[bin was not searched]\n[left out, a folder counted once: 1 binary (bin)]"},
		{`{"pattern":"x","path":"empty"}`, "[no line of empty matches x]"},
		// B51
		{`{"pattern":"-77"}`, "app/[id]/p.tsx:1:-77 -> --pdf-engine -e (\n" + left},
		{`{"pattern":"--pdf-engine","path":"app"}`, "app/[id]/p.tsx:1:-77 -> --pdf-engine -e ("},
		{`{"pattern":"->","path":"app"}`, "app/[id]/p.tsx:1:-77 -> --pdf-engine -e ("},
		{`{"pattern":"-e","path":"app"}`, "app/[id]/p.tsx:1:-77 -> --pdf-engine -e ("},
		{`{"pattern":"(","path":"app","literal":true}`, "app/[id]/p.tsx:1:-77 -> --pdf-engine -e ("},
		{`{"pattern":"dash","path":"-n"}`, "-n:1:dash"},
		// B52
		{`{"pattern":"engine","path":"app/[id]"}`, "app/[id]/p.tsx:1:-77 -> --pdf-engine -e ("},
		{`{"pattern":"newline","include":"two*"}`, "two\\nlines:1:newline\n" + escapedNotice + "\n[left out, a folder counted once: 1 ignored (node_modules), 1 link not followed (loop); \"ignored\":true or a path that names it searches there]"},
		// B28
		{`{"pattern":"found","path":"long.js"}`, "long.js:1:[bytes 99876–100375 of 102005] " + strings.Repeat("x", 125) + "found" + strings.Repeat("é", 185) +
			"\n[long lines are cut around their first match; with bash, `sed -n LINEp FILE | cut -b FROM-TO` shows another part]"},
	} {
		got, isError := s.callText("grep", tc.args)
		if d := cmp.Diff(tc.want, got); d != "" || isError {
			t.Errorf("grep %s: error %v (-want +got):\n%s", tc.args, isError, d)
		}
	}
}

func TestGrepRefuses(t *testing.T) {
	s := newSearchStand(t, map[string]string{"f": "", "folder/x": ""})
	for args, want := range map[string]string{
		`{"pattern":"("}`:                         `grep: pattern ( is not valid: missing closing ): (; put a backslash`,
		`{"pattern":"(","ignore_case":true}`:      `grep: pattern ( is not valid: missing closing ): (; put a backslash`,
		`{"pattern":"a(?!b)"}`:                    "RE2 has no lookaround",
		`{"pattern":"(a)\\1"}`:                    "no backreferences",
		`{"pattern":"a{2000}"}`:                   "at most 1000",
		`{"pattern":"a\nb"}`:                      "lines are matched one by one",
		`{"pattern":"x","include":"[a"}`:          `grep: include [a: `,
		`{"pattern":"x","path":"floder"}`:         "in its folder there is:\nfolder",
		`{"pattern":"x","context":21}`:            "/context",
		`{"pattern":"x","mode":"all"}`:            "/mode",
		`{"pattern":"x","case_insensitive":true}`: "ignore_case",
	} {
		if got, isError := s.callText("grep", args); !isError || !strings.Contains(got, want) {
			t.Errorf("grep %s = %q, error %v; want %q", args, got, isError, want)
		}
	}
}

// TestGrepCut: no answer has more than 300 lines or 500 paths, and each says
// what is missing.
func TestGrepCut(t *testing.T) {
	s := newSearchStand(t, map[string]string{"one": strings.Repeat("m\nx\n", 400)})
	for i := range 700 {
		s.file(fmt.Sprintf("d%d/f%03d", i%3, i), "x\nm1\nx\nm2\n")
	}
	for _, tc := range []struct {
		args        string
		lines       int
		first, last string
		want        string
	}{
		{`{"pattern":"m","path":"d0"}`, 300, "d0/f000:2:m1", "d0/f447:4:m2", "[300 of 468 matching lines, in 234 files in byte order. Most are in: d0 468. Narrow pattern, path or include to see others; \"mode\":\"count\" counts them by file.]"},
		{`{"pattern":"m"}`, 300, "d0/f000:2:m1", "d0/f447:4:m2", "[300 of 1800 matching lines, in 701 files in byte order. Most are in: d0 468, d1 466, d2 466, . 400."},
		{`{"pattern":"m","path":"one"}`, 300, "one:1:m", "one:599:m", "[300 of 400 matching lines, in 1 file. The others come after line 599: read the file from there, or narrow pattern.]"},
		{`{"pattern":"m","mode":"files"}`, 500, "d0/f000", "d2/f098", "[500 of 701 files, in byte order. Most matches are in: d0 234, d1 233, d2 233, . 1. Narrow"},
		{`{"pattern":"m","mode":"count"}`, 500, "d0/f000:2", "d2/f098:2", "[500 of 701 files, in byte order. Most matches are in: d0 468, d1 466, d2 466, . 400. Narrow"},
		{`{"pattern":"m1","context":1,"path":"d1"}`, 299, "d1/f001-1-x", "d1/f223-3-x", "[75 of 233 matching lines"},
		{`{"pattern":"m2","path":"d1/f001"}`, 1, "d1/f001:4:m2", "d1/f001:4:m2", "d1/f001:4:m2"},
	} {
		got, _ := s.callText("grep", tc.args)
		shown := lines(got)
		if len(shown) != tc.lines || shown[0] != tc.first || shown[len(shown)-1] != tc.last || !strings.Contains(got, tc.want) {
			t.Errorf("grep %s: %d lines from %q to %q, end %q; want %d from %q to %q and %q", tc.args, len(shown), shown[0], shown[len(shown)-1], got[max(0, len(got)-250):], tc.lines, tc.first, tc.last, tc.want)
		}
	}
	small := searchStandIn(t, s.dir, 1000)
	got, _ := small.callText("grep", `{"pattern":"m"}`)
	if n := len(lines(got)); n < 40 || !strings.Contains(got, fmt.Sprintf("[%d of 1800 matching lines", n)) {
		t.Errorf("grep in a small budget shows %d lines: %s", n, got)
	}
}

// TestGrepFirst: of many files, the first are shown, in whatever order they were
// searched.
func TestGrepFirst(t *testing.T) {
	s := newSearchStand(t, nil)
	var want []string
	for i := range 1500 {
		name := fmt.Sprintf("%d", i*7919%1500+1000)
		s.file(name, "m\nx\nm\nm\n")
		want = append(want, name+":1:m", name+":3:m", name+":4:m")
	}
	slices.Sort(want)
	got, _ := s.callText("grep", `{"pattern":"m"}`)
	if d := cmp.Diff(want[:300], lines(got)); d != "" || !strings.Contains(got, "[300 of 4500 matching lines, in 1500 files") {
		t.Errorf("grep of 4500 lines (-want +got):\n%s", d)
	}
}

// grepTree is a generated tree, with all that makes a search err.
func grepTree(t *testing.T, rnd *rand.Rand) *searchStand {
	s := newSearchStand(t, nil)
	words := []string{"foo", "bar", "Foo", "foobar", "baz(1)", "x", "été", "äö", "-77", "a.b", "\t", " ", "Straße", "kiss", "KISS"}
	names := []string{"a", "b.go", "c.md", "d e.go", "ünï.go", "new\nline.go", "[id]", "(x)", "-n", "é"}
	var grow func(at string, depth int)
	grow = func(at string, depth int) {
		for range 3 + rnd.IntN(6) {
			name := at + names[rnd.IntN(len(names))]
			if _, err := os.Lstat(filepath.Join(s.dir, name)); err == nil {
				continue
			}
			switch n := rnd.IntN(12); {
			case n < 4 && depth < 3:
				s.file(name+"/", "")
				grow(name+"/", depth+1)
				continue
			case n == 4:
				s.file(name+" -> ..", "")
				continue
			case n == 5:
				s.file(name, "foo\x00foo\n")
				continue
			}
			var b strings.Builder
			if rnd.IntN(6) == 0 {
				b.WriteString("\xef\xbb\xbf")
			}
			end := []string{"\n", "\n", "\r\n"}[rnd.IntN(3)]
			for range rnd.IntN(12) {
				for range rnd.IntN(6) {
					b.WriteString(words[rnd.IntN(len(words))])
				}
				if rnd.IntN(60) == 0 {
					b.WriteString(strings.Repeat("y", 300_000) + "foo")
				}
				if rnd.IntN(30) == 0 {
					b.WriteString("\xff")
				}
				b.WriteString(end)
			}
			if rnd.IntN(3) == 0 {
				b.WriteString("foo at the end")
			}
			s.file(name, b.String())
		}
		if rnd.IntN(3) == 0 {
			s.file(at+".gitignore", []string{"b.go\n", "*.md\n!c.md\n", "/a\n", "**/ü*\n"}[rnd.IntN(4)])
		}
	}
	grow("", 0)
	return s
}

// grepPatterns mean the same to everybody.
var grepPatterns = []string{"foo", "^foo", "foo|bar", "fo+b", "(foo|x)bar", "-77", "a\\.b", "été", "foo at the end", "baz\\(", "[0-9]+"}

// TestGrepRipgrep: ripgrep finds the same lines in the same files.
func TestGrepRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("needs ripgrep")
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	found := 0
	for range 8 {
		s := grepTree(t, rnd)
		for _, pattern := range append(grepPatterns, "foo$", "kiss") {
			for _, ignoreCase := range []bool{false, true} {
				args := []string{"--no-config", "--no-require-git", "--no-ignore-global", "--no-ignore-parent", "--no-ignore-dot", "--crlf", "--no-heading", "-n", "-0", "-e", pattern}
				if ignoreCase {
					args = append(args, "-i")
				}
				found += s.agree(t, pattern, ignoreCase, "rg", args...)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d lines in all", found)
	}
}

// TestGrepGit: so does git.
func TestGrepGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	rnd := rand.New(rand.NewPCG(13, 14))
	found := 0
	for range 4 {
		s := grepTree(t, rnd)
		for _, pattern := range grepPatterns {
			if strings.HasPrefix(pattern, "^") {
				continue // a byte order mark stands before it
			}
			found += s.agree(t, pattern, false, "git", "-c", "core.quotePath=false", "grep", "--no-index", "--exclude-standard", "-I", "-n", "-z", "-E", "-e", pattern, "--", ":!.gitignore", ":!**/.gitignore")
		}
	}
	if found < 100 {
		t.Errorf("only %d lines in all", found)
	}
}

// agree compares which lines of which files a program and grep find, and how
// many. The program ends a name with NUL and a line's number with a colon or NUL.
func (s *searchStand) agree(t *testing.T, pattern string, ignoreCase bool, program string, args ...string) int {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "XDG_CONFIG_HOME="+s.dir, "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("%s %q: %v", program, args, err)
	}
	var want []string
	for rest := string(out); rest != ""; {
		name, tail, ok := strings.Cut(rest, "\x00")
		if !ok {
			break
		}
		n := strings.IndexAny(tail, ":\x00")
		end := strings.IndexByte(tail, '\n')
		if n < 0 || end < n || strings.HasPrefix(name, "Binary file") || strings.Contains(tail[:n], " ") {
			rest = tail[end+1:]
			continue
		}
		want = append(want, visibleName(strings.TrimPrefix(name, "./"))+":"+tail[:n])
		rest = tail[end+1:]
	}
	slices.Sort(want)
	if len(want) > maxGrepLines {
		t.Fatalf("%d lines for %q are too many to compare", len(want), pattern)
	}
	text, _ := searchStandIn(s, s.dir, 1<<20).call("grep", map[string]any{"pattern": pattern, "ignore_case": ignoreCase})
	var got []string
	for _, line := range lines(text) {
		name, rest, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(rest, ":")
		got = append(got, name+":"+number)
	}
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("grep %q, ignore case %v (-%s +got):\n%s", pattern, ignoreCase, program, d)
	}
	return len(want)
}
