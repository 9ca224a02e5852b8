package ignore

import (
	"strings"
)

// segment is what stands between two slashes of a pattern.
type segment struct {
	kind  segmentKind
	text  string // of a literal segment, or what follows the star of a suffix segment
	items []item
}

type segmentKind uint8

const (
	literalSegment segmentKind = iota
	suffixSegment              // "*" and a literal
	itemsSegment
	anySegments // "**": any number of folders
)

// item is one element of a segment: a run of literal bytes, a set of which it
// takes one byte, or a star. Patterns are bytes to git, so "?" takes one byte.
type item struct {
	text string
	set  *set
	star bool
}

// set is a set of bytes.
type set [4]uint64

func (s *set) add(b byte)           { s[b/64] |= 1 << (b % 64) }
func (s *set) has(b byte) bool      { return s[b/64]&(1<<(b%64)) != 0 }
func (s *set) remove(b byte)        { s[b/64] &^= 1 << (b % 64) }
func (s *set) addRange(lo, hi byte) { forEachByte(s, func(b byte) bool { return lo <= b && b <= hi }) }

func (s *set) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

func forEachByte(s *set, in func(byte) bool) {
	for i := range 256 {
		if b := byte(i); in(b) {
			s.add(b)
		}
	}
}

// compile splits a pattern at its slashes and reads the segments. It is false
// for a pattern that can match nothing, such as one with an open bracket. With
// anywhere "**" is a plain star.
func compile(text string, anywhere bool) ([]segment, bool) {
	var segments []segment
	var items []item
	var run []byte
	flush := func() {
		if len(run) > 0 {
			items = append(items, item{text: string(run)})
			run = nil
		}
	}
	stars := 0 // of a segment that is nothing but stars
	end := func() {
		flush()
		segments = append(segments, makeSegment(items, stars > 1 && !anywhere))
		items, stars = nil, 0
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '*' && c != '/' && (c != '\\' || i+1 == len(text) || text[i+1] != '/') {
			stars = -1
		}
		switch c {
		case '/':
			end()
		case '*':
			flush()
			if stars >= 0 {
				stars++
			}
			if len(items) == 0 || !items[len(items)-1].star {
				items = append(items, item{star: true})
			}
		case '?':
			flush()
			any := new(set)
			any.invert()
			items = append(items, item{set: any})
		case '[':
			flush()
			s, next, ok := parseSet(text, i+1)
			if !ok {
				return nil, false
			}
			items = append(items, item{set: s})
			i = next
		case '\\':
			if i++; i == len(text) {
				return nil, false
			}
			if text[i] == '/' {
				end()
				continue
			}
			run = append(run, text[i])
		default:
			run = append(run, c)
		}
	}
	end()
	return segments, true
}

func makeSegment(items []item, folders bool) segment {
	switch {
	case folders:
		return segment{kind: anySegments}
	case len(items) == 0:
		return segment{}
	case len(items) == 1 && items[0].text != "":
		return segment{text: items[0].text}
	case items[0].star && (len(items) == 1 || len(items) == 2 && items[1].text != ""):
		s := segment{kind: suffixSegment}
		if len(items) == 2 {
			s.text = items[1].text
		}
		return s
	}
	return segment{kind: itemsSegment, items: items}
}

// parseSet reads a bracket expression whose first byte is at i. It returns the
// place of the closing bracket.
func parseSet(text string, i int) (*set, int, bool) {
	s := new(set)
	at := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	from := -1 // where a range could begin
	for first := true; first || at(i) != ']'; first = false {
		if i >= len(text) {
			return nil, 0, false
		}
		c := text[i]
		switch {
		case c == '\\':
			if i++; i == len(text) {
				return nil, 0, false
			}
			c = text[i]
			s.add(c)
			from = int(c)
		case c == '-' && from > 0 && at(i+1) != 0 && at(i+1) != ']':
			if i++; text[i] == '\\' {
				if i++; i == len(text) {
					return nil, 0, false
				}
			}
			s.addRange(byte(from), text[i])
			from = -1
		case c == '[' && at(i+1) == ':':
			end := strings.IndexByte(text[i+2:], ']')
			if end < 0 {
				return nil, 0, false
			}
			if name, ok := strings.CutSuffix(text[i+2:i+2+end], ":"); ok {
				in := class(name)
				if in == nil {
					return nil, 0, false
				}
				forEachByte(s, in)
				i += 2 + end
				from = -1
				break
			}
			s.add(c)
			from = int(c)
		default:
			s.add(c)
			from = int(c)
		}
		i++
	}
	if negated {
		s.invert()
	}
	s.remove('/')
	return s, i, true
}

// class is a named class of ASCII bytes, nil for a name that does not exist.
func class(name string) func(byte) bool {
	between := func(lo, hi byte) func(byte) bool { return func(b byte) bool { return lo <= b && b <= hi } }
	upper, lower, digit := between('A', 'Z'), between('a', 'z'), between('0', '9')
	alpha := func(b byte) bool { return upper(b) || lower(b) }
	graph := between('!', '~')
	switch name {
	case "alnum":
		return func(b byte) bool { return alpha(b) || digit(b) }
	case "alpha":
		return alpha
	case "blank":
		return func(b byte) bool { return b == ' ' || b == '\t' }
	case "cntrl":
		return func(b byte) bool { return b < ' ' || b == 127 }
	case "digit":
		return digit
	case "graph":
		return graph
	case "lower":
		return lower
	case "print":
		return between(' ', '~')
	case "punct":
		return func(b byte) bool { return graph(b) && !alpha(b) && !digit(b) }
	case "space":
		return func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
	case "upper":
		return upper
	case "xdigit":
		return func(b byte) bool { return digit(b) || between('a', 'f')(b) || between('A', 'F')(b) }
	}
	return nil
}

func (s *segment) matches(name string) bool {
	switch s.kind {
	case literalSegment:
		return name == s.text
	case suffixSegment:
		return strings.HasSuffix(name, s.text)
	case anySegments:
		return true
	}
	return matchItems(s.items, name)
}

// matchItems needs to go back to the last star only: what stands before it
// takes as little as it can.
func matchItems(items []item, name string) bool {
	i, at := 0, 0
	star, resume := -1, 0
	for {
		if i < len(items) {
			it := &items[i]
			switch {
			case it.star:
				star, resume = i, at
				i++
				continue
			case it.set != nil && at < len(name) && it.set.has(name[at]):
				i++
				at++
				continue
			case it.set == nil && strings.HasPrefix(name[at:], it.text):
				i++
				at += len(it.text)
				continue
			}
		} else if at == len(name) {
			return true
		}
		if star < 0 || resume >= len(name) {
			return false
		}
		resume++
		i, at = star+1, resume
	}
}

// matchPath matches a whole path. "**" between slashes takes any number of
// folders, none included; at the end it takes at least one name.
func matchPath(segments []segment, path string) bool {
	i, rest, more := 0, path, true // more: rest is there, even if it is empty
	star, resume := -1, ""
	for {
		if i < len(segments) && more {
			if segments[i].kind == anySegments {
				if i == len(segments)-1 {
					return true
				}
				star, resume = i, rest
				i++
				continue
			}
			name, tail, slash := strings.Cut(rest, "/")
			if segments[i].matches(name) {
				i++
				rest, more = tail, slash
				continue
			}
		} else if i == len(segments) && !more {
			return true
		}
		if star < 0 {
			return false
		}
		_, tail, slash := strings.Cut(resume, "/")
		if !slash {
			return false
		}
		resume = tail
		i, rest, more = star+1, resume, true
	}
}
