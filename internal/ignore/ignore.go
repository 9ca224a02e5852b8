// Package ignore decides which paths gitignore files exclude: it parses their
// patterns as gitignore(5) describes them and matches slash-separated paths of
// any bytes. It opens no files and knows no repository; who walks a tree puts
// the lists that hold in a folder on a Stack.
package ignore

import (
	"bytes"
	"strings"
)

// Verdict is what a list says about a path.
type Verdict uint8

// Unmatched leaves the decision to the lists of the folders above; Included is
// what a pattern with "!" says.
const (
	Unmatched Verdict = iota
	Ignored
	Included
)

// List holds the patterns of one file in their order. It is immutable; any
// number of goroutines may use it.
type List struct {
	patterns []pattern
	plain    map[string][]int // literal names: which patterns they are
	rest     []int            // the patterns that are no plain name
}

// pattern is one line.
type pattern struct {
	segments []segment
	negated  bool
	dirOnly  bool
	anywhere bool // no slash: it is matched against the last name of a path
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Parse reads the content of a gitignore file. What is no pattern by
// gitignore(5) matches nothing; there are no errors.
func Parse(content []byte) *List {
	l := &List{plain: map[string][]int{}}
	for line := range bytes.SplitSeq(bytes.TrimPrefix(content, byteOrderMark), []byte("\n")) {
		p, ok := parseLine(string(bytes.TrimSuffix(line, []byte("\r"))))
		if !ok {
			continue
		}
		n := len(l.patterns)
		l.patterns = append(l.patterns, p)
		if p.anywhere && p.segments[0].kind == literalSegment {
			name := p.segments[0].text
			l.plain[name] = append(l.plain[name], n)
		} else {
			l.rest = append(l.rest, n)
		}
	}
	return l
}

// Empty reports whether l has no pattern.
func (l *List) Empty() bool { return l == nil || len(l.patterns) == 0 }

func parseLine(line string) (pattern, bool) {
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return pattern{}, false
	}
	var p pattern
	if line[0] == '!' {
		p.negated = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.dirOnly = true
		line = line[:len(line)-1]
	}
	p.anywhere = !strings.Contains(line, "/")
	segments, ok := compile(strings.TrimPrefix(line, "/"), p.anywhere)
	p.segments = segments
	return p, ok
}

// trimBlanks cuts the blanks at the end that no backslash keeps.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// Match judges path, which is relative to the folder of the list. The last
// pattern that matches decides.
func (l *List) Match(path string, dir bool) Verdict {
	if l.Empty() {
		return Unmatched
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	best := -1
	plain := l.plain[name]
	for i := len(plain) - 1; i >= 0 && best < 0; i-- {
		if dir || !l.patterns[plain[i]].dirOnly {
			best = plain[i]
		}
	}
	for i := len(l.rest) - 1; i >= 0 && l.rest[i] > best; i-- {
		if l.patterns[l.rest[i]].matches(path, name, dir) {
			best = l.rest[i]
		}
	}
	return l.verdict(best)
}

func (l *List) verdict(n int) Verdict {
	switch {
	case n < 0:
		return Unmatched
	case l.patterns[n].negated:
		return Included
	}
	return Ignored
}

func (p *pattern) matches(path, name string, dir bool) bool {
	if p.dirOnly && !dir {
		return false
	}
	if p.anywhere {
		return p.segments[0].matches(name)
	}
	return matchPath(p.segments, path)
}

// unnamed is a name that no pattern spells.
const unnamed = "\x00"

// covers is Match for whatever lies in the folder path, by the patterns that
// spell a path.
func (l *List) covers(path string) Verdict {
	if l.Empty() {
		return Unmatched
	}
	for i := len(l.rest) - 1; i >= 0; i-- {
		n := l.rest[i]
		if !l.patterns[n].anywhere && l.patterns[n].matches(path+"/"+unnamed, unnamed, false) {
			return l.verdict(n)
		}
	}
	return Unmatched
}

// Stack is the lists that hold in a folder, the nearest first. Nil is the stack
// without any. A Stack is immutable.
type Stack struct {
	up   *Stack
	list *List
	base int // the length of the list's folder, with a slash behind it
}

// Push returns s with the list of a folder on it. Folder is relative to what
// all paths given to the stack are relative to, and "" is that one. A list
// without patterns changes nothing.
func (s *Stack) Push(folder string, l *List) *Stack {
	if l.Empty() {
		return s
	}
	base := 0
	if folder != "" {
		base = len(folder) + 1
	}
	return &Stack{up: s, list: l, base: base}
}

// Ignores reports whether the lists exclude path itself. A path in an excluded
// folder is excluded too, and it is for the caller not to go there.
func (s *Stack) Ignores(path string, dir bool) bool {
	for ; s != nil; s = s.up {
		if v := s.list.Match(path[s.base:], dir); v != Unmatched {
			return v == Ignored
		}
	}
	return false
}

// Covers reports whether a pattern such as "folder/*" excludes everything in
// folder by its path, though not the folder itself.
func (s *Stack) Covers(folder string) bool {
	for ; s != nil; s = s.up {
		if v := s.list.covers(folder[min(s.base, len(folder)):]); v != Unmatched {
			return v == Ignored
		}
	}
	return false
}
