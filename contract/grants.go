package contract

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"raw/contract/value"
)

// Grant is an answer that was given for the session.
type Grant struct {
	ID    string
	Text  string // what it covers
	Allow bool
	Since time.Time
}

// grants are the answers of a session that are remembered. A rejection counts
// before an allowance. Its methods may be called at once.
type grants struct {
	mu    sync.Mutex
	last  int
	given map[string]grant // by id
}

type grant struct {
	Grant
	keys []string
}

// open is which of asks nobody has answered yet. rejected says which answer
// was no.
func (g *grants) open(asks []ask) (open []ask, rejected string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range asks {
		for _, keys := range a.needs {
			if text, no := g.covers(keys, false); no {
				return nil, text
			}
		}
		covered := len(a.needs) > 0
		for _, keys := range a.needs {
			_, yes := g.covers(keys, true)
			covered = covered && yes
		}
		if !covered {
			open = append(open, a)
		}
	}
	return open, ""
}

// covers reports whether one of keys was allowed, or rejected.
func (g *grants) covers(keys []string, allow bool) (text string, ok bool) {
	for _, given := range g.given {
		if given.Allow == allow && slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(given.keys, k) }) {
			return given.Text, true
		}
	}
	return "", false
}

// add remembers an answer to asks.
func (g *grants) add(asks []ask, allow bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	given := grant{Grant: Grant{ID: fmt.Sprintf("gr-%d", g.last), Text: scopeOf(asks), Allow: allow, Since: time.Now()}}
	for _, a := range asks {
		for _, keys := range a.needs {
			given.keys = append(given.keys, keys[0])
		}
	}
	if len(given.keys) == 0 {
		return // nothing of it can be remembered
	}
	if g.given == nil {
		g.given = map[string]grant{}
	}
	g.given[given.ID] = given
}

// Grants lists the answers that were given for this session, oldest first.
func (s *Session) Grants() []Grant {
	s.grants.mu.Lock()
	defer s.grants.mu.Unlock()
	var list []Grant
	for _, g := range s.grants.given {
		list = append(list, g.Grant)
	}
	slices.SortFunc(list, func(a, b Grant) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return list
}

// Revoke takes an answer for the session back. It reports whether there was one.
func (s *Session) Revoke(id string) bool {
	s.grants.mu.Lock()
	defer s.grants.mu.Unlock()
	_, ok := s.grants.given[id]
	delete(s.grants.given, id)
	return ok
}

const (
	// pendingFor is how long a person may take to approve a refused call, and
	// the model to make it again.
	pendingFor = 10 * time.Minute
	// maxPending bounds the refused calls that are remembered.
	maxPending = 100
)

// Pending is a call that was refused because nobody could be asked.
type Pending struct {
	ID        string
	Identity  Identity
	Name      string
	Arguments value.Object
	Reasons   []string
	Until     time.Time
	Approved  bool // it will be let through once
}

// pending are the calls that wait for a person on a second path. Its methods
// may be called at once.
type pending struct {
	mu    sync.Mutex
	calls []Pending
}

// add remembers a refused call and returns its id; the same call keeps its id.
func (p *pending) add(t *entry, args value.Object, reasons []string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	for i := range p.calls {
		if c := &p.calls[i]; c.Identity == t.Identity && c.Arguments.Equal(args.Value) {
			c.Until = time.Now().Add(pendingFor)
			return c.ID
		}
	}
	if len(p.calls) == maxPending {
		p.calls = p.calls[1:]
	}
	id := "ap-" + strings.ToLower(rand.Text()[:8])
	p.calls = append(p.calls, Pending{
		ID: id, Identity: t.Identity, Name: t.Name, Arguments: args, Reasons: reasons, Until: time.Now().Add(pendingFor),
	})
	return id
}

// take reports whether this very call was approved, and uses that up.
func (p *pending) take(identity Identity, args value.Object) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	i := slices.IndexFunc(p.calls, func(c Pending) bool {
		return c.Approved && c.Identity == identity && c.Arguments.Equal(args.Value)
	})
	if i < 0 {
		return false
	}
	p.calls = slices.Delete(p.calls, i, i+1)
	return true
}

func (p *pending) expire() {
	now := time.Now()
	p.calls = slices.DeleteFunc(p.calls, func(c Pending) bool { return now.After(c.Until) })
}

// PendingApprovals lists the refused calls that a person may still approve.
func (s *Session) PendingApprovals() []Pending {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	s.pending.expire()
	return slices.Clone(s.pending.calls)
}

// ApproveOnce lets a refused call through once, when the model makes it again.
// Only a person may be behind it: nothing that a model can call reaches it. It
// reports whether there is such a call.
func (s *Session) ApproveOnce(id string) bool {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	s.pending.expire()
	for i := range s.pending.calls {
		if s.pending.calls[i].ID == id {
			s.pending.calls[i].Approved = true
			return true
		}
	}
	return false
}
