package order

import (
	"context"
	"sync"
)

// Turn is a group of calls that a surface drafts before it stands for them.
// Its methods may be called by anyone; the first one decides.
type Turn struct {
	once              sync.Once
	committed, voided chan struct{}
}

// NewTurn begins a draft.
func NewTurn() *Turn {
	return &Turn{committed: make(chan struct{}), voided: make(chan struct{})}
}

// Commit lets the calls of the turn start.
func (t *Turn) Commit() { t.once.Do(func() { close(t.committed) }) }

// Void takes the turn back: no call of it starts any more. Only precommitSafe
// ones may run already; ending those is up to the surface.
func (t *Turn) Void() { t.once.Do(func() { close(t.voided) }) }

// void is nil, which is never ready, for the calls that arrive committed.
func (t *Turn) void() <-chan struct{} {
	if t == nil {
		return nil
	}
	return t.voided
}

// Draft reports whether the call's turn is not committed.
func (p *Place) Draft() bool {
	if p.call.Turn == nil {
		return false
	}
	select {
	case <-p.call.Turn.committed:
		return false
	default:
		return true
	}
}

// Committed waits until the call's turn is committed. Nobody is asked about a
// call before that. With an error the place is left.
func (p *Place) Committed(ctx context.Context) error {
	if p.call.Turn == nil {
		return nil
	}
	select {
	case <-p.call.Turn.committed:
		return nil
	case <-p.call.Turn.voided:
	case <-ctx.Done():
	}
	p.queue.mu.Lock()
	return p.await(ctx)
}
