package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"raw/contract/interaction"
	"raw/contract/panel"
	"raw/contract/value"
)

// Asker puts a question to a person and waits for the reply, or for ctx, which
// ends when the question was answered on another way. fault, when not empty,
// says why the reply before was not accepted.
type Asker func(ctx context.Context, v interaction.View, fault string) (interaction.Reply, error)

// Question is what a handler asks a person (PANELS.md §8).
type Question struct {
	// Panel is the id of a panel of the tool, which declares a submit and a
	// cancel response action for the form.
	Panel string
	// Document becomes the panel's document. It holds exactly one form.
	Document value.Value
	// Timeout is how long the person may take. Zero means 30 minutes; more than
	// 24 hours is an error.
	Timeout time.Duration
}

// maxReplies bounds how often one question is put: a client that answers by
// itself would be asked for ever.
const maxReplies = 10

// Ask asks the person behind the call and waits, with barrier and slot given up.
// The outcome says what became of the question; an answer is information, and
// permits nothing. The error is a *interaction.Error or a *panel.Error, when the
// question was not put, or why the call cannot go on. It is not for two
// goroutines of one handler at once.
func (c *Call) Ask(ctx context.Context, q Question) (interaction.Outcome, error) {
	if c.asks == nil {
		return interaction.Outcome{}, nobodyToAsk("this call has nobody behind it")
	}
	return c.asks(ctx, c, q)
}

func nobodyToAsk(why string) error {
	return &interaction.Error{Code: interaction.CodeUnavailable, Message: "the person cannot be asked: " + why}
}

func (t *Ticket) ask(ctx context.Context, c *Call, q Question) (none interaction.Outcome, err error) {
	if t.session.options.Posture == PostureAutoReview {
		return none, nobodyToAsk("in the auto-review posture nobody is asked")
	}
	pick := t.request.Asker
	if pick == nil {
		pick = t.session.options.Surface.Asker
	}
	form, err := t.form(c, q)
	if err != nil {
		return none, err
	}
	if form, err = form.Fit(t.session.options.OutputChars); err != nil {
		return none, err
	}
	var asker Asker
	if pick != nil {
		asker = pick(ctx)
	}
	if asker == nil && t.attached() {
		asker = inTerminal
	}
	if asker == nil {
		why := "this client has no way to show a question"
		if attach := t.session.options.AttachPath; attach != "" {
			why += ", and no terminal is attached (a person attaches one with " + attach + ")"
		}
		return none, nobodyToAsk(why)
	}
	opened, err := t.open(c, q, form)
	if err != nil {
		return none, err
	}
	err = c.Yield(ctx, func(ctx context.Context) { t.put(ctx, asker, opened) })
	outcome := opened.Outcome()
	if until := t.request.Until; outcome.State == interaction.StateExpired && !until.IsZero() && !opened.View().Deadline.Before(until) {
		outcome.Reason += ", and then this client gives a call up; put the question into your answer, or ask again"
	}
	if err == nil && outcome.State == interaction.StateInterrupted {
		err = &interaction.Error{Code: interaction.CodeUnavailable, Message: "the question was not answered: " + outcome.Reason}
	}
	return outcome, err
}

// attached reports whether a person watches in a terminal.
func (t *Ticket) attached() bool {
	attached := t.session.options.Attached
	return attached != nil && attached()
}

// inTerminal waits for an answer that a person gives with a command.
func inTerminal(ctx context.Context, _ interaction.View, _ string) (interaction.Reply, error) {
	<-ctx.Done() // it was answered, or has ended
	return interaction.Reply{}, context.Cause(ctx)
}

// form is the one form of the document, for which the panel can be answered.
func (t *Ticket) form(c *Call, q Question) (form interaction.Form, err error) {
	document, fault := panel.ParseDocument(q.Document)
	if fault != nil {
		return form, fault
	}
	forms := document.Forms()
	if len(forms) != 1 {
		return form, &panel.Error{Code: panel.CodeInvalid, Message: fmt.Sprintf("/blocks: found %d form blocks; a question has exactly one", len(forms))}
	}
	if form, err = interaction.ParseForm(forms[0]); err != nil {
		return form, err
	}
	state, err := c.Panel(q.Panel)
	if err != nil {
		return form, err
	}
	for _, response := range []string{panel.ResponseSubmit, panel.ResponseCancel} {
		if !state.Declaration.Responds(form.Block, response) {
			return form, &panel.Error{Code: panel.CodeInvalid, Message: fmt.Sprintf("/blocks: panel %q declares no %s action for the block %q", q.Panel, response, form.Block)}
		}
	}
	return form, nil
}

// open shows the form on its panel and makes the question pending.
func (t *Ticket) open(c *Call, q Question, form interaction.Form) (*interaction.Question, error) {
	update, err := value.Of(map[string]any{"panel": q.Panel, "op": panel.OpReplace, "document": q.Document})
	if err != nil {
		return nil, err
	}
	revision, err := c.UpdatePanel(update.Value)
	if err != nil {
		return nil, err
	}
	state, err := c.Panel(q.Panel)
	if err != nil {
		return nil, err
	}
	timeout := q.Timeout
	if !t.request.Until.IsZero() {
		left := max(time.Until(t.request.Until), time.Millisecond)
		timeout = min(cmp.Or(timeout, interaction.DefaultTimeout), left)
	}
	request := interaction.Request{
		Panel: state.ID, PanelRevision: revision, Owner: state.Owner, Title: state.Document.Title(), Form: form,
		Timeout: timeout, Call: t.request.ID, Execution: t.execution, Lane: t.request.Lane,
	}
	if state.View != nil {
		request.Instance = state.View.InstanceID
	}
	return t.session.desk.Open(request)
}

// put asks until the question has an end: an answer that does not hold is asked
// for again, and says why.
func (t *Ticket) put(ctx context.Context, ask Asker, q *interaction.Question) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) { // not the call's own end
			q.End(interaction.StateInterrupted, cause.Error())
			return
		}
		q.End(interaction.StateCancelled, "the call was cancelled")
	})
	defer stop()
	answered := make(chan struct{})
	defer func() { <-answered }()
	defer cancel()
	go func() { // an answer on another way ends the asking
		defer close(answered)
		select {
		case <-q.Done():
			cancel()
		case <-asking.Done():
		}
	}()
	fault := ""
	for range maxReplies {
		began := time.Now()
		reply, err := ask(asking, q.View(), fault)
		if unseen := atMachineSpeed(began); reply.Cancel && unseen != "" {
			reply.Reason = "the client gave no answer, " + unseen
		}
		switch {
		case asking.Err() != nil:
			return
		case errors.Is(err, ErrNobody) && t.attached():
			ask = inTerminal
			continue
		case errors.Is(err, ErrNobody):
			q.End(interaction.StateInterrupted, err.Error())
			return
		case err != nil:
			q.End(interaction.StateCancelled, "asking failed: "+err.Error())
			return
		}
		if fault, err = t.submitted(q, reply); err == nil {
			return
		}
	}
	q.End(interaction.StateCancelled, fmt.Sprintf("%d answers were not valid; the last: %s", maxReplies, fault))
}

// submitted hands a reply in. A reply that came too late is no fault: the
// question has its end.
func (t *Ticket) submitted(q *interaction.Question, reply interaction.Reply) (fault string, err error) {
	v := q.View()
	_, err = t.session.desk.Submit(interaction.Submission{
		ID: v.ID, ExpectedRevision: v.Revision, Reply: reply,
	})
	if err == nil || errors.Is(err, &interaction.Error{Code: interaction.CodeConflict}) {
		return "", nil
	}
	return err.Error(), err
}

// Questions are the questions that wait for a person, the oldest first.
func (s *Session) Questions() []interaction.View { return s.desk.Pending() }

// Answer hands in what a person answered on a surface's own way. An invalid
// answer leaves the question pending. The error is a *interaction.Error.
func (s *Session) Answer(a interaction.Submission) (interaction.View, error) { return s.desk.Submit(a) }

// Interrupt ends every question and lets none begin: nobody can answer any more.
func (s *Session) Interrupt(reason string) { s.desk.Interrupt(reason) }

// Unasked is the result of a call whose question could not be put or has no
// outcome; err is that of Ask.
func Unasked(err error) Result {
	if e, ok := errors.AsType[*interaction.Error](err); ok {
		text := e.Message
		if e.Code == interaction.CodeUnavailable {
			text += "\nPut the question into your answer and stop there, or go on and say what you assumed."
		}
		return Failed(Code(e.Code), text)
	}
	if e, ok := errors.AsType[*panel.Error](err); ok {
		return Failed(Code(e.Code), "show the question: "+e.Message)
	}
	return Failed(CodeAborted, "the call was cancelled while it waited for the person's answer")
}
