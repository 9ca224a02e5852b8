package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
)

// callParams are the parameters of tools/call, the arguments as they came.
type callParams struct {
	Name      string
	Arguments json.RawMessage
	Meta      json.RawMessage

	// State and Responses stand in a retry that answers a question.
	State     string
	Responses map[string]json.RawMessage
}

// parseCall reads the parameters of tools/call.
func parseCall(params json.RawMessage) (p callParams, fault *wireError) {
	m, fault := members(params)
	if fault != nil {
		return p, &wireError{codeInvalidParams, "tools/call: the parameters must be an object without double members"}
	}
	p.Arguments, p.Meta = m["arguments"], m["_meta"]
	for _, part := range []struct {
		name string
		into any
	}{{"name", &p.Name}, {"requestState", &p.State}, {"inputResponses", &p.Responses}} {
		if text := m[part.name]; text != nil && json.Unmarshal(text, part.into) != nil {
			return p, &wireError{codeInvalidParams, fmt.Sprintf("tools/call: %q has the wrong type", part.name)}
		}
	}
	if p.Name == "" {
		return p, &wireError{codeInvalidParams, "tools/call: no name"}
	}
	return p, nil
}

// callMeta is what the adapter itself reads of a call's _meta.
type callMeta struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	ToolUseID     string          `json:"claudecode/toolUseId"`
	CallID        string          `json:"callId"`

	Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Client       *peerName       `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
}

type peerName struct {
	Name string `json:"name"`
}

// meta reads what is ours of the call's _meta. Other hosts use the same keys
// for values of other types: those are none.
func (p callParams) meta() (m callMeta) {
	if len(p.Meta) > 0 {
		_ = json.Unmarshal(p.Meta, &m)
	}
	return m
}

// modern reports whether the request is of the era without a handshake.
func (m callMeta) modern() bool { return mcp.IsModernProtocol(m.Version) }

// callTool takes a call's place in arrival order at once and returns what
// runs it. ctx is that of the connection.
func (c *conn) callTool(ctx context.Context, f frame) func(context.Context) answer {
	p, fault := parseCall(f.Params)
	if fault != nil {
		return fixed(answer{fault: fault})
	}
	m := p.meta()
	direct := p.Name
	p, refused := p.unwrapped()
	if refused != nil {
		return fixed(answer{result: encodeResult(*refused, c.core.stamp(m.modern()))})
	}
	if m.modern() && !c.core.accepts(m) {
		// The library words the refusals of a request it cannot serve.
		f.Params = json.RawMessage(`{"name":"","_meta":` + string(p.Meta) + `}`)
		return func(ctx context.Context) answer { return c.core.handle(ctx, f) }
	}
	if m.modern() {
		c.begin(ctx)
		if p.State != "" {
			return c.retry(p)
		}
	}
	if isAppTool(direct) && hasApps(c.capabilitiesOf(m)) {
		return c.appCall(ctx, p, m)
	}
	return c.accept(ctx, p, m, func(r contract.Request) contract.Request {
		r.Reached = direct != p.Name || c.wasListed(p.Name) || c.catalogOf(m) == CatalogNative
		return r
	})
}

func (c *conn) catalogOf(m callMeta) Catalog {
	return catalogFor(c.options.Catalog, c.clientOf(m), m.modern())
}

// listed notes what stands in the list that the client gets.
func (c *conn) listed(tools []mcp.Tool) {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Name] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inList = names
}

func (c *conn) wasListed(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inList[name]
}

// accept hands a call to the core, as made says it is made.
func (c *conn) accept(ctx context.Context, p callParams, m callMeta, made func(contract.Request) contract.Request) func(context.Context) answer {
	r := made(c.accepted(p, m))
	if m.modern() {
		return c.visitCall(ctx, p, m, r)
	}
	r.Approve, r.Asker = c.elicit, c.asker(m, c.elicitForm)
	ticket := c.session.Accept(r)
	return func(ctx context.Context) answer {
		return answer{result: encodeResult(c.outcome(ctx, ticket.Run(ctx), r, m), stamp{})}
	}
}

// outcome is a result with what the client shows beside it, and with what the
// model has not heard yet.
func (c *conn) outcome(ctx context.Context, res contract.Result, r contract.Request, m callMeta) contract.Result {
	if r.Source == contract.SourceModel && ctx.Err() == nil { // else nobody gets this answer
		res = noticed(res, c.session.TakeNotices())
	}
	return c.payload(res, m)
}

// accepted is the call as the core gets it from this connection.
func (c *conn) accepted(p callParams, m callMeta) contract.Request {
	client := c.clientOf(m)
	r := p.request(m, client, c.sendProgress)
	r.Deferred = c.catalogOf(m).writer()
	r.Until = c.until(client, m)
	if c.catalogOf(m) == CatalogNative {
		r.FindNote = "if you cannot call one, load it by this name with your client's own tool search"
	}
	return r
}

func (c *conn) sendProgress(params map[string]any) { c.notify("notifications/progress", params) }

// capabilities are what the client of this request can do; nil when it does
// not say.
func (m callMeta) capabilities() (c *mcp.ClientCapabilities) {
	if json.Unmarshal(m.Capabilities, &c) != nil {
		return nil
	}
	return c
}

// request is the call as the core gets it. report sends the parameters of a
// progress notification.
func (p callParams) request(m callMeta, client string, report func(map[string]any)) contract.Request {
	return contract.Request{
		Name:      p.Name,
		Arguments: objectOrNothing(p.Arguments),
		Source:    contract.SourceModel,
		Lane:      lane(client, p.Meta),
		ID:        firstOf(m.ToolUseID, m.CallID),
		Meta:      p.Meta,
		Progress:  progressFor(m.ProgressToken, report),
	}
}

func fixed(a answer) func(context.Context) answer {
	return func(context.Context) answer { return a }
}

// objectOrNothing reads "arguments":null as no arguments, as clients mean it.
func objectOrNothing(arguments json.RawMessage) json.RawMessage {
	if string(arguments) == "null" {
		return nil
	}
	return arguments
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// clientOf names the client of a call, which mcp-go does not see.
func (c *conn) clientOf(m callMeta) string {
	switch {
	case !m.modern():
		return c.core.session.GetClientInfo().Name
	case m.Client != nil:
		return m.Client.Name
	}
	return ""
}

// lane is the conversation that a call belongs to, where the client tells.
func lane(client string, meta json.RawMessage) string {
	if of := clientNamed(client).lane; of != nil && len(meta) > 0 {
		return of(meta)
	}
	return ""
}

// progressFor sends progress under the token that the host gave; without one
// nobody listens.
func progressFor(token json.RawMessage, report func(map[string]any)) func(contract.Progress) {
	if len(token) == 0 || string(token) == "null" {
		return nil
	}
	return func(p contract.Progress) {
		params := map[string]any{"progressToken": token, "progress": p.Done}
		if p.Total > 0 {
			params["total"] = p.Total
		}
		if p.Message != "" {
			params["message"] = p.Message
		}
		report(params)
	}
}
