package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"raw/contract"
	"raw/contract/panel"
)

// BenchmarkUpdateToWire is the time from a call that updates a panel to the
// notification of it, for one who subscribed, and to the call's answer with the
// whole document. The sizes are those of the document.
func BenchmarkUpdateToWire(b *testing.B) {
	for _, size := range []int{1 << 10, 64000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			n := 0
			tool := contract.Tool{
				Identity: "builtin/paint", Name: "paint", Description: "A fixture.", Class: contract.ClassSession, Input: `{"type":"object"}`,
				Panels: []panel.Declaration{{ID: "p", Title: "Panel"}},
				Run: func(context.Context, *contract.Call) contract.Result {
					n++
					if n > 1 {
						return contract.Result{Content: []contract.Block{contract.PanelUpdate(map[string]any{
							"panel": "p", "op": "patch", "patches": []any{map[string]any{"op": "set", "field": "subtitle", "value": fmt.Sprint(n)}},
						})}}
					}
					blocks := []any{}
					for i := range 4 {
						blocks = append(blocks, map[string]any{"id": fmt.Sprint(i), "kind": "markdown", "text": strings.Repeat("x", size/4-200)})
					}
					return contract.Result{Content: []contract.Block{contract.PanelUpdate(map[string]any{"panel": "p", "op": "replace", "document": map[string]any{"blocks": blocks}})}}
				},
			}
			fromClient, in := io.Pipe()
			out, toClient := io.Pipe()
			served := make(chan error, 1)
			go func() {
				served <- Serve(b.Context(), func(s contract.Surface) (*contract.Session, error) {
					return contract.Open(contract.Options{Tools: []contract.Tool{tool}, Surface: s})
				}, fromClient, toClient, Options{})
				toClient.Close()
			}()
			lines := bufio.NewReaderSize(out, 1<<20)
			send := func(line string) { fmt.Fprintln(in, line) }
			await := func(parts ...string) {
				for len(parts) > 0 {
					line, err := lines.ReadSlice('\n')
					if err != nil {
						b.Fatal(err)
					}
					for i, part := range parts {
						if bytes.Contains(line[:min(len(line), 200)], []byte(part)) {
							parts = append(parts[:i], parts[i+1:]...)
							break
						}
					}
				}
			}
			send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			await(`"id":0`)
			send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"panel://builtin/paint/p"}}`)
			await(`"id":1`)
			for b.Loop() {
				send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"paint"}}`)
				await(`"id":2`, "notifications/resources/updated")
			}
			in.Close()
			if err := <-served; err != nil {
				b.Fatal(err)
			}
		})
	}
}
