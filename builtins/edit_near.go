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
	maxCompared   = 1 << 25 // bytes that are compared for one call
	maxAlike      = 1 << 20 // bytes in which lines are compared letter by letter
	alikeCost     = 8       // how many times slower that is
	maxAlikeLine  = 300     // bytes of a line that is compared so
)

// likeness looks for what resembles texts that do not occur. Nothing is ever
// changed by likeness: it is for messages only.
type likeness struct {
	content []byte
	left    int // bytes that may still be compared, so that an error comes soon
}

func newLikeness(content []byte) *likeness { return &likeness{content, maxCompared} }

// nearest says where old may have been meant, and what differs there.
func (l *likeness) nearest(old string) string {
	want := linesOf(old)
	keys := make([][]byte, len(want))
	anchors := make([]int, len(want))
	for i, line := range want {
		keys[i], anchors[i] = foldLine(nil, line), i
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
		return "; there is more text than can be compared with it, so read the place again"
	}
	return "; no line resembles it, so read the file again"
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
	content := l.content[:min(len(l.content), max(l.left, 0))]
	best, bestScore := -1, 0
	var key []byte
	candidates, at := 0, 0
	for ; at < len(content) && candidates < maxCandidates && bestScore < len(keys); at = lineEnd(content, at, 0) {
		key = foldLine(key[:0], lineAt(content, at))
		if !bytes.Contains(key, keys[anchor]) {
			continue
		}
		candidates++
		first := lineStart(content, 0, at, anchor)
		if bytes.Count(content[first:at], []byte("\n")) < anchor {
			continue // the file begins too late
		}
		if score := alike(content, first, keys); score > bestScore {
			best, bestScore = first, score
		}
	}
	l.left -= at
	return best
}

// alike counts the wanted lines that resemble those from at on.
func alike(content []byte, at int, keys [][]byte) (score int) {
	for _, want := range keys {
		if at >= len(content) {
			break
		}
		if key := foldLine(nil, lineAt(content, at)); bytes.Contains(key, want) {
			score++
		}
		at = lineEnd(content, at, 0)
	}
	return score
}

// mostAlike finds the line with the fewest letters to change, if those are few.
func (l *likeness) mostAlike(want []byte) int {
	content := l.content[:min(len(l.content), maxAlike, max(l.left/alikeCost, 0))]
	l.left -= alikeCost * len(content)
	best, fewest := -1, len(want)/3+1
	var key []byte
	for at := 0; at < len(content) && len(want) <= maxAlikeLine; at = lineEnd(content, at, 0) {
		key = foldLine(key[:0], lineAt(content, at))
		if d := len(key) - len(want); d >= fewest || -d >= fewest {
			continue
		}
		if d := levenshtein.ComputeDistance(string(want), string(key)); d < fewest {
			best, fewest = at, d
		}
	}
	return best
}

// explain says what differs between the wanted lines of old and those from at on.
func explain(content []byte, at int, old string, want []string, first []byte) string {
	for i, line := range want {
		if at >= len(content) && line != "" {
			return fmt.Sprintf("; the file ends with line %d of old_text, which goes on with %s", i, quoted([]byte(line)))
		}
		have := lineAt(content, at)
		nearest := fmt.Sprintf("; nearest is line %d, %s", lineOf(content, at), quoted(have))
		stretch := have
		if i == 0 {
			stretch = have[offsetOf(have, first, line, len(want) > 1):]
		}
		if string(stretch) != line || i == len(want)-1 { // the last one differs when no other does
			return nearest + ": " + difference(line, string(stretch))
		}
		next := lineEnd(content, at, 0)
		wantEnd := strings.Index(old, "\n") + 1
		if w, h := endOf([]byte(old[:wantEnd])), endOf(content[at:next]); w != h {
			return fmt.Sprintf("%s: old_text has %s at its end where the file has %s", nearest, w, h)
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
