// Package predicate is the one binder and the one evaluator of conditions on a
// call, for policy and for hooks. A predicate looks at the strings under one
// path of the arguments or the effects. What follows from its answer is not
// decided here.
package predicate

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"raw/contract/schema"
	"raw/contract/value"
)

// Predicate is a condition as it is written. All three fields are required.
type Predicate struct {
	Source string `json:"source" toml:"source"` // "arguments" or "effects"
	Any    string `json:"any" toml:"any"`       // dotted path, [*] after each array: files[*].path
	Regex  string `json:"regex" toml:"regex"`   // RE2, unanchored
}

// The sources of a predicate.
const (
	Arguments = "arguments"
	Effects   = "effects"
)

// Bounds of a predicate.
const (
	maxPath  = 256
	maxParts = 16
	maxRegex = 1024
)

// Sources are the schemas that a tool lets predicates look at. Nil is not a
// condition source of that tool.
type Sources struct{ Arguments, Effects *schema.Schema }

// Compiled is a checked predicate. It is immutable and safe for concurrent use.
type Compiled struct {
	source   string
	path     string
	steps    []step
	anchored bool      // the regex matches at the start only
	literals []literal // what a match begins with; meaningful when anchored
	probe    Probe
	regex    string
	once     sync.Once      // most regexes of many rules never run
	program  *regexp.Regexp // of regex, under once
}

type step struct {
	name string
	each bool // every item of the array there
}

// ErrUnbound is in the chain of every error of Bind.
var ErrUnbound = errors.New("predicate does not bind")

// Compile checks the syntax and the bounds of p. The error tells all faults.
func Compile(p Predicate) (*Compiled, error) {
	var faults []error
	if p.Source != Arguments && p.Source != Effects {
		faults = append(faults, fmt.Errorf("source %q: want arguments or effects", p.Source))
	}
	steps, err := parsePath(p.Any)
	if err != nil {
		faults = append(faults, err)
	}
	tree, err := parseRegex(p.Regex)
	if err != nil {
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	c := &Compiled{source: p.Source, path: p.Any, steps: steps, regex: p.Regex}
	if c.anchored = anchored(tree); c.anchored {
		c.literals = literals(tree)
		c.probe = probeOf(c.literals)
	}
	return c, nil
}

func parseRegex(text string) (*syntax.Regexp, error) {
	if text == "" || len(text) > maxRegex {
		return nil, fmt.Errorf("regex of %d bytes: want 1 to %d", len(text), maxRegex)
	}
	// Parsing finds every fault that compiling finds, at a fraction of the cost.
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("regex %q: %w (RE2 syntax)", text, err)
	}
	return tree, nil
}

func parsePath(path string) ([]step, error) {
	if path == "" || len(path) > maxPath {
		return nil, fmt.Errorf("any: path of %d characters: want 1 to %d", len(path), maxPath)
	}
	parts := strings.Split(path, ".")
	if len(parts) > maxParts {
		return nil, fmt.Errorf("any %q: %d parts: want at most %d", path, len(parts), maxParts)
	}
	steps := make([]step, len(parts))
	for i, part := range parts {
		name, each := strings.CutSuffix(part, "[*]")
		if !isName(name) {
			return nil, fmt.Errorf("any %q: part %q: want a name of letters, digits and _, with [*] after an array", path, part)
		}
		steps[i] = step{name, each}
	}
	return steps, nil
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Source is "arguments" or "effects".
func (c *Compiled) Source() string { return c.source }

// Path is the path as it was written. Predicates with the same source and path
// can share a Reading.
func (c *Compiled) Path() string { return c.path }

// Bind reports, with an error that wraps ErrUnbound, when no string can stand
// at the path in the source's schema.
func (c *Compiled) Bind(s Sources) error {
	of := s.Arguments
	if c.source == Effects {
		of = s.Effects
	}
	if of == nil {
		return fmt.Errorf("%w: %s is not a condition source of this tool", ErrUnbound, c.source)
	}
	nodes := []schema.Node{of.Node()}
	for _, st := range c.steps {
		var next []schema.Node
		for _, n := range nodes {
			next = append(next, n.Property(st.name)...)
		}
		nodes = schema.Distinct(next)
		if len(nodes) == 0 {
			return fmt.Errorf("%w: %q: the schema of the %s has no field %q there", ErrUnbound, c.path, c.source, st.name)
		}
		if !st.each {
			continue
		}
		next = nil
		for _, n := range nodes {
			next = append(next, n.Items()...)
		}
		if nodes = schema.Distinct(next); len(nodes) == 0 {
			return fmt.Errorf("%w: %q: %q is no array in the schema of the %s", ErrUnbound, c.path, st.name, c.source)
		}
	}
	for _, n := range nodes {
		if n.IsString() {
			return nil
		}
	}
	return fmt.Errorf("%w: %q leads to no string in the schema of the %s", ErrUnbound, c.path, c.source)
}

// Input is what predicates look at. Effects is empty when they were not
// prepared; else the lexical spelling, then the resolved one, which has the
// same shape. One entry stands for both when they do not differ.
type Input struct {
	Arguments value.Object
	Effects   []value.Object
}

// Outcome is the answer of a predicate.
type Outcome int

// The outcomes. Unknown is for what the text of the call does not fix.
const (
	No Outcome = iota
	Yes
	Unknown
)

func (o Outcome) String() string {
	return [...]string{"no", "yes", "unknown"}[o]
}

// Finding is an outcome and what led to it: where the matching value stands
// and its text, or the effects' entry that says what could not be read and the
// text as written. No has neither.
type Finding struct {
	Outcome     Outcome
	Path, Value string
}

// Any is Yes when some value matches in either spelling, else Unknown when one
// that is not fixed could. It is the answer for ask and deny rules and hooks.
func (c *Compiled) Any(in Input) Finding {
	r := c.Read(in)
	return c.AnyOf(&r)
}

// Every is Yes when there is a value, every value matches in the resolved
// spelling, and none is uncertain. It is the answer for allow rules, where
// matching any would let one harmless command open the way for the rest of its
// chain, and one harmless spelling for the file behind a link.
func (c *Compiled) Every(in Input) Finding {
	r := c.Read(in)
	return c.EveryOf(&r)
}

// AnyOf is Any on values that were read before, by a predicate with the same
// source and path.
func (c *Compiled) AnyOf(r *Reading) Finding {
	for i := range r.values {
		if c.matches(r.values[i]) {
			return Finding{Yes, r.place(i), r.values[i]}
		}
	}
	if r.unread != nil {
		return Finding{Unknown, r.unread.entry, r.unread.text}
	}
	for i := range r.open {
		if o := &r.open[i]; !c.excludes(o.fixed) {
			return Finding{Unknown, o.entry, o.text}
		}
	}
	return Finding{}
}

// EveryOf is Every on values that were read before.
func (c *Compiled) EveryOf(r *Reading) Finding {
	for i := r.resolved; i < len(r.values); i++ {
		if !c.matches(r.values[i]) {
			return Finding{}
		}
	}
	switch {
	case r.unread != nil:
		return Finding{Unknown, r.unread.entry, r.unread.text}
	case len(r.open) > 0:
		return Finding{Unknown, r.open[0].entry, r.open[0].text}
	case r.resolved == len(r.values):
		return Finding{}
	}
	return Finding{Yes, r.place(r.resolved), r.values[r.resolved]}
}

// matches runs the regex only on what begins as its matches do.
func (c *Compiled) matches(text string) bool {
	if !c.begins(text) {
		return false
	}
	c.once.Do(func() { c.program = regexp.MustCompile(c.regex) })
	return c.program.MatchString(text)
}
