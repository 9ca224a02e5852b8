// Package order says when the calls of a session are decided and when they
// run: one queue per lane, decisions in order of arrival, a FIFO barrier
// between calls that may not overlap, a bound on how many run at once, and
// turns that are drafted before they are committed (CONTRACT.md §10).
//
// It knows nothing about tools, wires, rules or records. It starts no
// goroutine: a call waits in its own.
package order

import (
	"slices"
	"sync"
	"time"
)

// DefaultSlots is how many calls of a session run at once.
const DefaultSlots = 16

// Options is how a session orders its calls. The zero value is the default.
type Options struct {
	// Slots bounds how many calls run at once, over all lanes. Zero means
	// DefaultSlots.
	Slots int
	// NoBarrier lets calls overlap that have no certificate for it. Decisions
	// stay in order and slots stay bounded.
	NoBarrier bool
}

// Certs are optimization certificates. The zero value is the safe side: the
// call runs alone, after its turn was committed. The opposite of a certificate
// cannot be written.
type Certs struct {
	// Shared: every invocation may overlap every sibling.
	Shared bool
	// PrecommitSafe: every invocation is read-only, free and local.
	PrecommitSafe bool
}

// Call is what the queue has to know about a call.
type Call struct {
	Lane  string // the conversation that the call belongs to
	Label string // names the call to those that wait for it
	Certs Certs
	Turn  *Turn // nil: the call arrived committed

	// Waiting is told what the call waits for, after a second and then every
	// ten, on the goroutine that waits. Nil means that nobody wants to know.
	Waiting func(Holder)
}

// Queue orders the calls of one session. Its methods may be called at once.
type Queue struct {
	slots     int
	noBarrier bool

	mu      sync.Mutex
	lanes   map[string]*lane // only those that have a place in them
	taken   int              // slots
	waiting []*Place         // for a slot and for nothing else, first come first
}

// lane is the list of the places of one conversation, in order of acceptance.
// Both barrier and decisions follow from it.
type lane struct{ first, last *Place }

// New makes the queue of a session.
func New(o Options) *Queue {
	if o.Slots == 0 {
		o.Slots = DefaultSlots
	}
	return &Queue{slots: o.Slots, noBarrier: o.NoBarrier, lanes: make(map[string]*lane)}
}

// Accept takes the next place in the call's lane. It never blocks. Others wait
// for the place until it is left, so Place.Leave must follow on every path.
func (q *Queue) Accept(c Call) *Place {
	p := &Place{queue: q, call: c}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.join(p, accepted)
	return p
}

// join puts p at the tail of its lane.
func (q *Queue) join(p *Place, ph phase) {
	l := q.lanes[p.call.Lane]
	if l == nil {
		l = &lane{}
		q.lanes[p.call.Lane] = l
	}
	p.lane, p.phase, p.since, p.prev = l, ph, time.Now(), l.last
	if l.last == nil {
		l.first = p
	} else {
		l.last.next = p
	}
	l.last = p
}

// part takes p out of its lane and gives up whatever it has.
func (q *Queue) part(p *Place, ph phase) {
	was, l := p.phase, p.lane
	p.become(ph)
	if l == nil {
		return
	}
	if p.prev == nil {
		l.first = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		l.last = p.prev
	} else {
		p.next.prev = p.prev
	}
	p.lane, p.prev, p.next = nil, nil, nil
	if l.first == nil {
		delete(q.lanes, p.call.Lane)
	}
	switch {
	case was == awaitsSlot:
		i := slices.Index(q.waiting, p)
		q.waiting = slices.Delete(q.waiting, i, i+1)
	case was == running && !p.call.Certs.PrecommitSafe:
		q.taken--
	}
	q.advance(l)
}

// advance lets every place of the lane go on that waits for nothing any more.
func (q *Queue) advance(l *lane) {
	var undecided, exclusive bool // seen so far
	for p := l.first; p != nil; p = p.next {
		if p.phase == awaitsDecision && !undecided {
			p.become(deciding)
		}
		free := p == l.first || p.call.Certs.Shared && !exclusive
		if p.phase == awaitsBarrier && (free || q.noBarrier) {
			if p.call.Certs.PrecommitSafe {
				p.become(running)
			} else {
				p.phase = awaitsSlot
				q.waiting = append(q.waiting, p)
			}
		}
		undecided = undecided || p.phase <= deciding
		exclusive = exclusive || !p.call.Certs.Shared
		if undecided && exclusive && !q.noBarrier {
			break // whoever stands behind waits
		}
	}
	for q.taken < q.slots && len(q.waiting) > 0 {
		p := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.taken++
		p.become(running)
	}
}
