package interaction

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options says what a Desk tells of its questions. Nil funcs are not called.
type Options struct {
	// Record keeps every change, before anybody hears of it. When it fails for a
	// new question, the question is not put; the end of one counts even so.
	Record func(View, Outcome) error
	// Changed hears of every change, in order for each question. It never blocks.
	Changed func(View)
}

// Request is a question to be put.
type Request struct {
	Panel         string
	PanelRevision int
	Instance      string
	Owner, Title  string
	Form          Form
	Timeout       time.Duration // zero means DefaultTimeout; at most MaxTimeout

	Call, Execution, Lane string
}

// Desk holds the questions of a session. Its methods may be called at once.
type Desk struct {
	options Options

	mu        sync.Mutex
	questions []*Question // that wait, in the order in which they were opened
	settled   []*Question // the one that ended first in front
	ended     string      // why none is opened any more
}

// maxReason bounds what is told of why a question was not answered, in bytes.
const maxReason = 1024

// kept is how many settled questions are remembered, for answers that are handed
// in twice.
const kept = 64

// NewDesk makes an empty desk.
func NewDesk(o Options) *Desk { return &Desk{options: o} }

// Question is one question, for the call that asks it.
type Question struct {
	desk  *Desk
	timer *time.Timer
	done  chan struct{}

	settling sync.Mutex // held while a change is recorded and told

	mu      sync.Mutex
	view    View
	outcome Outcome
	settled Submission // that was accepted
}

// Open makes a question pending. The error is an *Error.
func (d *Desk) Open(r Request) (*Question, error) {
	timeout := cmp.Or(r.Timeout, DefaultTimeout)
	if timeout < 0 || timeout > MaxTimeout {
		return nil, &Error{Code: CodeInvalid, Message: fmt.Sprintf("ask a question: a timeout of %s; want more than nothing and at most %s", timeout, MaxTimeout)}
	}
	d.mu.Lock()
	if d.ended != "" {
		d.mu.Unlock()
		return nil, &Error{Code: CodeUnavailable, Message: "the person cannot be asked: " + d.ended}
	}
	now := time.Now()
	q := &Question{desk: d, done: make(chan struct{}), outcome: Outcome{State: StatePending}, view: View{
		ID: "q-" + strings.ToLower(rand.Text()[:8]), Revision: 1, State: StatePending, Panel: r.Panel, PanelRevision: r.PanelRevision,
		Instance: r.Instance, Owner: r.Owner, Title: r.Title, Form: r.Form, Asked: now, Deadline: now.Add(timeout),
		Call: r.Call, Execution: r.Execution, Lane: r.Lane,
	}}
	d.mu.Unlock()
	var ended string
	defer func() {
		if ended != "" { // in the same instant
			q.End(StateInterrupted, ended)
		}
	}()
	q.settling.Lock()
	defer q.settling.Unlock()
	if d.options.Record != nil {
		if err := d.options.Record(q.view, q.outcome); err != nil {
			return nil, &Error{Code: CodeUnavailable, Message: "the question cannot be recorded, so it is not put: " + err.Error()}
		}
	}
	ended = d.keep(q)
	q.timer = time.AfterFunc(timeout, func() {
		q.End(StateExpired, fmt.Sprintf("nobody answered within %s", timeout.Round(time.Millisecond)))
	})
	d.changed(q.view)
	return q, nil
}

// keep adds a question. It returns why none may be open any more.
func (d *Desk) keep(q *Question) (ended string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.questions = append(d.questions, q)
	return d.ended
}

// retire remembers a question that has ended, and forgets the one that ended
// longest ago.
func (d *Desk) retire(q *Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.questions = slices.DeleteFunc(d.questions, func(o *Question) bool { return o == q })
	d.settled = append(d.settled, q)
	d.settled = slices.Delete(d.settled, 0, max(0, len(d.settled)-kept))
}

func (d *Desk) changed(v View) {
	if d.options.Changed != nil {
		d.options.Changed(v)
	}
}

func (d *Desk) find(id string) *Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range slices.Concat(d.questions, d.settled) {
		if q.View().ID == id {
			return q
		}
	}
	return nil
}

// Get finds a question, also one that was settled a while ago.
func (d *Desk) Get(id string) (View, bool) {
	q := d.find(id)
	if q == nil {
		return View{}, false
	}
	return q.View(), true
}

// Pending are the questions that wait, the oldest first.
func (d *Desk) Pending() []View {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []View
	for _, q := range d.questions {
		if v := q.View(); v.State == StatePending {
			list = append(list, v)
		}
	}
	return list
}

// Interrupt ends every question and lets none begin: why says that nobody can
// answer any more.
func (d *Desk) Interrupt(why string) {
	why = cmp.Or(why, "nobody is left to answer")
	d.mu.Lock()
	if d.ended == "" {
		d.ended = why
	}
	questions := slices.Clone(d.questions)
	d.mu.Unlock()
	for _, q := range questions {
		q.End(StateInterrupted, why)
	}
}

// Submit hands an answer in. An answer that does not hold leaves the question
// pending. The error is an *Error.
func (d *Desk) Submit(s Submission) (View, error) {
	q := d.find(s.ID)
	if q == nil {
		return View{}, &Error{Code: CodeUnknown, Message: fmt.Sprintf("there is no question %q; it may have ended long ago", clip(s.ID))}
	}
	if err := q.admits(s); err != nil {
		return q.View(), err
	}
	outcome := Outcome{State: StateCancelled, Reason: s.Reason, By: s.By}
	if !s.Cancel {
		form := q.View().Form
		if faults := form.Check(s.Answers); len(faults) > 0 {
			return q.View(), invalid(faults)
		}
		outcome = Outcome{State: StateAnswered, Answers: form.ordered(s.Answers), By: s.By}
	}
	if q.settle(outcome, s) {
		return q.View(), nil
	}
	return q.View(), q.admits(s) // somebody else was first; it may have been the same
}

// admits is why a submission does not fit the state of the question: nil also
// when it repeats the one that was accepted.
func (q *Question) admits(s Submission) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	v, first := q.view, q.settled
	switch {
	case v.State == StatePending && s.ExpectedRevision == v.Revision:
		return nil
	case v.State != StatePending && s.Key != "" && s.Key == first.Key && s.ExpectedRevision == first.ExpectedRevision &&
		s.Cancel == first.Cancel && s.Reason == first.Reason && s.Answers.Equal(first.Answers):
		return nil
	case v.State == StatePending:
		return &Error{Code: CodeConflict, Message: fmt.Sprintf("question %s is at revision %d, not %d", v.ID, v.Revision, s.ExpectedRevision)}
	}
	return &Error{Code: CodeConflict, Message: fmt.Sprintf("question %s was %s before", v.ID, v.State)}
}

// View is what the question is now.
func (q *Question) View() View {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.view
}

// Done is closed when the question has its end.
func (q *Question) Done() <-chan struct{} { return q.done }

// Outcome is what became of the question; pending before Done.
func (q *Question) Outcome() Outcome {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.outcome
}

// End settles the question without an answer: as cancelled, expired or
// interrupted. It reports whether nothing else had.
func (q *Question) End(s State, reason string) bool {
	if s != StateCancelled && s != StateExpired && s != StateInterrupted {
		panic("interaction: end a question as " + string(s)) // a mistake in the program
	}
	return q.settle(Outcome{State: s, Reason: reason}, Submission{})
}

// settle makes the one transition that a question has.
func (q *Question) settle(o Outcome, by Submission) bool {
	q.settling.Lock()
	defer q.settling.Unlock()
	q.mu.Lock()
	if q.view.State != StatePending {
		q.mu.Unlock()
		return false
	}
	v := q.view
	v.State, v.Revision = o.State, 2
	o.Reason = cut(o.Reason, maxReason)
	q.mu.Unlock()
	if q.desk.options.Record != nil {
		_ = q.desk.options.Record(v, o) // whoever records tells; a person's answer is not lost for it
	}
	q.mu.Lock()
	q.view, q.outcome, q.settled = v, o, by
	q.mu.Unlock()
	q.desk.retire(q)
	q.timer.Stop()
	close(q.done)
	q.desk.changed(v)
	return true
}
