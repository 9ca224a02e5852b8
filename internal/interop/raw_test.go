//go:build interop

package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRawMCP plays one working session on a copy of Go's own sources with each
// published client.
func TestRawMCP(t *testing.T) {
	program := buildRawMCP(t)
	tree := copyOfGo(t)
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			s := newSession(t, program, tree, era)
			s.play(t)
		})
	}
	t.Run("inspector", func(t *testing.T) { inspectRawMCP(t, program, tree) })
}

// session is the files and the scenario of one session.
type session struct {
	scenario
	protocol string
	tree     string
	edited   string // relative to tree, as below
	original []byte
	started  string
}

const (
	once    = "// Contains reports whether substr is within s.\n"
	renamed = "// Contains reports whether substr is inside s.\n"
)

func newSession(t *testing.T, program, tree string, era era) *session {
	s := &session{
		protocol: era.protocol,
		tree:     tree,
		edited:   filepath.Join("strings", "edited_by_"+era.name+".go"),
		original: readFile(t, filepath.Join(tree, "strings", "strings.go")),
		started:  filepath.Join(tree, "started-"+era.name),
	}
	writeFile(t, filepath.Join(tree, s.edited), s.original)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	writeFile(t, outside, []byte("secret"))
	s.scenario = scenario{
		Era:     era.name,
		Command: []string{program, "--root", tree},
		Dir:     tree,
		Env:     isolated(t),
		Steps: []step{
			stepList: {List: true},
			stepRead: {Call: "read", Arguments: args{"path": "fmt/print.go", "offset": 10, "limit": 3}},
			stepEdit: {Call: "edit", Arguments: args{
				"path": s.edited, "edits": []args{{"old_text": once, "new_text": renamed}},
			}},
			stepAmbiguous: {Call: "edit", Arguments: args{
				"path": s.edited, "edits": []args{{"old_text": "return", "new_text": "RETURN"}},
			}},
			stepRun:  {Call: "bash", Arguments: args{"command": "wc -c < fmt/print.go"}},
			stepExit: {Call: "bash", Arguments: args{"command": "echo no >&2; exit 3"}},
			stepCancel: {Together: []step{
				{
					Call:       "bash",
					Arguments:  args{"command": fmt.Sprintf("echo $$ > pid-%[1]s; mv pid-%[1]s started-%[1]s; sleep 300", era.name), "timeout": 600},
					CancelOnce: s.started,
				},
				{Call: "read", Arguments: args{"path": "fmt/doc.go", "limit": 1}},
			}},
			stepGone: {Call: "bash", Arguments: args{
				"command": fmt.Sprintf("while kill -0 $(cat started-%s) 2>/dev/null; do sleep 0.02; done; echo gone", era.name), "timeout": 10,
			}},
			stepOutside: {Call: "read", Arguments: args{"path": outside}},
			stepUnknown: {Call: "nosuch", Arguments: args{}},
		},
	}
	return s
}

const (
	stepList = iota
	stepRead
	stepEdit
	stepAmbiguous
	stepRun
	stepExit
	stepCancel
	stepGone
	stepOutside
	stepUnknown
)

type args = map[string]any

func (s *session) play(t *testing.T) {
	r := play(t, s.scenario)
	if r.Protocol != s.protocol || r.Server.Name != "raw-mcp" || r.Server.Version == "" {
		t.Errorf("connected to %+v by %q, want raw-mcp and its version by %s", r.Server, r.Protocol, s.protocol)
	}
	if n := len(r.Instructions); n == 0 || n > 4000 {
		t.Errorf("instructions have %d characters, want 1 to 4,000", n)
	}
	if len(r.Faults) > 0 {
		t.Errorf("the SDK found fault with the server: %q", r.Faults)
	}
	checkTools(t, r.Steps[stepList].Tools)

	lines := strings.SplitAfter(string(readFile(t, filepath.Join(s.tree, "fmt", "print.go"))), "\n")
	var page strings.Builder
	for n := 10; n < 13; n++ {
		fmt.Fprintf(&page, "%6d\t%s", n, lines[n-1])
	}
	if got := r.Steps[stepRead].text(t); !strings.HasPrefix(got, page.String()) || !strings.Contains(got, "offset=13") {
		t.Errorf("read = %q, want %q and how to go on at offset=13", got, page.String())
	}

	if got := r.Steps[stepEdit].text(t); !strings.Contains(got, "\n-"+once) || !strings.Contains(got, "\n+"+renamed) {
		t.Errorf("edit = %q, want a diff of the line", got)
	}
	wantFailed(t, r.Steps[stepAmbiguous], "/edits/0/old_text")
	want := strings.Replace(string(s.original), once, renamed, 1)
	if got := string(readFile(t, filepath.Join(s.tree, s.edited))); got != want {
		t.Errorf("the edited file has %d bytes, want the %d of the one replacement", len(got), len(want))
	}

	size := fmt.Sprint(len(readFile(t, filepath.Join(s.tree, "fmt", "print.go"))))
	if got := r.Steps[stepRun].text(t); strings.TrimSpace(got) != "[stdout]\n"+size {
		t.Errorf("bash wc = %q, want %s on stdout", got, size)
	}
	wantFailed(t, r.Steps[stepExit], "[exit code: 3]")

	together := r.Steps[stepCancel].Together
	if e := together[0].Error; e == nil || !strings.Contains(e.Message, "cancelled by the scenario") {
		t.Errorf("cancelled bash = %+v, want the cancellation", together[0])
	}
	if got := together[1].text(t); !strings.HasPrefix(got, "     1\t") {
		t.Errorf("read beside a bash = %q, want line 1", got)
	}
	if got := r.Steps[stepGone].text(t); strings.TrimSpace(got) != "[stdout]\ngone" {
		t.Errorf("waiting for the end of the cancelled bash: %q, want gone", got)
	}

	// This client did not say that it can ask anybody.
	wantFailed(t, r.Steps[stepOutside], "approval_required")
	if o := r.Steps[stepUnknown]; o.Error == nil && (o.Result == nil || !o.Result.IsError) {
		t.Errorf("unknown tool = %+v, want an error", o)
	}
}

// checkTools checks what every host relies on, and that the four are there in
// this order.
func checkTools(t *testing.T, tools []tool) {
	t.Helper()
	if got := names(tools); !strings.HasPrefix(got+" ", "read write edit bash ") {
		t.Errorf("tools/list = %q, want it to begin with read write edit bash", got)
	}
	for _, tool := range tools {
		if tool.Description == "" || !bytes.Contains(tool.InputSchema, []byte(`"type":"object"`)) {
			t.Errorf("tool %s: description %q, schema %s", tool.Name, tool.Description, tool.InputSchema)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("tool %s says nothing about %s", tool.Name, hint)
			}
		}
	}
}

func wantFailed(t *testing.T, o outcome, text string) {
	t.Helper()
	if got := o.text(t); !strings.Contains(got, text) || o.Result != nil && !o.Result.IsError {
		t.Errorf("call = %q (%+v), want it to fail with %q", got, o.Result, text)
	}
}

func inspectRawMCP(t *testing.T, program, tree string) {
	for name, value := range isolated(t) {
		t.Setenv(name, value)
	}
	server := []string{program, "--root", tree}
	if got := inspect(t, server, "--method", "tools/list"); got.code != 0 || !bytes.Contains(got.stdout, []byte(`"edit"`)) {
		t.Errorf("tools/list exited with %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := inspect(t, server, "--method", "tools/call", "--tool-name", "read", "--tool-args-json", `{"path":"fmt/doc.go","limit":1}`); got.code != 0 || !bytes.Contains(got.stdout, []byte("Copyright")) {
		t.Errorf("tools/call read exited with %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := inspect(t, server, "--method", "tools/call", "--tool-name", "read", "--tool-args-json", `{"path":"nosuch.go"}`); got.code != 5 {
		t.Errorf("tools/call read of a missing file exited with %d, want 5: %s%s", got.code, got.stdout, got.stderr)
	}
}

// buildRawMCP builds the program as it ships.
func buildRawMCP(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "raw-mcp")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "raw/cmd/raw-mcp").CombinedOutput()
	if err != nil {
		t.Fatalf("build raw-mcp: %v\n%s", err, out)
	}
	return program
}

// copyOfGo copies the sources of the Go distribution: a real tree to work in.
func copyOfGo(t *testing.T) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v", err)
	}
	tree := filepath.Join(t.TempDir(), "src")
	if err := os.CopyFS(tree, os.DirFS(filepath.Join(strings.TrimSpace(string(root)), "src"))); err != nil {
		t.Fatalf("copy the sources of Go: %v", err)
	}
	return tree
}

// isolated keeps a person's own configuration and state out of the test.
func isolated(t *testing.T) map[string]string {
	home := t.TempDir()
	return map[string]string{
		"HOME":            home,
		"XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"XDG_STATE_HOME":  filepath.Join(home, "state"),
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
}
