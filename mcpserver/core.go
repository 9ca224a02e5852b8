package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
)

// core is mcp-go's protocol core behind one connection.
type core struct {
	conn    *conn
	server  *server.MCPServer
	session *peer
}

func newCore(c *conn) *core {
	k := &core{conn: c, session: &peer{conn: c, notifications: make(chan mcp.JSONRPCNotification, 1)}}
	k.server = newServer(c.session, c.options, func(ctx context.Context) {
		// A host that may be asked for its roots is asked at the first call;
		// any other list must not depend on the calls before it.
		if !k.offersRoots() {
			c.session.Prepare(ctx)
		}
	}, c.listed)
	return k
}

// newServer is mcp-go's server with our list in place of its own. prepare is
// called before each list is made, and listed with each that was.
func newServer(session *contract.Session, o Options, prepare func(context.Context), listed func([]mcp.Tool)) *server.MCPServer {
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, res *mcp.ListToolsResult) {
		prepare(ctx)
		res.Tools = list(ctx, session, o.Catalog)
		res.NextCursor = ""
		listed(res.Tools)
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		res.Resources = forView(res.Resources, declared(ctx))
	})
	return server.NewMCPServer(o.Name, o.Version,
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithExtensions(map[string]any{uiExtension: map[string]any{}}),
		server.WithHooks(hooks),
		server.WithInstructions(instructions(served(session.Specs(), CatalogListed, nil), o.Notes)),
	)
}

// handle lets mcp-go answer a request. It gets an id of its own, because it
// reads ids as floats; the host's id is put back byte for byte.
func (k *core) handle(ctx context.Context, f frame) answer {
	ctx = k.server.WithContext(ctx, k.session)
	if k.conn.options.Legacy {
		ctx = server.WithSupportedProtocolVersions(ctx, mcp.LegacyProtocolVersions())
	}
	switch m := k.server.HandleMessage(ctx, envelope(f, `0`)).(type) {
	case mcp.JSONRPCResponse:
		body, err := encode(m.Result)
		if err != nil {
			return answer{fault: &wireError{codeInternal, "encode the result: " + err.Error()}}
		}
		return answer{result: body}
	case mcp.JSONRPCError:
		body, err := encode(m.Error)
		if err != nil {
			return answer{fault: &wireError{codeInternal, "encode the error: " + err.Error()}}
		}
		return answer{raw: body}
	default:
		return answer{fault: &wireError{codeInternal, "no answer to " + f.Method}}
	}
}

func (k *core) notify(ctx context.Context, f frame) {
	k.server.HandleMessage(k.server.WithContext(ctx, k.session), envelope(f, ""))
}

// envelope writes a frame again, with another id or none.
func envelope(f frame, id string) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","method":`)
	name, _ := json.Marshal(f.Method) // a string always encodes
	b.Write(name)
	if id != "" {
		b.WriteString(`,"id":` + id)
	}
	if f.Params != nil {
		b.WriteString(`,"params":`)
		b.Write(f.Params)
	}
	b.WriteString("}")
	return b.Bytes()
}

// encode writes JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// offersRoots reports whether the host may be asked for its roots: it said so
// in the handshake of the old era.
func (k *core) offersRoots() bool {
	p := k.session
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version != "" && p.capabilities.Roots != nil
}

// accepts reports whether a request of the era without a handshake carries
// what it must, in a version that is served.
func (k *core) accepts(m callMeta) bool {
	return mcp.IsValidProtocolVersion(m.Version) && m.capabilities() != nil
}

// identity is how the server names itself in results.
func (k *core) identity() mcp.Implementation {
	return mcp.Implementation{Name: k.conn.options.Name, Version: k.conn.options.Version}
}

// stamp is what the era of a request adds to its result.
func (k *core) stamp(modern bool) stamp {
	if !modern {
		return stamp{}
	}
	return stamp{resultType: string(mcp.ResultTypeComplete), server: k.identity()}
}

// clientOf names the client of a request and says whether the request is of
// the era without a handshake.
func clientOf(ctx context.Context) (name string, modern bool) {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientInfo != nil {
			return info.ClientInfo.Name, true
		}
		return "", true
	}
	if p, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return p.GetClientInfo().Name, false
	}
	return "", false
}

// declared are the capabilities of a request's client; nil when it did not say.
func declared(ctx context.Context) *mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities
	}
	if p, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		c := p.GetClientCapabilities()
		return &c
	}
	return nil
}

// peer is the host as mcp-go's session. Its methods may be called at once.
type peer struct {
	conn          *conn
	notifications chan mcp.JSONRPCNotification // never read: we write our own

	mu           sync.Mutex
	initialized  bool
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	subscribed   map[string]bool // addresses of resources
}

var (
	_ server.SessionWithClientInfo      = (*peer)(nil)
	_ server.SessionWithProtocolVersion = (*peer)(nil)
	_ server.SessionWithResources       = (*peer)(nil)

	_ server.SessionWithResourceSubscriptionsErr = (*peer)(nil)
)

func (p *peer) SessionID() string { return "stdio" }

func (p *peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.notifications }

func (p *peer) Initialize() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.initialized = true
}

func (p *peer) Initialized() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.initialized
}

func (p *peer) GetClientInfo() mcp.Implementation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// SetClientInfo does nothing: mcp-go calls it with every request of the era
// without a handshake, and what one of those says holds for that one only.
func (p *peer) SetClientInfo(mcp.Implementation) {}

// greet takes who the client is and what it can do from its handshake.
func (p *peer) greet(params json.RawMessage) {
	var hello struct {
		ClientInfo   mcp.Implementation     `json:"clientInfo"`
		Capabilities mcp.ClientCapabilities `json:"capabilities"`
	}
	if json.Unmarshal(params, &hello) != nil {
		return // mcp-go has accepted it, so it is at least an object
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info, p.capabilities = hello.ClientInfo, hello.Capabilities
}

func (p *peer) GetClientCapabilities() mcp.ClientCapabilities {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.capabilities
}

// SetClientCapabilities does nothing, as SetClientInfo.
func (p *peer) SetClientCapabilities(mcp.ClientCapabilities) {}

func (p *peer) ProtocolVersion() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

func (p *peer) SetProtocolVersion(v string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = v
}
