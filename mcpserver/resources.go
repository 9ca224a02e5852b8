package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
	"raw/contract/panel"
	"raw/contract/value"
	"raw/panelbridge"
)

// Resources are for people: every panel, what the session is, and the page that
// shows panels. mcp-go lists and reads them through the session, so that its
// eras hold for them too.
const (
	panelScheme = "panel://"
	sessionURI  = "raw://session"
)

// panelURI is the address of a panel: panel://<owner>/<id>, and for the view of
// one call @<instance> behind it.
func panelURI(s panel.State) string {
	uri := panelScheme + s.Owner + "/" + s.Panel
	if s.View != nil {
		uri += "@" + s.View.InstanceID
	}
	return uri
}

// resources are all that a session has, by address.
func resources(session *contract.Session, o Options) map[string]server.ServerResource {
	all := map[string]server.ServerResource{}
	add := func(uri, name, title, description, mime string, read func() []mcp.ResourceContents) {
		r := mcp.Resource{URI: uri, Name: name, Title: title, Description: description, MIMEType: mime}
		r.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}
		all[uri] = server.ServerResource{Resource: r, Handler: func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return read(), nil
		}}
	}
	text := func(uri, mime, body string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: body}
	}
	add(sessionURI, "session", "Session", "What this server is and holds open: versions, roots, mode, posture, limits, counts.", "application/json",
		func() []mcp.ResourceContents {
			return []mcp.ResourceContents{text(sessionURI, "application/json", sessionJSON(session, o))}
		})
	add(viewURI, "panels", "Panels", "The page that shows panels and questions.", uiMIME,
		func() []mcp.ResourceContents {
			return []mcp.ResourceContents{mcp.TextResourceContents{
				URI: viewURI, MIMEType: uiMIME, Text: panelbridge.View(),
				Meta: map[string]any{"ui": map[string]any{"prefersBorder": false}},
			}}
		})
	add(mermaidURI, "mermaid", "Mermaid", "The library with which the page of panels draws diagrams.", "text/javascript",
		func() []mcp.ResourceContents {
			library, err := panelbridge.Mermaid()
			if err != nil {
				o.Log.Error("the page of panels gets no library for diagrams", "error", err)
			}
			return []mcp.ResourceContents{text(mermaidURI, "text/javascript", library)}
		})
	for _, s := range slices.Concat(session.Panels().States(), session.Panels().Views()) {
		uri := panelURI(s)
		add(uri, strings.TrimPrefix(uri, panelScheme), title(s), s.Document.Summary(), "application/json",
			func() []mcp.ResourceContents {
				return []mcp.ResourceContents{
					text(uri, "application/json", string(s.JSON())),
					text(uri, "text/plain", s.Document.Text()),
				}
			})
	}
	return all
}

func title(s panel.State) string {
	if t := s.Document.Title(); t != "" {
		return t
	}
	return s.Declaration.Title
}

// sessionJSON is what raw://session says. There are no secrets in it.
func sessionJSON(session *contract.Session, o Options) string {
	info := session.Info()
	body, err := encode(map[string]any{
		"server": map[string]string{"name": o.Name, "version": o.Version},
		"versions": map[string]string{
			"tools": "raw.tool-api/2", "panels": "raw.panel/2", "hooks": "raw.hook/2",
		},
		"roots": info.Roots, "mode": info.Mode, "posture": info.Posture,
		"catalog_sha256": catalogDigest(served(session.Specs(), catalogFor(o.Catalog, "", false), nil)),
		"limits":         map[string]int{"running": info.Running, "output_chars": info.OutputChars},
		"open":           map[string]int{"panels": info.OpenPanels, "questions": info.Questions, "approvals": info.Approvals},
	})
	if err != nil {
		return "{}"
	}
	return string(body)
}

// catalogDigest names a list of tools (CONTRACT.md §13).
func catalogDigest(specs []contract.Spec) string {
	h := sha256.New()
	for _, s := range specs {
		schema := string(compact(s.Input))
		if o, err := value.ParseObject([]byte(s.Input)); err == nil {
			schema = o.JSON()
		}
		fmt.Fprintf(h, "%s\x01%s\x01%s\n", s.Name, s.Description, schema)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// GetSessionResources implements server.SessionWithResources.
func (p *peer) GetSessionResources() map[string]server.ServerResource {
	return resources(p.conn.session, p.conn.options)
}

// SetSessionResources implements server.SessionWithResources. Nothing sets them:
// they are the session's.
func (p *peer) SetSessionResources(map[string]server.ServerResource) {}

// SubscribeToResourceErr implements server.SessionWithResourceSubscriptionsErr.
func (p *peer) SubscribeToResourceErr(uri string) error {
	if !subscribable(uri) {
		return fmt.Errorf("%s does not change; panels (panel://…) and raw://session do", uri)
	}
	p.SubscribeToResource(uri)
	if !p.IsSubscribedToResource(uri) {
		return fmt.Errorf("%d resources are subscribed to already; unsubscribe from some", maxSubscriptions)
	}
	return nil
}

func subscribable(uri string) bool {
	return uri == sessionURI || strings.HasPrefix(uri, panelScheme)
}

// SubscribeToResource implements server.SessionWithResourceSubscriptions.
func (p *peer) SubscribeToResource(uri string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.subscribed == nil {
		p.subscribed = map[string]bool{}
	}
	if len(p.subscribed) < maxSubscriptions {
		p.subscribed[uri] = true
	}
}

// maxSubscriptions bounds what a peer can make us hold.
const maxSubscriptions = 256

// UnsubscribeFromResource implements server.SessionWithResourceSubscriptions.
func (p *peer) UnsubscribeFromResource(uri string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.subscribed, uri)
}

// SubscribedResources implements server.SessionWithResourceSubscriptions.
func (p *peer) SubscribedResources() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.subscribed))
}

// IsSubscribedToResource implements server.SessionWithResourceSubscriptions.
func (p *peer) IsSubscribedToResource(uri string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.subscribed[uri]
}

// forView keeps the page of panels, and what it needs, out of the list of clients
// that cannot show it.
func forView(list []mcp.Resource, c *mcp.ClientCapabilities) []mcp.Resource {
	if hasApps(c) {
		return list
	}
	return slices.DeleteFunc(list, func(r mcp.Resource) bool { return r.URI == viewURI || r.URI == mermaidURI })
}
