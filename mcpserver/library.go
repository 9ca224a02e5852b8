package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
	"raw/contract/interaction"
	"raw/panelbridge"
)

// Library is a session behind mcp-go's own dispatcher, for transports of that
// library. It is for tests only: they mount it on HTTP, which is all that the
// conformance suite speaks. List, call, question and result are those of Serve.
// What the dispatcher costs: calls are accepted in no certain order, integers in
// a call's _meta above 2^53 are rounded, the fields of a form come in the order
// of their names in the new era, and nobody hears that the catalog or a panel
// changed. A call of the new era that waits for an answer ends when the session
// is closed.
func Library(session *contract.Session, o Options) *server.MCPServer {
	o = o.complete()
	s := newServer(session, o, session.Prepare, func([]mcp.Tool) {})
	c := newConn(nil, io.Discard, o) // what a connection is to Serve; nothing is written to it
	c.session, c.core = session, &core{conn: c, server: s, session: &peer{conn: c}}
	// mcp-go looks a tool up before anything of ours runs. It finds this one,
	// whatever the name of the call, so that unknown names reach the session.
	const every = "every"
	s.GetHooks().AddBeforeCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest) {
		p := callParams{Name: r.Params.Name, Arguments: r.Params.RawArguments, State: r.Params.RequestState, Responses: map[string]json.RawMessage{}}
		for key, response := range r.Params.InputResponses {
			p.Responses[key], _ = encode(response) // what is not an answer is read as none
		}
		r.Params.Arguments = p
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
		a := c.libraryCall(ctx, p, p.request(p.meta(), client, report))
		if a.fault != nil {
			return nil, errors.New(a.fault.Message)
		}
		return libraryResult(a.result)
	})
	return s
}

// libraryCall runs a call, or the next part of one that asks.
func (c *conn) libraryCall(ctx context.Context, p callParams, r contract.Request) answer {
	m := p.meta()
	switch {
	case m.modern() && p.State != "":
		return c.retry(p)(ctx)
	case m.modern():
		return c.visitCall(context.WithoutCancel(ctx), p, m, r)(ctx)
	}
	able, titled := elicits(declared(ctx)), server.RequestProtocolVersion(ctx) >= mcp.ProtocolVersion20251125
	r.Approve = func(ctx context.Context, a contract.Approval) (contract.Answer, error) {
		if !able {
			return 0, contract.ErrNobody
		}
		body, err := c.core.libraryAsk(ctx, elicitation(a, titled))
		if err != nil {
			return 0, err
		}
		return decided(body)
	}
	r.Asker = func(context.Context) contract.Asker {
		if !able {
			return nil
		}
		return func(ctx context.Context, v interaction.View, fault string) (interaction.Reply, error) {
			body, err := c.core.libraryAsk(ctx, panelbridge.Elicitation(v, fault, titled))
			if err != nil {
				return interaction.Reply{}, err
			}
			return panelbridge.Elicited(v, body)
		}
	}
	return answer{result: encodeResult(c.outcome(ctx, c.session.Call(ctx, r), r, m), stamp{})}
}

// libraryAsk sends a question to the client whose request ctx is.
func (k *core) libraryAsk(ctx context.Context, params map[string]any) (json.RawMessage, error) {
	message, _ := params["message"].(string)
	reply, err := k.server.RequestElicitation(ctx, mcp.ElicitationRequest{
		Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
		Params:  mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: message, RequestedSchema: params["requestedSchema"]},
	})
	if err != nil {
		return nil, fmt.Errorf("ask the host for elicitation/create: %w", err)
	}
	return encode(reply)
}

// libraryResult wraps an encoded result in mcp-go's type, which adds what the
// era of the request wants. The parts stay as they were encoded.
func libraryResult(encoded []byte) (*mcp.CallToolResult, error) {
	var parts struct {
		Content []json.RawMessage          `json:"content"`
		IsError bool                       `json:"isError"`
		Meta    map[string]json.RawMessage `json:"_meta"`

		ResultType mcp.ResultType `json:"resultType"`
		mcp.MultiRoundTripResult
	}
	if err := json.Unmarshal(encoded, &parts); err != nil {
		return nil, fmt.Errorf("take a result of tools/call apart: %w", err)
	}
	res := &mcp.CallToolResult{IsError: parts.IsError, MultiRoundTripResult: parts.MultiRoundTripResult}
	res.ResultType = parts.ResultType
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
