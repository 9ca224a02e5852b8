// Package window decides how much text of a result reaches the model: all of
// it up to a limit, above it whole lines from the start and the end with one
// line between that says what was left out (CONTRACT.md §11). It keeps
// nothing and knows no tools.
package window

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLine is how many characters a line keeps once the window cuts.
const maxLine = 2000

// Options says how much is shown. The zero Recall means that what is left out
// cannot be called up again.
type Options struct {
	// Limit is the number of characters shown uncut, over all texts together.
	Limit int
	// Recall names the call that returns the lines from first to last.
	Recall func(first, last int) string
}

// Apply returns texts bounded by o, one for one; a text that lies in the gap
// comes back empty. Invalid bytes become U+FFFD and are counted in a notice
// behind the last text.
func Apply(texts []string, o Options) []string {
	out := make([]string, len(texts))
	total, bad := 0, 0
	for i, t := range texts {
		var n int
		out[i], n = valid(t)
		bad += n
		total += utf8.RuneCountInString(out[i])
	}
	if total > o.Limit {
		cut(out, o)
	}
	if bad > 0 {
		last := len(out) - 1
		out[last] = withNotice(out[last], fmt.Sprintf("[%d invalid UTF-8 bytes are shown as U+FFFD]", bad))
	}
	return out
}

// valid replaces each invalid byte of s by U+FFFD and counts them.
func valid(s string) (string, int) {
	if utf8.ValidString(s) {
		return s, 0
	}
	var b strings.Builder
	bad := 0
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				bad++
			}
		}
		b.WriteRune(r)
	}
	return b.String(), bad
}

func withNotice(text, notice string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + notice
}

// place is where a line starts: the text, and the byte in it.
type place struct{ text, at int }

// cut keeps whole lines: two fifths of the limit from the start, the rest from
// the end. It looks at the lines that are shown and only counts the others.
func cut(texts []string, o Options) {
	head, first, left := fromStart(texts, o.Limit*2/5)
	tail, last := fromEnd(texts, first, left+o.Limit-o.Limit*2/5)
	lines, chars := 0, 0
	for i := first.text; i <= last.text && i < len(texts); i++ {
		from, to := 0, len(texts[i])
		if i == first.text {
			from = first.at
		}
		if i == last.text {
			to = last.at
		}
		lines += countLines(texts[i][from:to])
		chars += utf8.RuneCountInString(texts[i][from:to])
	}
	shown := 0
	for _, h := range head {
		shown += countLines(h)
	}
	if lines > 0 {
		// The gap stands where it begins.
		at := &head[first.text]
		if *at != "" && !strings.HasSuffix(*at, "\n") {
			*at += "\n"
		}
		*at += gap(shown+1, shown+lines, chars, o.Recall)
		if tail[first.text] != "" {
			*at += "\n"
		}
	}
	for i := range texts {
		texts[i] = head[i] + tail[i]
	}
}

// fromStart takes whole lines while they fit into budget. It returns what is
// shown of each text, where it stopped, and what is left of the budget.
func fromStart(texts []string, budget int) (shown []string, stop place, left int) {
	shown = make([]string, len(texts))
	for i, text := range texts {
		var b strings.Builder
		for at := 0; at < len(text); {
			end := len(text)
			if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
				end = at + n + 1
			}
			line := shorten(text[at:end])
			n := utf8.RuneCountInString(line)
			if n > budget {
				shown[i] = b.String()
				return shown, place{i, at}, budget
			}
			b.WriteString(line)
			budget -= n
			at = end
		}
		shown[i] = b.String()
	}
	return shown, place{len(texts) - 1, len(texts[len(texts)-1])}, budget
}

// fromEnd takes whole lines from the end while they fit into budget, and none
// before the place first.
func fromEnd(texts []string, first place, budget int) (shown []string, stop place) {
	shown = make([]string, len(texts))
	for i := len(texts) - 1; i >= first.text; i-- {
		floor := 0
		if i == first.text {
			floor = first.at
		}
		text := texts[i]
		var lines []string
		stop = place{i, len(text)}
		for stop.at > floor {
			start := strings.LastIndexByte(text[:stop.at-1], '\n') + 1
			line := shorten(text[start:stop.at])
			n := utf8.RuneCountInString(line)
			if n > budget {
				break
			}
			budget -= n
			lines = append(lines, line)
			stop.at = start
		}
		slices.Reverse(lines)
		shown[i] = strings.Join(lines, "")
		if stop.at > floor {
			return shown, stop
		}
	}
	return shown, stop
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// shorten cuts a long line and says how much it cut.
func shorten(full string) string {
	if len(full) <= maxLine {
		return full
	}
	body := strings.TrimSuffix(full, "\n")
	n := utf8.RuneCountInString(body)
	if n <= maxLine {
		return full
	}
	end := 0
	for range maxLine {
		_, size := utf8.DecodeRuneInString(body[end:])
		end += size
	}
	return fmt.Sprintf("%s[… %d more characters in this line]%s", body[:end], n-maxLine, full[len(body):])
}

// gap is the line that stands for the lines from first to last.
func gap(first, last, chars int, recall func(first, last int) string) string {
	how := ""
	if recall != nil {
		how = "; " + recall(first, last) + " returns them"
	}
	if first == last {
		return fmt.Sprintf("[line %d omitted (%d chars)%s]", first, chars, how)
	}
	return fmt.Sprintf("[lines %d–%d omitted (%d chars)%s]", first, last, chars, how)
}
