package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"raw/contract/nearest"
	"raw/contract/predicate"
	"raw/contract/value"
)

// Tool is what rules need to know of a registered tool.
type Tool struct {
	Identity string

	// Sources gives the schemas that rules may look at. It is called at most
	// once for each Bind, and only when a conditional rule matches the tool.
	Sources func() (predicate.Sources, error)

	// OnlyString names the argument that an example given as a string stands
	// for; it may return "". It is called only for such examples. Nil is "".
	OnlyString func() string

	// Prepare gives what a call with these arguments would be judged by, for
	// examples. It is pure; its error says why there can be no such call.
	Prepare func(args value.Object) (predicate.Input, error)
}

// Warning is a rule that is sound and probably not what was meant.
type Warning struct {
	Pos     Position
	Message string
}

func (w Warning) String() string { return w.Pos.String() + ": " + w.Message }

// ErrUnbound is in the chain of the error for a rule whose condition binds to
// no tool that it is about.
var ErrUnbound = predicate.ErrUnbound

// Policy is every rule that holds, bound to the tools of a session. It is
// immutable and safe for concurrent use. The nil Policy has no rules.
type Policy struct {
	sets     []*Set
	tools    map[string]*bound
	warnings []Warning
	skipped  []Skipped
}

// Skipped is a glob rule with the tools that it matches and does not apply to,
// because its condition does not bind to them.
type Skipped struct {
	Rule       *Rule
	Identities []string
}

// New is Bind to no tools: until tools are bound, a call that a conditional
// rule matches is refused or asked about.
func New(sets ...*Set) *Policy {
	return &Policy{sets: slices.DeleteFunc(slices.Clone(sets), func(s *Set) bool { return s == nil })}
}

// Bind binds the rules of all sets to all tools that there are, and checks the
// examples. Nil sets have no rules. When a tool registers later, the whole is
// bound again; an error then is a reason to refuse that tool. The error joins a
// *RuleError for each fault.
//
// A conditional rule that names one tool must bind to it. One with a glob must
// bind to a tool that it matches and does not apply to those it does not bind
// to. Tools under mcp/, acp/ and agent/ come and go: a rule about them may
// match none.
func Bind(tools []Tool, sets ...*Set) (*Policy, error) {
	b := binder{policy: New(sets...), tools: tools, sources: make([]*sourcesOrError, len(tools)), scopes: map[about]*scope{}}
	b.policy.tools = make(map[string]*bound, len(tools))
	for _, t := range tools {
		b.policy.tools[t.Identity] = newBound()
	}
	for _, s := range b.policy.sets {
		for i := range s.rules {
			b.bind(s.layer, &s.rules[i])
		}
	}
	if len(b.faults) > 0 {
		return nil, errors.Join(b.faults...)
	}
	return b.policy, nil
}

// Warnings are the rules that are probably not what was meant.
func (p *Policy) Warnings() []Warning {
	if p == nil {
		return nil
	}
	return p.warnings
}

// Skipped lists the glob rules that do not apply to every tool that they match.
func (p *Policy) Skipped() []Skipped {
	if p == nil {
		return nil
	}
	return p.skipped
}

type binder struct {
	policy  *Policy
	tools   []Tool
	sources []*sourcesOrError
	scopes  map[about]*scope
	faults  []error
}

// about is what rules have in common that apply to the same tools.
type about struct{ match, source, path string }

// scope is where the rules about one thing apply.
type scope struct {
	applies   []int // indexes of tools
	others    []string
	warning   string
	unrelated error // why they apply nowhere
}

type sourcesOrError struct {
	predicate.Sources
	err error
}

func (b *binder) fault(r *rule, err error) { b.faults = append(b.faults, &RuleError{r.Pos, err}) }

func (b *binder) bind(layer Layer, r *rule) {
	s := b.scope(r)
	if s.unrelated != nil {
		b.fault(r, s.unrelated)
		return
	}
	if s.warning != "" {
		b.policy.warnings = append(b.policy.warnings, Warning{r.Pos, s.warning})
	}
	if len(s.others) > 0 {
		b.policy.skipped = append(b.policy.skipped, Skipped{&r.Rule, s.others})
	}
	for _, i := range s.applies {
		b.policy.tools[b.tools[i].Identity].add(layer, r)
	}
	b.examples(r, s.applies)
}

func (b *binder) scope(r *rule) *scope {
	key := about{match: r.Match}
	if r.when != nil {
		key.source, key.path = r.when.Source(), r.when.Path()
	}
	s := b.scopes[key]
	if s == nil {
		s = b.newScope(r)
		b.scopes[key] = s
	}
	return s
}

func (b *binder) newScope(r *rule) *scope {
	s := &scope{}
	var refused error
	for i, t := range b.tools {
		if !r.glob.match(t.Identity) {
			continue
		}
		if r.when != nil {
			if err := b.why(r, i); err != nil {
				refused = cmp.Or(refused, fmt.Errorf("on %s: %w", t.Identity, err))
				s.others = append(s.others, t.Identity)
				continue
			}
		}
		s.applies = append(s.applies, i)
	}
	switch n := len(s.others); {
	case len(s.applies) > 0:
		s.warning = b.leftOut(r, s)
	case n == 0:
		b.none(r, s)
	case n == 1:
		s.unrelated = fmt.Errorf("when, %w", refused)
	default:
		s.unrelated = fmt.Errorf("when binds to none of the %d tools that match; %w", n, refused)
	}
	return s
}

// none deals with a match that is no tool: a mistake when none that it is about
// can still register.
func (b *binder) none(r *rule, s *scope) {
	head := r.glob.head()
	if !strings.HasPrefix(head, "builtin/") && !strings.HasPrefix(head, "local/") {
		return
	}
	var names []string
	for _, t := range b.tools {
		names = append(names, t.Identity)
	}
	s.warning = fmt.Sprintf("match %q is no registered tool", r.Match)
	if near := nearest.Names(r.Match, names, 1); len(near) > 0 {
		s.warning += "; nearest: " + near[0]
	}
	if r.when != nil {
		s.unrelated = fmt.Errorf("%w: %s", ErrUnbound, s.warning)
	}
}

// leftOut warns of a rule on programs or files that is about one tool while
// others do the same things.
func (b *binder) leftOut(r *rule, s *scope) string {
	if r.when == nil || r.when.Source() != predicate.Effects || len(s.applies)+len(s.others) != 1 {
		return ""
	}
	top, _, _ := strings.Cut(r.when.Path(), "[")
	if top != "programs" && top != "files" {
		return ""
	}
	var others []string
	for i, t := range b.tools {
		if i != s.applies[0] && b.why(r, i) == nil {
			others = append(others, t.Identity)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("match %q leaves out others that declare %s: %s", r.Match, top, strings.Join(others, ", "))
}

// why says why r does not bind to a tool.
func (b *binder) why(r *rule, tool int) error {
	s := b.sources[tool]
	if s == nil {
		s = &sourcesOrError{}
		if get := b.tools[tool].Sources; get != nil {
			s.Sources, s.err = get()
		}
		b.sources[tool] = s
	}
	if s.err != nil {
		return fmt.Errorf("%w: %w", ErrUnbound, s.err)
	}
	return r.when.Bind(s.Sources)
}
