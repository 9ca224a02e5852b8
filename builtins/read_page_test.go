package builtins

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"raw/contract"
)

var nextPage = regexp.MustCompile(`^\[Showing lines (\d+)–(\d+) of (\d+)\. Use offset=(\d+) to continue\.\]$`)

// checkPages reads path page by page and holds the pages to their promises:
// joined they are the file, numbers are right, totals too, and none is over
// the budget. It returns how many pages there were.
func checkPages(t *readTest, path, content string, limit int64) int {
	t.Helper()
	total := strings.Count(content, "\n")
	if !strings.HasSuffix(content, "\n") {
		total++
	}
	var joined strings.Builder
	line := int64(1)
	for n := 1; ; n++ {
		r := t.read(path, line, limit)
		text := t.text(r)
		if r.IsError() {
			t.Fatalf("read(%d, %d) of %q: %s", line, limit, content, text)
		}
		body, notice := text, ""
		if i := strings.LastIndex(text, "[Showing lines "); i >= 0 {
			body, notice = text[:i], text[i:]
		}
		first := line
		for shown := range strings.Lines(body) {
			if want := fmt.Sprintf("%6d\t", line); !strings.HasPrefix(shown, want) {
				t.Fatalf("read(%d, %d): a line starts with %.20q, want %q", first, limit, shown, want)
			}
			_, shown, _ = strings.Cut(shown, "\t")
			joined.WriteString(shown)
			line++
		}
		if limit > 0 && line-first > limit || line-first > maxPageLines {
			t.Fatalf("read(%d, %d) shows %d lines", first, limit, line-first)
		}
		if notice == "" {
			if joined.String() != content {
				t.Fatalf("pages of at most %d lines and %d characters joined are %q, want %q", limit, t.budget, joined.String(), content)
			}
			return n
		}
		m := nextPage.FindStringSubmatch(notice)
		if want := []string{notice, fmt.Sprint(first), fmt.Sprint(line - 1), fmt.Sprint(total), fmt.Sprint(line)}; fmt.Sprint(m) != fmt.Sprint(want) {
			t.Fatalf("the notice is %q, want %v", notice, want[1:])
		}
	}
}

// randomText has lines that fit a page of a thousand characters.
func randomText(rng *rand.Rand, lines int) string {
	letters := []string{"a", "\t", " ", "\r", "é", "€", "😀", "[", "\u2028", "\u0300", "word"}
	var b strings.Builder
	for range lines {
		for range rng.IntN(1 + rng.IntN(120)) {
			b.WriteString(letters[rng.IntN(len(letters))])
		}
		b.WriteByte('\n')
	}
	if rng.IntN(2) == 0 {
		b.WriteString("no line end")
	}
	return b.String()
}

func TestReadPagesJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, budget := range []int{1000, 1001, 1234, 5000, 30_000} {
		rt := newReadTest(t, budget)
		for _, lines := range []int{1, 2, 50, 300} {
			text := randomText(rng, lines)
			path := rt.file("f", text)
			for _, limit := range []int64{0, 1, 2, 7, 299} {
				checkPages(rt, path, text, limit)
			}
		}
	}
	// Beyond wholeSize the index finds the pages.
	rt := newReadTest(t, 100_000)
	text := strings.Repeat(randomText(rng, 2000), 5)
	if len(text) < 2*wholeSize {
		t.Fatalf("the text has only %d bytes", len(text))
	}
	if n := checkPages(rt, rt.file("f", text), text, 0); n < 4 {
		t.Errorf("%d bytes came in %d pages", len(text), n)
	}
}

// TestReadPageIsFull: a page ends only where the next line has no room.
func TestReadPageIsFull(t *testing.T) {
	rt := newReadTest(t, 1000)
	const line = 13 // characters that a line of these takes: 7 + 5 + 1
	for _, letter := range []string{"x", "€", "😀"} {
		text := strings.Repeat(strings.Repeat(letter, 5)+"\n", 200)
		got := rt.text(rt.read(rt.file("f", text), 0, 0))
		if n := utf8.RuneCountInString(got); n+2*line < 1000 {
			t.Errorf("a page of %s has %d characters of 1000", letter, n)
		}
	}
	// What fits without a notice is shown whole.
	text := strings.Repeat("12345\n", 1000/line)
	if got := rt.text(rt.read(rt.file("f", text), 0, 0)); strings.Contains(got, "[Showing") {
		t.Errorf("%d characters end with %q", 1000/line*line, got[len(got)-70:])
	}
	exact := strings.Repeat("x", 1000-7)
	if got := rt.text(rt.read(rt.file("f", exact), 0, 0)); got != "     1\t"+exact {
		t.Errorf("a line of exactly the budget ends with %q", got[len(got)-70:])
	}
	over := exact + "x"
	if got := rt.text(rt.read(rt.file("f", over), 0, 0)); !strings.Contains(got, "[Line 1 is 994 bytes long;") {
		t.Errorf("a line of one character too many ends with %q", got[len(got)-70:])
	}
}

var restOf = regexp.MustCompile("\n\\[Line (\\d+) is (\\d+) bytes long; its first (\\d+) characters \\((\\d+) bytes\\) are shown\\. With bash, `([^`]+)` prints ([^.]+)\\. ([^\\]]+)\\]$")

// B28: a line over the budget, in a file read whole and in one with an index.
func TestReadLongLine(t *testing.T) {
	five := strings.Repeat("a", 5_000_000)
	for _, tc := range []struct {
		name, content string
		offset        int64
		shown         string // of the line
		length        int
		next          string
	}{
		{"m.js", five, 0, five[:2000], 5_000_000, "It is the last line."},
		{"ended.js", five + "\n", 0, five[:2000], 5_000_000, "It is the last line."},
		{"more.js", five + "\nb\n", 0, five[:2000], 5_000_000, "Use offset=2 for the next line."},
		{"later.js", "a\n" + five + "\nb", 2, five[:2000], 5_000_000, "Use offset=3 for the next line."},
		{"small.js", five[:40_000] + "\nb", 0, five[:2000], 40_000, "Use offset=2 for the next line."},
		{"it's $(x) \x01.js", five[:40_000], 0, five[:2000], 40_000, "It is the last line."},
		{"euro", "x" + strings.Repeat("€", 50_000), 0, "x" + strings.Repeat("€", 1999), 150_001, "It is the last line."},
		{"emoji", "xy" + strings.Repeat("😀", 100_000) + "\n\n", 0, "xy" + strings.Repeat("😀", 1998), 400_002, "Use offset=2 for the next line."},
		{"bad", strings.Repeat("\xff", 40_000), 0, strings.Repeat("\ufffd", 2000), 40_000, "It is the last line."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rt := newReadTest(t, 30_000)
			path := rt.file(tc.name, tc.content)
			r := rt.read(path, tc.offset, 0)
			text := rt.text(r)
			m := restOf.FindStringSubmatch(text)
			if m == nil || r.IsError() {
				t.Fatalf("read = error %v, … %q", r.IsError(), text[max(0, len(text)-300):])
			}
			start := fmt.Sprintf("%6d\t", max(1, tc.offset)) + tc.shown + "\n"
			if !strings.HasPrefix(text, start) || len(text) > len(start)+400 {
				t.Errorf("read shows %.40q… in %d bytes, want the first 2000 characters", text, len(text))
			}
			if m[2] != strconv.Itoa(tc.length) || m[3] != "2000" || m[7] != tc.next {
				t.Errorf("the notice is %q, want %d bytes, 2000 characters and %q", m[0], tc.length, tc.next)
			}
			// The command prints what comes next, byte for byte.
			out, err := exec.Command("bash", "-c", m[5]).Output()
			if err != nil {
				t.Fatalf("%s: %v", m[5], err)
			}
			shown, err := strconv.Atoi(m[4])
			if err != nil {
				t.Fatal(err)
			}
			lineAt := 0
			if tc.offset == 2 {
				lineAt = 2
			}
			rest := tc.content[lineAt+shown : lineAt+tc.length]
			if !strings.HasPrefix(rest, string(out)) || len(out) == 0 || m[6] == "the rest" && len(out) != len(rest) {
				t.Errorf("%s printed %d bytes, not the next of %d", m[5], len(out), len(rest))
			}
		})
	}
}

// TestReadLongLineLater: a long line behind others ends the page before it.
func TestReadLongLineLater(t *testing.T) {
	rt := newReadTest(t, 30_000)
	for _, tail := range []int{30_000, 1_000_000} {
		path := rt.file("f", "one\ntwo\n"+strings.Repeat("x", tail)+"\nfour\n")
		want := "     1\tone\n     2\ttwo\n[Showing lines 1–2 of 4. Use offset=3 to continue.]"
		if got := rt.text(rt.read(path, 0, 0)); got != want {
			t.Errorf("a page before a line of %d bytes = %.200q, want %q", tail, got, want)
		}
		if got := rt.text(rt.read(path, 4, 0)); got != "     4\tfour\n" {
			t.Errorf("the page behind a line of %d bytes = %.200q", tail, got)
		}
	}
}

// TestReadSmallestBudget: notices have their place in the smallest budget that
// can be configured, too.
func TestReadSmallestBudget(t *testing.T) {
	rt := newReadTest(t, 1000)
	for _, text := range []string{
		strings.Repeat("\xff", 5000), strings.Repeat("\xff", 5000) + "\n\n", strings.Repeat("\xff\n", 1000),
		strings.Repeat("\xff", 2_000_000), strings.Repeat("€", 400_000), strings.Repeat("a\xff€\n", 200_000),
	} {
		got := rt.text(rt.read(rt.file("f", text), 0, 0))
		if !strings.Contains(got, "Use offset=") && !strings.Contains(got, "It is the last line.") {
			t.Errorf("%d bytes of %.3q end with %q", len(text), text, got[max(0, len(got)-200):])
		}
	}
}

// FuzzReadPage holds a single page to its promises for any bytes.
func FuzzReadPage(f *testing.F) {
	f.Add([]byte("first\n\nlast\n"), int64(1), int64(2), uint8(0))
	f.Add([]byte("a\xff\n"+strings.Repeat("€", 2000)), int64(2), int64(0), uint8(1))
	f.Add([]byte(strings.Repeat("\xe2\x82", 2000)+"\n"), int64(1), int64(0), uint8(2))
	var sessions []*readTest
	for _, budget := range []int{1000, 1024, 1500, 5000} {
		sessions = append(sessions, newReadTest(f, budget))
	}
	f.Fuzz(func(t *testing.T, content []byte, offset, limit int64, session uint8) {
		if offset < 1 || limit < 0 || imageType(content) != "" || strings.Contains(string(content), "\x00") || wideEncoding(content) != "" || len(content) == 0 {
			return
		}
		rt := *sessions[int(session)%len(sessions)]
		rt.TB = t
		lines := strings.SplitAfter(string(content), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		r := rt.read(rt.file("f", string(content)), offset, limit)
		text := rt.text(r)
		if n := utf8.RuneCountInString(text); n > rt.budget || !utf8.ValidString(text) {
			t.Fatalf("%d characters in a budget of %d, valid UTF-8: %v", n, rt.budget, utf8.ValidString(text))
		}
		if offset > int64(len(lines)) {
			if r.Failure == nil || r.Failure.Kind != contract.KindInvalidInput {
				t.Fatalf("offset %d of %d lines: %q", offset, len(lines), text)
			}
			return
		}
		var want strings.Builder
		shown := 0
		for i := offset; i <= int64(len(lines)); i++ {
			line, _, _ := appendText(nil, []byte(lines[i-1]))
			more := fmt.Sprintf("%6d\t%s", i, line)
			if !strings.HasPrefix(text, want.String()+more) {
				break
			}
			want.WriteString(more)
			shown++
		}
		rest := text[len(want.String()):]
		switch {
		case r.IsError():
			t.Fatalf("read = %q", text)
		case shown == 0 && !restOf.MatchString(text):
			t.Fatalf("no line is shown, and the notice is %q", text)
		case shown > 0 && int(offset)+shown-1 < len(lines) && !strings.Contains(rest, fmt.Sprintf("of %d. Use offset=%d ", len(lines), int(offset)+shown)):
			t.Fatalf("%d of %d lines are shown, and the notice is %q", shown, len(lines), rest)
		case limit > 0 && int64(shown) > limit:
			t.Fatalf("%d lines are shown, limit %d", shown, limit)
		}
	})
}
