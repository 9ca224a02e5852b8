package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
	"raw/contract/contracttest"
)

// TestLibrarySurface runs the checks of every surface through mcp-go's
// dispatcher, in both protocol eras.
func TestLibrarySurface(t *testing.T) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			contracttest.CheckSurface(t, func(t *testing.T, open func(contract.Surface) (*contract.Session, error)) contracttest.Client {
				session, err := open(contract.Surface{})
				if err != nil {
					t.Fatal(err)
				}
				return libraryClient{era, Library(session, Options{Version: "test"})}
			})
		})
	}
}

// TestLibraryResult compares what the dispatcher answers with what Serve does.
func TestLibraryResult(t *testing.T) {
	result := contract.Result{
		Content: []contract.Block{
			contract.Text("<text>"),
			contract.Opaque{Protocol: "mcp", Raw: json.RawMessage(`{"type":"resource_link","uri":"x:","name":"x","size":9007199254740993,"later":{"a":[]}}`)},
		},
		Failure: &contract.Failure{Kind: contract.KindFatal},
		Meta:    map[string]json.RawMessage{"n": json.RawMessage(`9007199254740993`), "progressToken": json.RawMessage(`1`)},
	}
	session, err := contract.Open(contract.Options{Tools: []contract.Tool{{
		Identity: "builtin/test", Name: "test", Description: "A fixture.", Class: contract.ClassRead, Idempotent: true,
		Input: `{"type":"object"}`, Run: func(context.Context, *contract.Call) contract.Result { return result },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	client := libraryClient{"2025-11-25", Library(session, Options{})}
	got, err := client.request(t.Context(), "test", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	result.Execution = "ex-1"
	want := encodeResult(result, stamp{})
	if diff := cmp.Diff(decoded(t, want), decoded(t, got)); diff != "" {
		t.Errorf("the result of a call (-Serve +Library):\n%s", diff)
	}
}

// libraryClient calls a Library without a transport.
type libraryClient struct {
	era    string
	server *server.MCPServer
}

func (c libraryClient) Call(ctx context.Context, tool, arguments string) (contracttest.Answer, error) {
	body, err := c.request(ctx, tool, arguments)
	if err != nil {
		return contracttest.Answer{}, err
	}
	return decodeAnswer(c.era, body)
}

func (c libraryClient) request(ctx context.Context, tool, arguments string) (json.RawMessage, error) {
	meta := `{}`
	if c.era >= "2026" {
		meta = fmt.Sprintf(`{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}`, c.era)
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":%s}}`, tool, arguments, meta)
	reply := c.server.HandleMessage(ctx, json.RawMessage(message))
	if ctx.Err() != nil {
		return nil, ctx.Err() // a transport has nobody left to answer
	}
	switch m := reply.(type) {
	case mcp.JSONRPCResponse:
		return encode(m.Result)
	case mcp.JSONRPCError:
		return nil, fmt.Errorf("%d: %s", m.Error.Code, m.Error.Message)
	default:
		return nil, fmt.Errorf("answered by a %T", reply)
	}
}

// decoded is JSON with its numbers as they were written.
func decoded(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return v
}
