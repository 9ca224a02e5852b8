package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxFaults bounds the faults of one file: law.toml comes with a repository.
const maxFaults = 100

// Fault is one thing that is wrong in a file.
type Fault struct {
	File   string
	Line   int    // from 1
	Column int    // from 1, in characters
	What   string // one line
}

func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.What)
}

// FaultError is all that is wrong in a file, in the order of the text; of more
// than 100 faults it has the first 100 found.
type FaultError struct{ Faults []Fault }

// Error is one fault per line.
func (e *FaultError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// faults collects the faults of one text.
type faults struct {
	file string
	text []byte
	list []fault
}

type fault struct {
	offset int
	what   string
}

func (fs *faults) add(offset int, format string, args ...any) {
	if len(fs.list) < maxFaults {
		what := strings.Map(oneLine, fmt.Sprintf(format, args...))
		fs.list = append(fs.list, fault{offset, what})
	}
}

// oneLine keeps what a library quotes from the text from breaking the line.
func oneLine(r rune) rune {
	if unicode.IsControl(r) {
		return utf8.RuneError
	}
	return r
}

// err is nil when there are no faults.
func (fs *faults) err() error {
	if len(fs.list) == 0 {
		return nil
	}
	slices.SortStableFunc(fs.list, func(a, b fault) int { return cmp.Compare(a.offset, b.offset) })
	at := places{text: fs.text}
	e := &FaultError{Faults: make([]Fault, len(fs.list))}
	for i, f := range fs.list {
		line, column := at.place(f.offset)
		e.Faults[i] = Fault{File: fs.file, Line: line, Column: column, What: f.what}
	}
	return e
}

// places turns offsets into lines and columns. Asked in ascending order it
// passes over the text once.
type places struct {
	text      []byte
	lineStart int
	lines     int // lines that end before lineStart
}

func (p *places) place(offset int) (line, column int) {
	offset = min(offset, len(p.text))
	if offset < p.lineStart {
		p.lineStart, p.lines = 0, 0
	}
	for {
		n := bytes.IndexByte(p.text[p.lineStart:offset], '\n')
		if n < 0 {
			break
		}
		p.lineStart += n + 1
		p.lines++
	}
	return p.lines + 1, utf8.RuneCount(p.text[p.lineStart:offset]) + 1
}

// maxShown is how much of a value or key a fault shows, in bytes.
const maxShown = 64

// quote shows a value or key of the file on one line.
func quote(s string) string { return strconv.Quote(clip(s)) }

func clip(s string) string {
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}

// nearest is the name that was probably meant, or "".
func nearest(name string, names []string) string {
	if len(name) > maxShown { // no key is that long, and the distance costs the product of both lengths
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", max(2, len(name)/3)+1
	for _, n := range names {
		d := levenshtein.ComputeDistance(name, n)
		if d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}
