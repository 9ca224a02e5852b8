package pathglob

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// match takes the names of a path one after the other.
func (p *Pattern) match(path string) bool {
	s := p.start
	names := strings.Split(path, "/")
	for i, name := range names {
		step := p.Step(s, name)
		if i == len(names)-1 {
			return step.Match
		}
		s = step.Next
	}
	return false
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		hidden, want  bool
	}{
		{"**/*.go", "a.go", false, true},
		{"**/*.go", "x/y/a.go", false, true},
		{"*.go", "x/a.go", false, false},
		{"./a//b", "a/b", false, true},
		{"{a,b/c}/*.{go,md}", "b/c/x.md", false, true},
		{"{a,b/c}/*.{go,md}", "b/x.md", false, false},
		{"app/[id]/(auth)/*", "app/[id]/(auth)/p", false, true},
		{"app/[id]/*", "app/i/p", false, true},
		{`app/\[id\]/*`, "app/[id]/p", false, true},
		{`app/\[id\]/*`, "app/i/p", false, false},
		{"{x}/*", "{x}/p", false, true},
		{"{x}/*", "x/p", false, true},
		{"[[...slug]]/*", "[[...slug]]/p", false, true},
		{"**", ".a", false, false},
		{"**", ".a", true, true},
		{"**/.*", "x/.a", false, true},
		{"**/.*", ".x/.a", false, false},
		{".x/**", ".x/a", false, true},
		{".x/**", ".x/.a", false, false},
		{"?", "ä", false, true},
		{"*\xff", "a\xff", false, true},
		{"a\nb*", "a\nbc", false, true},
	} {
		p, err := Compile(tc.pattern, tc.hidden)
		if err != nil {
			t.Errorf("Compile(%q): %v", tc.pattern, err)
			continue
		}
		if got := p.match(tc.path); got != tc.want {
			t.Errorf("%q matches %q: %v, want %v", tc.pattern, tc.path, got, tc.want)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                           "empty",
		"/":                          "absolute",
		"/a":                         "absolute",
		"a/../b":                     `".."`,
		"a\x00":                      "NUL",
		"[a":                         `"[a" is not a valid glob`,
		"{a":                         `"{a" is not a valid glob`,
		`a\`:                         "not a valid glob",
		strings.Repeat("{a,b}", 9):   "more than 128",
		strings.Repeat("a/b*/", 150): "more than 256",
	} {
		if _, err := Compile(pattern, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%.20q) = %v, want %s", pattern, err, want)
		}
	}
}

func TestStep(t *testing.T) {
	p, err := Compile("src/[id]/**/target/*.go", false)
	if err != nil {
		t.Fatal(err)
	}
	src := p.Step(p.Start(), "src")
	id := p.Step(src.Next, "[id]")
	deep := p.Step(id.Next, "deep")
	target := p.Step(deep.Next, "target")
	for _, tc := range []struct {
		name         string
		step         Step
		named, exact bool
	}{
		{"src", src, true, true},
		{"[id]", id, true, true},
		{"deep", deep, false, false},
		{"target", target, true, false},
	} {
		if tc.step.Named != tc.named || tc.step.Exact != tc.exact || tc.step.Match || tc.step.Next == (State{}) {
			t.Errorf("%s: %+v, want named %v, exact %v, and more to come", tc.name, tc.step, tc.named, tc.exact)
		}
	}
	if s := p.Step(id.Next, ".git"); s.Dotted || !s.DottedFolder || s.Next != (State{}) {
		t.Errorf(".git: %+v, want it held back by its dot as a folder", s)
	}
	if s := p.Step(id.Next, ".x.go"); s.Dotted {
		t.Errorf(".x.go: %+v; it is not in a folder target", s)
	}
	if s := p.Step(target.Next, ".x.go"); !s.Dotted {
		t.Errorf(".x.go: %+v, want it held back by its dot", s)
	}
	if s := p.Step(p.Start(), ".git"); s.Dotted || s.DottedFolder {
		t.Errorf(".git: %+v; no pattern could match it", s)
	}
}

// TestOracle: doublestar on the whole path says the same, but for names that
// are written as the pattern is.
func TestOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "*", "**", "?", "[ab]", "[^a]", "{a,b}", "{a,b/*}", "a*", "*.b", "**/", "/", "/", "/", `\*`, "ä", "{,a}", "{a,{b,ä}}", ".", ".b"}
	names := []string{"a", "b", "ab", "ba", "a.b", "ä", "*", "abc", "b.b"}
	agreed := map[bool]int{}
	for range 60_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(6) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		pattern := b.String()
		if strings.Contains("/"+pattern+"/", "//") || strings.Contains(pattern, "***") || strings.ContainsAny(pattern[:1], "/") || strings.HasSuffix(pattern, "/") {
			continue // doublestar sees empty names there
		}
		p, err := Compile(pattern, true)
		if err != nil {
			continue
		}
		var path []string
		for range 1 + rnd.IntN(4) {
			path = append(path, names[rnd.IntN(len(names))])
		}
		joined := strings.Join(path, "/")
		if strings.Contains(pattern, "[^") && len(path) > 1 || strings.Contains(pattern, "}**") || strings.Contains(pattern, "**{") {
			continue // there a class takes a slash, and ** beside braces is one of whole names
		}
		want, err := doublestar.Match(pattern, joined)
		if err != nil || hasDots(pattern) || strings.Contains(pattern, "{,") {
			continue
		}
		if got := p.match(joined); got != want {
			t.Errorf("%q matches %q: %v, doublestar says %v", pattern, joined, got, want)
		}
		agreed[want]++
	}
	if agreed[true] < 500 || agreed[false] < 500 {
		t.Errorf("too few cases: %v", agreed)
	}
}

// hasDots finds names that are cleaned away or refused.
func hasDots(pattern string) bool {
	return strings.Contains(fmt.Sprintf("/%s/", pattern), "/./") || strings.Contains(pattern, "..")
}

func FuzzCompile(f *testing.F) {
	f.Add("a/{b,c}/**/[d-f]*.go", "a/b/x/e.go")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := Compile(pattern, false)
		if err != nil {
			return
		}
		p.match(path)
		if got := p.match(strings.Trim(path, "/")); got && !p.hidden && strings.HasPrefix(path, ".") && !strings.ContainsAny(pattern, ".") {
			t.Errorf("%q matches %q, whose dot it does not spell", pattern, path)
		}
	})
}
