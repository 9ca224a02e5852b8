package policy

import (
	"strings"
	"unicode/utf8"
)

// glob is a pattern over a whole identity: * is any run, also with slashes in
// it, ? is one character, everything else is itself.
type glob struct {
	text  string
	exact bool
}

func newGlob(text string) glob { return glob{text, !strings.ContainsAny(text, "*?")} }

// head is the text before the first wildcard.
func (g glob) head() string {
	if i := strings.IndexAny(g.text, "*?"); i >= 0 {
		return g.text[:i]
	}
	return g.text
}

// match takes time in proportion to the product of both lengths at worst: it
// only ever goes back to the last *.
func (g glob) match(s string) bool {
	if g.exact {
		return g.text == s
	}
	pattern := g.text
	star, resume := -1, 0
	p, i := 0, 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if p < len(pattern) {
			switch want, m := utf8.DecodeRuneInString(pattern[p:]); {
			case want == '*':
				star, resume = p, i
				p++
				continue
			case want == '?' || want == r:
				p += m
				i += n
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, skipped := utf8.DecodeRuneInString(s[resume:])
		resume += skipped
		p, i = star+1, resume
	}
	return strings.Trim(pattern[p:], "*") == ""
}
