package app

import (
	"sync"

	"raw/contract"
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
	listen := sync.OnceValue(func() string {
		server, err := control.Listen(a.settings.Config.Ledger.Folder, line, a.settings.Log)
		if err != nil {
			a.settings.Log.Warn("nobody can reach this server with raw-mcp approve", "error", err)
			return ""
		}
		a.atEnd(server.Close)
		return approveCommand
	})
	if line.session, err = a.open(surface, listen); err != nil {
		return nil, nil, err
	}
	return line.session, func() { listen() }, nil
}

// commandLine is a session as a person's command line sees it.
type commandLine struct{ session *contract.Session }

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
