package contract

import (
	"encoding/json"
	"errors"

	"raw/contract/ledger"
	"raw/contract/panel"
	"raw/contract/value"
)

// Panel is an update of a panel, {"panel","op",…} as in PANELS.md §5, beside
// the content of a result. The dispatcher takes it out before anybody else sees
// the result; one that is not accepted never fails the call.
type Panel struct{ Update value.Value }

func (Panel) block() {}

// PanelUpdate makes a block of update, which encodes as an update. It panics
// when it does not encode as an object: that is a mistake in the program.
func PanelUpdate(update any) Panel {
	o, err := value.Of(update)
	if err != nil {
		panic("contract: a panel update: " + err.Error())
	}
	return Panel{o.Value}
}

// Panels are the panels of a session, as surfaces read them. The methods may be
// called at once.
type Panels interface {
	// States are the sidebar panels that have a document, closed ones among
	// them, the most recently updated first. Views are the chat panels of calls.
	States() []panel.State
	Views() []panel.State
	// Lookup finds a panel by its full id.
	Lookup(id string) (panel.State, bool)
	// Since gives what has changed since a cursor that it gave before; zero
	// gives everything.
	Since(cursor uint64) (changed []panel.State, removed []string, next uint64)
}

// Panels are the session's panels.
func (s *Session) Panels() Panels { return s.panels }

// UpdatePanel applies one update, {"panel","op",…}, while the handler runs, and
// returns the new revision. The error is a *panel.Error; it leaves the panel as
// it was.
func (c *Call) UpdatePanel(update value.Value) (revision int, err error) {
	revision, fault := c.panels.Update(update)
	if fault != nil {
		return revision, fault
	}
	return revision, nil
}

// Panel is what a panel of the tool is now, for this call. The error is a
// *panel.Error.
func (c *Call) Panel(id string) (panel.State, error) {
	state, fault := c.panels.Get(id)
	if fault != nil {
		return state, fault
	}
	return state, nil
}

// beginPanels gives the call about to run its panels.
func (t *Ticket) beginPanels() {
	t.panels = t.session.panels.Begin(panel.Owner{Identity: string(t.tool.Identity), Declared: t.tool.Panels}, t.request.ID)
}

// takePanels takes the panel blocks out of a result, applies them, and commits
// all that the call has made of its panels.
func (t *Ticket) takePanels(res Result) Result {
	content := make([]Block, 0, len(res.Content))
	for _, b := range res.Content {
		if p, ok := b.(Panel); ok {
			_, _ = t.panels.Update(p.Update) // what is rejected comes back from Settle
			continue
		}
		content = append(content, b)
	}
	onlyPanels := len(content) == 0 && len(res.Content) > 0
	t.settled = t.panels.Settle()
	res.Content, res.Panels = content, t.settled.Committed
	if onlyPanels {
		res = res.withLines(t.settled.Lines())
	}
	return res.withLines(t.settled.RejectionLines())
}

func (r Result) withLines(lines []string) Result {
	for _, line := range lines {
		if len(r.Content) == 0 {
			r.Content = []Block{Text(line)}
			continue
		}
		r = r.withLine(line)
	}
	return r
}

// panelReceipts are the panels of a call as its receipt records them.
func (t *Ticket) panelReceipts() []ledger.Panel {
	documents := map[string]json.RawMessage{}
	for _, s := range t.settled.Committed {
		documents[s.ID] = s.JSON()
	}
	var list []ledger.Panel
	for _, r := range t.settled.Receipts() {
		entry := ledger.Panel{Receipt: r.JSON()}
		if r.Code == "" {
			entry.State = documents[r.Panel]
		}
		list = append(list, entry)
	}
	return list
}

// Act runs a tool action of a panel: a call like any other, made by a person.
// A click approves nothing. The error says why there is nothing to run.
func (s *Session) Act(click panel.Click) (Request, error) {
	p, err := s.panels.Prepare(click)
	if err != nil {
		return Request{}, err
	}
	e := s.registry.byIdentity[Identity(p.State.Owner)]
	if e == nil || p.Action.Kind != panel.ActionTool {
		return Request{}, errors.New("the action runs no tool of this server")
	}
	return Request{Name: e.Name, Arguments: json.RawMessage(p.Arguments.Source()), Source: SourceUserAction, action: &p}, nil
}
