package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
)

// Library is a session behind mcp-go's own dispatcher, for transports of that
// library. It is for tests only: they mount it on HTTP, which is all that the
// conformance suite speaks. List, call and result are those of Serve. What the
// dispatcher costs: calls are accepted in no certain order, integers in a
// call's _meta above 2^53 are rounded, and nobody hears that the catalog
// changed.
func Library(session *contract.Session, o Options) *server.MCPServer {
	o = o.complete()
	s := newServer(session, o, session.Prepare)
	// mcp-go looks a tool up before anything of ours runs. It finds this one,
	// whatever the name of the call, so that unknown names reach the session.
	const every = "every"
	s.GetHooks().AddBeforeCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest) {
		r.Params.Arguments = callParams{Name: r.Params.Name, Arguments: r.Params.RawArguments}
		r.Params.Name = every
	})
	s.AddTool(mcp.Tool{Name: every}, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		p, ok := r.Params.Arguments.(callParams)
		if !ok {
			return nil, fmt.Errorf("tools/call reached the session with arguments of type %T", r.Params.Arguments)
		}
		if r.Params.Meta != nil {
			var err error
			if p.Meta, err = encode(r.Params.Meta); err != nil {
				return nil, fmt.Errorf("tools/call: _meta: %w", err)
			}
		}
		client, _ := clientOf(ctx)
		report := func(progress map[string]any) {
			if err := s.SendNotificationToClient(ctx, "notifications/progress", progress); err != nil {
				o.Log.Error("send progress", "tool", p.Name, "error", err)
			}
		}
		return libraryResult(encodeResult(session.Call(ctx, p.request(p.meta(), client, report)), stamp{}))
	})
	return s
}

// libraryResult wraps an encoded result in mcp-go's type, which adds what the
// era of the request wants. The parts stay as they were encoded.
func libraryResult(encoded []byte) (*mcp.CallToolResult, error) {
	var parts struct {
		Content []json.RawMessage          `json:"content"`
		IsError bool                       `json:"isError"`
		Meta    map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(encoded, &parts); err != nil {
		return nil, fmt.Errorf("take a result of tools/call apart: %w", err)
	}
	res := &mcp.CallToolResult{IsError: parts.IsError}
	for _, block := range parts.Content {
		res.Content = append(res.Content, encodedBlock{RawMessage: block})
	}
	if parts.Meta != nil {
		res.Meta = &mcp.Meta{AdditionalFields: map[string]any{}}
		for k, v := range parts.Meta {
			res.Meta.AdditionalFields[k] = v
		}
	}
	return res, nil
}

// encodedBlock is a block of content that is JSON already. mcp-go allows only
// content types of its own, so it embeds one, which is nil and never encoded.
type encodedBlock struct {
	mcp.Content
	json.RawMessage
}
