package panel

import (
	"sync"
	"time"
)

// frameEvery is how often a panel is shown while its call runs.
const frameEvery = 250 * time.Millisecond

// frames paces what surfaces get.
type frames struct {
	send func(Frame)

	mu     sync.Mutex // held from a change to its frame, which keeps their order; before Host.mu
	closed bool
	panels map[string]*pace
}

// pace is how one panel is shown.
type pace struct {
	waiting *Frame
	timer   *time.Timer // runs while no frame may be sent
}

func newFrames(send func(Frame)) frames {
	return frames{send: send, panels: map[string]*pace{}}
}

// live shows a state of a running call: at once, or as soon as the panel may be
// shown again, unless a later one comes first. mu is held.
func (f *frames) live(s State) {
	if f.send == nil || f.closed {
		return
	}
	key := s.key()
	p := f.panels[key]
	if p == nil {
		p = &pace{}
		f.panels[key] = p
	}
	if p.timer != nil {
		p.waiting = &Frame{State: s, Live: true}
		return
	}
	f.paced(key, p, Frame{State: s, Live: true})
}

// paced sends a frame and has the next one wait. mu is held.
func (f *frames) paced(key string, p *pace, frame Frame) {
	p.timer = time.AfterFunc(frameEvery, func() { f.due(key, p) })
	f.send(frame)
}

// due sends what waited, or forgets the panel.
func (f *frames) due(key string, p *pace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panels[key] != p { // closed, or forgotten
		return
	}
	if p.waiting == nil {
		delete(f.panels, key)
		return
	}
	frame := *p.waiting
	p.waiting = nil
	f.paced(key, p, frame)
}

// last shows a committed state at once, in place of the live ones that wait. mu
// is held.
func (f *frames) last(s State) {
	if f.send == nil || f.closed {
		return
	}
	if p := f.panels[s.key()]; p != nil {
		p.waiting = nil
	}
	f.send(Frame{State: s})
}

func (f *frames) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, p := range f.panels {
		p.timer.Stop()
	}
	f.panels = nil
}
