package contract

import (
	"context"
	"fmt"
	"slices"

	"raw/contract/policy"
	"raw/contract/predicate"
)

// modeAllows is the part of step 1 that no rule can change.
func (s *Session) modeAllows(t *entry) *Refusal {
	changes := t.Class == ClassWrite || t.Class == ClassExec || t.Class == ClassExternal && !s.readOnly(t.Identity)
	if s.options.Mode != ModePlan || !changes {
		return nil
	}
	return refuse(CodeModeDenied, "%s (class %s) is not available in plan mode, which changes nothing; read and plan now, and leave this step for work mode", t.Name, t.Class)
}

// readOnly reports whether a person listed an external tool as one that
// changes nothing.
func (s *Session) readOnly(identity Identity) bool {
	return slices.Contains(s.options.ReadOnly, identity)
}

// rules: no rule, law or managed policy denies this very call, and nothing of
// ours would be changed by it. It finds out why a person has to be asked.
func (t *Ticket) rules(ctx context.Context) *Refusal {
	if t.trace == nil {
		if err := t.place.Decide(ctx); err != nil {
			return t.stopped(err)
		}
	}
	if g := t.session.options.Guard; g != nil {
		if why := g(t.intent()); why != "" {
			return deny(CodeToolDenied, "%s is denied: %s", t.tool.Name, why)
		}
	}
	in := predicate.Input{Arguments: t.args, Effects: t.spellings}
	decide := t.view.policy.Decide
	if t.trace != nil {
		decide = t.view.policy.Explain
	}
	d := decide(string(t.tool.Identity), in)
	t.traceRules(d)
	switch {
	case d.Effect == policy.Deny && t.tool.Undeniable:
		return nil
	case d.Effect == policy.Deny:
		return denied(t.tool.Name, d)
	case d.Effect == policy.Ask && t.session.options.Posture == PostureFullAccess && d.Layer != policy.Rules:
		return deny(CodeToolDenied, "%s would need a person by %s, and nobody is asked under full access", t.tool.Name, origin(d))
	}
	t.asks = t.asksOf(d)
	return nil
}

func (t *Ticket) intent() Intent {
	i := Intent{Class: t.tool.Class, Named: t.named, Programs: t.programs(), Unknown: t.unknown()}
	if ws := t.view.workspace; ws != nil {
		i.Roots = ws.Roots
	}
	return i
}

// programs are the commands that the effects name, if they name any.
func (t *Ticket) programs() []string {
	list := t.effects.Field("programs")
	var commands []string
	for i := range list.Len() {
		if c, ok := list.At(i).Field("command").Str(); ok {
			commands = append(commands, c)
		}
	}
	return commands
}

// unknown is what the effects say of themselves that they do not fix.
func (t *Ticket) unknown() []string {
	list := t.effects.Field("unknown")
	var entries []string
	for i := range list.Len() {
		if entry, ok := list.At(i).Str(); ok {
			entries = append(entries, entry)
		}
	}
	return entries
}

// denied says which rule refused, where it stands, and what it looked at.
func denied(tool string, d policy.Decision) *Refusal {
	ref := deny(CodeToolDenied, "%s is denied by %s", tool, origin(d))
	ref.Rule = d.Rule.Pos.String()
	return ref
}

// origin is a rule's place, what it saw, and its reason.
func origin(d policy.Decision) string {
	where := d.Rule.Pos.String()
	switch d.Layer {
	case policy.Managed:
		where = "managed policy " + where
	case policy.Law:
		where = "the law " + where
	}
	switch {
	case d.Unknown != "":
		where += fmt.Sprintf(" (the text does not fix %s: %q)", d.Unknown, d.Value)
	case d.Value != "":
		where += fmt.Sprintf(" (%s is %q)", d.Path, d.Value)
	}
	if d.Rule.Reason != "" {
		where += ": " + d.Rule.Reason
	}
	return where
}
