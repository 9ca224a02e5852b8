package builtins

import (
	"bytes"
	"encoding/binary"
)

const (
	// window is how many bytes of each text a common pass looks for.
	window = 8
	// fewTexts is how many texts are found as fast one by one.
	fewTexts = 3
	// sample is how many pairs of bytes are counted to tell rare ones.
	sample = 16 << 10
)

// needle is a text that is looked for, with where it was seen.
type needle struct {
	text []byte
	crlf bool // text has CRLF where the edit has LF

	// twin is the CRLF reading of a text that begins with LF. Such a text is
	// found in every CRLF; where its twin begins one byte before, both are
	// the same place, and that of the twin counts.
	twin []byte

	count int   // at most maxCount + 1
	first []int // at most maxPlaces
}

func (n *needle) see(content []byte, at int) {
	if n.twin != nil && at > 0 && bytes.HasPrefix(content[at-1:], n.twin) {
		return
	}
	n.count++
	if len(n.first) < maxPlaces {
		n.first = append(n.first, at)
	}
}

// alone finds one needle; occurrences may overlap.
func (n *needle) alone(content []byte) {
	n.count, n.first = 0, nil
	for at := 0; n.count <= maxCount; at++ {
		next := bytes.Index(content[at:], n.text)
		if next < 0 {
			return
		}
		at += next
		n.see(content, at)
	}
}

// lookFor finds all needles.
func lookFor(content []byte, needles []*needle) {
	var many []*needle
	for _, n := range needles {
		if len(n.text) >= window {
			many = append(many, n)
		}
	}
	together := len(many) > fewTexts && scan(content, many)
	for _, n := range needles {
		if !together || len(n.text) < window {
			n.alone(content)
		}
	}
}

// bait is the part of a needle that a pass looks for: its window with the
// rarest last pair of bytes.
type bait struct {
	*needle
	at    int // of the window in the text
	bytes uint64
}

// scan finds many needles in one pass, after Wu and Manber: the last two bytes
// of a window say how far the next place is where a needle can be, so that most
// of the content is jumped over. It gives up, and reports false, on a content
// in which nearly everything resembles a needle.
func scan(content []byte, needles []*needle) bool {
	rarity := countPairs(content)
	var jump, slot [1 << 16]uint8 // by pair; slot holds where jump is 0
	for i := range jump {
		jump[i] = window - 1
	}
	baits := [][]bait{nil} // by slot; there are at most two readings of 100 edits
	for _, n := range needles {
		b := baitOf(n, &rarity)
		for i := range window - 1 {
			p := pair(n.text, b.at+i)
			jump[p] = min(jump[p], uint8(window-2-i))
		}
		end := pair(n.text, b.at+window-2)
		if slot[end] == 0 {
			slot[end] = uint8(len(baits))
			baits = append(baits, nil)
		}
		baits[slot[end]] = append(baits[slot[end]], b)
	}
	effort := 0
	for at := window - 2; at+2 <= len(content); {
		p := pair(content, at)
		if jump[p] > 0 {
			at += int(jump[p])
			continue
		}
		start := at - (window - 2)
		found := binary.NativeEndian.Uint64(content[start:])
		for _, b := range baits[slot[p]] {
			if b.bytes != found || b.count > maxCount || start < b.at {
				continue
			}
			if effort += len(b.text); effort > 4*len(content)+1<<20 {
				return false
			}
			if bytes.HasPrefix(content[start-b.at:], b.text) {
				b.see(content, start-b.at)
			}
		}
		at++
	}
	return true
}

func baitOf(n *needle, rarity *[1 << 16]uint16) bait {
	best := 0
	for at := range min(len(n.text)-window+1, sample) {
		if rarity[pair(n.text, at+window-2)] < rarity[pair(n.text, best+window-2)] {
			best = at
		}
	}
	return bait{needle: n, at: best, bytes: binary.NativeEndian.Uint64(n.text[best:])}
}

// countPairs counts pairs of bytes in pieces from all over the content.
func countPairs(content []byte) (counts [1 << 16]uint16) {
	const piece = 256
	step := max(piece, len(content)/(sample/piece))
	for ; len(content) > 1; content = content[min(step, len(content)):] {
		for at := range min(piece, len(content)) - 1 {
			counts[pair(content, at)]++
		}
	}
	return counts
}

func pair(text []byte, at int) uint16 { return uint16(text[at])<<8 | uint16(text[at+1]) }
