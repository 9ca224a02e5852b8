package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract/interaction"
	"raw/contract/panel"
)

// changes are the resources that have changed and of which the host was not told
// yet. However often one changes meanwhile, the host is told once. The zero
// changes is empty; its methods may be called at once.
type changes struct {
	once sync.Once
	wake chan struct{}

	mu      sync.Mutex
	known   map[string]bool // panels that were listed
	updated map[string]bool
	listed  bool // the list is another one
}

func (c *changes) woken() chan struct{} {
	c.once.Do(func() { c.wake = make(chan struct{}, 1) })
	return c.wake
}

// mark notes a change and never blocks.
func (c *changes) mark(uris ...string) {
	c.mu.Lock()
	if c.updated == nil {
		c.updated, c.known = map[string]bool{}, map[string]bool{}
	}
	for _, uri := range uris {
		c.updated[uri] = true
		if uri != sessionURI && !c.known[uri] {
			c.known[uri], c.listed = true, true
		}
	}
	c.mu.Unlock()
	select {
	case c.woken() <- struct{}{}:
	default:
	}
}

func (c *changes) take() (updated []string, listed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	updated, listed = slices.Sorted(maps.Keys(c.updated)), c.listed
	c.updated, c.listed = map[string]bool{}, false
	return updated, listed
}

// framed is the surface's Frame: a panel is another one.
func (c *conn) framed(f panel.Frame) { c.changes.mark(panelURI(f.State), sessionURI) }

// questioned is the surface's Asked: a question is another one.
func (c *conn) questioned(interaction.View) { c.changes.mark(sessionURI) }

// announce tells the host of changes until ctx ends.
func (c *conn) announce(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.changes.woken():
		}
		updated, listed := c.changes.take()
		if listed {
			c.resourcesListed()
		}
		for _, uri := range updated {
			c.resourceUpdated(uri)
		}
	}
}

func (c *conn) resourcesListed() {
	for _, l := range c.listening() {
		if l.filter.ResourcesListChanged {
			c.notify(mcp.MethodNotificationResourcesListChanged, map[string]any{"_meta": l.meta()})
		}
	}
	if c.core.session.ProtocolVersion() != "" {
		c.notify(mcp.MethodNotificationResourcesListChanged, nil)
	}
}

func (c *conn) resourceUpdated(uri string) {
	for _, l := range c.listening() {
		if slices.Contains(l.filter.ResourceSubscriptions, uri) {
			c.notify(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri, "_meta": l.meta()})
		}
	}
	if c.core.session.IsSubscribedToResource(uri) {
		c.notify(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
	}
}

// listener is an open subscriptions/listen request.
type listener struct {
	id     json.RawMessage
	filter mcp.SubscriptionFilter
}

func (l listener) meta() map[string]any { return map[string]any{mcp.MetaKeySubscriptionID: l.id} }

func (c *conn) listening() []*listener {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.listens)
}
