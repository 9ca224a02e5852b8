//go:build interop

package interop

import (
	"path/filepath"
	"strings"
	"testing"
)

// The harness against servers that are known to be right: whatever fails here
// is not the fault of raw-mcp.
func TestReferenceServer(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			started := filepath.Join(t.TempDir(), "started")
			r := play(t, scenario{
				Era:     era.name,
				Command: []string{nodeProgram(t), "testdata/reference.mjs"},
				Elicit:  map[string]any{"action": "accept", "content": map[string]bool{"sure": true}},
				Steps: []step{
					{List: true},
					{Call: "echo", Arguments: map[string]string{"text": "hello"}},
					{Call: "ask"},
					{Together: []step{
						{Call: "hold", Arguments: map[string]string{"file": started}, CancelOnce: started},
						{Call: "echo", Arguments: map[string]string{"text": "meanwhile"}},
					}},
					{Call: "nosuch"},
				},
			})
			if r.Protocol != era.protocol || r.Server.Name != "reference" || r.Instructions != "be brief" {
				t.Errorf("connected to %q by %q with instructions %q, want reference by %s", r.Server.Name, r.Protocol, r.Instructions, era.protocol)
			}
			if got, want := names(r.Steps[0].Tools), "echo hold ask"; got != want {
				t.Errorf("tools/list = %q, want %q", got, want)
			}
			for i, want := range map[int]string{1: "hello", 2: "sure: true"} {
				if got := r.Steps[i].text(t); got != want {
					t.Errorf("step %d = %q, want %q", i, got, want)
				}
			}
			if len(r.Asked) != 1 || r.Asked[0].Message != "Sure?" {
				t.Errorf("asked %+v, want one question", r.Asked)
			}
			together := r.Steps[3].Together
			if e := together[0].Error; e == nil || !strings.Contains(e.Message, "cancelled by the scenario") {
				t.Errorf("cancelled call = %+v, want the cancellation", together[0])
			}
			if got := together[1].text(t); got != "meanwhile" {
				t.Errorf("call beside a waiting one = %q, want meanwhile", got)
			}
			if r.Steps[4].Error == nil {
				t.Errorf("unknown tool = %+v, want an error", r.Steps[4])
			}
			if len(r.Faults) > 0 {
				t.Errorf("faults = %q, want none", r.Faults)
			}
		})
	}
}

// A server of the old era only: discover falls back, or fails, by the client's
// own rules.
func TestEverythingServer(t *testing.T) {
	for _, name := range []string{"v1", "initialize", "auto"} {
		t.Run(name, func(t *testing.T) {
			r := play(t, scenario{
				Era:     name,
				Command: []string{nodeProgram(t), "node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"},
				Steps:   []step{{List: true}, {Call: "echo", Arguments: map[string]string{"message": "hello"}}},
			})
			if r.Protocol != "2025-11-25" {
				t.Errorf("protocol = %q, want 2025-11-25", r.Protocol)
			}
			if got := r.Steps[1].text(t); got != "Echo: hello" {
				t.Errorf("echo = %q, want %q", got, "Echo: hello")
			}
		})
	}
}

func TestInspectorOnEverything(t *testing.T) {
	server := []string{nodeProgram(t), "node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"}
	if got := inspect(t, server, "--method", "tools/list"); got.code != 0 || !strings.Contains(string(got.stdout), `"echo"`) {
		t.Errorf("tools/list exited with %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := inspect(t, server, "--method", "tools/call", "--tool-name", "echo", "--tool-args-json", `{"message":"hi"}`); got.code != 0 || !strings.Contains(string(got.stdout), "Echo: hi") {
		t.Errorf("tools/call echo exited with %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := inspect(t, server, "--method", "tools/call", "--tool-name", "nosuch"); got.code != 5 {
		t.Errorf("tools/call nosuch exited with %d, want 5: %s%s", got.code, got.stdout, got.stderr)
	}
}

// inspect runs the Inspector's command line against a server.
func inspect(t *testing.T, server []string, args ...string) output {
	t.Helper()
	args = append(append([]string{"--cli"}, server...), args...)
	return runNode(t, nil, "node_modules/.bin/mcp-inspector", args...)
}
