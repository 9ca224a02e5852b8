package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"raw/contract"
	"raw/contract/contracttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSurface runs the checks of every surface in both protocol eras.
func TestSurface(t *testing.T) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			contracttest.CheckSurface(t, func(t *testing.T, open func(contract.Surface) (*contract.Session, error)) contracttest.Client {
				return connect(t, era, open, Options{Version: "test"})
			})
		})
	}
}

// wireClient is a host in this process.
type wireClient struct {
	era  string
	in   *io.PipeWriter
	mu   sync.Mutex
	last int
	open map[string]chan json.RawMessage
	all  []string // every line that came, in order

	stray []string // answers to nothing, or to what was cancelled
}

// connect serves a session and returns its client; both end with the test.
func connect(t *testing.T, era string, open func(contract.Surface) (*contract.Session, error), o Options) *wireClient {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &wireClient{era: era, in: toServer, open: map[string]chan json.RawMessage{}}
	served, read := make(chan error, 1), make(chan struct{})
	go func() {
		err := Serve(context.WithoutCancel(t.Context()), open, fromClient, toClient, o)
		toClient.Close()
		served <- err
	}()
	go func() { defer close(read); c.read(fromServer) }()
	t.Cleanup(func() {
		toServer.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		<-read
		if len(c.stray) > 0 {
			t.Errorf("answers that nobody waits for: %q", c.stray)
		}
	})
	if era < "2026" {
		if _, err := c.request(t.Context(), "initialize", map[string]any{
			"protocolVersion": era, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
		}); err != nil {
			t.Fatalf("initialize: %v", err)
		}
		c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	return c
}

func (c *wireClient) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		line := append([]byte(nil), lines.Bytes()...)
		if err := json.Unmarshal(line, &m); err != nil {
			panic(fmt.Sprintf("the server wrote %q: %v", line, err))
		}
		c.mu.Lock()
		c.all = append(c.all, string(line))
		reply := c.open[string(m.ID)]
		delete(c.open, string(m.ID))
		c.mu.Unlock()
		switch {
		case reply != nil:
			reply <- line
		case m.ID != nil:
			c.stray = append(c.stray, string(line))
		}
	}
}

func (c *wireClient) send(m any) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	_, _ = c.in.Write(append(line, '\n')) // a closed pipe shows as a missing answer
}

func (c *wireClient) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	if c.era >= "2026" {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    c.era,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	c.mu.Lock()
	c.last++
	id := c.last
	reply := make(chan json.RawMessage, 1)
	c.open[fmt.Sprint(id)] = reply
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	select {
	case line := <-reply:
		var m struct{ Result, Error json.RawMessage }
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		if m.Error != nil {
			return nil, errors.New(string(m.Error))
		}
		return m.Result, nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.open, fmt.Sprint(id))
		c.mu.Unlock()
		c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
		return nil, ctx.Err()
	}
}

func (c *wireClient) Call(ctx context.Context, tool, arguments string) (contracttest.Answer, error) {
	body, err := c.request(ctx, "tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	if err != nil {
		return contracttest.Answer{}, err
	}
	return decodeAnswer(c.era, body)
}

// decodeAnswer reads a CallToolResult.
func decodeAnswer(era string, body json.RawMessage) (contracttest.Answer, error) {
	var res struct {
		Content    []struct{ Type, Text, MimeType, Data string }
		IsError    bool
		ResultType string
		Meta       struct {
			Result struct{ Code, Kind string } `json:"raw/result"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(body, &res); err != nil {
		return contracttest.Answer{}, err
	}
	if modern := era >= "2026"; modern != (res.ResultType == "complete") {
		return contracttest.Answer{}, fmt.Errorf("resultType %q in era %s", res.ResultType, era)
	}
	a := contracttest.Answer{IsError: res.IsError, Code: res.Meta.Result.Code, Kind: res.Meta.Result.Kind}
	var texts []string
	for _, b := range res.Content {
		if b.Type == "image" {
			a.Blocks = append(a.Blocks, b.MimeType+" "+b.Data)
			continue
		}
		texts = append(texts, b.Text)
		a.Blocks = append(a.Blocks, b.Text)
	}
	a.Text = strings.Join(texts, "\n")
	return a, nil
}
