package builtins

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/contracttest"
	"raw/contract/ledger"
	"raw/internal/atomicfile"
	"raw/internal/proc"
)

// allTools are the tools of a host that has everything.
func allTools(t *testing.T) []contract.Tool {
	t.Helper()
	runner, err := proc.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = runner.Close() })
	recall := func(ledger.Recall) (string, error) { return "", nil }
	return All(Host{Runner: runner, Locks: &atomicfile.Locks{}, Recall: recall})
}

// TestDeclarations runs the checks of every tool.
func TestDeclarations(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	contracttest.CheckTools(t, allTools(t), dir, []contracttest.Example{
		{Tool: "read", Arguments: `{"path":"f","offset":1,"limit":10}`},
		{Tool: "read", Arguments: `{"path":"~/x/../y"}`},
		{Tool: "write", Arguments: `{"path":"new/deep/file","content":"x"}`},
		{Tool: "edit", Arguments: `{"path":"f","edits":[{"old_text":"a","new_text":"b"}]}`},
		{Tool: "bash", Arguments: `{"command":"cd sub && rm -rf *.o > log; sh -c 'touch x'; $X","timeout":5,"cwd":"."}`},
		{Tool: "bash", Arguments: `{"command":"mkdir made"}`},
		{Tool: "write_file", Arguments: `{"operations":[{"op":"append","path":"f","content":"x"}]}`},
		{Tool: "write_file", Arguments: `{"patch":"*** Begin Patch\n*** Add File: new\n+x\n*** Delete File: f\n*** End Patch\n"}`},
		{Tool: "todo_write", Arguments: `{"todos":[{"content":"x","status":"in_progress"},{"content":"y","status":"cancelled"}]}`},
		{Tool: "todo_write", Arguments: `{"todos":[]}`},
		{Tool: "tool_search", Arguments: `{"query":"read a web page"}`},
		{Tool: "tool_search", Arguments: `{"query":"^mcp_","match":"regex","max_results":1}`},
		{Tool: "ask_user", Arguments: `{"questions":[{"id":"a","label":"A?","kind":"text"}],"title":"T","timeout_ms":5}`},
		{Tool: "glob", Arguments: `{"pattern":"**/*.{go,md}","path":"~/x","hidden":true,"ignored":true}`},
		{Tool: "glob", Arguments: `{"pattern":"f"}`},
		{Tool: "grep", Arguments: `{"pattern":"a|b","path":"f","include":"*.go","ignore_case":true,"context":2,"mode":"count","literal":true}`},
		{Tool: "grep", Arguments: `{"pattern":"-e","hidden":true,"ignored":true}`},
		{Tool: "recall", Arguments: `{"id":"ex-1","range":{"start":2,"end":3}}`},
		{Tool: "recall", Arguments: `{"id":"1","chars":{"start":2}}`},
		{Tool: "recall", Arguments: `{"query":"a+","after":"ex-1:2"}`},
	})
}

// TestManifest pins what a model is told: a change of it is made on purpose,
// by writing testdata/manifest.json anew (go test -run Manifest, with
// UPDATE_MANIFEST=1).
func TestManifest(t *testing.T) {
	type entry struct {
		Name, Title, Class, Description, Snippet string
		Guidelines                               []string
		Input                                    json.RawMessage
	}
	var list []entry
	for _, tool := range allTools(t) {
		list = append(list, entry{
			tool.Name, tool.Title, string(tool.Class), tool.Description, tool.Snippet, tool.Guidelines, json.RawMessage(tool.Input),
		})
	}
	got, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "manifest.json")
	if os.Getenv("UPDATE_MANIFEST") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Errorf("the manifest changed (-want +got):\n%s", d)
	}
}
