package panel

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// The limits of a session and of a call (PANELS.md §6).
const (
	maxPanels  = 16  // of the sidebar that have a document
	maxViews   = 64  // chat panels with a document
	maxUpdates = 200 // accepted, of one panel in one call
)

// Options says what a Host tells.
type Options struct {
	// Frame gets every committed state at once, and the live ones of a panel at
	// most every 250 ms, the last of them for certain. A state without a document
	// takes back what was live. It is called by one goroutine at a time, in the
	// order of the changes of a panel; it never blocks, and calls nothing but
	// what reads the host. Nil: nobody watches.
	Frame func(Frame)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Host holds the panels of a session. Its methods may be called at once.
type Host struct {
	now    func() time.Time
	frames frames

	mu      sync.Mutex
	seq     uint64
	panels  map[string]State // of the sidebar, by full id
	views   []State          // of calls, the one that settled first in front
	live    map[string]State // what running calls have made of panels, not committed
	removed []removal        // the last ones
	plan    string           // the panel that holds the plan
}

// removal is a panel that made room.
type removal struct {
	seq uint64
	key string
}

// maxRemoved bounds how many removals are remembered for pollers.
const maxRemoved = 256

// NewHost makes the host of a session that has no panels yet.
func NewHost(o Options) *Host {
	h := &Host{now: o.Now, panels: map[string]State{}, live: map[string]State{}}
	if h.now == nil {
		h.now = time.Now
	}
	h.frames = newFrames(o.Frame)
	return h
}

// Close ends the frames that wait. None follows.
func (h *Host) Close() { h.frames.close() }

// shown are all panels as surfaces show them: what a running call has made of
// one stands for what is committed. mu is held.
func (h *Host) shown() iter.Seq[State] {
	return func(yield func(State) bool) {
		for _, s := range h.live {
			if !yield(s) {
				return
			}
		}
		for _, s := range h.panels {
			if _, live := h.live[s.key()]; !live && !yield(s) {
				return
			}
		}
		for _, s := range h.views {
			if !yield(s) {
				return
			}
		}
	}
}

// latest are the shown panels that fit, the most recently updated first.
func (h *Host) latest(fits func(State) bool) []State {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []State
	for s := range h.shown() {
		if fits(s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b State) int { return byAge(b, a) })
	return list
}

// byAge has the panel in front whose last update is the oldest.
func byAge(a, b State) int {
	return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.changed, b.changed))
}

// States are the sidebar panels that have a document, closed ones among them,
// the most recently updated first.
func (h *Host) States() []State { return h.latest(func(s State) bool { return s.View == nil }) }

// Views are the chat panels that are held, the most recently updated first.
func (h *Host) Views() []State { return h.latest(func(s State) bool { return s.View != nil }) }

// Lookup finds a panel by its full id; the chat panel of one call has
// @<instance> behind it.
func (h *Host) Lookup(id string) (State, bool) {
	found := h.latest(func(s State) bool { return s.key() == id })
	if len(found) == 0 {
		return State{}, false
	}
	return found[0], true
}

// committed is the committed state of a sidebar panel.
func (h *Host) committed(id string) (State, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.panels[id]
	return s, ok
}

// Since gives what has changed behind a cursor that it gave before, in the order
// of the changes, and the full ids of what is gone since and has not come back;
// the last 256 of them are remembered. Zero gives everything that there is.
func (h *Host) Since(cursor uint64) (changed []State, removed []string, next uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := map[string]bool{}
	for s := range h.shown() {
		told[s.key()] = true
		if s.Seq > cursor {
			changed = append(changed, s)
		}
	}
	slices.SortFunc(changed, func(a, b State) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, r := range h.removed {
		if r.seq > cursor && cursor > 0 && !told[r.key] {
			told[r.key] = true
			removed = append(removed, r.key)
		}
	}
	return changed, removed, h.seq
}

// PlanHolder is the full id of the panel whose checklist is the session's plan;
// empty when there is none. A second one that declares so is ignored.
func (h *Host) PlanHolder() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.plan
}

// room names the closed panels that go when a call has its way, the least
// recently updated first: none when there is room without that. taken are the
// sidebar panels of the call: they stay. mu is held.
func (h *Host) room(taken map[string]bool) (evicted []string, err *Error) {
	over := len(h.panels) - maxPanels
	for id := range taken {
		if _, ok := h.panels[id]; !ok {
			over++
		}
	}
	if over <= 0 {
		return nil, nil
	}
	var closed []State
	for _, s := range h.panels {
		if s.Closed && !taken[s.ID] {
			closed = append(closed, s)
		}
	}
	if over > len(closed) {
		held := "none is closed"
		if len(closed) > 0 {
			held = fmt.Sprintf("only %d can go", len(closed))
		}
		return nil, fail(CodeLimit, "this session already has %d panels and %s", len(h.panels), held)
	}
	slices.SortFunc(closed, byAge)
	for _, s := range closed[:over] {
		evicted = append(evicted, s.ID)
	}
	return evicted, nil
}

// show has surfaces show a state that is not committed, and returns it with its
// place.
func (h *Host) show(s State) State {
	h.frames.mu.Lock()
	defer h.frames.mu.Unlock()
	h.mu.Lock()
	h.seq++
	s.Seq, s.changed = h.seq, h.seq
	h.live[s.key()] = s
	h.mu.Unlock()
	h.frames.live(s)
	return s
}

// takeBack has surfaces show what is committed of a panel in place of a live
// state, and returns it: s without a document when nothing is. What another
// running call has made of the panel since stays shown. frames.mu is held.
func (h *Host) takeBack(s State) State {
	h.mu.Lock()
	committed, ok := h.panels[s.key()]
	if !ok {
		committed = s
		committed.Revision, committed.Document, committed.Closed = 0, Document{}, false
	}
	shown := h.live[s.key()].Seq == s.Seq
	if shown {
		delete(h.live, s.key())
		if ok {
			h.seq++
			committed.Seq = h.seq
			h.panels[s.key()] = committed
		} else {
			h.remove(s.key())
		}
	}
	h.mu.Unlock()
	if shown {
		h.frames.last(committed)
	}
	return committed
}

// remove takes a panel away. mu is held.
func (h *Host) remove(key string) {
	h.seq++
	delete(h.panels, key)
	h.views = slices.DeleteFunc(h.views, func(s State) bool { return s.key() == key })
	h.removed = append(h.removed, removal{h.seq, key})
	h.removed = h.removed[max(0, len(h.removed)-maxRemoved):]
	if h.plan == key {
		h.plan = ""
	}
}

// put makes a state the committed one and returns it with its place. mu is held.
func (h *Host) put(s State) State {
	h.seq++
	s.Seq, s.changed = h.seq, h.seq
	delete(h.live, s.key())
	if s.View != nil {
		h.views = append(h.views, s)
		if len(h.views) > maxViews {
			h.remove(h.views[0].key())
		}
		return s
	}
	h.panels[s.ID] = s
	if h.plan == "" && s.Declaration.ACPPlan {
		h.plan = s.ID
	}
	return s
}
