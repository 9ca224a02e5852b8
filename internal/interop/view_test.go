//go:build interop

package interop

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"raw/panelbridge"
)

// TestView shows the panel view in Chromium, as a host of MCP Apps does. What
// each scenario checks stands at the top of its file in view/.
func TestView(t *testing.T) {
	file := viewFile(t)
	library, err := panelbridge.Mermaid()
	if err != nil {
		t.Fatal(err)
	}
	mermaid := filepath.Join(t.TempDir(), "mermaid.js")
	writeFile(t, mermaid, []byte(library))
	t.Setenv("RAW_MERMAID", mermaid)
	for _, name := range []string{
		"kinds", "keyboard", "faults", "cancel", "actions", "live", "hostile", "accessible", "polling", "static", "look", "mermaid", "diagram",
	} {
		t.Run(name, func(t *testing.T) { playView(t, name, file) })
	}
}

// TestViewWithServer has raw-mcp itself behind the view, as view/program.mjs
// connects them.
func TestViewWithServer(t *testing.T) {
	program := buildRawMCP(t)
	for _, era := range []string{"initialize", "discover"} { // AppBridge takes the client that has both
		for _, tc := range []struct{ name, config string }{
			{"todo", ""},
			{"question", ""},
			{"approval_required", askedOfActions},
			{"approval_denied", askedOfActions + "[workspace]\nposture = \"auto-review\"\n"},
		} {
			t.Run(era+"/"+tc.name, func(t *testing.T) {
				tree, env := t.TempDir(), isolated(t)
				config := filepath.Join(t.TempDir(), "config.toml")
				writeFile(t, config, []byte(tc.config))
				input := asJSON(t, scenario{Era: era, Command: []string{program, "--root", tree, "--config", config}, Dir: tree, Env: env})
				if out := runNode(t, bytes.NewReader([]byte(input)), "view/program.mjs", tc.name); out.code != 0 {
					t.Errorf("view/program.mjs exited with %d:\n%s%s", out.code, out.stdout, out.stderr)
				}
			})
		}
	}
}

// askedOfActions has a person asked for every todo_write that brings no list: for
// those of the panel's actions.
const askedOfActions = `
[[tools.rules]]
match = "builtin/todo_write"
effect = "ask"
[[tools.rules]]
match = "builtin/todo_write"
effect = "allow"
when = { source = "arguments", any = "todos[*].content", regex = "." }
`

// TestViewScreenshots writes docs/panels-light.png and docs/panels-dark.png
// when RAW_SCREENSHOTS is set; else it checks that they are there and small.
func TestViewScreenshots(t *testing.T) {
	if os.Getenv("RAW_SCREENSHOTS") != "" {
		playView(t, "screenshots", viewFile(t))
	}
	for _, name := range []string{"panels-light.png", "panels-dark.png"} {
		info, err := os.Stat(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 150<<10 {
			t.Errorf("docs/%s has %d bytes, want at most %d", name, info.Size(), 150<<10)
		}
	}
}

func viewFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "view.html")
	writeFile(t, file, []byte(panelbridge.View()))
	return file
}

func playView(t *testing.T, name, file string) {
	t.Helper()
	if out := runNode(t, nil, "view/run.mjs", name, file); out.code != 0 {
		t.Errorf("view/%s.mjs exited with %d:\n%s%s", name, out.code, out.stdout, out.stderr)
	}
}
