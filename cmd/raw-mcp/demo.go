package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"raw/internal/proc"
)

func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Play a host: start the server on a scratch folder and use every tool",
		Long: `Start this program's server as a child on a scratch folder, talk to it over
standard input and output as a host does, and show what comes back: the tools,
a file read, an edit with its diff, a command, and two refusals with their
reasons, and the list of steps as a person sees it. Every line shown was received from the server. Nothing outside the
scratch folder is touched, and it is removed at the end.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.demo(cmd.Context()) },
	}
}

// scene is what the demo shows: a call, with what is said before it.
type scene struct {
	say       string
	tool      string
	arguments map[string]any
	panel     string // the resource that a person then sees
}

const todoPanel = "panel://builtin/todo_write/todo"

// todos is the list with the first items done.
func todos(done int, items ...string) map[string]any {
	list := make([]map[string]string, len(items))
	for i, item := range items {
		status := "pending"
		switch {
		case i < done:
			status = "completed"
		case i == done:
			status = "in_progress"
		}
		list[i] = map[string]string{"content": item, "status": status}
	}
	return map[string]any{"todos": list}
}

const demoRules = `# the rule of the demo
[[tools.rules]]
match = "builtin/*"
effect = "deny"
when = { source = "effects", any = "programs[*].name", regex = "^rm$" }
reason = "removal needs a person"
`

var scenes = [...]scene{
	{say: "plan: the person sees the list as a panel", tool: "todo_write", arguments: todos(0, "read it", "change it", "run it"), panel: todoPanel},
	{say: "read a file", tool: "read", arguments: map[string]any{"path": "greet.sh"}},
	{say: "edit it: only the matched bytes change", tool: "edit", arguments: map[string]any{
		"path": "greet.sh", "edits": []map[string]string{{"old_text": "hello", "new_text": "good day"}},
	}},
	{say: "run it", tool: "bash", arguments: map[string]any{"command": "./greet.sh world; ls -l greet.sh"}},
	{say: "tick off", tool: "todo_write", arguments: todos(3, "read it", "change it", "run it"), panel: todoPanel},
	{say: "a rule forbids rm, however the command is spelled", tool: "bash", arguments: map[string]any{"command": `true && (env X=1 nohup r\m -f greet.sh)`}},
	{say: "a path outside the workspace needs a person, and nobody can be asked here", tool: "read", arguments: map[string]any{"path": "../outside.txt"}},
	{say: "an edit that does not fit says why, and changes nothing", tool: "edit", arguments: map[string]any{
		"path": "greet.sh", "edits": []map[string]string{{"old_text": "good  day", "new_text": "hi"}},
	}},
}

func (p *program) demo(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "raw-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "work")
	config := filepath.Join(dir, "config.toml")
	for _, f := range []struct {
		path, text string
		mode       os.FileMode
	}{
		{filepath.Join(work, "greet.sh"), "#!/bin/sh\n# says hello to somebody\necho \"good morning, $1\"\n", 0o755},
		{filepath.Join(dir, "outside.txt"), "not yours\n", 0o644},
		{config, demoRules, 0o644},
	} {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.path, []byte(f.text), f.mode); err != nil {
			return err
		}
	}
	host, err := startServer(ctx, dir, "serve", "--root", work, "--config", config)
	if err != nil {
		return err
	}
	playErr := host.play(p.Stdout)
	return errors.Join(playErr, host.close(p.Stdout))
}

// host is the demo's side of the wire.
type host struct {
	runner  *proc.Runner
	toChild *io.PipeWriter
	lines   *json.Decoder
	last    int
	ended   chan error
}

// startServer starts this very program with a state folder of its own.
func startServer(ctx context.Context, state string, args ...string) (*host, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	runner, err := proc.New()
	if err != nil {
		return nil, err
	}
	childIn, toChild := io.Pipe()
	fromChild, childOut := io.Pipe()
	h := &host{runner: runner, toChild: toChild, lines: json.NewDecoder(fromChild), ended: make(chan error, 1)}
	env := append(proc.Environment(os.Environ(), nil), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+state)
	go func() {
		exit, err := runner.Run(ctx, proc.Spec{
			Path: self, Args: args, Env: env, Stdin: childIn,
			OnOutput: func(stream int, p []byte) {
				if stream == proc.Stdout {
					_, _ = childOut.Write(p) // the pipe is ours and fails only once it was closed
				}
			},
		})
		if err == nil && exit.Code != 0 {
			err = fmt.Errorf("the server ended with exit code %d: %s%s", exit.Code, exit.Stderr.Head, exit.Stderr.Tail)
		}
		_ = childOut.CloseWithError(io.EOF)
		h.ended <- err
	}()
	return h, nil
}

// call sends one request and waits for its answer.
func (h *host) call(method string, params any) (json.RawMessage, error) {
	h.last++
	if err := h.send(map[string]any{"jsonrpc": "2.0", "id": h.last, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		var m struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := h.lines.Decode(&m); err != nil {
			return nil, fmt.Errorf("wait for the answer to %s: %w", method, err)
		}
		switch {
		case m.ID == nil || *m.ID != h.last:
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		default:
			return m.Result, nil
		}
	}
}

func (h *host) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = h.toChild.Write(append(line, '\n'))
	return err
}

func (h *host) play(w io.Writer) error {
	var hello struct {
		ProtocolVersion string                         `json:"protocolVersion"`
		ServerInfo      struct{ Name, Version string } `json:"serverInfo"`
	}
	if err := h.into(&hello, "initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "raw-demo", "version": "1"},
	}); err != nil {
		return err
	}
	fmt.Fprintf(w, "connected to %s %s, MCP %s\n", hello.ServerInfo.Name, hello.ServerInfo.Version, hello.ProtocolVersion)
	if err := h.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	body, err := h.call("tools/list", nil)
	if err != nil {
		return err
	}
	var list struct {
		Tools []struct{ Name, Title string } `json:"tools"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n== the tools (%d bytes for the model)\n", len(body))
	for _, t := range list.Tools {
		fmt.Fprintf(w, "   %-10s %s\n", t.Name, t.Title)
	}
	for _, s := range scenes {
		if err := h.show(w, s); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) into(result any, method string, params any) error {
	body, err := h.call(method, params)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, result)
}

// show plays one scene: the call as it is sent, the answer as it came.
func (h *host) show(w io.Writer, s scene) error {
	var arguments strings.Builder
	e := json.NewEncoder(&arguments)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.arguments); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n== %s\n-> %s %s", s.say, s.tool, arguments.String())
	var answer struct {
		Content []struct{ Text string } `json:"content"`
		IsError bool                    `json:"isError"`
	}
	if err := h.into(&answer, "tools/call", map[string]any{"name": s.tool, "arguments": s.arguments}); err != nil {
		return err
	}
	mark := "<- "
	if answer.IsError {
		mark = "<! "
	}
	for _, c := range answer.Content {
		for line := range strings.Lines(c.Text) {
			fmt.Fprintf(w, "%s%s\n", mark, strings.TrimSuffix(line, "\n"))
		}
	}
	if s.panel == "" {
		return nil
	}
	return h.see(w, s.panel)
}

// see shows a panel as a person gets it.
func (h *host) see(w io.Writer, uri string) error {
	var read struct {
		Contents []struct{ MimeType, Text string } `json:"contents"`
	}
	if err := h.into(&read, "resources/read", map[string]any{"uri": uri}); err != nil {
		return err
	}
	for _, c := range read.Contents {
		if c.MimeType != "text/plain" {
			continue
		}
		for line := range strings.Lines(c.Text) {
			fmt.Fprintf(w, " | %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return nil
}

// close ends the server the way a host does: by closing its input.
func (h *host) close(w io.Writer) error {
	if err := h.toChild.Close(); err != nil {
		return err
	}
	err := <-h.ended
	if err == nil {
		fmt.Fprintln(w, "\nthe server ended with its input, exit code 0")
	}
	return errors.Join(err, h.runner.Close())
}
