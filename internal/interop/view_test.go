//go:build interop

package interop

import (
	"os"
	"path/filepath"
	"testing"

	"raw/panelbridge"
)

// TestView shows the panel view in Chromium, as a host of MCP Apps does. What
// each scenario checks stands at the top of its file in view/.
func TestView(t *testing.T) {
	file := viewFile(t)
	for _, name := range []string{
		"kinds", "keyboard", "faults", "cancel", "actions", "live", "hostile", "accessible", "polling", "static", "look", "mermaid",
	} {
		t.Run(name, func(t *testing.T) { playView(t, name, file) })
	}
}

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
