package builtins

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// maxCount bounds how many occurrences of one reading are counted.
	maxCount = 1000
	// maxPlaces is how many of them are named.
	maxPlaces = 5
)

// search finds texts in one content. It looks for line ends and encoding only
// when an edit depends on them, and once.
type search struct {
	content []byte
	hasCRLF func() bool
	invalid func() int // offset of the first byte that is not UTF-8, or -1
}

func newSearch(content []byte) *search {
	return &search{
		content: content,
		hasCRLF: sync.OnceValue(func() bool { return containsCRLF(content) }),
		invalid: sync.OnceValue(func() int { return firstInvalid(content) }),
	}
}

// place is where a text stands. Crlf says that its LF stand for CRLF there.
type place struct {
	start, end int
	crlf       bool
}

// occurrences are the places of one text: how many, and the first of them.
type occurrences struct {
	count int
	first []place // at most maxPlaces, in the order of the file
}

// find counts where each old text occurs, overlapping occurrences too, in both
// readings: as it is, and with CRLF for each bare LF. It has one answer per edit.
func (s *search) find(edits []replacement) []occurrences {
	var needles []*needle
	readings := make([][]*needle, len(edits))
	for i, e := range edits {
		literal := &needle{text: []byte(e.Old)}
		readings[i] = []*needle{literal}
		if hasBareLF(e.Old) && s.hasCRLF() {
			adapted := &needle{text: withCRLF(e.Old), crlf: true}
			if e.Old[0] == '\n' {
				literal.twin = adapted.text
			}
			readings[i] = append(readings[i], adapted)
		}
		needles = append(needles, readings[i]...)
	}
	lookFor(s.content, needles)
	found := make([]occurrences, len(edits))
	for i := range edits {
		for _, n := range readings[i] {
			found[i].count += n.count
			for _, at := range n.first {
				found[i].first = append(found[i].first, place{at, at + len(n.text), n.crlf})
			}
		}
		slices.SortFunc(found[i].first, func(a, b place) int { return cmp.Compare(a.start, b.start) })
		found[i].first = found[i].first[:min(len(found[i].first), maxPlaces)]
	}
	return found
}

// fault says why old cannot be placed.
func (o occurrences) fault(like *likeness, old string) string {
	if o.count == 0 {
		return "not found in the file" + like.nearest(old)
	}
	count := fmt.Sprintf("occurs %d times", o.count)
	if o.count > maxCount {
		count = fmt.Sprintf("occurs more than %d times", maxCount)
	}
	lines := make([]string, len(o.first))
	for i, p := range o.first {
		lines[i] = fmt.Sprint(lineOf(like.content, p.start))
	}
	more := ""
	if o.count > len(o.first) {
		more = ", …"
	}
	return fmt.Sprintf("%s (lines %s%s); it must occur once, so take more of the text around it", count, strings.Join(lines, ", "), more)
}

// containsCRLF looks for single bytes first, which is many times faster where
// there are none.
func containsCRLF(content []byte) bool {
	for {
		at := bytes.IndexByte(content, '\r')
		if at < 0 || at+1 == len(content) {
			return false
		}
		if content = content[at+1:]; content[0] == '\n' {
			return true
		}
	}
}

// hasBareLF reports an LF without CR before it.
func hasBareLF(text string) bool {
	return strings.Count(text, "\n") > strings.Count(text, "\r\n")
}

// withCRLF is text with CRLF for each bare LF.
func withCRLF(text string) []byte {
	out := make([]byte, 0, len(text)+strings.Count(text, "\n"))
	for i := range len(text) {
		if text[i] == '\n' && (i == 0 || text[i-1] != '\r') {
			out = append(out, '\r')
		}
		out = append(out, text[i])
	}
	return out
}

// firstInvalid is the offset of the first byte that is not UTF-8, or -1.
func firstInvalid(content []byte) int {
	if utf8.Valid(content) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}
