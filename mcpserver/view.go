package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/panel"
	"raw/contract/schema"
	"raw/contract/value"
	"raw/panelbridge"
)

// The panel view is an MCP App (MCP.md §5): one page that shows every panel and
// gets its data by results and by polling. Its own tools are listed only to
// clients that have apps, and hidden from their models.
const (
	uiExtension = "io.modelcontextprotocol/ui"
	uiMIME      = "text/html;profile=mcp-app"
	viewURI     = "ui://raw/panels"
	mermaidURI  = "ui://raw/mermaid.js"

	pollName   = "panel_poll"
	actionName = "panel_action"
	answerName = "form_answer"
)

const (
	// viewAlive is how long after its last poll a view counts as open.
	viewAlive = 10 * time.Second
	// viewOpens is how long a client may take to open the view of a call.
	viewOpens = 5 * time.Second
)

// views are the panel views of one connection. Its methods may be called at
// once.
type views struct {
	session string // tells cursors of other connections apart
	token   string // only what a view gets holds it: it proves that a person acts

	mu     sync.Mutex
	polled time.Time
	opened chan struct{} // closed at the next poll; nil when nobody waits
}

func newViews() *views { return &views{session: rand.Text(), token: rand.Text()} }

func (v *views) poll() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.polled = time.Now()
	if v.opened != nil {
		close(v.opened)
		v.opened = nil
	}
}

// awaits waits until a view is open, for at most viewOpens.
func (v *views) awaits(ctx context.Context) bool {
	v.mu.Lock()
	if time.Since(v.polled) < viewAlive {
		v.mu.Unlock()
		return true
	}
	if v.opened == nil {
		v.opened = make(chan struct{})
	}
	opened := v.opened
	v.mu.Unlock()
	timer := time.NewTimer(viewOpens)
	defer timer.Stop()
	select {
	case <-opened:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// hasApps reports whether a client that declared c shows apps.
func hasApps(c *mcp.ClientCapabilities) bool {
	if c == nil {
		return false
	}
	ui, _ := c.Extensions[uiExtension].(map[string]any)
	types, _ := ui["mimeTypes"].([]any)
	return slices.Contains(types, any(uiMIME))
}

// appSpecs are the tools of the view.
func appSpecs() []contract.Spec {
	closed := func(required, properties string) string {
		return `{"type":"object","additionalProperties":false,"required":[` + required + `],"properties":{` + properties + `}}`
	}
	spec := func(name, title, description, input string, class contract.Class) contract.Spec {
		return contract.Spec{
			Identity: contract.Identity("builtin/" + name), Name: name, Title: title, Description: description, Class: class, Input: schema.Source(input),
		}
	}
	return []contract.Spec{
		spec(pollName, "Poll panels", "For the panel view: what has changed since cursor.",
			closed(``, `"cursor":{"type":"string"}`), contract.ClassRead),
		spec(actionName, "Run a panel action", "For the panel view: run an action that the person chose. It passes every rule.",
			closed(`"panel","action","token"`, `"panel":{"type":"string"},"action":{"type":"string"},"block":{"type":"string"},"item":{"type":"string"},"token":{"type":"string"}`), contract.ClassExternal),
		spec(answerName, "Answer a question", "For the panel view: the person's answer to a question.",
			closed(`"requestId","expectedRevision","token"`, `"requestId":{"type":"string"},"expectedRevision":{"type":"integer"},"idempotencyKey":{"type":"string"},"answers":{"type":"object"},"cancel":{"type":"boolean"},"token":{"type":"string"}`), contract.ClassSession),
	}
}

// isAppTool reports whether a name is that of a tool of the view.
func isAppTool(name string) bool { return name == pollName || name == actionName || name == answerName }

// appCall answers the tools of the view. The reader calls it.
func (c *conn) appCall(ctx context.Context, p callParams, m callMeta) func(context.Context) answer {
	text := objectOrNothing(p.Arguments)
	if len(text) == 0 {
		text = json.RawMessage(`{}`)
	}
	args, err := value.ParseObject(text)
	if err != nil {
		return c.appFault(m, contract.CodeInvalidArguments, err)
	}
	if p.Name == pollName {
		return func(context.Context) answer { return c.polled(args, m) }
	}
	token, _ := args.Field("token").Str()
	if subtle.ConstantTimeCompare([]byte(token), []byte(c.views.token)) != 1 {
		return c.appFault(m, contract.CodeToolDenied, errors.New("only the panel view may do this for a person"))
	}
	if p.Name == answerName {
		return func(context.Context) answer { return c.formAnswered(args, m) }
	}
	return c.acted(ctx, p, m, args)
}

func (c *conn) appFault(m callMeta, code contract.Code, err error) func(context.Context) answer {
	return fixed(c.appAnswer(contract.Failed(code, err.Error()+"\n["+string(code)+"]"), m))
}

func (c *conn) appAnswer(res contract.Result, m callMeta) answer {
	return answer{result: encodeResult(res, c.core.stamp(m.modern()))}
}

// polled is what has changed since the view's cursor.
func (c *conn) polled(args value.Object, m callMeta) answer {
	c.views.poll()
	text, _ := args.Field("cursor").Str()
	cursor, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		cursor = 0 // everything
	}
	changed, removed, next := c.session.Panels().Since(cursor)
	body, err := encode(panelbridge.NewPayload(c.views.session, c.views.token, next, changed, removed, c.session.Questions()))
	if err != nil {
		return answer{fault: &wireError{codeInternal, "encode the panels: " + err.Error()}}
	}
	res := contract.Succeeded(fmt.Sprintf("panels changed: %d", len(changed)))
	res.Meta = map[string]json.RawMessage{panelbridge.MetaKey: body}
	return c.appAnswer(res, m)
}

func (c *conn) formAnswered(args value.Object, m callMeta) answer {
	fields := map[string]any{}
	for name, v := range args.Fields() {
		if name != "token" {
			fields[name] = v.Tree()
		}
	}
	s, err := interaction.ParseSubmission(value.FromTree(fields))
	if err == nil {
		s.By = "view"
		_, err = c.session.Answer(s)
	}
	if e, ok := errors.AsType[*interaction.Error](err); ok {
		return c.appAnswer(contract.Failed(contract.Code(e.Code), e.Message+"\n["+string(e.Code)+"]"), m)
	}
	if err != nil {
		return c.appAnswer(contract.Failed(contract.CodeInvalidArguments, err.Error()), m)
	}
	return c.appAnswer(contract.Succeeded("answered"), m)
}

// acted runs the action that a person chose: as a call like any other.
func (c *conn) acted(ctx context.Context, p callParams, m callMeta, args value.Object) func(context.Context) answer {
	text := func(name string) string { s, _ := args.Field(name).Str(); return s }
	act, err := c.session.Act(panel.Click{Panel: text("panel"), Action: text("action"), Block: text("block"), Item: text("item")})
	if err != nil {
		return c.appFault(m, contract.CodePanelUnknown, err)
	}
	return c.accept(ctx, p, m, func(r contract.Request) contract.Request {
		act.Lane, act.ID, act.Meta, act.Progress, act.Deferred, act.Until = r.Lane, r.ID, r.Meta, r.Progress, r.Deferred, r.Until
		return act
	})
}

// payload is the result's _meta for the view: what the call has made of its
// panels. Only clients that show apps get the token.
func (c *conn) payload(res contract.Result, m callMeta) contract.Result {
	if len(res.Panels) == 0 {
		return res
	}
	token := ""
	if hasApps(c.capabilitiesOf(m)) {
		token = c.views.token
	}
	var cursor uint64
	for _, s := range res.Panels {
		cursor = max(cursor, s.Seq)
	}
	body, err := encode(panelbridge.NewPayload(c.views.session, token, cursor, res.Panels, nil, c.session.Questions()))
	if err != nil {
		c.options.Log.Error("encode the panels of a result", "error", err)
		return res
	}
	meta := map[string]json.RawMessage{panelbridge.MetaKey: body}
	for k, v := range res.Meta {
		meta[k] = v
	}
	res.Meta = meta
	return res
}

// uiMeta points a tool that keeps panels to the view; the view's own tools are
// for it alone.
func uiMeta(s contract.Spec) map[string]any {
	switch {
	case isAppTool(s.Name):
		return map[string]any{"resourceUri": viewURI, "visibility": []string{"app"}}
	case s.Panels:
		return map[string]any{"resourceUri": viewURI}
	}
	return nil
}

func withUI(meta *mcp.Meta, ui map[string]any) *mcp.Meta {
	fields := map[string]any{"ui": ui}
	if meta != nil {
		for k, v := range meta.AdditionalFields {
			fields[k] = v
		}
	}
	return mcp.NewMetaFromMap(fields)
}

// noticed puts what a person has run meanwhile behind a result; before a failure,
// whose last line is its code.
func noticed(res contract.Result, notices []string) contract.Result {
	if len(notices) == 0 {
		return res
	}
	notice := []contract.Block{contract.Text(strings.Join(notices, "\n"))}
	if res.IsError() {
		res.Content = slices.Concat(notice, res.Content)
	} else {
		res.Content = slices.Concat(res.Content, notice)
	}
	return res
}
