package grepengine

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// byFrequency has the bytes that are common in source text and prose, the most
// common first.
const byFrequency = " etaoinsrlcdupmhf\tg.y_b,()\nvw=;\"k:x0-/T1SCIEAR{}N'P*D2LFO>jqzMBU"

// rareNeedle is a literal and where its rarest byte is. That one is looked for:
// the standard library begins with the first byte, which may be in every word.
type rareNeedle struct {
	text   []byte
	offset int
}

func newRareNeedle(text string) rareNeedle {
	n := rareNeedle{text: []byte(text)}
	rarest := -1
	for i, c := range n.text {
		rank := strings.IndexByte(byFrequency, c)
		if rank < 0 {
			rank = len(byFrequency)
		}
		if rank > rarest {
			rarest, n.offset = rank, i
		}
	}
	return n
}

// index is bytes.Index.
func (n rareNeedle) index(text []byte) int {
	rare, size := n.text[n.offset], len(n.text)
	failed := 0
	for at := 0; at+size <= len(text); {
		// The byte may stand only where the needle fits around it.
		found := bytes.IndexByte(text[at+n.offset:len(text)-size+n.offset+1], rare)
		if found < 0 {
			return -1
		}
		at += found
		if bytes.Equal(text[at:at+size], n.text) {
			return at
		}
		at++
		if failed++; failed > 16+at/64 { // it is not rare here
			if found = bytes.Index(text[at:], n.text); found < 0 {
				return -1
			}
			return at + found
		}
	}
	return -1
}

// finder finds the needles of a pattern in one block.
type finder struct {
	needles []rareNeedle
	next    []int // where each needle is next, len(text) when nowhere
	text    []byte
}

// start takes another block.
func (f *finder) start(text []byte) {
	f.text = text
	for i := range f.next {
		f.next[i] = -1
	}
}

// from is the first place of a needle at or after a place, -1 when there is none.
func (f *finder) from(at int) int {
	first := len(f.text)
	for i, n := range f.needles {
		if f.next[i] < at {
			f.next[i] = len(f.text)
			if found := n.index(f.text[at:]); found >= 0 {
				f.next[i] = at + found
			}
		}
		first = min(first, f.next[i])
	}
	if first == len(f.text) {
		return -1
	}
	return first
}

// These two fold to ASCII letters, s and k.
var longS, kelvin = []byte("\u017f"), []byte("\u212a")

// foldsToASCII reports whether text has letters outside ASCII that match letters
// of ASCII without regard to case.
func foldsToASCII(text []byte) bool {
	return bytes.Contains(text, longS) || bytes.Contains(text, kelvin)
}

// lower writes text to dst with the letters of ASCII in lower case, eight bytes
// at a time. Dst is at least as long.
func lower(dst, text []byte) {
	const ones = 0x0101010101010101
	for len(text) >= 8 {
		x := binary.LittleEndian.Uint64(text)
		low := x & (0x7f * ones)
		fromA := low + (0x80-'A')*ones
		afterZ := low + (0x7f-'Z')*ones
		upper := (fromA ^ afterZ) & ^x & (0x80 * ones)
		binary.LittleEndian.PutUint64(dst, x|upper>>2)
		text, dst = text[8:], dst[8:]
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst[i] = c
	}
}
