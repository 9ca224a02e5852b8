package panel

import (
	"cmp"
	"crypto/rand"
	"slices"
	"sync"

	"raw/contract/value"
)

// Owner is the tool that writes panels.
type Owner struct {
	Identity string
	Declared []Declaration
	// Implicit lets it write panels that it never declared.
	Implicit bool
}

// Call is what one running call makes of its tool's panels: a state of its own
// over the committed one, until Settle commits it. Its methods may be called at
// once.
type Call struct {
	host  *Host
	owner Owner
	id    string

	mu       sync.Mutex
	settled  bool
	touched  []*pending       // in the order of their first update
	views    map[string]*View // of its chat panels
	rejected []Rejection
}

// pending is a panel as a call has made it so far.
type pending struct {
	base    State // committed when the call touched it first
	now     State
	updates []Update // that were accepted
}

// Rejection is an update that was not accepted.
type Rejection struct {
	Panel string // as the owner spelled it; cut when it is no id at all
	Err   *Error
}

const (
	maxRejections = 64 // that a call keeps
	maxTitle      = 40 // characters of a declaration's title
)

// Begin gives a call that is about to run its panels. id is the client's id of the
// call.
func (h *Host) Begin(o Owner, id string) *Call {
	return &Call{host: h, owner: o, id: id}
}

// Update applies one update, {"panel","op",…}, and returns the panel's revision
// then. An error leaves the panel as it was. After Settle it is
// CodeClosedContext.
func (c *Call) Update(v value.Value) (revision int, err *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, _ := v.Field("panel").Str()
	if c.settled {
		return 0, fail(CodeClosedContext, "update of %q called after the handler settled", clip(name))
	}
	p, err := c.update(name, v)
	if err != nil {
		c.reject(name, err)
		return 0, err
	}
	p.now = c.host.show(p.now)
	return p.now.Revision, nil
}

// reject keeps a rejection when a line or a receipt will need it. mu is held.
func (c *Call) reject(name string, err *Error) {
	if !isID(name) {
		name = clip(name)
	}
	again := slices.ContainsFunc(c.rejected, func(r Rejection) bool { return r.Panel == name })
	if len(c.rejected) < maxRejectedLines || !again && len(c.rejected) < maxRejections {
		c.rejected = append(c.rejected, Rejection{name, err})
	}
}

// update is the panel with the update made. mu is held.
func (c *Call) update(name string, v value.Value) (p *pending, err *Error) {
	declaration, err := c.declared(name, v)
	if err != nil {
		return nil, err
	}
	u, err := ParseUpdate(withoutType(v))
	if err != nil {
		return nil, err
	}
	p = c.pending(declaration)
	next, err := p.now.after(u)
	if err != nil {
		return nil, err
	}
	if len(p.updates) == maxUpdates {
		return nil, fail(CodeRateLimited, "more than %d updates to %q in one tool call", maxUpdates, declaration.ID)
	}
	if next.View == nil && p.now.Document.IsZero() {
		if err := c.fits(next.ID); err != nil {
			return nil, err
		}
	}
	next.Updated = c.host.now()
	p.now, p.updates = next, append(p.updates, u)
	if len(p.updates) == 1 {
		c.touched = append(c.touched, p)
	}
	return p, nil
}

// withoutType takes the type of a result block away, if there is one.
func withoutType(v value.Value) value.Value {
	if kind, _ := v.Field("type").Str(); kind != "panel" {
		return v
	}
	tree := map[string]any{}
	for name, field := range v.Fields() {
		if name != "type" {
			tree[name] = field.Tree()
		}
	}
	return value.FromTree(tree)
}

// declared finds the panel that a name means, in either spelling.
func (c *Call) declared(name string, v value.Value) (Declaration, *Error) {
	if v.Field("panel").Kind() != value.String {
		return Declaration{}, fail(CodeInvalid, "/panel: want the id of a panel")
	}
	id := name
	if owner, panel, full := split(name); full {
		if owner != c.owner.Identity {
			return Declaration{}, fail(CodeNotOwned, "panel %q belongs to another tool than %s", clip(name), c.owner.Identity)
		}
		id = panel
	}
	for _, d := range c.owner.Declared {
		if d.ID == id {
			return d, nil
		}
	}
	if !c.owner.Implicit {
		return Declaration{}, fail(CodeUndeclared, "tool %s did not declare panel %q", c.owner.Identity, clip(id))
	}
	if !grammarPanel.matches(id) {
		return Declaration{}, fail(CodeInvalid, "/panel: %q does not match %s", clip(id), grammarPanel)
	}
	title, _ := v.Field("document").Field("title").Str()
	return Declaration{ID: id, Title: cut(cmp.Or(oneLine(title), id), maxTitle)}, nil
}

// pending is the call's state of a panel, begun over the committed one. mu is
// held.
func (c *Call) pending(d Declaration) *pending {
	id := c.owner.Identity + "#" + d.ID
	if at := slices.IndexFunc(c.touched, func(p *pending) bool { return p.now.ID == id }); at >= 0 {
		return c.touched[at]
	}
	base := State{ID: id, Panel: d.ID, Owner: c.owner.Identity, Declaration: d}
	if d.Placement == PlacementChat {
		base.View = c.view(d.ID)
	} else if committed, ok := c.host.committed(id); ok {
		base = committed
	}
	return &pending{base: base, now: base}
}

// view is the call's view of a chat panel. mu is held.
func (c *Call) view(panel string) *View {
	if c.views[panel] == nil {
		if c.views == nil {
			c.views = map[string]*View{}
		}
		c.views[panel] = &View{InstanceID: rand.Text(), ToolCallID: c.id, Owner: c.owner.Identity, Panel: panel}
	}
	return c.views[panel]
}

// after is what an update makes of a state.
func (s State) after(u Update) (State, *Error) {
	if s.Document.IsZero() && u.Op != OpReplace {
		return s, fail(CodeUnknown, "panel %q has no document yet", s.Panel)
	}
	document, closed, err := u.Apply(s.Document, s.Closed)
	if err != nil {
		return s, err
	}
	if u.BaseRevision != 0 && u.BaseRevision != s.Revision {
		return s, fail(CodeRevisionConflict, "panel %q is at revision %d, not %d", s.Panel, s.Revision, u.BaseRevision)
	}
	s.Document, s.Closed = document, closed
	s.Revision++
	return s, nil
}

// fits reports whether one more panel may have a document. mu is held.
func (c *Call) fits(id string) *Error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	_, err := c.host.room(c.takes(id))
	return err
}

// takes are the sidebar panels of the call, and one more.
func (c *Call) takes(more ...string) map[string]bool {
	ids := map[string]bool{}
	for _, p := range c.touched {
		if p.now.View == nil {
			ids[p.now.ID] = true
		}
	}
	for _, id := range more {
		ids[id] = true
	}
	return ids
}

// Get is what a panel of the tool is now, for this call: what it has made of it
// over what is committed. A panel without a document has revision zero.
func (c *Call) Get(panel string) (State, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.declared(panel, value.FromTree(map[string]any{"panel": panel}))
	if err != nil {
		return State{}, err
	}
	return c.pending(d).now, nil
}
