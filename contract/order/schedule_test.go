package order_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"raw/contract/order"
)

// script is what a call does and how long, in milliseconds; zero length is a
// length, and negative means never.
type script struct {
	certs                   order.Certs
	lane, turn              int // turn: which draft, negative for none
	accept, cancel          int // when
	prepare, ask, run, wait int // how long; wait is within the handler
	parks, refused, panics  bool
}

type schedule struct {
	options order.Options
	calls   []script
	settle  []int // when each draft is committed, or voided if odd
}

func randomSchedule(r *rand.Rand) schedule {
	sometimes := func(n int) bool { return r.IntN(n) == 0 }
	maybe := func(n, most int) int {
		if sometimes(n) {
			return r.IntN(most)
		}
		return -1
	}
	s := schedule{options: order.Options{Slots: 1 + r.IntN(4), NoBarrier: sometimes(6)}}
	for range r.IntN(3) {
		s.settle = append(s.settle, r.IntN(30))
	}
	lanes := 1 + r.IntN(3)
	for range 2 + r.IntN(12) {
		s.calls = append(s.calls, script{
			certs: order.Certs{Shared: !sometimes(3), PrecommitSafe: sometimes(4)},
			lane:  r.IntN(lanes), turn: r.IntN(len(s.settle)+2) - 2,
			accept: r.IntN(20), cancel: maybe(5, 40),
			prepare: r.IntN(3), ask: maybe(4, 8), run: r.IntN(7), wait: maybe(5, 8),
			parks: sometimes(2), refused: sometimes(8), panics: sometimes(10),
		})
	}
	return s
}

// rig runs a schedule on a queue. What a call gives up is noted before it does
// so and what it got afterwards, so that the model never sees too little.
type rig struct {
	schedule
	queue   *order.Queue
	turns   []*order.Turn
	cancels []context.CancelFunc
	done    sync.WaitGroup

	mu     sync.Mutex
	model  model
	voided []bool // by draft
	now    int
	places int
	fault  error
}

func newRig(s schedule) *rig {
	g := &rig{schedule: s, queue: order.New(s.options), cancels: make([]context.CancelFunc, len(s.calls)), voided: make([]bool, len(s.settle))}
	g.model = model{slots: s.options.Slots, noBarrier: s.options.NoBarrier}
	for range s.settle {
		g.turns = append(g.turns, order.NewTurn())
	}
	for _, c := range s.calls {
		g.model.calls = append(g.model.calls, &modelCall{
			lane: c.lane, shared: c.certs.Shared, safe: c.certs.PrecommitSafe, committed: c.turn < 0,
			ready: math.MaxInt, doing: gone,
		})
	}
	return g
}

// look compares what the calls do with the rules. It is called under the lock.
func (g *rig) look(rest bool) {
	if err := g.model.fault(g.now, rest); err != nil && g.fault == nil {
		g.fault = fmt.Errorf("at %d ms: %w", g.now, err)
	}
}

// note says what call i does from now on, together with what makes it so.
func (g *rig) note(i int, d doing, act func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.model.calls[i]
	if c.doing == gone && g.cancels[i] != nil {
		return
	}
	if c.doing >= outside && d < outside { // it comes, or comes back
		g.places++
		c.place, c.ready = g.places, math.MaxInt
	}
	if t := g.calls[i].turn; t >= 0 && g.voided[t] && d > prepares && d < runs {
		d = gone // it is about to learn of it
	}
	c.doing = d
	if act != nil {
		act()
	}
	g.look(false)
}

func (g *rig) accept(i int) {
	c := g.calls[i]
	call := order.Call{Lane: fmt.Sprint(c.lane), Certs: c.certs}
	if c.turn >= 0 {
		call.Turn = g.turns[c.turn]
	}
	var p *order.Place
	g.note(i, prepares, func() { p = g.queue.Accept(call) })
	ctx, cancel := context.WithCancel(context.Background())
	g.cancels[i] = cancel
	g.done.Go(func() {
		defer cancel()
		defer func() { _ = recover() }()
		defer func() {
			g.note(i, gone, nil)
			p.Leave()
			p.Leave()
		}()
		g.perform(ctx, i, p)
	})
}

// pause lets call i be busy, and reports whether it goes on.
func (g *rig) pause(ctx context.Context, i, ms int) bool {
	g.mu.Lock()
	over := g.model.calls[i].doing == gone // voided in the instant in which it started
	g.mu.Unlock()
	if over {
		return false
	}
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// perform is the way of a call as contract goes it.
func (g *rig) perform(ctx context.Context, i int, p *order.Place) {
	c := g.calls[i]
	if !g.pause(ctx, i, c.prepare) {
		return
	}
	g.note(i, awaitsDecision, nil)
	if p.Decide(ctx) != nil {
		return
	}
	g.note(i, decides, nil)
	if c.ask >= 0 {
		if p.Committed(ctx) != nil {
			return
		}
		g.note(i, asks, nil)
		if c.parks {
			g.note(i, outside, p.Park)
		}
		if !g.pause(ctx, i, c.ask) {
			return
		}
		if c.parks {
			g.note(i, awaitsDecision, p.Requeue)
		}
		if p.Decide(ctx) != nil {
			return
		}
		g.note(i, decides, nil)
	}
	if c.refused {
		return
	}
	g.note(i, decided, nil)
	if p.Enter(ctx) != nil {
		return
	}
	g.note(i, runs, nil)
	if !g.pause(ctx, i, c.run) {
		return
	}
	if c.wait >= 0 {
		g.note(i, outside, nil)
		err := p.Yield(ctx, func(ctx context.Context) {
			if g.pause(ctx, i, c.wait) {
				g.note(i, decided, p.Requeue)
			}
			if c.panics {
				panic("a handler's")
			}
		})
		if err != nil {
			return
		}
		g.note(i, runs, nil)
		if !g.pause(ctx, i, c.run) {
			return
		}
	}
	if c.panics {
		panic("a handler's")
	}
}

// settled commits or voids draft t. A call that does not wait just then learns
// of the void when it next needs its turn.
func (g *rig) settled(t int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, c := range g.model.calls {
		if g.calls[i].turn != t {
			continue
		}
		if g.settle[t]%2 == 0 {
			c.committed = true
		} else if c.doing > prepares && c.doing < runs {
			c.doing = gone
		}
	}
	if g.settle[t]%2 == 0 {
		g.turns[t].Commit()
		g.turns[t].Void() // too late
	} else {
		g.voided[t] = true
		g.turns[t].Void()
		g.turns[t].Commit() // too late
	}
}

func (g *rig) run() error {
	const enough = 2000
	for g.now = 0; g.now < enough && g.fault == nil; {
		for i, c := range g.calls {
			if c.accept == g.now {
				g.accept(i)
			}
			if c.cancel == g.now && g.cancels[i] != nil {
				g.note(i, gone, g.cancels[i])
			}
		}
		for t, at := range g.settle {
			if at == g.now {
				g.settled(t)
			}
		}
		synctest.Wait()
		g.mu.Lock()
		g.look(true)
		over := g.now > 40
		for _, c := range g.model.calls {
			over = over && c.doing == gone
		}
		g.now++
		g.mu.Unlock()
		if over {
			break
		}
		time.Sleep(time.Millisecond)
	}
	late := g.now >= enough
	for _, cancel := range g.cancels {
		if cancel != nil {
			cancel()
		}
	}
	g.done.Wait()
	switch {
	case g.fault != nil:
		return g.fault
	case late:
		return errors.New("some calls never ended")
	case !g.queue.Idle():
		return errors.New("something is left of calls that have ended")
	}
	return nil
}

// TestSchedules holds the queue to the model: at every instant of random
// schedules no call goes on too early, and at rest none waits for nothing.
func TestSchedules(t *testing.T) {
	for seed := range uint64(2000) {
		s := randomSchedule(rand.New(rand.NewPCG(seed, 0)))
		var err error
		synctest.Test(t, func(*testing.T) { err = newRig(s).run() })
		if err != nil {
			t.Fatalf("seed %d: %v\n%+v", seed, err, s)
		}
	}
}
