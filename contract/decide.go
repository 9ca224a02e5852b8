package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"raw/contract/policy"
	"raw/contract/predicate"
)

// modeAllows is the part of step 1 that no rule can change.
func (s *Session) modeAllows(t *entry) *Refusal {
	if s.options.Mode != ModePlan {
		return nil
	}
	switch t.Class {
	case ClassWrite, ClassExec:
	case ClassExternal:
		if slices.Contains(s.options.ReadOnly, t.Identity) {
			return nil
		}
	default:
		return nil
	}
	return refuse(CodeModeDenied, "%s (class %s) is not available in plan mode, which changes nothing; read and plan now, and leave this step for work mode", t.Name, t.Class)
}

// rules: no rule, law or managed policy denies this very call, and nothing of
// ours would be changed by it. It finds out why a person has to be asked.
func (t *Ticket) rules(context.Context) *Refusal {
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
	switch d.Effect {
	case policy.Deny:
		return denied(t.tool.Name, d)
	case policy.Ask:
		if t.session.options.Posture == PostureFullAccess && d.Layer != policy.Rules {
			return deny(CodeToolDenied, "%s would need a person by %s, and nobody is asked under full access", t.tool.Name, origin(d))
		}
		t.asks = append(t.asks, "by "+origin(d))
	}
	if d.Explicit {
		return nil
	}
	if t.session.options.Posture == PostureFullAccess {
		return nil
	}
	t.asks = append(t.asks, t.baseline()...)
	return nil
}

func (t *Ticket) intent() Intent {
	i := Intent{Class: t.tool.Class, Named: t.named, Programs: t.programs()}
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

// baseline are the reasons to ask that hold without any rule.
func (t *Ticket) baseline() []string {
	var why []string
	for _, b := range t.session.options.Baseline {
		if b == string(t.tool.Class) {
			why = append(why, fmt.Sprintf("by default, as its class is %s", b))
		}
		if b != AskOutside {
			continue
		}
		for _, n := range t.named {
			if n.Mentioned || n.Root != "" {
				continue
			}
			why = append(why, visible(fmt.Sprintf("by default, as %s lies outside the roots %s (a root is added with --root)",
				n.Real, strings.Join(t.view.workspace.Roots, ", "))))
		}
	}
	return why
}

// denied says which rule refused, where it stands, and what it looked at.
func denied(tool string, d policy.Decision) *Refusal {
	return deny(CodeToolDenied, "%s is denied by %s", tool, origin(d))
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

// approved: where somebody has to be asked, somebody said yes.
func (t *Ticket) approved(ctx context.Context) *Refusal {
	if len(t.asks) == 0 {
		return nil
	}
	why := strings.Join(t.asks, "; ")
	if t.session.options.Posture == PostureAutoReview {
		return deny(CodeApprovalDenied, "%s needs a person %s, and the auto-review posture asks nobody", t.tool.Name, why)
	}
	if t.trace != nil {
		t.traceAsk()
		return nil
	}
	approve := t.session.options.Surface.Approve
	if approve == nil {
		return refuse(CodeApprovalRequired, "%s needs a person's approval %s\nnobody can be asked here; do it another way, or tell the person what is needed and why", t.tool.Name, why)
	}
	a := Approval{
		Identity: t.tool.Identity, Name: t.tool.Name, Arguments: t.args, Effects: t.effects,
		ToolCallID: t.request.ID, Reasons: t.asks,
	}
	if t.tool.Preview != nil {
		p, err := t.tool.Preview(ctx, t.call())
		if err != nil {
			return refuse(CodeApprovalError, "%s needs a person's approval %s, and its preview cannot be made: %v", t.tool.Name, why, err)
		}
		a.Preview = p
	}
	verdict, err := approve(ctx, a)
	switch {
	case ctx.Err() != nil:
		return t.aborted()
	case err != nil:
		return refuse(CodeApprovalError, "ask a person about %s: %v", t.tool.Name, err)
	}
	switch verdict {
	case Allowed:
		return nil
	case Dismissed:
		return deny(CodeApprovalDismissed, "the question about %s was closed without an answer; it was not run", t.tool.Name)
	case TimedOut:
		return refuse(CodeApprovalTimeout, "nobody answered the question about %s in time; it was not run", t.tool.Name)
	default:
		return deny(CodeApprovalDenied, "a person declined %s; do not try the same again", t.tool.Name)
	}
}
