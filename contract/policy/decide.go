package policy

import (
	"raw/contract/predicate"
)

// Decision is what the rules say of a call. The zero Decision but for Effect
// Allow is what a call gets that no rule matches.
type Decision struct {
	Effect   Effect
	Explicit bool  // a matching allow rule decided, which clears the baseline ask
	Layer    Layer // of Rule
	Rule     *Rule // which decided; nil when none matched. Not to be changed

	// Unknown says what could not be read, when that decided.
	Unknown string

	// Path and Value are what matched, or with Unknown the text that could not
	// be read. Empty for a rule without a condition.
	Path, Value string

	Tried []Tried // only from Explain
}

// Tried is one rule that was looked at.
type Tried struct {
	Layer Layer
	Rule  *Rule
	predicate.Finding
}

// Standing is what the rules without a condition say of a tool. A Deny hides
// it: within the rules layer the last one counts, and nothing lifts one of
// managed policy or law.
func (p *Policy) Standing(identity string) Decision {
	if p == nil {
		return Decision{Effect: Allow}
	}
	if t := p.tools[identity]; t != nil {
		return t.standing()
	}
	return p.unbound(identity).standing()
}

// Decide is what all rules say of a call, the strictest of managed policy, law
// and rules. Within managed policy and law the strictest rule counts; within
// the rules the last that matches. A tool denied by Standing stays denied.
//
// Where a condition cannot be read, a deny becomes an ask, in managed policy
// and law it stays a deny; an ask counts as a match; an allow does not. A rule
// that may match never loosens what would be decided without it.
func (p *Policy) Decide(identity string, in predicate.Input) Decision {
	return p.decide(identity, in, nil)
}

// Explain is Decide with the rules that were tried, in the order in which they
// were.
func (p *Policy) Explain(identity string, in predicate.Input) Decision {
	tried := []Tried{}
	d := p.decide(identity, in, &tried)
	d.Tried = tried
	return d
}

func (p *Policy) decide(identity string, in predicate.Input, tried *[]Tried) Decision {
	if p == nil || len(p.sets) == 0 {
		return Decision{Effect: Allow}
	}
	t := p.tools[identity]
	if t == nil {
		t = p.unbound(identity)
	}
	if len(t.rules)+len(t.narrow) == 0 {
		return Decision{Effect: Allow}
	}
	c := caller{readings: make([]predicate.Reading, len(t.paths)), tried: tried}
	for i, path := range t.paths {
		c.readings[i] = path.Read(in)
	}
	d := stricter(c.narrow(t.narrow), c.rules(t.rules))
	if standing := t.standing(); standing.Effect == Deny {
		d = stricter(standing, d)
	}
	return d
}

// caller is one call on its way through the rules.
type caller struct {
	readings []predicate.Reading // by boundRule.path
	tried    *[]Tried            // nil when nobody asks
}

// skip reports, cheaply, that r finds nothing: of thousands of rules few are
// looked at closer. Whoever asks what was tried gets them all.
func (c *caller) skip(r *boundRule) bool {
	return r.path >= 0 && c.tried == nil && c.readings[r.path].Excludes(r.probe)
}

// look is what r finds in the call.
func (c *caller) look(r *boundRule) predicate.Finding {
	var f predicate.Finding
	switch {
	case r.path == always:
		f.Outcome = predicate.Yes
	case r.path == unbound:
		f = predicate.Finding{Outcome: predicate.Unknown, Path: r.rule.when.Path() + ", which is not bound to this tool"}
	case r.rule.Effect == Allow:
		f = r.rule.when.EveryOf(&c.readings[r.path])
	default:
		f = r.rule.when.AnyOf(&c.readings[r.path])
	}
	if c.tried != nil {
		*c.tried = append(*c.tried, Tried{r.layer, &r.rule.Rule, f})
	}
	return f
}

// narrow gives the strictest of all that match or may match.
func (c *caller) narrow(rules []boundRule) Decision {
	d := Decision{Effect: Allow}
	for i := range rules {
		r := &rules[i]
		if c.skip(r) {
			continue
		}
		if f := c.look(r); f.Outcome != predicate.No {
			d = stricter(d, r.decision(r.rule.Effect, f))
		}
	}
	return d
}

// rules gives the last that matches, unless a later one that may match is
// stricter.
func (c *caller) rules(rules []boundRule) Decision {
	d, maybe := Decision{Effect: Allow}, Decision{Effect: Allow}
	for i := len(rules) - 1; i >= 0; i-- {
		r := &rules[i]
		if c.skip(r) {
			continue
		}
		f := c.look(r)
		if f.Outcome == predicate.Yes {
			d = r.decision(r.rule.Effect, f)
			break
		}
		if f.Outcome == predicate.Unknown && r.rule.Effect != Allow && maybe.Rule == nil {
			maybe = r.decision(Ask, f)
		}
	}
	if maybe.Rule != nil && d.Effect != Deny {
		return maybe
	}
	return d
}
