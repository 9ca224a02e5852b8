package order

import (
	"context"
	"errors"
	"time"
)

// ErrVoided is why a call did not start whose turn was taken back.
var ErrVoided = errors.New("the turn of the call was voided before the call started")

// ErrLeft is why a place gives no turn any more: it was left.
var ErrLeft = errors.New("the call has left the queue")

// Place is a call's place in the order of its lane. The methods that take a
// context belong to the goroutine of the call; the others may be called by
// anyone, at any time and more than once.
type Place struct {
	queue *Queue
	call  Call

	// Guarded by queue.mu.
	phase      phase
	lane       *lane // nil outside the queue
	prev, next *Place
	since      time.Time     // it runs, or else it is in the queue
	ready      chan struct{} // closed when the phase changes; nil when nobody waits
}

type phase int

// The phases, in the order in which a call passes them. Up to deciding a place
// keeps those behind it from being decided.
const (
	accepted phase = iota
	awaitsDecision
	deciding
	decided // and its turn is not committed yet
	awaitsBarrier
	awaitsSlot
	running
	parked   // outside, undecided
	yielding // outside, within its handler
	left
)

// become moves p to another phase and wakes the goroutine that waits for it.
func (p *Place) become(ph phase) {
	p.phase = ph
	if ph == running {
		p.since = time.Now()
	}
	if p.ready != nil {
		close(p.ready)
		p.ready = nil
	}
}

// Decide waits until every call of the lane that came before has been decided
// or has left. The call then has the lane's decision turn until it enters,
// parks or leaves: it is asked for between steps 3 and 4, and again after a
// call was parked. With an error the place is left.
func (p *Place) Decide(ctx context.Context) error {
	p.queue.mu.Lock()
	p.rejoin()
	if p.phase == accepted {
		p.phase = awaitsDecision
		p.queue.advance(p.lane)
	}
	return p.await(ctx)
}

// Enter gives up the decision turn and waits for whatever the call still needs
// before its handler: the commit of its turn unless it is precommitSafe, then
// the barrier, then a slot unless it is precommitSafe. With an error the place
// is left.
func (p *Place) Enter(ctx context.Context) error {
	if err := p.Decide(ctx); err != nil {
		return err
	}
	q := p.queue
	q.mu.Lock()
	if p.phase == deciding && !p.call.Certs.PrecommitSafe && p.call.Turn != nil {
		p.phase = decided
		q.advance(p.lane)
		q.mu.Unlock()
		if err := p.Committed(ctx); err != nil {
			return err
		}
		q.mu.Lock()
	}
	if p.phase == deciding || p.phase == decided {
		p.phase = awaitsBarrier
		q.advance(p.lane)
	}
	return p.await(ctx)
}

// Park takes the call out of the queue while the answer to a question about it
// may come with a later request. It does nothing unless the call is being
// decided: inside a handler, Yield has taken it out.
func (p *Place) Park() {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	if p.phase == deciding {
		p.queue.part(p, parked)
	}
}

// Requeue puts a call that is outside, parked or within Yield, at the tail of
// its lane. It never blocks: the reader calls it when the answer arrives.
// Without it, the call's goroutine joins the tail when it gets there.
func (p *Place) Requeue() {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	p.rejoin()
}

func (p *Place) rejoin() {
	switch p.phase {
	case parked:
		p.queue.join(p, accepted)
	case yielding:
		p.queue.join(p, awaitsBarrier)
		p.queue.advance(p.lane)
	}
}

// Yield gives up barrier and slot inside a handler, calls wait, and takes both
// again at the tail of the lane, also when wait panics. ctx is the call's; a
// shorter deadline belongs into wait. After an error the place is left and the
// handler has to return. Within wait, Yield only calls its function.
func (p *Place) Yield(ctx context.Context, wait func(context.Context)) (err error) {
	q := p.queue
	q.mu.Lock()
	if p.phase != running {
		q.mu.Unlock()
		wait(ctx)
		return nil
	}
	q.part(p, yielding)
	q.mu.Unlock()
	defer func() { err = p.Enter(ctx) }()
	wait(ctx)
	return nil // Enter says how it went
}

// Leave gives up the place and all that it has, in whatever phase the call is.
func (p *Place) Leave() {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	p.queue.part(p, left)
}

// await waits until the place has what it waits for, if it does. It is called
// under the lock and returns without it. Who was cancelled leaves, even when
// the turn came in the same instant.
func (p *Place) await(ctx context.Context) error {
	q := p.queue
	if p.phase == awaitsDecision || p.phase == awaitsBarrier || p.phase == awaitsSlot {
		ready := make(chan struct{})
		p.ready = ready
		q.mu.Unlock()
		p.block(ctx, ready)
		q.mu.Lock()
	}
	defer q.mu.Unlock()
	err := p.ended(ctx)
	if err != nil {
		q.part(p, left)
	}
	return err
}

func (p *Place) block(ctx context.Context, ready <-chan struct{}) {
	var notice <-chan time.Time
	if p.call.Waiting != nil {
		notice = time.After(firstNotice)
	}
	for {
		select {
		case <-ready:
			return
		case <-ctx.Done():
			return
		case <-p.call.Turn.void():
			return
		case <-notice:
			if h, ok := p.holder(); ok {
				p.call.Waiting(h)
			}
			notice = time.After(nextNotice)
		}
	}
}

// ended is why the call goes no further, if it does not.
func (p *Place) ended(ctx context.Context) error {
	select {
	case <-p.call.Turn.void():
		return ErrVoided
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.phase == left {
		return ErrLeft
	}
	return nil
}
