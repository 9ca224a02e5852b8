//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// sent is a call that the client has sent.
type sent struct {
	tool      string
	arguments map[string]any
	refused   bool // it has to be
	answered  bool
	isError   bool
}

// client is the client of one server. A call is known by its token, which is in
// its arguments, and for a command in the file that it writes.
type client struct {
	*home
	calls  map[string]*sent
	tokens []string // by the id of the call
	in     io.WriteCloser
}

// maxOpen is how many calls are open at once.
const maxOpen = 8

// run plays the client until the server and all that it has started are gone.
func (c *client) run(l life) error {
	// Whatever the server starts has the end of this pipe too.
	gone, leash, err := os.Pipe()
	if err != nil {
		return err
	}
	defer gone.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(l.binary, "serve", "--root", c.path("w"), "--config", c.path("config.toml"))
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "XDG_STATE_HOME=", "SHELL=", "RAW_CRASH="+l.point)
	cmd.ExtraFiles = []*os.File{leash}
	cmd.Stderr = &stderr
	c.in, err = cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	err = cmd.Start()
	leash.Close()
	if err != nil {
		return err
	}
	const limit = 30 * time.Second
	var late atomic.Bool
	defer time.AfterFunc(limit, func() { late.Store(true); _ = cmd.Process.Kill() }).Stop()

	talked := c.talk(l, bufio.NewReader(out), cmd.Process)
	waited := cmd.Wait()
	if late.Load() {
		return fmt.Errorf("the server did not end within %v\n%s", limit, stderr.String())
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch killed := status.Signaled() && status.Signal() == syscall.SIGKILL; {
	case talked != nil:
		return talked
	case killed != (l.calls == 0), !killed && waited != nil:
		return fmt.Errorf("the server ended with %v\n%s", cmd.ProcessState, stderr.String())
	}
	if err := gone.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	if _, err := io.ReadAll(gone); err != nil {
		return fmt.Errorf("await the end of what the server has started: %w", err)
	}
	return nil
}

// talk sends calls and takes the answers until there are no more.
func (c *client) talk(l life, out *bufio.Reader, server *os.Process) error {
	c.write(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	open, answers := 0, -1
	for {
		line, err := out.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // a line without its end was not received
		}
		if err != nil {
			return err
		}
		first, err := c.take(line)
		if err != nil {
			return err
		}
		if !first {
			open--
		}
		if answers++; answers == l.answers && l.calls == 0 && l.point == "" {
			defer time.AfterFunc(l.after, func() { _ = server.Kill() }).Stop()
		}
		if l.calls > 0 && (answers == 2 || open == 0) {
			c.checkListed() // while this server lives and, at first, runs calls
		}
		for open < maxOpen && (l.calls == 0 || len(c.tokens) < l.calls) {
			if err := c.send(); err != nil {
				return err
			}
			open++
		}
		if open == 0 {
			if err := c.in.Close(); err != nil {
				return err
			}
		}
	}
}

// write writes a line. A server that is gone takes none, as its output tells.
func (c *client) write(line string) { _, _ = io.WriteString(c.in, line+"\n") }

// send sends one more call, of a random kind.
func (c *client) send() error {
	token := fmt.Sprintf("token-%d-%d-%d.", c.number, c.lives, len(c.tokens))
	appends := fmt.Sprintf("echo %s >> log", token)
	call := &sent{tool: "bash", arguments: map[string]any{"command": appends}}
	switch c.random.IntN(10) {
	case 0:
		call.arguments["unknown"], call.refused = true, true
	case 1:
		call.arguments["command"] = appends + "; exit 3"
	case 2, 3: // as a receipt larger than a record can be
		call.arguments["command"] = appends + "; printf %20000s " + token
	case 4, 5:
		call.tool, call.arguments = "read", map[string]any{"path": token}
		content := strings.Repeat("a line\n", 1+c.random.IntN(2)*2000)
		if err := os.WriteFile(filepath.Join(c.path("w"), token), []byte(content), 0o644); err != nil {
			return err
		}
	}
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": len(c.tokens), "method": "tools/call", "params": map[string]any{"name": call.tool, "arguments": call.arguments},
	})
	if err != nil {
		return err
	}
	c.calls[token] = call
	c.tokens = append(c.tokens, token)
	c.write(string(line))
	return nil
}

// take takes an answer, and reports whether it is that of the handshake.
func (c *client) take(line []byte) (first bool, err error) {
	var a struct {
		ID     any
		Result *struct{ IsError bool }
	}
	if err := json.Unmarshal(line, &a); err != nil || a.Result == nil {
		return false, fmt.Errorf("%.500s is no result", line)
	}
	if a.ID == "hello" {
		return true, nil
	}
	n, ok := a.ID.(float64)
	if !ok || int(n) >= len(c.tokens) {
		return false, fmt.Errorf("%.500s answers no call", line)
	}
	call := c.calls[c.tokens[int(n)]]
	if call.answered {
		return false, fmt.Errorf("%.500s answers a call again", line)
	}
	call.answered, call.isError = true, a.Result.IsError
	return false, nil
}
