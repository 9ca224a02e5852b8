package app

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/value"
	"raw/internal/control"
)

// approveCommand lets a person decide about a call that nobody could be asked
// about.
const approveCommand = "raw-mcp approve"

// OpenServed is Open for a session that a person can reach from a command line
// while it lives. reachable makes it so, at once, and is called by itself when
// a refusal names the way; a start does not wait for it.
func (a *App) OpenServed(surface contract.Surface) (session *contract.Session, reachable func(), err error) {
	line := &commandLine{}
	attach := "raw-mcp panels --follow"
	listen := sync.OnceValue(func() string {
		server, err := control.Listen(a.settings.Config.Ledger.Folder, line, a.settings.Log)
		if err != nil {
			a.settings.Log.Warn("nobody can reach this server with raw-mcp approve", "error", err)
			return ""
		}
		a.atEnd(server.Close)
		return approveCommand
	})
	if line.session, err = a.open(surface, reach{secondPath: listen, attachPath: attach, attached: line.attached}); err != nil {
		return nil, nil, err
	}
	return line.session, func() { listen() }, nil
}

// commandLine is a session as a person's command line sees it.
type commandLine struct {
	session   *contract.Session
	terminals atomic.Int32 // that are attached
}

// attached reports whether a person watches in a terminal.
func (c *commandLine) attached() bool { return c.terminals.Load() > 0 }

// Approvals implements control.Handler.
func (c *commandLine) Approvals() ([]control.Call, []control.Grant) {
	var calls []control.Call
	for _, p := range c.session.PendingApprovals() {
		calls = append(calls, control.Call{
			ID: p.ID, Tool: p.Name, Identity: string(p.Identity), Arguments: p.Arguments.JSON(),
			Reasons: p.Reasons, Until: p.Until, Approved: p.Approved,
		})
	}
	var grants []control.Grant
	for _, g := range c.session.Grants() {
		grants = append(grants, control.Grant{ID: g.ID, Text: g.Text, Since: g.Since, Allow: g.Allow})
	}
	return calls, grants
}

// Approve implements control.Handler.
func (c *commandLine) Approve(id string) bool { return c.session.ApproveOnce(id) }

// Revoke implements control.Handler.
func (c *commandLine) Revoke(id string) bool { return c.session.Revoke(id) }

// Questions implements control.Handler.
func (c *commandLine) Questions() []control.Question {
	var list []control.Question
	for _, q := range c.session.Questions() {
		list = append(list, control.Question{ID: q.ID, Title: q.Title, Panel: q.Panel, Deadline: q.Deadline, Body: q.JSON()})
	}
	return list
}

// Answer implements control.Handler.
func (c *commandLine) Answer(submission json.RawMessage) error {
	o, err := value.ParseObject(submission)
	if err != nil {
		return err
	}
	s, err := interaction.ParseSubmission(o.Value)
	if err != nil {
		return err
	}
	s.By = "terminal"
	_, err = c.session.Answer(s)
	return err
}

// Attach implements control.Handler.
func (c *commandLine) Attach() (detach func()) {
	c.terminals.Add(1)
	return func() { c.terminals.Add(-1) }
}
