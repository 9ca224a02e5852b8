package hook

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"raw/contract/policy"
	"raw/contract/predicate"
)

// Bound is a Set bound to the tools of a session. It is immutable and safe for
// concurrent use; the nil Bound has no hooks.
type Bound struct {
	hooks []boundHook
	notes []string
}

type boundHook struct {
	*Manifest
	policies []*policy.Policy // by subscription; nil for events that are no tool's
}

// Bind binds every subscription to all tools that there are, by the rules of
// policy: one that names a tool must bind to it, one with a glob to a tool that
// it matches. When a tool registers later, the whole is bound again; an error
// then is a reason to refuse that tool (rule_unbound). Without hooks it returns
// nil. The error is a *FaultError.
func (s *Set) Bind(tools []policy.Tool) (*Bound, error) {
	if len(s.Manifests()) == 0 {
		return nil, nil
	}
	b := &Bound{}
	var faults []Fault
	for _, m := range s.manifests {
		h := boundHook{m, make([]*policy.Policy, len(m.Events))}
		for i, sub := range m.Events {
			if sub.rules == nil {
				continue
			}
			file, pointer := filepath.Join(m.Folder, File), fmt.Sprintf("/events/%d", i)
			p, err := policy.Bind(tools, sub.rules)
			for _, what := range ruleFaults(err) {
				faults = append(faults, Fault{file, pointer, what})
			}
			for _, w := range p.Warnings() {
				b.notes = append(b.notes, Fault{file, pointer, w.Message}.String())
			}
			for _, k := range p.Skipped() {
				if sub.Match != "" {
					what := fmt.Sprintf("does not apply to %s, which have no %s", strings.Join(k.Identities, ", "), k.Rule.When.Any)
					b.notes = append(b.notes, Fault{file, pointer, what}.String())
				}
			}
			h.policies[i] = p
		}
		b.hooks = append(b.hooks, h)
	}
	if len(faults) > 0 {
		return nil, &FaultError{faults}
	}
	return b, nil
}

// ruleFaults are the reasons in an error of policy, a line each, without the
// place in a file by which policy names rules.
func ruleFaults(err error) []string {
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // of errors.Join
		list = joined.Unwrap()
	}
	lines := make([]string, len(list))
	for i, err := range list {
		var rule *policy.RuleError
		if errors.As(err, &rule) {
			err = rule.Err
		}
		lines[i] = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return lines
}

// Notes are subscriptions that are sound and may not be what was meant, a line
// each.
func (b *Bound) Notes() []string {
	if b == nil {
		return nil
	}
	return b.notes
}

// Selected is a hook that an event concerns.
type Selected struct {
	*Manifest
	// Unprepared says that the hook looks at effects and there are none, so
	// that it cannot be asked: a gate does not let this pass.
	Unprepared bool
}

// Select gives the hooks that e concerns, in the order of their selection. A
// condition on what the text of a call does not fix concerns the hook.
func (b *Bound) Select(e Event) []Selected {
	if b == nil {
		return nil
	}
	var selected []Selected
	for _, h := range b.hooks {
		s, concerned := Selected{Manifest: h.Manifest}, false
		for i, sub := range h.Events {
			if sub.Event != e.Name || !concerns(h.policies[i], e.Tool) {
				continue
			}
			concerned = true
			if sub.When != nil && sub.When.Source == predicate.Effects && len(e.Tool.Effects) == 0 {
				s.Unprepared = true
			}
		}
		if concerned {
			selected = append(selected, s)
		}
	}
	return selected
}

// concerns asks the subscription's rule: it asks where the subscription holds.
func concerns(p *policy.Policy, t *Tool) bool {
	if t == nil || p == nil {
		return t == nil && p == nil
	}
	d := p.Decide(t.Identity, predicate.Input{Arguments: t.Arguments, Effects: t.Effects})
	return d.Effect == policy.Ask
}
