package panel

// Settled is what has become of a call's updates.
type Settled struct {
	Committed []State // a state for each panel that the call has changed
	// Rejected says first, when nothing was committed, why: once for each panel
	// that the call had changed. Then come the updates that were not accepted, in
	// order: the first five, and the first of each other panel, 64 at most.
	Rejected []Rejection
}

// Settle commits what the call has made of its panels, all of it or nothing:
// where another call has committed meanwhile, the updates are applied to what it
// left, and when they do not fit that, nothing of this call holds. It is called
// for a call that failed or was cancelled, too; the second time it does nothing.
// Update fails from then on; Get goes on.
func (c *Call) Settle() Settled {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled {
		return Settled{}
	}
	c.settled = true
	f := &c.host.frames
	f.mu.Lock()
	defer f.mu.Unlock()
	states, stopped, why := c.commit()
	var discarded []Rejection
	for i, p := range c.touched {
		if why == nil {
			p.now = states[i]
			f.last(p.now)
			continue
		}
		err := why
		if p != stopped {
			err = fail(why.Code, "not committed, as panel %q was not: %s", stopped.now.Panel, why.Message)
		}
		discarded = append(discarded, Rejection{p.now.Panel, err})
		p.now = c.host.takeBack(p.now)
	}
	return Settled{Committed: states, Rejected: append(discarded, c.rejected...)}
}

// commit makes the call's states the committed ones, or says which panel stood
// in the way; then it changes nothing.
func (c *Call) commit() (states []State, stopped *pending, why *Error) {
	h := c.host
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range c.touched {
		s, err := p.onto(h.panels[p.now.ID])
		if err != nil {
			return nil, p, err
		}
		states = append(states, s)
	}
	evicted, err := h.room(c.takes())
	if err != nil {
		return nil, c.newest(), err
	}
	for _, id := range evicted {
		h.remove(id)
	}
	for i, s := range states {
		states[i] = h.put(s)
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
	// The revision is not enough: a panel that made room can have come back.
	if p.now.View != nil || committed.Revision == p.base.Revision && committed.Closed == p.base.Closed &&
		committed.Document.JSON() == p.base.Document.JSON() {
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
