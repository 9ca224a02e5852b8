package order_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"raw/contract/order"
)

// caller goes the way of a call in its own goroutine. It stops in its decision
// until it is answered, and in its handler until it is finished.
type caller struct {
	*order.Place
	cancel       context.CancelCauseFunc
	answer, done chan struct{}

	// Read at rest only.
	deciding, running bool
	err               error
}

// begin returns when everybody rests.
func begin(t *testing.T, q *order.Queue, asked bool, call order.Call) *caller {
	ctx, cancel := context.WithCancelCause(t.Context())
	c := &caller{Place: q.Accept(call), cancel: cancel, answer: make(chan struct{}), done: make(chan struct{})}
	if !asked {
		close(c.answer)
	}
	go func() {
		defer c.Leave()
		if c.err = c.Decide(ctx); c.err != nil {
			return
		}
		if asked {
			if c.err = c.Committed(ctx); c.err != nil {
				return
			}
		}
		c.deciding = true
		select {
		case <-c.answer:
		case <-ctx.Done():
			return
		}
		c.deciding = false
		if c.err = c.Enter(ctx); c.err != nil {
			return
		}
		c.running = true
		<-c.done
		c.running = false
	}()
	synctest.Wait()
	return c
}

// parse reads a call: s shared or x exclusive, p precommitSafe, @lane.
func parse(spec string) order.Call {
	kind, lane, _ := strings.Cut(spec, "@")
	return order.Call{Lane: lane, Label: spec, Certs: order.Certs{
		Shared: kind[0] == 's', PrecommitSafe: strings.Contains(kind, "p"),
	}}
}

func runningOf(calls []*caller) string {
	synctest.Wait()
	var list []string
	for i, c := range calls {
		if c.running {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, " ")
}

// finish ends the handlers that run, and of others none.
func finish(calls ...*caller) {
	var running []*caller
	for _, c := range calls {
		if c.running {
			running = append(running, c)
		}
	}
	for _, c := range running {
		close(c.done)
	}
	synctest.Wait()
}

func checkIdle(t *testing.T, q *order.Queue) {
	t.Helper()
	synctest.Wait()
	if !q.Idle() {
		t.Error("the queue keeps something of calls that have left")
	}
}

// TestWaves starts all calls at once and lets those that run finish together,
// again and again.
func TestWaves(t *testing.T) {
	for _, tc := range []struct {
		name    string
		options order.Options
		calls   string
		want    string
	}{
		{name: "exclusive runs alone", calls: "x x x", want: "0, 1, 2"},
		{name: "shared overlap", calls: "s s s", want: "0 1 2"},
		{name: "nobody overtakes", calls: "s x s s x s", want: "0, 1, 2 3, 4, 5"},
		{name: "lanes do not wait for each other", calls: "x x@b x", want: "0 1, 2"},
		{name: "no barrier", options: order.Options{NoBarrier: true}, calls: "x x s", want: "0 1 2"},
		{name: "no barrier, but slots", options: order.Options{NoBarrier: true, Slots: 2}, calls: "x x s", want: "0 1, 2"},
		{name: "sixteen slots", calls: strings.Repeat("s ", 18), want: "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 16 17"},
		{name: "slots are of the session", options: order.Options{Slots: 1}, calls: "x s@b x@c", want: "0, 1, 2"},
		{name: "precommitSafe needs no slot", options: order.Options{Slots: 1}, calls: "s sp sp s", want: "0 1 2, 3"},
		{name: "precommitSafe alone is not shared", calls: "xp xp", want: "0, 1"},
		{name: "no slot at the barrier", options: order.Options{Slots: 2}, calls: "x x x@b x@c", want: "0 2, 1 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := order.New(tc.options)
				var calls []*caller
				for _, spec := range strings.Fields(tc.calls) {
					calls = append(calls, begin(t, q, false, parse(spec)))
				}
				var got []string
				for wave := runningOf(calls); wave != ""; wave = runningOf(calls) {
					got = append(got, wave)
					finish(calls...)
				}
				if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
					t.Errorf("waves of %s (-want +got):\n%s", tc.calls, diff)
				}
				checkIdle(t, q)
			})
		})
	}
}

// A slot goes to the call that has waited longest for one, whatever its lane.
func TestSlotsAreFirstComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{Slots: 1})
		var calls []*caller
		for _, spec := range []string{"s", "x@b", "s", "s@c", "x@b"} {
			calls = append(calls, begin(t, q, false, parse(spec)))
		}
		for _, want := range []string{"0", "1", "2", "3", "4"} {
			if got := runningOf(calls); got != want {
				t.Fatalf("running = %q, want %q", got, want)
			}
			finish(calls...)
		}
	})
}

// Calls behind an ask wait for the answer, not for the call; what runs already
// goes on; and a refused call lets them go on as well.
func TestDecisionsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{NoBarrier: true})
		before := begin(t, q, false, parse("s"))
		asked := begin(t, q, true, parse("s"))
		behind := begin(t, q, true, parse("s"))
		last := begin(t, q, false, parse("s"))
		other := begin(t, q, false, parse("s@b"))
		calls := []*caller{before, asked, behind, last, other}
		if got := runningOf(calls); got != "0 4" || !asked.deciding || behind.deciding {
			t.Fatalf("with an open question: running %q, asked %t, behind it %t; want 0 4, true, false", got, asked.deciding, behind.deciding)
		}
		close(asked.answer)
		if got := runningOf(calls); got != "0 1 4" || !behind.deciding {
			t.Fatalf("after the answer: running %q, the next is decided: %t; want 0 1 4, true", got, behind.deciding)
		}
		behind.Leave() // refused
		if got := runningOf(calls); got != "0 1 3 4" {
			t.Errorf("after a refusal: running %q, want 0 1 3 4", got)
		}
		close(behind.answer)
		synctest.Wait()
		if !errors.Is(behind.err, order.ErrLeft) {
			t.Errorf("Enter of a call that left = %v, want %v", behind.err, order.ErrLeft)
		}
		finish(calls...)
		checkIdle(t, q)
	})
}

// Decisions do not wait for the calls before to run.
func TestDecisionsRunAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{})
		first, second := begin(t, q, false, parse("x")), begin(t, q, true, parse("x"))
		if got := runningOf([]*caller{first}); got != "0" || !second.deciding {
			t.Errorf("running %q, the second is decided: %t; want 0, true", got, second.deciding)
		}
		close(second.answer)
		finish(first)
		finish(second)
	})
}

func TestParkedCallReturnsAtTheTail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{})
		parked := begin(t, q, true, parse("x"))
		second, third := begin(t, q, false, parse("x")), begin(t, q, true, parse("x"))
		calls := []*caller{parked, second, third}
		if got := runningOf(calls); got != "" {
			t.Fatalf("running %q while the question is open", got)
		}
		parked.Park()
		if got := runningOf(calls); got != "1" || !third.deciding {
			t.Fatalf("after Park: running %q, the third is decided: %t; want 1, true", got, third.deciding)
		}
		finish(second)
		parked.Requeue()
		close(parked.answer)
		if got := runningOf(calls); got != "" {
			t.Fatalf("running %q; the parked call went ahead of the one that is being asked about", got)
		}
		close(third.answer)
		if got := runningOf(calls); got != "2" {
			t.Fatalf("running %q, want 2", got)
		}
		finish(third)
		if got := runningOf(calls); got != "0" {
			t.Fatalf("running %q, want 0", got)
		}
		parked.Park() // too late
		late := begin(t, q, false, parse("x"))
		if got := runningOf([]*caller{late}); got != "" {
			t.Error("Park gave up the place of a call that runs")
		}
		finish(parked)
		finish(late)
		checkIdle(t, q)
	})
}

func TestYield(t *testing.T) {
	for _, requeue := range []bool{false, true} {
		t.Run(fmt.Sprintf("requeue %t", requeue), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := order.New(order.Options{Slots: 1})
				asks := q.Accept(parse("x"))
				if err := asks.Enter(t.Context()); err != nil {
					t.Fatal(err)
				}
				second := begin(t, q, false, parse("x"))
				other := begin(t, q, false, parse("x@b"))
				var third *caller
				calls := []*caller{second, other}
				if got := runningOf(calls); got != "" {
					t.Fatalf("running %q beside an exclusive call and without a slot", got)
				}
				err := asks.Yield(t.Context(), func(ctx context.Context) {
					if got := runningOf(calls); got != "1" { // it waited for the slot alone, and longer
						t.Errorf("within Yield: running %q, want 1", got)
					}
					finish(other)
					if got := runningOf(calls); got != "0" {
						t.Errorf("within Yield: running %q, want 0", got)
					}
					if requeue {
						asks.Requeue()
					}
					third = begin(t, q, false, parse("s"))
					if err := asks.Yield(ctx, func(context.Context) { finish(second) }); err != nil {
						t.Errorf("Yield within Yield = %v", err)
					}
					if got := runningOf([]*caller{third}); (got == "0") == requeue {
						t.Errorf("behind a call that came back: running %q, requeued %t", got, requeue)
					}
					finish(third)
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := runningOf([]*caller{third}); got != "" {
					t.Error("Yield returned without the barrier")
				}
				asks.Leave()
				synctest.Wait()
				finish(third)
				checkIdle(t, q)
			})
		})
	}
}

// A handler that recovers from a panic within Yield has its barrier again.
func TestYieldPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{})
		p := q.Accept(parse("x"))
		if err := p.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = p.Yield(t.Context(), func(context.Context) { panic("an answer's") })
		}()
		next := begin(t, q, false, parse("x"))
		if got := runningOf([]*caller{next}); got != "" {
			t.Error("a call runs beside a handler that recovered")
		}
		p.Leave()
		if got := runningOf([]*caller{next}); got != "0" {
			t.Error("the next call does not run after Leave")
		}
		finish(next)
		checkIdle(t, q)
	})
}

// TestCancel cancels the second of three exclusive calls in each of its waits.
func TestCancel(t *testing.T) {
	gone := errors.New("gone")
	for _, tc := range []struct {
		name  string
		first string
		asked bool // the first is
		slots int
	}{
		{name: "waits for its decision", first: "x", asked: true},
		{name: "waits at the barrier", first: "x"},
		{name: "waits for a slot", first: "x@b", slots: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := order.New(order.Options{Slots: tc.slots})
				first := begin(t, q, tc.asked, parse(tc.first))
				second, third := begin(t, q, false, parse("x")), begin(t, q, false, parse("x"))
				second.cancel(gone)
				synctest.Wait()
				if !errors.Is(second.err, gone) {
					t.Errorf("a cancelled wait = %v, want %v", second.err, gone)
				}
				if tc.asked {
					close(first.answer)
					synctest.Wait()
				}
				finish(first)
				if got := runningOf([]*caller{second, third}); got != "1" {
					t.Errorf("running %q, want 1", got)
				}
				finish(third)
				checkIdle(t, q)
			})
		})
	}
}

// Who was cancelled does not start, even when nothing was in its way.
func TestCancelledBefore(t *testing.T) {
	q := order.New(order.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	p := q.Accept(parse("x"))
	if err := p.Decide(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.Enter(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Enter = %v, want %v", err, context.Canceled)
	}
	if !q.Idle() {
		t.Error("a cancelled call keeps its place until Leave")
	}
}

// Leave may come at any time, from anyone, and twice.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{Slots: 1})
		q.Accept(parse("x")).Leave() // never entered
		first, second := begin(t, q, false, parse("x")), begin(t, q, false, parse("x"))
		second.Leave() // while its goroutine waits
		synctest.Wait()
		if !errors.Is(second.err, order.ErrLeft) {
			t.Errorf("a wait that was ended by Leave = %v, want %v", second.err, order.ErrLeft)
		}
		first.Leave() // and again when it is finished, while the third runs
		third, fourth := begin(t, q, false, parse("x@b")), begin(t, q, false, parse("x@c"))
		finish(first)
		if got := runningOf([]*caller{third, fourth}); got != "0" {
			t.Errorf("running %q, want 0; a second Leave gave up the slot of another", got)
		}
		finish(third)
		finish(fourth)
		checkIdle(t, q)
	})
}
