package builtins

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxPageLines bounds a page, whatever limit asks for.
	maxPageLines = 2000
	// maxExcerpt is how many characters are shown of a line that fits no page.
	maxExcerpt = 2000
)

// view is which page of which file is wanted.
type view struct {
	path   string // as a shell would be given it
	first  int64  // line, from 1
	limit  int    // lines
	budget int    // characters: gutters and notices count
	spare  int    // characters of the budget that are kept free
}

// page is whole lines of a file as they are shown.
type page struct {
	text  []byte
	lines int
	bytes int // of the file that the lines take
	bad   int // bytes that are not UTF-8
}

// fill shows as many lines of data as v allows. data starts with line v.first.
// If it does not reach the end of the file, it has more bytes than a page can.
// The page is empty when its first line alone is over the budget.
func (v view) fill(data []byte, end bool, size int64) page {
	budget := v.budget - v.spare
	room := utf8.RuneCountInString(pageNotice(size, size, size+1, false)) + 1
	p := page{text: make([]byte, 0, min(len(data)+len(data)/4, max(budget, 0))+64)}
	var fit page // the longest page with room for its notice
	for chars := 0; p.lines < v.limit && p.bytes < len(data); {
		line := data[p.bytes:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		} else if !end {
			return fit
		}
		before := len(p.text)
		p.text = appendGutter(p.text, v.first+int64(p.lines))
		chars += len(p.text) - before
		var n, bad int
		p.text, n, bad = appendText(p.text, line)
		chars += n
		p.bad += bad
		p.lines++
		p.bytes += len(line)
		used := chars + badRoom(p.bad)
		if used > budget {
			return fit
		}
		if used+room <= budget {
			fit = p
		}
	}
	if end && p.bytes == len(data) {
		return p // nothing is left out, so no notice needs room
	}
	return fit
}

// appendGutter appends n as %6d and a tab.
func appendGutter(to []byte, n int64) []byte {
	for width := int64(100_000); width > n && width > 1; width /= 10 {
		to = append(to, ' ')
	}
	return append(strconv.AppendInt(to, n, 10), '\t')
}

// appendText appends line with U+FFFD for each byte that is not UTF-8. It
// returns the characters that were appended and how many such bytes there are.
func appendText(to, line []byte) (_ []byte, chars, bad int) {
	if utf8.Valid(line) {
		return append(to, line...), utf8.RuneCount(line), 0
	}
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == utf8.RuneError && size == 1 {
			bad++
		}
		to = utf8.AppendRune(to, r)
		line = line[size:]
		chars++
	}
	return to, chars, bad
}

func badNotice(bad int) string {
	return fmt.Sprintf("[%d bytes are not UTF-8 and are shown as U+FFFD]", bad)
}

// badRoom is how many characters the notice takes on a line of its own.
func badRoom(bad int) int {
	if bad == 0 {
		return 0
	}
	return len(badNotice(bad)) + 2
}

// pageNotice says which lines are shown and how to get the next ones.
func pageNotice(first, last, total int64, whole bool) string {
	more := "+"
	if whole {
		more = ""
	}
	return fmt.Sprintf("[Showing lines %d–%d of %d%s. Use offset=%d to continue.]", first, last, total, more, last+1)
}

// finish puts notices behind the page, each on a line of its own.
func (p page) finish(notices ...string) string {
	if p.bad > 0 {
		notices = append([]string{badNotice(p.bad)}, notices...)
	}
	for _, n := range notices {
		if n == "" {
			continue
		}
		if len(p.text) > 0 && p.text[len(p.text)-1] != '\n' {
			p.text = append(p.text, '\n')
		}
		p.text = append(p.text, n...)
	}
	return string(p.text)
}

// longLine is a line that fits no page.
type longLine struct {
	start, length int64 // bytes, without the line end
	last          bool  // no line follows
}

// excerpt shows the start of such a line, which data starts with, and says how
// to get the rest.
func (v view) excerpt(data []byte, l longLine) string {
	p := page{text: appendGutter(nil, v.first)}
	// The notice says how many bytes are shown, so some digits of it are still
	// unknown: four of the bytes, up to four of the place where the rest starts.
	room := v.budget - v.spare - len(p.text) - utf8.RuneCountInString(v.longNotice(maxExcerpt, 0, l)) - len("\n") - 8
	if !utf8.Valid(data[:min(len(data), utf8.UTFMax*maxExcerpt)]) {
		room -= badRoom(utf8.UTFMax * maxExcerpt)
	}
	data = data[:min(int64(len(data)), l.length)]
	shown, chars := 0, 0
	for chars < min(room, maxExcerpt) && shown < len(data) {
		_, size := utf8.DecodeRune(data[shown:])
		shown += size
		chars++
	}
	p.text, _, p.bad = appendText(p.text, data[:shown])
	return p.finish(v.longNotice(chars, int64(shown), l))
}

// longNotice speaks of a line whose first bytes are shown.
func (v view) longNotice(chars int, shown int64, l longLine) string {
	next := "It is the last line."
	if !l.last {
		next = fmt.Sprintf("Use offset=%d for the next line.", v.first+1)
	}
	rest := l.length - shown
	piece := min(rest, int64(v.budget)*2/3) // so that the answer is not cut again
	what := "the rest"
	if piece < rest {
		what = fmt.Sprintf("the next %d bytes of it", piece)
	}
	return fmt.Sprintf("[Line %d is %d bytes long; its first %d characters (%d bytes) are shown. With bash, `tail -c +%d %s | head -c %d` prints %s. %s]",
		v.first, l.length, chars, shown, l.start+shown+1, shellWord(v.path), piece, what, next)
}

// shellWord quotes a path for bash.
func shellWord(path string) string {
	word, err := syntax.Quote(path, syntax.LangBash)
	if err != nil {
		return "FILE" // only a NUL cannot be quoted, and no path has one
	}
	return word
}
