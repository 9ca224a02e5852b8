// Package policy decides whether a call is allowed, asked about or denied, by
// rules that people wrote: managed policy, repository law, and the rules of the
// configuration. It reads no files and knows neither modes nor baseline asks;
// what an ask leads to is the dispatcher's business.
package policy

import (
	"cmp"
	"errors"
	"fmt"
	"unicode/utf8"

	"raw/contract/predicate"
)

// Effect is what a rule wants. Of two, the greater in the order Allow, Ask,
// Deny is the stricter. As a decision the empty Effect does not occur.
type Effect string

// The effects of rules.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

func (e Effect) rank() int {
	switch e {
	case Ask:
		return 1
	case Deny:
		return 2
	default:
		return 0
	}
}

// Layer is where a rule comes from.
type Layer int

// The layers, outermost first. Managed and Law only narrow: no rule of any
// layer lifts what they ask or deny.
const (
	Managed Layer = iota
	Law
	Rules
)

func (l Layer) String() string { return [...]string{"managed policy", "law", "rules"}[l] }

// Position is where a rule stands. Line and column count from 1; zero is
// unknown.
type Position struct {
	File         string
	Line, Column int
}

// String is "file:line".
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Rule is one rule as it was written.
type Rule struct {
	Match  string // glob over the whole identity: * any run, ? one character
	Effect Effect
	When   *predicate.Predicate // nil: every call of the tools that match
	Reason string               // shown with the decision; may be empty

	// MatchExamples are calls that the rule must match, NoMatchExamples calls
	// that it must not: an object of arguments, or a string for the tool's one
	// required string.
	MatchExamples, NoMatchExamples []any

	Pos Position
}

// RuleError is what is wrong with one rule.
type RuleError struct {
	Pos Position
	Err error
}

func (e *RuleError) Error() string { return e.Pos.String() + ": " + e.Err.Error() }
func (e *RuleError) Unwrap() error { return e.Err }

// Set is the checked rules of one file of one layer. It is immutable; one Set
// may be bound to different tools at once.
type Set struct {
	layer Layer
	rules []rule
}

type rule struct {
	Rule
	glob glob
	when *predicate.Compiled // nil: unconditional
}

// maxMatch bounds the characters of a glob.
const maxMatch = 256

// Compile checks rules. What they point to must not change any more. The error
// joins a *RuleError for each fault; managed policy and law may only ask and
// deny.
func Compile(layer Layer, rules []Rule) (*Set, error) {
	s := &Set{layer: layer, rules: make([]rule, len(rules))}
	var faults []error
	for i, r := range rules {
		var wrong []error
		if n := utf8.RuneCountInString(r.Match); n == 0 || n > maxMatch {
			wrong = append(wrong, fmt.Errorf("match of %d characters: want 1 to %d", n, maxMatch))
		}
		switch {
		case r.Effect == Ask, r.Effect == Deny, r.Effect == Allow && layer == Rules:
		case r.Effect == Allow:
			wrong = append(wrong, fmt.Errorf("effect allow: %s can only narrow; want ask or deny", layer))
		default:
			wrong = append(wrong, fmt.Errorf("effect %q: want allow, ask or deny", r.Effect))
		}
		s.rules[i] = rule{Rule: r, glob: newGlob(r.Match)}
		if r.When != nil {
			when, err := predicate.Compile(*r.When)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("when: %w", err))
			}
			s.rules[i].when = when
		}
		for _, err := range wrong {
			faults = append(faults, &RuleError{r.Pos, err})
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

// stricter orders decisions: the stricter effect first, then the outer layer.
func stricter(a, b Decision) Decision {
	if d := cmp.Compare(a.Effect.rank(), b.Effect.rank()); d < 0 || d == 0 && (a.Rule == nil || b.Rule != nil && b.Layer < a.Layer) {
		return b
	}
	return a
}
