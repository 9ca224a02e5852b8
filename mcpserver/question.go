package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
	"raw/contract/interaction"
	"raw/panelbridge"
)

// asker picks the way in which a question of this request is put: a form of the
// client, else the panel view where the client shows apps, else none of this
// surface's (PANELS.md §8).
func (c *conn) asker(m callMeta, form contract.Asker) func(context.Context) contract.Asker {
	capabilities := c.capabilitiesOf(m)
	return func(context.Context) contract.Asker {
		switch {
		case elicits(capabilities):
			return form
		case hasApps(capabilities):
			return c.askInView
		}
		return nil
	}
}

// askInView waits for an answer that comes from the view.
func (c *conn) askInView(ctx context.Context, _ interaction.View, _ string) (interaction.Reply, error) {
	if !c.views.awaits(ctx) {
		return interaction.Reply{}, contract.ErrNobody
	}
	<-ctx.Done() // it was answered, or has ended
	return interaction.Reply{}, context.Cause(ctx)
}

// elicitForm puts a question in the old era, by a request of the server.
func (c *conn) elicitForm(ctx context.Context, v interaction.View, fault string) (interaction.Reply, error) {
	version := c.core.session.ProtocolVersion()
	params := panelbridge.Elicitation(v, fault, version >= mcp.ProtocolVersion20251125)
	if version < mcp.ProtocolVersion20251125 {
		delete(params, "mode")
	}
	body, err := c.ask(ctx, string(mcp.MethodElicitationCreate), params)
	if err != nil {
		return interaction.Reply{}, err
	}
	return panelbridge.Elicited(v, body)
}

// question puts a question in the new era: the call is parked until the retry
// that brings the answer.
func (v *visit) question(ctx context.Context, q interaction.View, fault string) (interaction.Reply, error) {
	body, err := v.parked(ctx, &parkedAsk{key: questionKey, params: panelbridge.Elicitation(q, fault, true), answer: make(chan json.RawMessage, 1)})
	if err != nil {
		return interaction.Reply{}, err
	}
	return panelbridge.Elicited(q, body)
}

// capabilitiesOf are what the client of a request can do: in the new era what
// the request says, else what the handshake said. Nil: it did not say.
func (c *conn) capabilitiesOf(m callMeta) *mcp.ClientCapabilities {
	if m.modern() {
		return m.capabilities()
	}
	if c.core.session.ProtocolVersion() == "" {
		return nil
	}
	capabilities := c.core.session.GetClientCapabilities()
	return &capabilities
}

// until is when this client gives a call up by itself: nobody is asked for
// longer. In the new era a call that asks by a form is parked, and has no end.
func (c *conn) until(client string, m callMeta) time.Time {
	limit := clientNamed(client).limit
	if own := c.options.CallLimit; own > 0 {
		limit = own
	}
	if limit == 0 || m.modern() && elicits(m.capabilities()) {
		return time.Time{}
	}
	return time.Now().Add(limit - limit/20)
}
