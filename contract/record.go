package contract

import (
	"encoding/json"
	"fmt"

	"raw/contract/interaction"
	"raw/contract/ledger"
)

// Journal keeps the durable record of a session: a *ledger.Log. A nil Journal
// means that nothing is recorded. Its methods may be called at once.
type Journal interface {
	// Started records a call before its handler runs and gives its execution
	// id. An error stops the call.
	Started(ledger.Start) (execution string, err error)
	// Settled records the outcome of a started call.
	Settled(execution string, r ledger.Receipt) error
	// Note records anything else.
	Note(ledger.Event) error
}

// begin records that the call starts; without a journal it is only numbered.
func (t *Ticket) begin() (err error) {
	j := t.session.options.Journal
	if j == nil {
		t.execution = t.session.nextExecution()
		return nil
	}
	start := t.recorded()
	start.Draft = t.place.Draft()
	t.execution, err = j.Started(start)
	return err
}

// recorded is the call as it is recorded.
func (t *Ticket) recorded() ledger.Start {
	s := ledger.Start{Name: t.request.Name, Call: t.request.ID, Source: string(t.request.Source), Lane: t.request.Lane}
	if t.tool != nil {
		s.Identity, s.Idempotent = string(t.tool.Identity), t.tool.Idempotent
	}
	switch text := t.args.Source(); {
	case text != "":
		s.Arguments = json.RawMessage(text)
	case json.Valid(t.request.Arguments): // refused before they were read
		s.Arguments = t.request.Arguments
	}
	if text := t.effects.Source(); text != "" {
		s.Effects = json.RawMessage(text)
	}
	return s
}

// record writes the receipt, or that the call was refused. A receipt that
// cannot be written is told with the answer: the work is done, and silence
// would lose it.
func (t *Ticket) record(res Result) (notice string) {
	j := t.session.options.Journal
	if j == nil {
		return ""
	}
	if !t.ran {
		t.note(t.refusal(res))
		return ""
	}
	if err := j.Settled(t.execution, t.receipt(res)); err != nil {
		t.session.log.Error("a receipt is not recorded", "tool", t.request.Name, "execution", t.execution, "error", err)
		return fmt.Sprintf("[the receipt of this call was not recorded: %v]", err)
	}
	return ""
}

// note records an event. That it cannot be recorded stops nothing.
func (t *Ticket) note(e ledger.Event) {
	if j := t.session.options.Journal; j != nil {
		if err := j.Note(e); err != nil {
			t.session.log.Error("an event is not recorded", "tool", t.request.Name, "event", fmt.Sprintf("%T", e), "error", err)
		}
	}
}

func (t *Ticket) refusal(res Result) ledger.Refusal {
	r := ledger.Refusal{Start: t.recorded(), Step: string(t.step), Code: string(res.Code()), Tags: res.Tags, Rule: t.stoppedBy.Rule, Hook: t.stoppedBy.Hook}
	if res.Failure != nil {
		r.ErrorKind = string(res.Failure.Kind)
	}
	if text, ok := res.Content[0].(Text); ok {
		r.Text = string(text)
	}
	return r
}

// receipt is the whole result as it is recorded.
func (t *Ticket) receipt(res Result) ledger.Receipt {
	r := ledger.Receipt{Failed: res.IsError(), Tags: res.Tags, Draft: t.place.Draft()}
	if f := res.Failure; f != nil {
		r.ErrorKind, r.Code, r.SafeToRetry = string(f.Kind), string(f.Code), t.tool.Idempotent
	}
	if len(res.Meta) > 0 {
		if meta, err := json.Marshal(res.Meta); err == nil {
			r.Meta = meta
		}
	}
	r.Panels = t.panelReceipts()
	for _, b := range res.Content {
		switch b := b.(type) {
		case Text:
			r.Content = append(r.Content, ledger.Block{Type: "text", Text: string(b)})
		case JSON:
			r.Content = append(r.Content, ledger.Block{Type: "json", JSON: json.RawMessage(b)})
		case Image:
			r.Content = append(r.Content, ledger.Block{Type: "image", MIME: b.MIME, Data: b.Data})
		case Opaque:
			r.Content = append(r.Content, ledger.Block{Type: "opaque", Protocol: b.Protocol, JSON: b.Raw, Text: b.Text})
		}
	}
	return r
}

// noteAnswer records a question to a person and what came of it.
func (t *Ticket) noteAnswer(a Approval, answer Answer, err error) {
	verdict := answer.String()
	if err != nil {
		verdict = "error: " + err.Error()
	}
	scope := ""
	if answer == AllowSession || answer == RejectSession {
		scope = a.Scope
	}
	t.note(ledger.Approval{
		Identity: string(a.Identity), Name: a.Name, Call: a.ToolCallID, Reasons: a.Reasons, Verdict: verdict, Scope: scope,
	})
}

// recordQuestion records every change of a question. One that cannot be recorded
// is not put; its end counts even so.
func (s *Session) recordQuestion(v interaction.View, o interaction.Outcome) error {
	j := s.options.Journal
	if j == nil {
		return nil
	}
	e := ledger.Interaction{ID: v.ID, Execution: v.Execution, Revision: v.Revision, State: string(v.State), By: o.By}
	if v.State == interaction.StatePending {
		e.Question = v.JSON()
	} else {
		e.Reply = json.RawMessage(o.JSON())
	}
	err := j.Note(e)
	if err != nil {
		s.log.Error("a change of a question is not recorded", "question", v.ID, "state", string(v.State), "error", err)
	}
	return err
}
