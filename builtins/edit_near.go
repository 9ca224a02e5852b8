package builtins

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

const (
	maxAnchors    = 5       // wanted lines that are looked for
	minAnchor     = 4       // bytes that tell one line from another
	maxCandidates = 100     // places that are compared line by line
	maxAlikeLine  = 300     // bytes of a line that is compared letter by letter
	maxOldLooked  = 1 << 16 // bytes at the start of an old text that are looked for
	maxExplained  = 1 << 20 // bytes in which the first difference is looked for

	// maxCompared is how much is done for one call, in ASCII bytes that are
	// folded: about 50 ms. The others say how many of these something costs.
	maxCompared = 1 << 23
	wideCost    = 16     // a byte that is not ASCII
	letterCost  = 1 / 2. // a pair of letters
)

// likeness looks for what resembles texts that do not occur. Nothing is ever
// changed by likeness: it is for messages only.
type likeness struct {
	content []byte
	left    int // of maxCompared, so that an error comes soon
}

func newLikeness(content []byte) *likeness { return &likeness{content, maxCompared} }

// nearest says where old may have been meant, and what differs there.
func (l *likeness) nearest(old string) string {
	if l.left <= 0 {
		return tooMuch
	}
	want := linesOf(old)
	var keys [][]byte
	var anchors []int
	for i, looked := 0, 0; i < len(want) && looked < maxOldLooked; i++ {
		line := cutText(want[i], maxOldLooked-looked)
		looked += len(line) + 1
		keys, anchors = append(keys, l.fold(nil, []byte(line))), append(anchors, i)
	}
	slices.SortStableFunc(anchors, func(a, b int) int { return len(keys[b]) - len(keys[a]) })
	longest := anchors[0]
	if len(keys[longest]) == 0 {
		return "; it has only blanks and line ends, and these do not stand so anywhere"
	}
	for n, anchor := range anchors[:min(len(anchors), maxAnchors)] {
		if n > 0 && len(keys[anchor]) < minAnchor {
			break
		}
		if at := l.bestPlace(keys, anchor); at >= 0 {
			return explain(l.content, at, old, want, keys[0])
		}
	}
	if at := l.mostAlike(keys[longest]); at >= 0 {
		line := lineAt(l.content, at)
		return fmt.Sprintf("; nearest is line %d, %s: %s", lineOf(l.content, at), quoted(line),
			difference(strings.TrimSpace(want[longest]), strings.TrimSpace(string(line))))
	}
	if l.left <= 0 {
		return tooMuch
	}
	return "; no line resembles it, so read the file again"
}

const tooMuch = "; there is more text than can be compared with it, so read the place again"

// fold is foldLine at the cost of what is left, and of no more than that.
func (l *likeness) fold(key, line []byte) []byte {
	cost := len(line)
	for _, c := range line {
		if c >= utf8.RuneSelf {
			cost += wideCost
		}
	}
	if cost > l.left {
		line = line[:min(len(line), max(l.left, 0)/wideCost)]
	}
	l.left -= cost
	return foldLine(key, line)
}

// cutText is text without what is after n bytes.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// linesOf splits a text at LF; a CR before it is not part of a line.
func linesOf(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// lineAt is the line that begins at an offset, without its end.
func lineAt(content []byte, at int) []byte {
	line := content[at:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = bytes.TrimSuffix(line[:end], []byte("\r"))
	}
	return line
}

// bestPlace finds the line that the first of the wanted lines stands for, where
// the anchor resembles a line and most of the others do too; else -1.
func (l *likeness) bestPlace(keys [][]byte, anchor int) int {
	content := l.content
	best, bestScore := -1, 0
	var key []byte
	candidates := 0
	for at := 0; at < len(content) && l.left > 0 && candidates < maxCandidates && bestScore < len(keys); at = lineEnd(content, at, 0) {
		key = l.fold(key[:0], lineAt(content, at))
		if !bytes.Contains(key, keys[anchor]) {
			continue
		}
		candidates++
		first := lineStart(content, 0, at, anchor)
		if bytes.Count(content[first:at], []byte("\n")) < anchor {
			continue // the file begins too late
		}
		if score := l.alike(first, keys); score > bestScore {
			best, bestScore = first, score
		}
	}
	return best
}

// alike counts the wanted lines that resemble those from at on, as far as
// there is something left to do it with.
func (l *likeness) alike(at int, keys [][]byte) (score int) {
	var key []byte
	for _, want := range keys {
		if at >= len(l.content) || l.left <= 0 {
			break
		}
		if key = l.fold(key[:0], lineAt(l.content, at)); bytes.Contains(key, want) {
			score++
		}
		at = lineEnd(l.content, at, 0)
	}
	return score
}

// mostAlike finds the line with the fewest letters to change, if those are few.
func (l *likeness) mostAlike(want []byte) int {
	content := l.content
	best, fewest := -1, len(want)/3+1
	var key []byte
	for at := 0; at < len(content) && l.left > 0 && len(want) <= maxAlikeLine; at = lineEnd(content, at, 0) {
		key = l.fold(key[:0], lineAt(content, at))
		if d := len(key) - len(want); d >= fewest || -d >= fewest {
			continue
		}
		l.left -= int(letterCost * float64(len(want)*len(key)))
		if d := levenshtein.ComputeDistance(string(want), string(key)); d < fewest {
			best, fewest = at, d
		}
	}
	return best
}

// explain says what differs between the wanted lines of old and those from at on.
func explain(content []byte, at int, old string, want []string, first []byte) string {
	start := at
	for i, line := range want {
		if at-start > maxExplained {
			return fmt.Sprintf("; nearest is line %d; %d lines from there on are the same, and the rest is too much to compare", lineOf(content, start), i)
		}
		if at >= len(content) && line != "" {
			return fmt.Sprintf("; the file ends with line %d of old_text, which goes on with %s", i, quoted([]byte(line)))
		}
		have := lineAt(content, at)
		nearest := func() string { return fmt.Sprintf("; nearest is line %d, %s", lineOf(content, at), quoted(have)) }
		stretch := have
		if i == 0 {
			stretch = have[offsetOf(have, first, line, len(want) > 1):]
		}
		if string(stretch) != line || i == len(want)-1 { // the last one differs when no other does
			return nearest() + ": " + difference(line, string(stretch))
		}
		next := lineEnd(content, at, 0)
		wantEnd := strings.Index(old, "\n") + 1
		if w, h := endOf([]byte(old[:wantEnd])), endOf(content[at:next]); w != h {
			return fmt.Sprintf("%s: old_text has %s at its end where the file has %s", nearest(), w, h)
		}
		at, old = next, old[wantEnd:]
	}
	return ""
}

// endOf names the end of a line.
func endOf(line []byte) string {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "CRLF"
	case bytes.HasSuffix(line, []byte("\n")):
		return "LF"
	}
	return "no line end"
}

// offsetOf is where in a line the text begins that resembles the first wanted
// one; the last such text where more lines follow.
func offsetOf(have, key []byte, line string, more bool) int {
	if at := bytes.Index(have, []byte(line)); at >= 0 && !more {
		return at
	}
	folded, offsets := foldWithOffsets(have)
	at := bytes.Index(folded, key)
	if more {
		at = bytes.LastIndex(folded, key)
	}
	if at < 0 || len(key) == 0 {
		return 0
	}
	start := offsets[at]
	// Blanks before the text are compared too, as far as the text has any.
	if r, _ := utf8.DecodeRuneInString(line); isBlank(r) {
		for start > 0 {
			r, size := utf8.DecodeLastRune(have[:start])
			if !isBlank(r) {
				break
			}
			start -= size
		}
	}
	return start
}

// difference says where two lines part: by blanks, case, characters that look
// alike, or words.
func difference(want, have string) string {
	for want != "" || have != "" {
		wantBlank, wantRest := cutBlank(want)
		haveBlank, haveRest := cutBlank(have)
		if wantBlank != haveBlank {
			return fmt.Sprintf("old_text has %s where the file has %s", blanks(wantBlank, wantRest), blanks(haveBlank, haveRest))
		}
		want, have = wantRest, haveRest
		if want == "" || have == "" {
			break
		}
		w, wn := utf8.DecodeRuneInString(want)
		h, hn := utf8.DecodeRuneInString(have)
		if w == h && want[:wn] == have[:hn] {
			want, have = want[wn:], have[hn:]
			continue
		}
		if hn == 1 && h == utf8.RuneError {
			return fmt.Sprintf("old_text has %s where the file has the byte 0x%02X, which is not UTF-8", runeName(w), have[0])
		}
		if slices.Equal(foldRune(nil, w), foldRune(nil, h)) {
			return fmt.Sprintf("old_text has %s where the file has %s", runeName(w), runeName(h))
		}
		if w, h := clusters(want, have); w != "" {
			return fmt.Sprintf("old_text has %s where the file has %s, which looks the same", w, h)
		}
		return fmt.Sprintf("old_text goes on with %s where the file has %s", quoted([]byte(want)), quoted([]byte(have)))
	}
	switch {
	case want != "":
		return fmt.Sprintf("the line ends there, and old_text goes on with %s", quoted([]byte(want)))
	case have != "":
		return fmt.Sprintf("old_text ends its line there, and the file goes on with %s", quoted([]byte(have)))
	}
	return "the lines around it differ"
}

// quoted shows a text in one line, with everything that cannot be seen escaped.
func quoted(text []byte) string {
	const most = 80
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%q…", text[:cut])
}
