package order

import "time"

// When a call that waits is told what it waits for.
const (
	firstNotice = time.Second
	nextNotice  = 10 * time.Second
)

// Holder is the call that another one waits for.
type Holder struct {
	Label   string
	Running bool      // or else it is not decided yet, or its turn not committed
	Since   time.Time // it runs, or else it is in the queue
}

// holder finds the call that p waits for: the one that keeps others from going
// on, not the next in line.
func (p *Place) holder() (Holder, bool) {
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	by := p
	switch p.phase {
	case awaitsDecision:
		for by = p.lane.first; by.phase > deciding; {
			by = by.next
		}
	case awaitsBarrier:
		by = p.lane.first
	}
	if by.phase == awaitsSlot {
		by = q.longest()
	}
	return Holder{Label: by.call.Label, Running: by.phase == running, Since: by.since}, by != p
}

// longest is the call that has had a slot for the longest time.
func (q *Queue) longest() (by *Place) {
	for _, l := range q.lanes {
		for p := l.first; p != nil; p = p.next {
			if p.phase == running && !p.call.Certs.PrecommitSafe && (by == nil || p.since.Before(by.since)) {
				by = p
			}
		}
	}
	return by
}
