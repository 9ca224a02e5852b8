package order_test

import "fmt"

type doing int

const ( // in this order: what stands before decided is still to be decided
	prepares doing = iota // steps 1 to 3
	awaitsDecision
	decides
	asks // a person
	decided
	runs
	outside // parked, or waiting inside its handler
	gone
)

type modelCall struct {
	lane, place, ready      int // place counts arrivals and returns; ready is when nothing but a slot was missing
	shared, safe, committed bool
	doing
}

type model struct {
	calls     []*modelCall
	slots     int
	noBarrier bool
}

// The rules of CONTRACT.md §10. They were written before the queue.

// behind: a call in the lane of a came before a, is still there and such.
func (m *model) behind(a *modelCall, such func(b *modelCall) bool) bool {
	for _, b := range m.calls {
		if b.lane == a.lane && b.place < a.place && b.doing < outside && such(b) {
			return true
		}
	}
	return false
}

func (m *model) mayDecide(a *modelCall) bool {
	return !m.behind(a, func(b *modelCall) bool { return b.doing < decided })
}

func (m *model) mayPass(a *modelCall) bool {
	return (a.committed || a.safe) && (m.noBarrier || !m.behind(a, func(b *modelCall) bool { return !a.shared || !b.shared }))
}

// fault says what is against the rules. At rest no call waits for nothing.
func (m *model) fault(now int, rest bool) error {
	taken, first, last := 0, now+1, 0 // ready: first of those without a slot, last of those with one
	for i, a := range m.calls {
		idle := rest && (a.doing == awaitsDecision && m.mayDecide(a) || a.doing == decided && a.safe && m.mayPass(a))
		early := (a.doing == decides || a.doing == asks) && !m.mayDecide(a) || a.doing == asks && !a.committed || a.doing == runs && !m.mayPass(a)
		if idle || early {
			return fmt.Errorf("call %d does %d: idle %t, early %t", i, a.doing, idle, early)
		}
		if a.doing == runs && !a.safe {
			a.ready, taken = min(a.ready, now), taken+1
			last = max(last, a.ready)
		} else if rest && a.doing == decided && m.mayPass(a) {
			a.ready = min(a.ready, now)
			first = min(first, a.ready)
		}
	}
	if taken > m.slots || first <= now && (taken < m.slots || last > first) {
		return fmt.Errorf("%d of %d slots are taken, the last by a call of %d, while one waits since %d", taken, m.slots, last, first)
	}
	return nil
}
