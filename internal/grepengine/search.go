package grepengine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	// blockSize is how much of a text is searched between two reads.
	blockSize = 1 << 20
	// MaxLine is the length in bytes of the longest line that is searched.
	MaxLine = 16 << 20
	// sniffSize is in how many bytes a NUL makes a text binary.
	sniffSize = 8 << 10
)

// Want is what a search returns beside counts.
type Want struct {
	Max     int  // lines that are kept, context included; zero keeps none
	Context int  // lines kept before and after each match
	Width   int  // bytes of a line that are kept; zero means all
	First   bool // stop at the first match
}

// Line is a line that was kept.
type Line struct {
	Number int64 // from 1
	Text   string
	Match  bool
	// Offset is where Text begins in a line of Length bytes that was cut.
	// Length is zero when Text is the line.
	Offset, Length int
}

// Found is what is in a text.
type Found struct {
	Matches int64 // lines that match
	Lines   []Line
	// Binary says that a NUL byte is in the first 8 KiB; TooLong that a line is
	// longer than MaxLine: the text was not searched, or only up to that line.
	Binary, TooLong bool
}

// Searcher searches one text after the other with one pattern. It keeps its
// buffers, and is for one goroutine.
type Searcher struct {
	p         *Pattern
	buffer    []byte
	folded    []byte
	automaton *automaton // nil when there is none
	finder    finder
	useFind   bool // in the current block
	base      int  // where the block begins in the buffer

	want    Want
	found   Found
	number  int64 // of the line that begins at counted
	counted int
	emitted int // up to where lines were kept
	after   int // lines of context still to be kept
}

// NewSearcher returns a searcher for p.
func NewSearcher(p *Pattern) *Searcher {
	s := &Searcher{p: p}
	for _, n := range p.needles {
		s.finder.needles = append(s.finder.needles, newRareNeedle(n))
	}
	s.finder.next = make([]int, len(p.needles))
	if p.prog != nil {
		s.automaton = newAutomaton(p.prog, p.keepCR)
	}
	return s
}

// Search reads r to its end, or to the first match. Size is how much there is; it
// may be wrong, but a text of less than a block that seems to end there is not
// asked for more. The context is looked at between blocks. What was found
// before an error is returned beside it.
func (s *Searcher) Search(ctx context.Context, r io.Reader, size int64, w Want) (Found, error) {
	s.want, s.found = w, Found{}
	s.number, s.counted, s.emitted, s.after = 1, 0, 0, 0
	if need := int(min(size+1, blockSize)); cap(s.buffer) < need {
		s.buffer = make([]byte, max(need, 64<<10))
	}
	buffer := s.buffer[:cap(s.buffer)]
	defer func() {
		if cap(buffer) <= 4*blockSize {
			s.buffer = buffer
		}
	}()
	done, end := 0, 0 // what is searched, what is read
	left := -1
	if 0 < size && size < blockSize {
		left = int(size)
	}
	for first := true; ; first = false {
		if ctx.Err() != nil {
			return s.found, context.Cause(ctx)
		}
		n, eof, err := fill(r, buffer[end:], left)
		if err != nil {
			return s.found, err
		}
		complete := end + n
		if !eof {
			complete = end + bytes.LastIndexByte(buffer[end:end+n], '\n') + 1
			if complete == end {
				complete = done
			}
		}
		end += n
		left = -1
		if first {
			if bytes.IndexByte(buffer[:min(end, sniffSize)], 0) >= 0 {
				s.found.Binary = true
				return s.found, nil
			}
			if bytes.HasPrefix(buffer[:end], byteOrderMark) {
				done = len(byteOrderMark)
				s.counted, s.emitted = done, done
			}
		}
		if complete > done {
			if s.block(buffer[:complete], done); s.want.First && s.found.Matches > 0 {
				return s.found, nil
			}
			done = complete
		}
		if eof {
			return s.found, nil
		}
		keep := s.keepFrom(buffer, done)
		end = copy(buffer, buffer[keep:end])
		done -= keep
		s.counted -= keep
		s.emitted = max(s.emitted-keep, 0)
		if end == len(buffer) { // one line fills it
			if len(buffer) > MaxLine {
				s.found.TooLong = true
				return s.found, nil
			}
			buffer = append(buffer, make([]byte, len(buffer))...)
		}
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// fill reads until the buffer is full or there is no more, which is taken for
// true after left bytes, if that is not negative. It saves asking each small file
// for its end.
func fill(r io.Reader, buffer []byte, left int) (n int, eof bool, err error) {
	for n < len(buffer) {
		more, err := r.Read(buffer[n:])
		n += more
		switch {
		case errors.Is(err, io.EOF):
			return n, true, nil
		case err != nil:
			return n, false, err
		case n == left && n < len(buffer):
			return n, true, nil
		}
	}
	return n, false, nil
}

// keepFrom is where what the next block needs begins: the lines of context
// before it, unless they are long.
func (s *Searcher) keepFrom(buffer []byte, done int) int {
	at := done
	for range s.want.Context {
		if at <= s.emitted || at == 0 {
			break
		}
		start := bytes.LastIndexByte(buffer[:at-1], '\n') + 1
		if done-start > blockSize {
			break
		}
		at = start
	}
	return at
}

// block searches the lines from start on; before it stand lines that may be
// context.
func (s *Searcher) block(text []byte, start int) {
	s.prepare(text, start)
	at := start
	for at < len(text) {
		from, to, ok := s.next(text, at)
		if !ok {
			break
		}
		s.found.Matches++
		if s.want.First {
			return
		}
		if len(s.found.Lines) < s.want.Max {
			s.keepContext(text, from)
			s.keepLine(text, from, to, true)
			s.after = s.want.Context
		}
		at = to + 1
	}
	s.keepAfter(text, len(text))
	if len(s.found.Lines) < s.want.Max {
		s.countTo(text, len(text))
	}
	s.counted = len(text)
}

// prepare decides how the block is searched.
func (s *Searcher) prepare(text []byte, start int) {
	s.useFind = len(s.p.needles) > 0
	if !s.useFind {
		return
	}
	block := text[start:]
	if s.p.fold {
		if s.useFind = !foldsToASCII(block); !s.useFind {
			return
		}
		if cap(s.folded) < len(block) {
			s.folded = make([]byte, max(len(block), 64<<10))
		}
		lower(s.folded[:len(block)], block)
		block = s.folded[:len(block)]
	}
	s.base = start
	s.finder.start(block)
}

// next is the next line at or after at, which begins a line, that matches: from
// its first byte to its line end.
func (s *Searcher) next(text []byte, at int) (from, to int, ok bool) {
	if !s.useFind {
		return s.nextLine(text, at)
	}
	for at < len(text) {
		found := s.finder.from(at - s.base)
		if found < 0 {
			return 0, 0, false
		}
		hit := s.base + found
		from = at + bytes.LastIndexByte(text[at:hit], '\n') + 1
		to = len(text)
		if n := bytes.IndexByte(text[hit:], '\n'); n >= 0 {
			to = hit + n
		}
		if s.p.exact || s.match(text[from:to]) {
			return from, to, true
		}
		at = to + 1
	}
	return 0, 0, false
}

// match decides about one line, which is without its LF.
func (s *Searcher) match(text []byte) bool {
	if s.automaton.usable() {
		if matched, known := s.automaton.match(text); known {
			return matched
		}
	}
	return s.p.re.Match(s.p.line(text))
}

// line is what of a line is matched.
func (p *Pattern) line(text []byte) []byte {
	if n := len(text) - 1; n >= 0 && text[n] == '\r' && !p.keepCR {
		return text[:n]
	}
	return text
}

// countTo makes number that of the line that begins at at.
func (s *Searcher) countTo(text []byte, at int) {
	s.number += int64(bytes.Count(text[s.counted:at], []byte{'\n'}))
	s.counted = at
}

// keepContext keeps lines after the last match and before that at from.
func (s *Searcher) keepContext(text []byte, from int) {
	s.keepAfter(text, from)
	if s.want.Context == 0 {
		return
	}
	at := from
	for range s.want.Context {
		if at <= s.emitted {
			break
		}
		at = max(s.emitted, bytes.LastIndexByte(text[:at-1], '\n')+1)
	}
	for at < from {
		to := at + bytes.IndexByte(text[at:], '\n')
		s.keepLine(text, at, to, false)
		at = to + 1
	}
}

// keepAfter keeps what is left of the context after a match, up to limit.
func (s *Searcher) keepAfter(text []byte, limit int) {
	for s.after > 0 && s.emitted < limit {
		to := limit
		if n := bytes.IndexByte(text[s.emitted:limit], '\n'); n >= 0 {
			to = s.emitted + n
		}
		s.keepLine(text, s.emitted, to, false)
		s.after--
	}
}

func (s *Searcher) keepLine(text []byte, from, to int, match bool) {
	s.emitted = min(to+1, len(text))
	if len(s.found.Lines) >= s.want.Max {
		return
	}
	number := s.number
	if from >= s.counted {
		s.countTo(text, from)
		number = s.number
	} else { // context before a block
		number -= int64(bytes.Count(text[from:s.counted], []byte{'\n'}))
	}
	l := Line{Number: number, Match: match}
	line := s.p.line(text[from:to])
	if s.want.Width > 0 && len(line) > s.want.Width {
		l.Length = len(line)
		line, l.Offset = s.cut(line, match)
	}
	l.Text = string(line)
	s.found.Lines = append(s.found.Lines, l)
}

// cut is the part of a long line around its first match, on whole characters.
func (s *Searcher) cut(line []byte, match bool) ([]byte, int) {
	at := 0
	if match {
		if loc := s.p.re.FindIndex(line); loc != nil {
			at = max(0, loc[0]-s.want.Width/4)
		}
	}
	at = min(at, len(line)-s.want.Width)
	end := at + s.want.Width
	for i := 0; i < utf8.UTFMax && at > 0 && !utf8.RuneStart(line[at]); i++ {
		at++
	}
	for i := 0; i < utf8.UTFMax && end < len(line) && !utf8.RuneStart(line[end]); i++ {
		end--
	}
	return line[at:end], at
}
