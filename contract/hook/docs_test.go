package hook

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What docs/hooks.md shows is accepted, and it names every event and cause.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "hooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```json\n")
	if len(blocks) != 3 {
		t.Fatalf("docs/hooks.md has %d blocks of JSON, want a manifest and a payload", len(blocks)-1)
	}
	for i := range blocks {
		blocks[i], _, _ = strings.Cut(blocks[i], "```")
	}
	if _, faults := parse("/hooks/guard-sh", []byte(blocks[1])); len(faults) > 0 {
		t.Errorf("the manifest in docs/hooks.md: %v", faults)
	}
	e, err := ParseEvent([]byte(blocks[2]))
	if err != nil {
		t.Fatalf("the payload in docs/hooks.md: %v", err)
	}
	payload, err := e.Payload()
	shown := regexp.MustCompile(`\n *`).ReplaceAllString(blocks[2], "") // broken for the page
	if err != nil || shown+"\n" != string(payload) {
		t.Errorf("docs/hooks.md shows the payload\n%s\nwhich is written as\n%s%v", blocks[2], payload, err)
	}
	for _, c := range causes() {
		if !strings.Contains(string(text), "`"+string(c)+"`") {
			t.Errorf("docs/hooks.md does not name the cause %s", c)
		}
	}
	for _, n := range []Name{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, Stop, SessionEnd} {
		if !strings.Contains(string(text), "| `"+string(n)+"` |") {
			t.Errorf("docs/hooks.md does not tell of the event %s", n)
		}
	}
}
