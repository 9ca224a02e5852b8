package patch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxPlaces is how many places of an ambiguous hunk are named.
	maxPlaces = 5
	// maxSearched bounds what is searched for one file, in bytes.
	maxSearched = 1 << 32
	// visit is what a look at one line costs on top of its bytes, in bytes that
	// are searched in the same time.
	visit = 128

	byteOrderMark = "\xef\xbb\xbf"
)

var (
	// ErrNoChange is the error for an update that leaves the file as it is.
	ErrNoChange = errors.New("nothing would change")
	// ErrTooLong is wrapped by the error for hunks that resemble so much of the
	// file that finding their places would take too long.
	ErrTooLong = errors.New("too much of the file resembles the hunk; take longer lines into it, or split the patch")
)

// Edit puts Text in the place of the bytes of a file from Start to End.
type Edit struct {
	Start, End int
	Text       []byte
}

// PlaceError says that a hunk has no place of its own in the file.
type PlaceError struct {
	Line   int    // of the hunk in the patch
	Old    string // what was looked for, with LF between the lines
	Places []int  // lines of the file where it fits, at most five; none: it fits nowhere
	More   bool   // there are further places
	Before int    // the line where it fits before the end of the hunk before it; 0: nowhere
	End    bool   // it had to fit at the end of the file
}

// Error implements error.
func (e *PlaceError) Error() string {
	at := fmt.Sprintf("the hunk at line %d of the patch ", e.Line)
	switch {
	case len(e.Places) > 0:
		lines := strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Places), " ", ", "), "[]")
		if e.More {
			lines += ", …"
		}
		return at + "fits at several places (lines " + lines + "); take more of the lines around it"
	case e.End:
		return at + "does not fit at the end of the file, where it has to"
	case e.Before > 0:
		return at + fmt.Sprintf("fits at line %d, but that is before the end of the hunk before it; give hunks in the order of the file", e.Before)
	}
	return at + "fits nowhere"
}

// Edits finds the places of the hunks of an update in the content of its file,
// which has at most MaxSource bytes. The edits are in the order of the file and
// do not overlap. Only the lines of the patch that come or go are touched, but
// for a line end that a last line without one gets when lines are put behind it.
//
// Errors: *PlaceError for a hunk without a single place; ErrNoChange, unless the
// file moves; ErrTooLong; the cause of ctx.
func (c Change) Edits(ctx context.Context, content []byte) ([]Edit, error) {
	s := newSource(content)
	var edits []Edit
	cursor := 0
	for _, h := range c.Hunks {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		old := h.old()
		places, err := s.find(h, old, cursor)
		if err != nil {
			return nil, err
		}
		if len(places) != 1 {
			return nil, s.misplaced(h, old, places, cursor)
		}
		edits = append(edits, s.edits(h, places[0])...)
		cursor = places[0] + len(old)
	}
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return bytes.Equal(content[e.Start:e.End], e.Text) })
	if len(edits) == 0 && c.MoveTo == "" {
		return nil, ErrNoChange
	}
	return edits, nil
}

// old are the lines of a hunk that stand in the file.
func (h Hunk) old() []Line {
	return slices.DeleteFunc(slices.Clone(h.Lines), func(l Line) bool { return !l.old() })
}

// literal reports whether line ends are taken as they are.
func (h Hunk) literal() bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return strings.HasSuffix(l.Text, "\r") })
}

// source is a text by lines.
type source struct {
	content []byte
	marked  bool    // it begins with a byte order mark
	starts  []int32 // of the lines, and the end of the text
	left    int64   // what may still be searched
}

func newSource(content []byte) *source {
	s := &source{content: content, left: maxSearched}
	at := 0
	if s.marked = bytes.HasPrefix(content, []byte(byteOrderMark)); s.marked {
		at = len(byteOrderMark)
	}
	s.starts = append(s.starts, int32(at))
	for line := range bytes.Lines(content[at:]) {
		at += len(line)
		s.starts = append(s.starts, int32(at))
	}
	return s
}

// count is how many lines there are.
func (s *source) count() int { return len(s.starts) - 1 }

// line is a line with its end.
func (s *source) line(i int) []byte { return s.content[s.starts[i]:s.starts[i+1]] }

// end is the line end of a line: LF, CRLF or nothing. A line that there is not
// has none.
func (s *source) end(i int) string {
	switch {
	case i < 0 || i >= s.count() || !bytes.HasSuffix(s.line(i), []byte("\n")):
		return ""
	case bytes.HasSuffix(s.line(i), []byte("\r\n")):
		return "\r\n"
	}
	return "\n"
}

// open reports whether the last line has no line end.
func (s *source) open() bool { return s.count() > 0 && s.end(s.count()-1) == "" }

// own is a line of the patch without a byte order mark where the file has its
// own: before the first line.
func (s *source) own(text string, first bool) string {
	if first && s.marked {
		return strings.TrimPrefix(text, byteOrderMark)
	}
	return text
}

// holds reports whether line i of the file is l.
func (s *source) holds(i int, l Line, literal bool) bool {
	text, ended := bytes.CutSuffix(s.line(i), []byte("\n"))
	s.left -= visit + int64(min(len(text), len(l.Text)))
	if ended && l.Bare {
		return false
	}
	if ended && !literal {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	return string(text) == s.own(l.Text, i == 0)
}

// fits reports whether the old lines of a hunk stand at a line.
func (s *source) fits(at int, old []Line, literal bool) bool {
	if at < 0 || at+len(old) > s.count() {
		return false
	}
	for i, l := range old {
		if !s.holds(at+i, l, literal) {
			return false
		}
	}
	return true
}

// find gives the lines from cursor on where old stands, at most maxPlaces+1.
func (s *source) find(h Hunk, old []Line, cursor int) ([]int, error) {
	literal := h.literal()
	if h.End {
		if at := s.count() - len(old); at >= cursor && s.fits(at, old, literal) {
			return []int{at}, nil
		}
		return nil, nil
	}
	// The longest line is looked for, and the others where it stands.
	anchor := 0
	for i, l := range old {
		if len(l.Text) > len(old[anchor].Text) {
			anchor = i
		}
	}
	var places []int
	try := func(line int) {
		if s.fits(line-anchor, old, literal) {
			places = append(places, line-anchor)
		}
	}
	line := cursor + anchor
	if line >= s.count() {
		return nil, nil
	}
	try(line)
	needle := []byte("\n" + old[anchor].Text)
	for at := int(s.starts[line]); len(places) <= maxPlaces; {
		next := bytes.Index(s.content[at:], needle)
		if next < 0 {
			break
		}
		if s.left -= int64(next) + visit; s.left < 0 {
			return nil, fmt.Errorf("look for the hunk at line %d of the patch: %w", h.Line, ErrTooLong)
		}
		at += next + 1
		if line, ok := slices.BinarySearch(s.starts, int32(at)); ok && line < s.count() {
			try(line)
		}
	}
	s.left -= int64(len(s.content)) - int64(s.starts[line])
	return places, nil
}

// misplaced says why a hunk has no single place.
func (s *source) misplaced(h Hunk, old []Line, places []int, cursor int) error {
	e := &PlaceError{Line: h.Line, End: h.End}
	for _, l := range old {
		e.Old += l.Text + "\n"
	}
	for _, at := range places[:min(len(places), maxPlaces)] {
		e.Places = append(e.Places, at+1)
	}
	e.More = len(places) > maxPlaces
	if len(places) == 0 && cursor > 0 && !h.End {
		earlier, err := s.find(h, old, 0)
		if err != nil {
			return err
		}
		if len(earlier) > 0 {
			e.Before = earlier[0] + 1
		}
	}
	return e
}

// edits are the changes of a hunk that stands at a line: one for each run of
// lines that come and go.
func (s *source) edits(h Hunk, at int) []Edit {
	var edits []Edit
	literal, bare := h.literal(), s.bare(h, at)
	running := false
	run := func() *Edit {
		if !running {
			start := int(s.starts[at])
			edits = append(edits, Edit{Start: start, End: start})
			running = true
		}
		return &edits[len(edits)-1]
	}
	for i, l := range h.Lines {
		switch l.Op {
		case ' ':
			running = false
			at++
		case '-':
			e := run()
			at++
			e.End = int(s.starts[at])
		case '+':
			end := "\n"
			if !literal {
				end = s.neighbour(at)
			}
			e := run()
			if at == s.count() && s.open() && e.Start == e.End && len(e.Text) == 0 {
				e.Text = append(e.Text, end...) // for the line before, which is the last no more
			}
			first := e.Start == int(s.starts[0]) && len(e.Text) == 0
			e.Text = append(e.Text, s.own(l.Text, first)...)
			if i != bare {
				e.Text = append(e.Text, end...)
			}
		}
	}
	return edits
}

// bare is the index of the new line that gets no line end: the last of the file
// where a mark says so or, without any mark, where the file ended so. It is -1
// when there is none.
func (s *source) bare(h Hunk, at int) int {
	last, said := -1, false
	for i, l := range h.Lines {
		said = said || l.Bare
		if l.old() {
			at++
		}
		if l.Op != '-' {
			last = i
		}
	}
	switch {
	case last < 0 || h.Lines[last].Op == ' ' || at < s.count():
		return -1
	case said && !h.Lines[last].Bare, !said && !s.open():
		return -1
	}
	return last
}

// neighbour is the line end for a new line before line i of the file.
func (s *source) neighbour(i int) string {
	return cmp.Or(s.end(i-1), s.end(i), s.end(0), "\n")
}
