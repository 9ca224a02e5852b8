// Package window decides how much text of a result reaches the model: all of
// it up to a limit, above it whole lines from the start and the end with one
// line between that says what was left out (CONTRACT.md §11). It keeps
// nothing and knows no tools.
package window

import (
	"fmt"
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

// line is one line of one text. Its end, if it has one, belongs to it.
type line struct {
	text  int
	full  string
	shown string
	chars int // of shown
}

// cut keeps whole lines: two fifths of the limit from the start, the rest from
// the end.
func cut(texts []string, o Options) {
	var lines []line
	for i, t := range texts {
		for full := range strings.Lines(t) {
			shown := shorten(full)
			lines = append(lines, line{i, full, shown, utf8.RuneCountInString(shown)})
		}
	}
	head, left := 0, o.Limit*2/5
	for head < len(lines) && lines[head].chars <= left {
		left -= lines[head].chars
		head++
	}
	tail := len(lines)
	for left += o.Limit - o.Limit*2/5; tail > head && lines[tail-1].chars <= left; tail-- {
		left -= lines[tail-1].chars
	}
	out := make([]strings.Builder, len(texts))
	for _, l := range lines[:head] {
		out[l.text].WriteString(l.shown)
	}
	if tail > head {
		// The gap stands where it begins, or behind the text that holds the
		// first shown line when the gap begins a later text.
		at := &out[lines[head].text]
		if s := at.String(); s != "" && !strings.HasSuffix(s, "\n") {
			at.WriteByte('\n')
		}
		at.WriteString(gap(lines, head, tail, o.Recall))
		if tail < len(lines) && lines[tail].text == lines[head].text {
			at.WriteByte('\n')
		}
	}
	for _, l := range lines[tail:] {
		out[l.text].WriteString(l.shown)
	}
	for i := range texts {
		texts[i] = out[i].String()
	}
}

// shorten cuts a long line and says how much it cut.
func shorten(full string) string {
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

// gap is the line that stands for lines[head:tail].
func gap(lines []line, head, tail int, recall func(first, last int) string) string {
	chars := 0
	for _, l := range lines[head:tail] {
		chars += utf8.RuneCountInString(l.full)
	}
	how := ""
	if recall != nil {
		how = "; " + recall(head+1, tail) + " returns them"
	}
	if tail-head == 1 {
		return fmt.Sprintf("[line %d omitted (%d chars)%s]", head+1, chars, how)
	}
	return fmt.Sprintf("[lines %d–%d omitted (%d chars)%s]", head+1, tail, chars, how)
}
