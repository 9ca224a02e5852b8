package contracttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"raw/contract"
	"raw/contract/schema"
)

// CheckSurface checks that a surface brings every kind of result through: every
// code, panics, empty results, blocks of all kinds in their order, windows,
// cancellation. connect puts a client in front of the session through the
// surface; both end with the test.
func CheckSurface(t *testing.T, connect func(t *testing.T, open func(contract.Surface) (*contract.Session, error)) Client) {
	var running, cancelled atomic.Int64
	entered := make(chan struct{}, 1)
	tools := []contract.Tool{
		fixture("echo", func(_ context.Context, c *contract.Call) contract.Result {
			return contract.Succeeded(c.Args.JSON())
		}),
		fixture("fail", func(_ context.Context, c *contract.Call) contract.Result {
			code, _ := c.Args.Field("code").Str()
			return contract.Failed(contract.Code(code), "it failed as it was told to")
		}),
		fixture("panics", func(context.Context, *contract.Call) contract.Result { panic("a secret of the tool") }),
		fixture("nothing", func(context.Context, *contract.Call) contract.Result { return contract.Result{} }),
		fixture("mixed", func(context.Context, *contract.Call) contract.Result {
			return contract.Result{Content: []contract.Block{
				contract.Text("first"),
				contract.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
				contract.JSON(`{"n":9007199254740993}`),
				contract.Opaque{Protocol: "none", Text: "last"},
			}}
		}),
		fixture("flood", func(context.Context, *contract.Call) contract.Result {
			return contract.Succeeded(strings.Repeat("a line of a flood\n", 10_000))
		}),
		fixture("bytes", func(context.Context, *contract.Call) contract.Result {
			return contract.Succeeded("ok \xff\x01\u2028 \"quoted\" \\ </script>")
		}),
		fixture("slow", func(ctx context.Context, _ *contract.Call) contract.Result {
			running.Add(1)
			entered <- struct{}{}
			<-ctx.Done()
			cancelled.Add(1)
			return contract.Failed(contract.CodeAborted, "cancelled")
		}),
	}
	client := connect(t, func(s contract.Surface) (*contract.Session, error) {
		return contract.Open(contract.Options{Tools: tools, Surface: s})
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	call := func(t *testing.T, tool, arguments string) Answer {
		t.Helper()
		a, err := client.Call(ctx, tool, arguments)
		if err != nil {
			t.Fatalf("%s %s: %v", tool, arguments, err)
		}
		return a
	}

	t.Run("arguments", func(t *testing.T) {
		const args = `{"n":9007199254740993,"s":"é \u0000 \"","t":{"a":[1.50,null,true]}}`
		want := `{"n":9007199254740993,"s":"é \u0000 \"","t":{"a":[1.50,null,true]}}`
		if a := call(t, "echo", args); a.Text != want || a.IsError {
			t.Errorf("echo = %+v, want %s", a, want)
		}
	})
	t.Run("codes", func(t *testing.T) {
		for _, code := range contract.Codes() {
			a := call(t, "fail", fmt.Sprintf(`{"code":%q}`, code))
			if !a.IsError || a.Code != string(code) || a.Kind != string(code.Kind()) {
				t.Errorf("code %s came back as %+v", code, a)
			}
			if want := "[" + string(code) + "]"; !strings.HasSuffix(strings.TrimSpace(a.Text), want) {
				t.Errorf("code %s: the text ends with %q, want the line %s", code, a.Text, want)
			}
		}
	})
	t.Run("unknown tool", func(t *testing.T) {
		a := call(t, "ecko", `{}`)
		if a.Code != string(contract.CodeToolNotExposed) || !strings.Contains(a.Text, "echo") {
			t.Errorf("an unknown tool = %+v, want %s and the near name", a, contract.CodeToolNotExposed)
		}
	})
	t.Run("invalid arguments", func(t *testing.T) {
		if a := call(t, "fail", `{"code":1}`); a.Code != string(contract.CodeInvalidArguments) || !strings.Contains(a.Text, "/code: ") {
			t.Errorf("wrong arguments = %+v, want %s with a pointer", a, contract.CodeInvalidArguments)
		}
	})
	t.Run("panic", func(t *testing.T) {
		a := call(t, "panics", `{}`)
		if a.Code != string(contract.CodeToolError) || strings.Contains(a.Text, "secret") {
			t.Errorf("a panic = %+v, want %s without the panic's text", a, contract.CodeToolError)
		}
		if again := call(t, "echo", `{}`); again.IsError {
			t.Errorf("after a panic, echo = %+v", again)
		}
	})
	t.Run("empty", func(t *testing.T) {
		if a := call(t, "nothing", `{}`); a.IsError || strings.TrimSpace(a.Text) == "" {
			t.Errorf("an empty result = %+v, want some text", a)
		}
	})
	t.Run("blocks", func(t *testing.T) {
		a := call(t, "mixed", `{}`)
		if len(a.Blocks) != 4 || a.Blocks[0] != "first" || !strings.Contains(a.Blocks[1], "image/png") ||
			!strings.Contains(a.Blocks[2], "9007199254740993") || a.Blocks[3] != "last" {
			t.Errorf("blocks = %q", a.Blocks)
		}
	})
	t.Run("window", func(t *testing.T) {
		a := call(t, "flood", `{}`)
		if len(a.Text) > contract.DefaultOutputChars+500 || !strings.Contains(a.Text, "omitted") {
			t.Errorf("180,000 characters came back as %d, want a window", len(a.Text))
		}
	})
	t.Run("bytes", func(t *testing.T) {
		a := call(t, "bytes", `{}`)
		if !strings.HasPrefix(a.Text, "ok \ufffd\x01\u2028 \"quoted\" \\ </script>") {
			t.Errorf("bytes = %q", a.Text)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		go func() { <-entered; cancel() }()
		if a, err := client.Call(ctx, "slow", `{}`); err == nil {
			t.Errorf("a cancelled call was answered: %+v", a)
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled call: %v", err)
		}
		if a := call(t, "echo", `{}`); a.IsError {
			t.Errorf("after a cancelled call, echo = %+v", a)
		}
		if running.Load() != 1 || cancelled.Load() != 1 {
			t.Errorf("%d calls ran and %d were cancelled, want 1 and 1", running.Load(), cancelled.Load())
		}
	})
}

func fixture(name string, run func(context.Context, *contract.Call) contract.Result) contract.Tool {
	input := `{"type":"object"}`
	if name == "fail" {
		input = `{"type":"object","required":["code"],"properties":{"code":{"type":"string"}}}`
	}
	return contract.Tool{
		Identity: contract.Identity("builtin/" + name), Name: name, Description: "A fixture.",
		Class: contract.ClassSession, Input: schema.Source(input), Idempotent: true, Run: run,
	}
}
