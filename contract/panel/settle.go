package panel

import "slices"

// Settled is what has become of a call's updates.
type Settled struct {
	Committed []State // a state for each panel that the call has changed
	Rejected  []Rejection
}

// Settle commits what the call has made of its panels, all of it or nothing:
// where another call has committed meanwhile, the updates are applied to what it
// left, and when they do not fit that, nothing of this call holds. It is called
// once, also for a call that failed or was cancelled. Update fails from then on;
// Get goes on.
func (c *Call) Settle() Settled {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = true
	states, stopped, why := c.commit()
	if why != nil {
		for _, p := range c.touched {
			err := why
			if p != stopped {
				err = fail(why.Code, "not committed, as panel %q was not: %s", stopped.now.Panel, why.Message)
			}
			c.rejected = append(c.rejected, Rejection{p.now.Panel, err})
			now, ok := c.host.takeBack(p.base.key())
			if !ok {
				now = p.base
			}
			p.now = now
			c.host.frames.last(now)
		}
		return Settled{Rejected: slices.Clone(c.rejected)}
	}
	for i, s := range states {
		c.touched[i].now = s
		c.host.frames.last(s)
	}
	return Settled{Committed: states, Rejected: slices.Clone(c.rejected)}
}

// commit makes the call's states the committed ones, or says which panel stood
// in the way.
func (c *Call) commit() (states []State, stopped *pending, why *Error) {
	h := c.host
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []State
	for _, p := range c.touched {
		s, err := p.onto(h.panels[p.now.ID])
		if err != nil {
			return nil, p, err
		}
		list = append(list, s)
	}
	takes := c.takes()
	for {
		evicted, err := h.room(takes)
		if err != nil {
			return nil, c.newest(), err
		}
		if evicted == "" {
			break
		}
		h.remove(evicted)
	}
	for _, s := range list {
		states = append(states, h.put(s))
	}
	return states, nil, nil
}

// newest is a panel that the call would add. Host.mu is held.
func (c *Call) newest() *pending {
	for _, p := range c.touched {
		if _, ok := c.host.panels[p.now.ID]; p.now.View == nil && !ok {
			return p
		}
	}
	return c.touched[0]
}

// onto is the pending state, with its updates made again where what is committed
// has moved since the call touched the panel.
func (p *pending) onto(committed State) (State, *Error) {
	if p.now.View != nil || committed.Revision == p.base.Revision {
		return p.now, nil
	}
	s := committed
	if s.ID == "" { // it made room for another panel
		s = p.base
		s.Revision, s.Document, s.Closed = 0, Document{}, false
	}
	for _, u := range p.updates {
		if u.BaseRevision != 0 {
			return s, fail(CodeRevisionConflict, "panel %q is at revision %d, as another call has changed it meanwhile", p.now.Panel, committed.Revision)
		}
		next, err := s.after(u)
		if err != nil {
			return s, fail(CodeRevisionConflict, "panel %q is at revision %d, as another call has changed it meanwhile, and the update does not fit that: %s", p.now.Panel, committed.Revision, err.Message)
		}
		s = next
	}
	s.Updated = p.now.Updated
	return s, nil
}
