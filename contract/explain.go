package contract

import (
	"context"
	"fmt"

	"raw/contract/policy"
	"raw/contract/value"
)

// Explanation is what would happen to a call, and why.
type Explanation struct {
	Verdict Outlook
	Steps   []Explained
}

// Outlook is what would become of a call.
type Outlook string

// A call would run, be asked about, or be refused with a code.
const (
	WouldRun    Outlook = "would run"
	WouldAsk    Outlook = "would ask"
	WouldRefuse Outlook = "would refuse"
)

// Explained is one step of an explanation.
type Explained struct {
	Step    Step
	Passed  bool
	Code    Code     // of the refusal
	Details []string // what the step saw: the text of a refusal, each rule tried
}

// Explain says what Run would do with r, step by step, and does nothing of it:
// the same function runs, with steps 5 to 7 answering.
func (s *Session) Explain(ctx context.Context, r Request) Explanation {
	t := s.ticket(r)
	t.trace = &Explanation{Verdict: WouldRun}
	res := t.Run(ctx)
	if res.IsError() && t.trace.Verdict == WouldRun { // cancelled, or a step that panicked
		t.trace.Verdict = WouldRefuse
		e := t.explained()
		e.Passed, e.Code = false, res.Code()
	}
	return *t.trace
}

func (t *Ticket) traced(ref *Refusal) {
	if t.trace == nil {
		return
	}
	e := t.explained()
	if ref == nil {
		e.Passed = true
		return
	}
	e.Code = ref.Code
	e.Details = append(e.Details, ref.Text)
	t.trace.Verdict = WouldRefuse
}

// explained is the entry of the step that runs now.
func (t *Ticket) explained() *Explained {
	if n := len(t.trace.Steps); n == 0 || t.trace.Steps[n-1].Step != t.step {
		t.trace.Steps = append(t.trace.Steps, Explained{Step: t.step})
	}
	return &t.trace.Steps[len(t.trace.Steps)-1]
}

func (t *Ticket) traceRules(d policy.Decision) {
	if t.trace == nil {
		return
	}
	e := t.explained()
	if t.effects.Kind() == value.ObjectKind {
		e.Details = append(e.Details, Visible("effects: "+t.effects.JSON()))
	}
	for _, n := range t.named {
		if n.Real != n.Lexical {
			e.Details = append(e.Details, Visible(fmt.Sprintf("%s resolves to %s", n.Lexical, n.Real)))
		}
	}
	for _, tried := range d.Tried {
		e.Details = append(e.Details, describeTried(tried))
	}
}

func (t *Ticket) traceAsk(reasons []string) {
	t.trace.Verdict = WouldAsk
	e := t.explained()
	for _, why := range reasons {
		e.Details = append(e.Details, "would ask "+why)
	}
}

// describeTried says which rule was looked at and what it saw.
func describeTried(r policy.Tried) string {
	line := fmt.Sprintf("%s %s: %s %s", r.Layer, r.Rule.Pos, r.Rule.Effect, r.Rule.Match)
	if r.Rule.When != nil {
		line += fmt.Sprintf(" when %s %s matches %q", r.Rule.When.Source, r.Rule.When.Any, r.Rule.When.Regex)
	}
	line += ": " + r.Outcome.String()
	if r.Path != "" {
		line += fmt.Sprintf(" (%s is %q)", r.Path, r.Value)
	}
	return line
}
