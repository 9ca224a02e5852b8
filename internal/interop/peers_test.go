//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience bounds one run of a peer. Node starts slowly on a busy machine.
const patience = 90 * time.Second

// An era is one published client in one way of opening a connection.
type era struct {
	name     string // for client.mjs
	protocol string // what it agrees on with a server that speaks everything
}

var eras = []era{
	{"v1", "2025-11-25"},         // @modelcontextprotocol/sdk, initialize
	{"initialize", "2025-11-25"}, // @modelcontextprotocol/client, initialize
	{"auto", "2026-07-28"},       // @modelcontextprotocol/client, discover with a way back
	{"discover", "2026-07-28"},   // @modelcontextprotocol/client, discover alone
}

// scenario is what client.mjs plays.
type scenario struct {
	Era     string            `json:"era"`
	Command []string          `json:"command"`
	Dir     string            `json:"cwd,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Elicit  any               `json:"elicit,omitempty"` // the answer to each question, or a list of them; nil: cannot be asked
	Steps   []step            `json:"steps"`
}

// step is a list, a call, what a client does with resources, or several steps
// at once.
type step struct {
	List       bool   `json:"list,omitempty"`
	Resources  bool   `json:"resources,omitempty"`
	Read       string `json:"read,omitempty"`
	Subscribe  string `json:"subscribe,omitempty"`
	Updated    string `json:"updated,omitempty"` // waits for the next notification that it has changed
	Call       string `json:"call,omitempty"`
	Arguments  any    `json:"arguments,omitempty"`
	CancelOnce string `json:"cancelOnce,omitempty"` // a file: once it is there, the call is cancelled
	Together   []step `json:"together,omitempty"`
}

// report is what client.mjs prints.
type report struct {
	Protocol      string
	Server        struct{ Name, Version string }
	Instructions  string
	Steps         []outcome
	Asked         []question
	Withdrawn     []string // messages of questions that the server took back
	Notifications []struct{ Method, URI string }
	Faults        []string // what the SDK found wrong with the server
	Stderr        string
	Left          bool // the server was still there after the client had closed
}

// question is what a server asked by an elicitation.
type question struct {
	Message         string
	RequestedSchema json.RawMessage
}

type outcome struct {
	Tools      []tool
	Resources  []struct{ URI, Title string }
	Contents   []struct{ MIMEType, Text string }
	Subscribed struct{ ResourceSubscriptions []string } // what a server of the new era agreed to
	Result     *result
	Progress   []json.RawMessage
	Error      *struct{ Code, Message string }
	Together   []outcome
}

type tool struct {
	Name, Description string
	InputSchema       json.RawMessage
	Annotations       map[string]any
}

type result struct {
	Content []struct{ Type, Text string }
	IsError bool
	Meta    map[string]json.RawMessage `json:"_meta"`
}

// text is what a call showed, or "" and a failed test if it was no text.
func (o outcome) text(t *testing.T) string {
	t.Helper()
	if o.Error != nil {
		t.Errorf("call answered by error %s: %s", o.Error.Code, o.Error.Message)
		return ""
	}
	if o.Result == nil || len(o.Result.Content) != 1 || o.Result.Content[0].Type != "text" {
		t.Errorf("call answered by %+v, want one text", o.Result)
		return ""
	}
	return o.Result.Content[0].Text
}

// play has a published client play s, and checks what holds for every server.
func play(t *testing.T, s scenario) report {
	t.Helper()
	input, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := runNode(t, bytes.NewReader(input), "client.mjs")
	if out.code != 0 {
		t.Fatalf("client.mjs (%s) exited with %d:\n%s", s.Era, out.code, out.stderr)
	}
	var r report
	if err := json.Unmarshal(out.stdout, &r); err != nil {
		t.Fatalf("decode report of client.mjs: %v\n%s", err, out.stdout)
	}
	if len(r.Steps) != len(s.Steps) {
		t.Fatalf("client.mjs played %d of %d steps", len(r.Steps), len(s.Steps))
	}
	if r.Left {
		t.Errorf("%s: the server outlived its client", s.Era)
	}
	return r
}

type output struct {
	stdout, stderr []byte
	code           int
}

// runNode runs a script with the pinned runtime, its folder being this one.
func runNode(t *testing.T, stdin *bytes.Reader, script string, args ...string) output {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), nodeProgram(t), append([]string{script}, args...)...)
	cmd.Env = append(cmd.Environ(), "PATH="+filepath.Dir(nodeProgram(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	if stdin != nil {
		cmd.Stdin = stdin
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = patience
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %s: %v", script, err)
	}
	return output{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

// nodeProgram is the runtime that package-lock.json pins: some peers do not
// start on the one that a system may have.
func nodeProgram(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the peers are not installed (%v); run: npm ci --prefix internal/interop", err)
	}
	return path
}

// names of the tools, in the order of the list.
func names(tools []tool) string {
	var all []string
	for _, tool := range tools {
		all = append(all, tool.Name)
	}
	return strings.Join(all, " ")
}
