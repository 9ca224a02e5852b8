package order_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"raw/contract/order"
)

func drafted(turn *order.Turn, spec string) order.Call {
	c := parse(spec)
	c.Turn = turn
	return c
}

// drafts begins a turn: only its first call may start before the commit. The
// second has no certificate, a person is to be asked about the third, and the
// fourth stands behind that question.
func drafts(t *testing.T, q *order.Queue, turn *order.Turn) []*caller {
	calls := []*caller{
		begin(t, q, false, drafted(turn, "sp")),
		begin(t, q, false, drafted(turn, "s")),
		begin(t, q, true, drafted(turn, "sp")),
		begin(t, q, false, drafted(turn, "sp")),
	}
	if got := runningOf(calls); got != "0" || calls[2].deciding {
		t.Errorf("before the commit: running %q, a person is asked: %t; want 0, false", got, calls[2].deciding)
	}
	if !calls[0].Draft() {
		t.Error("Draft() = false before the commit")
	}
	return calls
}

func TestCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, turn := order.New(order.Options{}), order.NewTurn()
		calls := drafts(t, q, turn)
		turn.Commit()
		turn.Void() // too late
		if got := runningOf(calls); got != "0 1" || !calls[2].deciding {
			t.Errorf("after the commit: running %q, a person is asked: %t; want 0 1, true", got, calls[2].deciding)
		}
		if calls[0].Draft() {
			t.Error("Draft() = true after the commit")
		}
		close(calls[2].answer)
		if got := runningOf(calls); got != "0 1 2 3" {
			t.Errorf("after the answer: running %q, want 0 1 2 3", got)
		}
		finish(calls...)
		checkIdle(t, q)
	})
}

func TestVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, turn := order.New(order.Options{}), order.NewTurn()
		calls := drafts(t, q, turn)
		early := q.Accept(drafted(turn, "sp")) // in steps 1 to 3
		turn.Void()
		turn.Commit() // too late
		if got := runningOf(calls); got != "0" {
			t.Errorf("after the void: running %q, want 0", got)
		}
		for i, c := range calls[1:] {
			if !errors.Is(c.err, order.ErrVoided) {
				t.Errorf("call %d of a voided turn = %v, want %v", i+1, c.err, order.ErrVoided)
			}
		}
		if err := early.Decide(t.Context()); !errors.Is(err, order.ErrVoided) {
			t.Errorf("Decide of a voided turn = %v, want %v", err, order.ErrVoided)
		}
		finish(calls...)
		checkIdle(t, q)
	})
}

// A draft keeps its place: what came later waits for its commit, and goes on
// when the draft is cancelled instead.
func TestDraftKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{})
		draft := begin(t, q, false, drafted(order.NewTurn(), "x"))
		later := begin(t, q, false, parse("s"))
		if got := runningOf([]*caller{draft, later}); got != "" || later.Draft() {
			t.Errorf("running %q, the later one is a draft: %t; want none, false", got, later.Draft())
		}
		draft.cancel(context.Canceled)
		if got := runningOf([]*caller{draft, later}); got != "1" || !errors.Is(draft.err, context.Canceled) {
			t.Errorf("after cancelling the draft with %v: running %q, want 1", draft.err, got)
		}
		finish(later)
		checkIdle(t, q)
	})
}
