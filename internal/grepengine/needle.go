package grepengine

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNeedles bounds how many literals a text is searched for side by side.
const maxNeedles = 16

// needle is a literal. With fold its ASCII letters stand for both cases.
type needle struct {
	text string
	fold bool
}

// needles are literals of which every match holds at least one. Without texts
// nothing is known.
type needles struct {
	texts []needle
	exact bool // and whatever holds one matches
}

func (n needles) folds() bool {
	for _, t := range n.texts {
		if t.fold {
			return true
		}
	}
	return false
}

// mixed reports whether some texts are folded and some are not.
func (n needles) mixed() bool {
	for _, t := range n.texts {
		if t.fold != n.texts[0].fold {
			return true
		}
	}
	return false
}

// score says how well n narrows a search: long literals, and few.
func (n needles) score() int {
	if len(n.texts) == 0 {
		return -1 << 20
	}
	shortest := len(n.texts[0].text)
	for _, t := range n.texts {
		shortest = min(shortest, len(t.text))
	}
	return 4*shortest - len(n.texts)
}

// weak reports whether so many lines hold one of the texts that looking for them
// costs more than it saves.
func (n needles) weak() bool {
	for _, t := range n.texts {
		if len(t.text) < 2 {
			return true
		}
	}
	return false
}

// require finds what every match of re holds.
func require(re *syntax.Regexp) needles {
	switch re.Op {
	case syntax.OpLiteral:
		return ofLiteral(re)
	case syntax.OpCapture:
		return require(re.Sub[0])
	case syntax.OpPlus:
		return require(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min == 0 {
			return needles{}
		}
		n := require(re.Sub[0])
		n.exact = n.exact && re.Min == 1
		return n
	case syntax.OpConcat:
		best, parts := needles{}, 0
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpEmptyMatch {
				continue
			}
			parts++
			if n := require(sub); n.score() > best.score() {
				best = n
			}
		}
		best.exact = best.exact && parts == 1
		return best
	case syntax.OpAlternate:
		all := needles{exact: true}
		for _, sub := range re.Sub {
			n := require(sub)
			if len(n.texts) == 0 || len(all.texts)+len(n.texts) > maxNeedles {
				return needles{}
			}
			all.texts = append(all.texts, n.texts...)
			all.exact = all.exact && n.exact
		}
		return all
	}
	return needles{}
}

// ofLiteral takes the longest part of a literal that is the same bytes wherever
// it matches: U+FFFD also matches bytes that are not UTF-8, and what folds beyond
// ASCII has several forms.
func ofLiteral(re *syntax.Regexp) needles {
	fold := re.Flags&syntax.FoldCase != 0
	fixed := func(r rune) bool {
		return r != utf8.RuneError && (!fold || r <= unicode.MaxASCII)
	}
	best, run := "", strings.Builder{}
	whole := true
	for _, r := range re.Rune {
		if !fixed(r) {
			whole = false
			run.Reset()
			continue
		}
		run.WriteRune(r)
		if run.Len() > len(best) {
			best = run.String()
		}
	}
	if best == "" {
		return needles{}
	}
	return needles{texts: []needle{{best, fold}}, exact: whole}
}
