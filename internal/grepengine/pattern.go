// Package grepengine finds the lines of a text that match a regular expression
// of the syntax RE2, with the standard library's meaning of it.
//
// Where every match holds a literal, the text is searched for that, and only the
// lines that hold it are matched. Lines of ASCII are matched by an automaton that
// takes one step for each byte, others by package regexp. A line ends at LF; one CR before it is not
// part of the line, unless the pattern asks for CR. The package opens no files
// and knows nothing of paths.
package grepengine

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Options say how a pattern is read.
type Options struct {
	Literal    bool // the pattern is text, not a regular expression
	IgnoreCase bool // letters match both cases, as Unicode folds them
}

// Pattern is a compiled pattern. It is immutable, and any number of goroutines
// may use it.
type Pattern struct {
	re      *regexp.Regexp
	needles []string // each matching line holds one of them; nil: nothing is known
	fold    bool     // needles are lower case and stand for both cases of ASCII
	exact   bool     // a line that holds a needle matches
	keepCR  bool
	prog    *syntax.Prog // nil: it is too large for an automaton
}

// ErrNewline says that a pattern asks for a line end, which no line has.
var ErrNewline = errors.New("it has a line end, and lines are matched one by one")

// Compile reads a pattern. Errors are ErrNewline and those of regexp/syntax, for
// the text as it was given.
func Compile(text string, o Options) (*Pattern, error) {
	if o.Literal {
		text = regexp.QuoteMeta(text)
	}
	flags := syntax.Perl
	if o.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return nil, err
	}
	if hasLiteral(tree, '\n') {
		return nil, ErrNewline
	}
	if o.IgnoreCase {
		text = "(?i)" + text
	}
	p := &Pattern{keepCR: hasLiteral(tree, '\r')}
	if p.re, err = regexp.Compile(text); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	if prog, err := syntax.Compile(tree.Simplify()); err == nil && len(prog.Inst) <= maxInstructions {
		p.prog = prog
	}
	n := require(tree)
	p.exact, p.fold = n.exact && !n.mixed(), n.folds()
	if !p.exact && p.prog != nil && n.weak() {
		return p, nil // the automaton is faster alone
	}
	for _, t := range n.texts {
		if p.fold {
			t.text = strings.ToLower(t.text) // ASCII where it is folded
		}
		p.needles = append(p.needles, t.text)
	}
	return p, nil
}

// Match reports whether a line, without its end, matches.
func (p *Pattern) Match(line []byte) bool { return p.re.Match(line) }

func hasLiteral(re *syntax.Regexp, r rune) bool {
	if re.Op == syntax.OpLiteral {
		for _, have := range re.Rune {
			if have == r {
				return true
			}
		}
	}
	for _, sub := range re.Sub {
		if hasLiteral(sub, r) {
			return true
		}
	}
	return false
}
