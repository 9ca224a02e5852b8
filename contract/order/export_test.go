package order

// Idle reports whether nothing is left of any call.
func (q *Queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lanes) == 0 && len(q.waiting) == 0 && q.taken == 0
}

// Holder is what a notice would tell just now.
func (p *Place) Holder() (Holder, bool) { return p.holder() }
