package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// listen holds a subscription of the era without a handshake open until it is
// cancelled. The library's own would lose the type of the request's id.
func (c *conn) listen(ctx context.Context, f frame) answer {
	var p struct {
		Notifications mcp.SubscriptionFilter `json:"notifications"`
		Meta          callMeta               `json:"_meta"`
	}
	if err := json.Unmarshal(f.Params, &p); err != nil {
		return answer{fault: &wireError{codeInvalidParams, "subscriptions/listen: " + err.Error()}}
	}
	if !p.Meta.modern() || !c.core.accepts(p.Meta) {
		return c.core.handle(ctx, f)
	}
	allowed := mcp.SubscriptionFilter{
		ToolsListChanged: p.Notifications.ToolsListChanged, ResourcesListChanged: p.Notifications.ResourcesListChanged,
	}
	for _, uri := range p.Notifications.ResourceSubscriptions {
		if subscribable(uri) && len(allowed.ResourceSubscriptions) < maxSubscriptions {
			allowed.ResourceSubscriptions = append(allowed.ResourceSubscriptions, uri)
		}
	}
	c.notify(mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{
		"_meta": map[string]any{mcp.MetaKeySubscriptionID: f.ID}, "notifications": allowed,
	})
	if !allowed.IsEmpty() {
		own := &listener{f.ID, allowed}
		c.mu.Lock()
		c.listens = append(c.listens, own)
		c.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-c.inputEnded:
		}
		c.mu.Lock()
		c.listens = slices.DeleteFunc(c.listens, func(l *listener) bool { return l == own })
		c.mu.Unlock()
	}
	body, err := encode(map[string]any{
		"resultType": mcp.ResultTypeComplete,
		"_meta":      map[string]any{mcp.MetaKeySubscriptionID: f.ID, mcp.MetaKeyServerInfo: c.core.identity()},
	})
	if err != nil {
		return answer{fault: &wireError{codeInternal, err.Error()}}
	}
	return answer{result: body}
}

// catalogChanged tells the host that the list is another one: on the
// subscriptions of the new era, and after a handshake as in the old one.
func (c *conn) catalogChanged() {
	for _, l := range c.listening() {
		if l.filter.ToolsListChanged {
			c.notify(mcp.MethodNotificationToolsListChanged, map[string]any{"_meta": l.meta()})
		}
	}
	if c.core.session.ProtocolVersion() != "" {
		c.notify(mcp.MethodNotificationToolsListChanged, nil)
	}
}
