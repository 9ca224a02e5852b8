package contract

import (
	"fmt"

	"raw/contract/catalog"
)

// Query asks for deferred tools.
type Query struct {
	Text  string // what the tool should do, or a pattern
	Regex bool   // Text is RE2, looked for in names and descriptions
	Max   int    // at most 8; zero means 8
}

// Found is a tool that a search has found.
type Found struct {
	Spec
	Left string // why it was not activated; empty: it was
}

// searchable are the deferred tools that policy lets a model see, and their index.
type searchable struct {
	view  *view // whose policy it was
	tools []*entry
	index *catalog.Index
}

func (s *Session) searchable() *searchable {
	v := s.view()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deferred != nil && s.deferred.view == v {
		return s.deferred
	}
	found := &searchable{view: v}
	var docs []catalog.Doc
	for _, e := range s.registry.order {
		if e.Deferred && !v.hidden(e) {
			found.tools = append(found.tools, e)
			docs = append(docs, catalog.Doc{Name: e.Name, Description: e.Description, Schema: e.Input})
		}
	}
	found.index = catalog.NewIndex(docs)
	s.deferred = found
	return found
}

// Find searches the deferred tools, the best first, and activates what it finds
// in the call's conversation. names are all that could be found. The error says
// what is wrong with a pattern.
func (c *Call) Find(q Query) (found []Found, names []string, err error) {
	if c.session == nil {
		return nil, nil, fmt.Errorf("search for tools: this call has no session")
	}
	all := c.session.searchable()
	most := q.Max
	if most <= 0 || most > catalog.MaxActive {
		most = catalog.MaxActive
	}
	var hits []catalog.Hit
	if q.Regex {
		if hits, err = all.index.Match(q.Text, most); err != nil {
			return nil, nil, err
		}
	} else {
		hits = all.index.Search(q.Text, most)
	}
	for _, h := range hits {
		e := all.tools[h.Doc]
		f := Found{Spec: e.spec()}
		if err := c.session.activate(c.lane, e); err != nil {
			f.Left = err.Error()
		}
		found = append(found, f)
	}
	for _, e := range all.tools {
		names = append(names, e.Name)
	}
	return found, names, nil
}

// FindNote is a line that belongs behind what a search has found, for the client
// of this call; empty for none.
func (c *Call) FindNote() string { return c.findNote }
