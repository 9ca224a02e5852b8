package predicate

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// literal is a text that a match may begin with.
type literal struct {
	text  string
	fold  bool // upper and lower case are the same
	whole bool // the expression matches exactly this, so what follows it may be added
}

// maxLiterals bounds how many beginnings of one expression are told apart.
const maxLiterals = 32

// anchored reports whether every match of re is at the start of the text.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return anchored(re.Sub[0])
	case syntax.OpConcat:
		// Only what has no width can stand before an anchor that still holds.
		return anchored(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !anchored(sub) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// anything is the answer where nothing is known of the beginning.
func anything() []literal { return []literal{{}} }

// literals gives a set of texts of which every match of re begins with one.
// Assertions without width count as empty: that only makes the set too large.
func literals(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpNoMatch:
		return nil
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []literal{{whole: true}}
	case syntax.OpLiteral:
		return []literal{{string(re.Rune), re.Flags&syntax.FoldCase != 0, true}}
	case syntax.OpCharClass:
		return runes(re.Rune)
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpPlus:
		return partial(literals(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min > 0 {
			return partial(literals(re.Sub[0]))
		}
	case syntax.OpQuest:
		return bounded(append([]literal{{whole: true}}, literals(re.Sub[0])...))
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			all = append(all, literals(sub)...)
			if len(all) > maxLiterals {
				return anything()
			}
		}
		return all
	case syntax.OpConcat:
		all := []literal{{whole: true}}
		for _, sub := range re.Sub {
			if !slices.ContainsFunc(all, func(l literal) bool { return l.whole }) {
				break
			}
			next := follow(all, literals(sub))
			if len(next) > maxLiterals {
				return partial(all)
			}
			all = next
		}
		return all
	}
	return anything()
}

func runes(ranges []rune) []literal {
	n := 0
	for i := 0; i < len(ranges); i += 2 {
		n += int(ranges[i+1]-ranges[i]) + 1
	}
	if n > maxLiterals {
		return anything()
	}
	all := make([]literal, 0, n)
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			all = append(all, literal{text: string(r), whole: true})
		}
	}
	return all
}

func partial(all []literal) []literal {
	for i := range all {
		all[i].whole = false
	}
	return all
}

func bounded(all []literal) []literal {
	if len(all) > maxLiterals {
		return anything()
	}
	return all
}

// follow adds each of the second to each whole one of the first.
func follow(first, second []literal) []literal {
	if len(first) == 1 && first[0] == (literal{whole: true}) {
		return second
	}
	all := make([]literal, 0, len(first)*len(second))
	for _, a := range first {
		if !a.whole {
			all = append(all, a)
			continue
		}
		for _, b := range second {
			all = append(all, literal{a.text + b.text, a.fold || b.fold, b.whole})
		}
	}
	return all
}

// begins reports whether text begins as a match does.
func (c *Compiled) begins(text string) bool {
	if !c.anchored {
		return true
	}
	for i := range c.literals {
		if l := &c.literals[i]; len(l.text) == 0 || common(l.text, text, l.fold) == len(l.text) {
			return true
		}
	}
	return false
}

// excludes reports whether a value that begins with fixed, whatever comes
// after it, cannot match.
func (c *Compiled) excludes(fixed string) bool {
	if !c.anchored {
		return false
	}
	for i := range c.literals {
		if l := &c.literals[i]; compatible(l.text, fixed, l.fold) {
			return false
		}
	}
	return true
}

// compatible reports whether one of the two is the beginning of the other.
func compatible(a, b string, fold bool) bool {
	for a != "" && b != "" {
		if !utf8.FullRuneInString(b) {
			return true // cut inside a character, which may still become any
		}
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s && !(fold && folded(r) == folded(s)) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return true
}

// common is how many bytes of a are also the beginning of b.
func common(a, b string, fold bool) int {
	i := 0
	if !fold {
		for i < len(a) && i < len(b) && a[i] == b[i] {
			i++
		}
		return i
	}
	for i < len(a) && b != "" {
		r, n := utf8.DecodeRuneInString(a[i:])
		s, m := utf8.DecodeRuneInString(b)
		if folded(r) != folded(s) {
			break
		}
		i, b = i+n, b[m:]
	}
	return i
}

// folded is the same for all runes that differ in case only.
func folded(r rune) rune {
	low := r
	for s := unicode.SimpleFold(r); s != r; s = unicode.SimpleFold(s) {
		low = min(low, s)
	}
	return low
}
