package grepengine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// naive is what the standard library finds, line by line.
func naive(re *regexp.Regexp, text string, keepCR bool) []int64 {
	var numbers []int64
	number := int64(0)
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if !keepCR {
			line = strings.TrimSuffix(line, "\r")
		}
		if re.MatchString(line) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

func matched(f Found) []int64 {
	var numbers []int64
	for _, l := range f.Lines {
		if l.Match {
			numbers = append(numbers, l.Number)
		}
	}
	return numbers
}

func search(t testing.TB, p *Pattern, r io.Reader, size int, w Want) Found {
	t.Helper()
	f, err := NewSearcher(p).Search(t.Context(), r, int64(size), w)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same compares a search with the standard library.
func same(t *testing.T, text, pattern string, o Options) {
	t.Helper()
	p, err := Compile(pattern, o)
	if err != nil {
		return
	}
	re := p.re
	f := search(t, p, strings.NewReader(text), len(text), Want{Max: 1 << 20})
	if f.Binary {
		return
	}
	want := naive(re, text, p.keepCR)
	if d := cmp.Diff(want, matched(f)); d != "" || f.Matches != int64(len(want)) {
		t.Errorf("%q %+v in %q (needles %q, exact %v): %d matches (-want +got):\n%s", pattern, o, text, p.needles, p.exact, f.Matches, d)
	}
}

var patterns = []string{
	"foo", "foo|bar", "fo+", "(foo)bar", "f.o", "^foo", "foo$", "^$", "", `\bfoo\b`, "(?i)foo", "(?i)kiss", "(?i)straße", `\w+\(`, "[a-z]{3,}o", "foo.*bar",
	"(foo|bar)+baz", "(?:foo){2}", "foo{0}", "a*", `\s+$`, `\r`, "foo\r$", `\x{FFFD}`, "ä", "(?i)Ä", "[^a]oo", "fo(?i)O", "(foo|)bar", "bar|", `foo\z`, `\Afoo`, "(?s).", "x{2,3}",
}

func TestPatterns(t *testing.T) {
	texts := []string{
		"", "\n", "foo", "foo\n", "foo\r\nbar\r\n", "\xef\xbb\xbffoo\n", "a foo b\nbar\n\nfoobar foo\n", "FOO\nFoo\nBAR\n", "KISS\nkiſſ\n\u212aiss\n", "STRASSE\nstraße\nSTRAẞE\n", "\u212aIss\n", "kiſS\n",
		"\xff\xfe foo\n", "ä\nÄ\na\u0308\n", "foo(x)\nbaz\n", "foobarbaz", "\r\r\n\r", "foo\r\r\nx foo(\r\r\nfoo\r\r", "foofoo\nfo", "xxx\nx\n", "foo \nfoo\t\r\n",
	}
	for _, pattern := range patterns {
		for _, text := range texts {
			same(t, text, pattern, Options{})
			same(t, text, pattern, Options{IgnoreCase: true})
			same(t, text, pattern, Options{Literal: true})
		}
	}
}

func TestLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	words := []string{"foo", "bar", "baz", "Foo", "ſ", "kiss", "(", "\r", " ", "x", "äö", "\xff", "foobar"}
	for range 2 {
		var b strings.Builder
		for b.Len() < 2*blockSize+blockSize/2 {
			for range rnd.IntN(40) {
				b.WriteString(words[rnd.IntN(len(words))])
			}
			if rnd.IntN(400) == 0 {
				b.WriteString(strings.Repeat("y", rnd.IntN(300_000)))
			}
			b.WriteByte('\n')
		}
		text := b.String()
		for _, pattern := range []string{"foobar", "(?i)kiss", "foo|baz", `^x+$`, `foo\(`, `\bx[^f]+\b`, `[a-f]{6,}x`} {
			same(t, text, pattern, Options{})
		}
	}
}

// TestForgetting: an automaton with too many states starts again, and one that
// does so all the time is given up.
func TestForgetting(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	text := make([]byte, 200_000)
	for i := range text {
		text[i] = "ab\n"[rnd.IntN(2)]
		if rnd.IntN(200) == 0 {
			text[i] = '\n'
		}
	}
	for _, pattern := range []string{"[ab]{3}a[ab]{12}$", "(a|b)*a[ab]{20}[c]"} {
		p, err := Compile(pattern, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := NewSearcher(p)
		f, err := s.Search(t.Context(), bytes.NewReader(text), int64(len(text)), Want{Max: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(naive(p.re, string(text), false), matched(f)); d != "" {
			t.Errorf("%q (-want +got):\n%s", pattern, d)
		}
		if s.automaton.forgotten == 0 || len(s.automaton.states) > maxStates {
			t.Errorf("%q: forgot %d times, %d states", pattern, s.automaton.forgotten, len(s.automaton.states))
		}
	}
}

// TestReaders: however the text arrives.
func TestReaders(t *testing.T) {
	text := strings.Repeat("some foo here\nnone\n", 50)
	p, err := Compile("foo", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{
		"one byte": iotest.OneByteReader(strings.NewReader(text)), "data and error": iotest.DataErrReader(strings.NewReader(text)), "half": iotest.HalfReader(strings.NewReader(text)),
	} {
		for _, size := range []int{0, 5, len(text), 10 * len(text)} {
			r = io.MultiReader(r, strings.NewReader(""))
			if size > 0 {
				r = strings.NewReader(text)
			}
			if f := search(t, p, r, size, Want{}); f.Matches != 50 {
				t.Errorf("%s, size %d: %d matches, want 50", name, size, f.Matches)
			}
		}
	}
	bad := errors.New("bad disk")
	if _, err := NewSearcher(p).Search(t.Context(), iotest.ErrReader(bad), 1, Want{}); !errors.Is(err, bad) {
		t.Errorf("error = %v, want %v", err, bad)
	}
}

// withContext is what a plain program keeps.
func withContext(text string, match func(string) bool, n int) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []string
	for i, line := range lines {
		near := false
		for k := max(0, i-n); k <= min(len(lines)-1, i+n); k++ {
			near = near || match(lines[k])
		}
		if near {
			out = append(out, fmt.Sprintf("%d %v %s", i+1, match(line), strings.TrimSuffix(line, "\n")))
		}
	}
	return out
}

func TestContext(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	p, err := Compile("m", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 300 {
		var b strings.Builder
		long := round%50 == 0
		for range rnd.IntN(60) {
			if rnd.IntN(6) == 0 {
				b.WriteString("m")
			}
			if long {
				b.WriteString(strings.Repeat("x", rnd.IntN(2*blockSize/20)))
			}
			b.WriteString([]string{"", "a", "bb"}[rnd.IntN(3)] + "\n")
		}
		text := b.String() + []string{"", "m", "end"}[rnd.IntN(3)]
		n := rnd.IntN(4)
		f := search(t, p, strings.NewReader(text), len(text), Want{Max: 1000, Context: n})
		var got []string
		for _, l := range f.Lines {
			got = append(got, fmt.Sprintf("%d %v %s", l.Number, l.Match, l.Text))
		}
		want := withContext(text, func(line string) bool { return strings.Contains(line, "m") }, n)
		if !long {
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("round %d: context %d of %q (-want +got):\n%s", round, n, text, d)
			}
		} else if !slices.Equal(want, got) {
			t.Errorf("round %d: context %d of a long text: %d lines, want %d", round, n, len(got), len(want))
		}
	}
}

// TestReuse: nothing of one text is left in the next.
func TestReuse(t *testing.T) {
	p, err := Compile("m", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSearcher(p)
	for _, text := range []string{"a\nb\nm\n", "c\nd\ne\nf\n", "m", "g\nh\n"} {
		want := search(t, p, strings.NewReader(text), len(text), Want{Max: 9, Context: 2})
		got, err := s.Search(t.Context(), strings.NewReader(text), int64(len(text)), Want{Max: 9, Context: 2})
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%q: %v (-fresh +used):\n%s", text, err, d)
		}
	}
}

func TestLimits(t *testing.T) {
	p, err := Compile("foo", Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("foo\nbar\n", 100)
	if f := search(t, p, strings.NewReader(text), 0, Want{Max: 7, Context: 1}); len(f.Lines) != 7 || f.Matches != 100 {
		t.Errorf("kept %d of %d, want 7 of 100", len(f.Lines), f.Matches)
	}
	if f := search(t, p, strings.NewReader(text), 0, Want{First: true}); f.Matches != 1 || f.Lines != nil {
		t.Errorf("first: %+v, want one match", f)
	}
	if f := search(t, p, strings.NewReader("foo\n\x00"), 0, Want{}); !f.Binary || f.Matches != 0 {
		t.Errorf("binary: %+v", f)
	}
	if f := search(t, p, strings.NewReader("foo"+strings.Repeat("\n", sniffSize)+"\x00foo"), 0, Want{}); f.Binary || f.Matches != 2 {
		t.Errorf("a late NUL: %+v, want two matches", f)
	}
	long := strings.Repeat("é", 1000) + "foo" + strings.Repeat("é", 5000)
	f := search(t, p, strings.NewReader(long), 0, Want{Max: 1, Width: 401})
	if l := f.Lines[0]; !strings.Contains(l.Text, "foo") || l.Length != len(long) || long[l.Offset:l.Offset+len(l.Text)] != l.Text || strings.ContainsRune(l.Text, '\ufffd') || len(l.Text) < 398 {
		t.Errorf("cut: %+v", l)
	}
	f = search(t, p, strings.NewReader("foo\n"+strings.Repeat("x", MaxLine-3)+"foo\nfoo\n"), 0, Want{})
	if f.TooLong || f.Matches != 3 {
		t.Errorf("a line of %d bytes: %+v, want 3 matches", MaxLine, f)
	}
	f = search(t, p, strings.NewReader("foo\n"+strings.Repeat("x", 4*MaxLine)+"foo\nfoo\n"), 0, Want{})
	if !f.TooLong || f.Matches != 1 {
		t.Errorf("a line of %d bytes: %+v, want it told and 1 match", 4*MaxLine, f)
	}
}

func TestNeedles(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		needles []string
		exact   bool
	}{
		{"foo", []string{"foo"}, true},
		{"foo|bar", []string{"foo", "bar"}, true},
		{"(foo)+", []string{"foo"}, true},
		{"foo.*longer", []string{"longer"}, false},
		{`\w+\.Close\(`, []string{".Close("}, false},
		{"^foo", []string{"foo"}, false},
		{"(?i)FOO", []string{"foo"}, true},
		{"(?i)fooäbarb", []string{"barb"}, false},
		{"func (Read|Write)", []string{"func "}, false},
		{"[a-z]+", nil, false},
		{"foo|[a-z]", nil, false},
		{"foo?", []string{"fo"}, false},
		{"(foo){2,}", []string{"foo"}, false},
	} {
		p, err := Compile(tc.pattern, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.needles, tc.needles) || p.exact != tc.exact {
			t.Errorf("%q: needles %q, exact %v; want %q, %v", tc.pattern, p.needles, p.exact, tc.needles, tc.exact)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	if _, err := Compile("a\nb", Options{Literal: true}); !errors.Is(err, ErrNewline) {
		t.Errorf("a line end: %v", err)
	}
	if _, err := Compile("(", Options{IgnoreCase: true}); err == nil || strings.Contains(err.Error(), "?i") {
		t.Errorf("an open parenthesis: %v", err)
	}
}

func TestRareNeedle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	for range 20_000 {
		text, needle := make([]byte, rnd.IntN(300)), make([]byte, 1+rnd.IntN(4))
		for i := range text {
			text[i] = "abQ"[rnd.IntN(3)]
		}
		for i := range needle {
			needle[i] = "abQ"[rnd.IntN(3)]
		}
		if got, want := newRareNeedle(string(needle)).index(text), bytes.Index(text, needle); got != want {
			t.Fatalf("%q in %q is at %d, want %d", needle, text, got, want)
		}
	}
}

func TestLower(t *testing.T) {
	for n := range 40 {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(i*37 + n*11)
		}
		got := make([]byte, n)
		lower(got, text)
		want := slices.Clone(text)
		for i, c := range want {
			if 'A' <= c && c <= 'Z' {
				want[i] = c + 32
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("lower(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzSearch: the standard library finds the same lines.
func FuzzSearch(f *testing.F) {
	for _, p := range patterns {
		f.Add("a foo b\r\nbar\n\nKiſs foobar foo", p, false, false)
		f.Add("\xef\xbb\xbfKISS\nfoo\xff", p, true, false)
	}
	f.Fuzz(func(t *testing.T, text, pattern string, ignoreCase, literal bool) {
		same(t, text, pattern, Options{IgnoreCase: ignoreCase, Literal: literal})
	})
}
