package wiretest

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"
)

// Peer is a client on the other end of a running program's standard input and
// output. Whatever goes wrong fails the test and shows the transcript; so its
// methods are for the goroutine of the test.
type Peer struct {
	// Timeout bounds each wait. Start sets it to [DefaultTimeout].
	Timeout time.Duration

	t        testing.TB
	program  *program
	captured map[string]any
}

// Start starts cmd, which must have no standard streams yet. If the test ends
// with the program still running, it is killed.
func Start(t testing.TB, cmd *exec.Cmd) *Peer {
	t.Helper()
	return startWithin(t, cmd, DefaultTimeout)
}

func startWithin(t testing.TB, cmd *exec.Cmd, timeout time.Duration) *Peer {
	t.Helper()
	program, err := start(cmd, timeout/2)
	if err != nil {
		t.Fatal(err)
	}
	p := &Peer{Timeout: timeout, t: t, program: program, captured: map[string]any{}}
	t.Cleanup(func() {
		program.stop()
		if t.Failed() {
			t.Logf("%v\nstandard error:\n%s", program.log, program.errorOutput())
		}
	})
	return p
}

// Send sends one line, which need not be JSON.
func (p *Peer) Send(line string) {
	p.t.Helper()
	p.check(p.program.send([]byte(line+"\n"), p.Timeout))
}

// Notify sends a notification. Nil params are left out.
func (p *Peer) Notify(method string, params any) {
	p.t.Helper()
	p.Send(p.encode(nil, method, params))
}

// Request sends a request with an id, commonly an int or a string, and does
// not wait for its answer. Nil params are left out.
func (p *Peer) Request(id any, method string, params any) {
	p.t.Helper()
	p.Send(p.encode(id, method, params))
}

// Call sends a request and returns its whole answer, as [Peer.Await] does.
func (p *Peer) Call(id any, method string, params any) json.RawMessage {
	p.t.Helper()
	p.Request(id, method, params)
	return p.Await(id)
}

// Await returns the answer with this id, the whole message, be it a result or
// an error. Each answer is returned once.
func (p *Peer) Await(id any) json.RawMessage {
	p.t.Helper()
	name, err := json.Marshal(id)
	p.check(err)
	answer, err := p.program.answer(string(name), p.Timeout)
	p.check(err)
	return answer
}

// Expect awaits the message that pattern describes, as <- does in a script,
// and returns it.
func (p *Peer) Expect(pattern string) json.RawMessage {
	p.t.Helper()
	m, err := p.program.expect(pattern, p.captured, p.Timeout)
	p.check(err)
	return m
}

// Captured returns what a pattern of Expect has captured under this name, nil
// if nothing.
func (p *Peer) Captured(name string) any { return p.captured[name] }

// Messages returns all messages so far, in the order of the wire.
func (p *Peer) Messages() []json.RawMessage {
	var all []json.RawMessage
	for _, m := range p.program.messages() {
		all = append(all, m.raw)
	}
	return all
}

// Stderr returns what the program has written to standard error so far.
func (p *Peer) Stderr() string { return p.program.errorOutput() }

// Process returns the id of the program's process.
func (p *Peer) Process() int { return p.program.cmd.Process.Pid }

// Close closes standard input and returns the exit code, -1 for a signal.
func (p *Peer) Close() int {
	p.t.Helper()
	p.check(p.program.closeInput())
	return p.Exit()
}

// Exit returns the exit code once the program has ended by itself.
func (p *Peer) Exit() int {
	p.t.Helper()
	code, err := p.program.awaitExit(p.Timeout)
	p.check(err)
	return code
}

// Kill kills the program and returns once it is gone.
func (p *Peer) Kill() { p.program.kill() }

func (p *Peer) encode(id any, method string, params any) string {
	p.t.Helper()
	b, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", id, method, params})
	p.check(err)
	return string(b)
}

func (p *Peer) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}
