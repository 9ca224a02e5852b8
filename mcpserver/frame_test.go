package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"raw/contract"
)

// FuzzAppendString holds the encoder to what encoding/json reads.
func FuzzAppendString(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\\n\r\t\x00\x1f\x7f\u2028é\xff\xfe😀")
	f.Fuzz(func(t *testing.T, s string) {
		out := appendString(nil, s)
		var got string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("appendString(%q) = %s: %v", s, out, err)
		}
		var want strings.Builder
		for _, r := range s { // each invalid byte becomes one U+FFFD
			want.WriteRune(r)
		}
		if got != want.String() || bytes.ContainsAny(out, "\n\r") || !utf8.Valid(out) {
			t.Fatalf("appendString(%q) = %s, read back %q", s, out, got)
		}
	})
}

// FuzzServe holds the loop to its promise: whatever comes in, every line that
// goes out is one JSON-RPC message, every request is answered once or refused
// once, and the end of input ends it.
func FuzzServe(f *testing.F) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`
	for _, seed := range []string{
		"", "\n", "[]\n", "{", call, call + "\n" + call + "\n", `{"jsonrpc":"2.0","id":"x","method":"ping"}` + "\r\n\xff\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + call,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":null,"method":"x"}`, `{"jsonrpc":"2.0","id":4,"result":{}}`,
		`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("listen")) && bytes.Contains(in, []byte("toolsListChanged")) {
			return // stays open until the grace is over
		}
		var out bytes.Buffer
		ended := make(chan error, 1)
		go func() {
			ended <- Serve(context.WithoutCancel(t.Context()), func(s contract.Surface) (*contract.Session, error) {
				return contract.Open(contract.Options{Surface: s, Tools: []contract.Tool{{
					Identity: "builtin/echo", Name: "echo", Description: "A fixture.", Class: contract.ClassRead, Input: `{"type":"object"}`,
					Run: func(_ context.Context, c *contract.Call) contract.Result { return contract.Succeeded(c.Args.JSON()) },
				}}})
			}, io.NopCloser(bytes.NewReader(in)), &out, Options{LineLimit: 4 << 10})
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("Serve(%q): %v", in, err)
			}
		case <-time.After(9 * time.Second):
			t.Fatalf("Serve(%q) does not end", in)
		}
		answers := map[string]int{}
		for line := range strings.Lines(out.String()) {
			var m struct {
				Version string `json:"jsonrpc"`
				ID      json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
				t.Fatalf("Serve(%q) wrote %q: %v", in, line, err)
			}
			answers[string(m.ID)]++
		}
		want, cancels := map[string]int{}, false
		for _, line := range strings.Split(strings.TrimSuffix(string(in), "\n"), "\n") {
			if len(in) == 0 {
				break
			}
			if len(line) > 4<<10 {
				return // its id may stand where it is not looked for
			}
			f, fault := parseFrame([]byte(strings.TrimSuffix(line, "\r")))
			if f.Method == "tools/call" && bytes.Contains(f.Params, []byte("2026-07-28")) {
				return // may be parked
			}
			cancels = cancels || strings.Contains(f.Method, "cancelled")
			switch {
			case fault != nil && f.ID == nil:
				want["null"]++
			case fault != nil || f.Method != "" && f.ID != nil:
				want[string(f.ID)]++
			}
		}
		if d := fmt.Sprint(want); !cancels && d != fmt.Sprint(answers) {
			t.Fatalf("Serve(%q) answered %v, want %v\n%s", in, answers, d, out.String())
		}
	})
}

func TestIDOfSkipped(t *testing.T) {
	for _, tc := range []struct{ ends, want string }{
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x`, "7"},
		{`{"id":"a\"b","jsonrpc":"2.0"`, `"a\"b"`},
		{`{"method":"m","jsonrpc":"2.0","id":3,"params"`, "3"},
		{`{"method":"m","params":{"id":5,"x":"xxx"},"jsonrpc":"2.0","id":4}`, "4"},
		{`{"method":"m","params":{"id":5,"x":"xxx"},"id":4,"jsonrpc":"2.0"}`, "4"},
		{`{"method":"m","params":{"id":5,"x":"xxx"}}`, ""},
	} {
		if got := string(idOfSkipped([]byte(tc.ends))); got != tc.want {
			t.Errorf("idOfSkipped(%s) = %s, want %s", tc.ends, got, tc.want)
		}
	}
}

func TestClients(t *testing.T) {
	for _, tc := range []struct {
		configured Catalog
		name       string
		modern     bool
		want       Catalog
	}{
		{"", "claude-code", true, CatalogNative},
		{"", "claude-code", false, CatalogNative},
		{"", "Visual Studio Code - Insiders", false, CatalogListed},
		{"", "Zed", false, CatalogListed},
		{"", "Zed", true, CatalogCall},
		{"", "codex-mcp-client", false, CatalogCall},
		{"", "somebody", false, CatalogCall},
		{"", "", true, CatalogCall},
		{CatalogNative, "codex-mcp-client", false, CatalogNative},
		{CatalogAuto, "claude-ai", false, CatalogCall},
	} {
		if got := catalogFor(tc.configured, tc.name, tc.modern); got != tc.want {
			t.Errorf("catalogFor(%q, %q, modern %v) = %q, want %q", tc.configured, tc.name, tc.modern, got, tc.want)
		}
	}
	meta := `{"x-codex-turn-metadata":{"session_id":"s","thread_id":"t-1","turn_id":"u"}}`
	if got := codexThread(json.RawMessage(meta)); got != "t-1" {
		t.Errorf("codexThread(%s) = %q, want t-1", meta, got)
	}
	if got := codexThread(json.RawMessage(`{"x-codex-turn-metadata":"{\"thread_id\":\"t-2\"}"}`)); got != "t-2" {
		t.Errorf("codexThread of a text = %q, want t-2", got)
	}
}
