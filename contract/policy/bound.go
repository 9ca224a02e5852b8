package policy

import (
	"slices"

	"raw/contract/predicate"
)

// bound are the rules that hold for one tool.
type bound struct {
	paths  []*predicate.Compiled // one for each source and path, to read values with
	rules  []boundRule           // the rules layer, in order
	narrow []boundRule           // managed policy and law

	lasting Decision // of the unconditional rules in narrow
	current Decision // of the last unconditional one in rules
}

// boundRule is small, and kept in one piece for each tool: a call walks over
// thousands of them.
type boundRule struct {
	probe predicate.Probe
	rule  *rule
	path  int32 // in bound.paths, or one of the two below
	layer Layer
}

const (
	always  = -1 // the rule has no condition
	unbound = -2 // nothing is known of the tool's schemas
)

func newBound() *bound {
	return &bound{lasting: Decision{Effect: Allow}, current: Decision{Effect: Allow}}
}

// unbound are the rules for a tool that Bind was not told of. What depends on
// its schemas cannot be decided.
func (p *Policy) unbound(identity string) *bound {
	t := newBound()
	for _, s := range p.sets {
		for i := range s.rules {
			r := &s.rules[i]
			if !r.glob.match(identity) {
				continue
			}
			if r.when == nil {
				t.add(s.layer, r)
			} else {
				t.append(boundRule{rule: r, layer: s.layer, path: unbound})
			}
		}
	}
	return t
}

func (t *bound) add(layer Layer, r *rule) {
	b := boundRule{rule: r, layer: layer, path: always}
	if r.when != nil {
		b.probe = r.when.Probe()
		b.path = t.pathOf(r.when)
	} else {
		d := b.decision(r.Effect, predicate.Finding{})
		if layer == Rules {
			t.current = d
		} else {
			t.lasting = stricter(t.lasting, d)
		}
	}
	t.append(b)
}

func (t *bound) append(b boundRule) {
	if b.layer == Rules {
		t.rules = append(t.rules, b)
	} else {
		t.narrow = append(t.narrow, b)
	}
}

func (t *bound) pathOf(when *predicate.Compiled) int32 {
	i := slices.IndexFunc(t.paths, func(c *predicate.Compiled) bool {
		return c.Path() == when.Path() && c.Source() == when.Source()
	})
	if i < 0 {
		i = len(t.paths)
		t.paths = append(t.paths, when)
	}
	return int32(i)
}

func (t *bound) standing() Decision { return stricter(t.lasting, t.current) }

// decision is that of r with an effect, because of what it found.
func (b *boundRule) decision(e Effect, f predicate.Finding) Decision {
	d := Decision{Effect: e, Explicit: e == Allow, Layer: b.layer, Rule: &b.rule.Rule, Path: f.Path, Value: f.Value}
	if f.Outcome == predicate.Unknown {
		d.Unknown = f.Path
	}
	return d
}
