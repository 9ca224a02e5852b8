package builtins

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// crlfOf is what a text with LF is in CRLF.
func crlfOf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// model is edit as its description says it, without any care for speed. It
// reports false when the edits are refused.
func model(content string, edits []replacement) (string, bool) {
	type change struct {
		start, end int
		text       string
	}
	var changes []change
	for _, e := range edits {
		var found []change
		for at := range len(content) {
			rest := content[at:]
			if crlf := crlfOf(e.Old); crlf != e.Old && strings.HasPrefix(rest, crlf) {
				found = append(found, change{at, at + len(crlf), crlfOf(e.New)})
			}
			inPair := at > 0 && e.Old[0] == '\n' && strings.HasPrefix(content[at-1:], crlfOf(e.Old))
			if strings.HasPrefix(rest, e.Old) && !inPair {
				found = append(found, change{at, at + len(e.Old), e.New})
			}
		}
		if len(found) != 1 || content[found[0].start:found[0].end] == found[0].text {
			return "", false
		}
		changes = append(changes, found[0])
	}
	for i, a := range changes {
		for _, b := range changes[:i] {
			if a.start < b.end && b.start < a.end {
				return "", false
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return b.start - a.start })
	for _, c := range changes {
		content = content[:c.start] + c.text + content[c.end:]
	}
	return content, true
}

func randomEnds(random *rand.Rand, least, most int) string {
	text := make([]byte, least+random.IntN(most-least+1))
	for i := range text {
		text[i] = "ab\r\n"[random.IntN(4)]
	}
	// Pairs are what it is about.
	if random.IntN(2) == 0 {
		return crlfOf(strings.ReplaceAll(string(text), "\r", "b"))
	}
	return string(text)
}

func TestEditAgreesWithModel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	done := 0
	for range 100_000 {
		content := randomEnds(random, 0, 12)
		var edits []replacement
		for range 1 + random.IntN(3) {
			edits = append(edits, replacement{randomEnds(random, 1, 4), randomEnds(random, 0, 3)})
		}
		want, ok := model(content, edits)
		got, err := planned(t, content, edits)
		if (err == nil) != ok || got != want {
			t.Fatalf("edits %q of %q = %q, %v; the model says %q, %v", edits, content, got, err, want, ok)
		}
		if ok {
			done++
		}
	}
	if done < 4_000 {
		t.Errorf("only %d cases had edits that fit", done)
	}
}

// planned is the new content, empty when the edits are refused.
func planned(t testing.TB, content string, edits []replacement) (string, error) {
	t.Helper()
	p, err := planEdits(t.Context(), []byte(content), edits)
	if err != nil {
		var faults editFaults
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("edits %q of %q: %v, want faults", edits, content, err)
		}
		return "", err
	}
	var b strings.Builder
	if err := p.writeTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String(), nil
}

// The same through the whole tool, on disk: what is refused leaves every byte.
func TestEditAgreesWithModelOnDisk(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	b := newBench(t)
	for range 150 {
		content := randomEnds(random, 0, 10)
		edits := []replacement{{randomEnds(random, 1, 2), randomEnds(random, 0, 3)}}
		b.put("f", content)
		text, res := b.call("edit", editInput{"f", edits})
		want, ok := model(content, edits)
		if !ok {
			want = content
		}
		if res.IsError() == ok {
			t.Errorf("edits %q of %q answer %q, the model says %v", edits, content, text, ok)
		}
		b.holds("f", want)
	}
}

// One pass over the content finds what a search for each text finds.
func TestScanAgreesWithSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	text := func(n int, letters string) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = letters[random.IntN(len(letters))]
		}
		return out
	}
	hits := 0
	for _, letters := range []string{"a", "ab", "abc\n", "abcdefghijklmnopqrstuvwxyz \t\n"} {
		for range 300 {
			content := text(random.IntN(400), letters)
			var together, alone []*needle
			for range 4 + random.IntN(20) {
				n := text(window+random.IntN(20), letters)
				if len(content) > 40 && random.IntN(2) == 0 {
					at := random.IntN(len(content) - 30)
					n = content[at : at+window+random.IntN(20)]
				}
				together, alone = append(together, &needle{text: n}), append(alone, &needle{text: n})
			}
			if !scan(content, together) {
				t.Fatalf("scan of %q gives up", content)
			}
			for i, n := range alone {
				n.alone(content)
				hits += n.count
				if got := together[i]; got.count != n.count || !slices.Equal(got.first, n.first) {
					t.Fatalf("scan of %q for %q finds %d at %v, want %d at %v", content, n.text, got.count, got.first, n.count, n.first)
				}
			}
		}
	}
	if hits < 1000 {
		t.Errorf("only %d places were found at all", hits)
	}
}

// A content made to be slow is not: the pass gives up, and the answer is right.
func TestScanGivesUp(t *testing.T) {
	content := []byte(strings.Repeat("a", 1<<20))
	var edits []replacement
	for i := range fewTexts + 1 {
		edits = append(edits, replacement{strings.Repeat("a", 1<<18) + strings.Repeat("b", i+1), "x"})
	}
	s := newSearch(content)
	for i, found := range s.find(edits) {
		if found.count != 0 {
			t.Errorf("edit %d is found %d times, want none", i, found.count)
		}
	}
	var needles []*needle
	for _, e := range edits {
		needles = append(needles, &needle{text: []byte(e.Old)})
	}
	if scan(content, needles) {
		t.Errorf("scan goes through a content that resembles every text")
	}
}

// Only matched bytes differ; what was put in once can be taken back; the diff
// leads to the new content.
func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\nc", "c", "C", "a", "")
	f.Add("\xef\xbb\xbfhello\n", "hello", "x", "\n", "")
	f.Add("one\r\ntwo\r\n", "one\ntwo", "1\n2", "x", "y")
	f.Add("foo\nfoo\nfoo", "foo\nfoo\n", "X", "\nfoo", "")
	f.Add("brand\x99 x — y\u00a0z\n", "brand", "Brand", "x - y", "q")
	f.Fuzz(func(t *testing.T, content, old1, new1, old2, new2 string) {
		if old1 == "" || old2 == "" || old1 == new1 || old2 == new2 || wide([]byte(content)) != nil {
			return
		}
		edits := []replacement{{old1, new1}, {old2, new2}}
		before := strings.Clone(content)
		p, err := planEdits(t.Context(), []byte(content), edits)
		if err != nil {
			if len(err.Error()) > 4*(200+6*len(old1)+6*len(old2)+800) {
				t.Errorf("edits %q of %q are refused in %d bytes", edits, content, len(err.Error()))
			}
			return
		}
		var out strings.Builder
		if err := p.writeTo(&out); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if want, ok := model(content, edits); ok && want != got && !strings.HasPrefix(content, byteOrderMark) {
			t.Errorf("edits %q of %q = %q, want %q", edits, content, got, want)
		}
		if content != before || strings.HasPrefix(content, byteOrderMark) && !strings.HasPrefix(got, byteOrderMark) {
			t.Errorf("edits %q of %q = %q lose the mark", edits, content, got)
		}
		d := p.diff("f")
		if !d.cut {
			if applied, err := applyDiff(content, d.text); err != nil || applied != got {
				t.Errorf("the diff of %q in %q gives %q, %v; want %q\n%s", edits, content, applied, err, got, d.text)
			}
		}
		// Back again, where that can be said.
		var back []replacement
		for _, s := range p.splices {
			e := edits[s.edit]
			if string(s.text) != e.New || s.end-s.start != len(e.Old) || e.New == "" || strings.Contains(e.New, "\n") {
				return
			}
			back = append(back, replacement{e.New, e.Old})
		}
		if want, ok := model(got, back); !ok || want != content || strings.HasPrefix(got, byteOrderMark) {
			return // what was put in is not unique there
		}
		if restored, err := planned(t, got, back); err != nil || restored != content {
			t.Errorf("edits %q of %q, taken back, give %q, %v", edits, content, restored, err)
		}
	})
}

// A large file is edited without being held twice.
func TestEditHoldsTheFileOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 50 MiB")
	}
	b := newBench(t)
	content := sourceText(32 << 20)
	b.put("f", content)
	before := allocated()
	if text, res := b.edit("f", "value[77777]", "other[77777]", "value[3]", "v[3]"); res.IsError() {
		t.Fatal(text)
	}
	if grew := allocated() - before; grew > uint64(len(content))+4<<20 {
		t.Errorf("an edit of %d bytes allocates %d, want hardly more than the file", len(content), grew)
	}
	after, err := os.ReadFile(b.path("f"))
	if err != nil || string(after) != strings.NewReplacer("value[77777]", "other[77777]", "value[3]", "v[3]").Replace(content) {
		t.Errorf("the edit of a large file went wrong (%v)", err)
	}
}

// An error comes soon, also for a large file in which nothing fits.
func TestLikenessIsBounded(t *testing.T) {
	l := newLikeness([]byte(sourceText(100 << 10)))
	for i := range 100 {
		l.nearest(fmt.Sprintf("nothing like number %d", i))
	}
	if l.left > 0 || l.left < -len(l.content) {
		t.Errorf("after 100 texts %d bytes are left to compare, want none, and hardly more looked at", l.left)
	}
}

// An old text of megabytes that does not fit costs no more than a pass or two,
// wherever it stops fitting and whatever it resembles.
func TestNearestOfLongTexts(t *testing.T) {
	content, short := sourceText(3<<20), numbers(500_000)
	for name, test := range map[string]struct{ old, says string }{
		"short lines":      {short[:len(short)-10] + "x", "the rest is too much to compare"},
		"differs late":     {content[:len(content)-40] + "x", "the rest is too much to compare"},
		"differs early":    {strings.Replace(content, "\tif value[7]", "\tif  value[7]", 1), "nearest is line 8"},
		"one line":         {strings.Repeat("x", 3<<20), ""},
		"many equal lines": {strings.Repeat("return\n", 1<<19), ""},
		"not ASCII":        {strings.Repeat("\u00e9\u0448\n", 1<<19), ""},
	} {
		l := newLikeness([]byte(content))
		if name == "short lines" {
			l = newLikeness([]byte(short))
		}
		begun := time.Now()
		says := l.nearest(test.old)
		// It is some 50 ms; a slow machine and the race detector have their share.
		if took := time.Since(begun); took > 1500*time.Millisecond {
			t.Errorf("%s: nearest takes %v, want it soon", name, took)
		}
		if !strings.Contains(says, test.says) || len(says) > 500 {
			t.Errorf("%s: nearest = %.600q, want %q", name, says, test.says)
		}
	}
}
