package wiretest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestPeer(t *testing.T) {
	p := Start(t, exec.Command("fake"))
	if got, want := string(p.Call(0, "echo", []int{1})), `{"jsonrpc":"2.0","id":0,"result":[1]}`; got != want {
		t.Errorf("Call(0, echo, [1]) = %s, want %s", got, want)
	}
	p.Request("a", "hold", nil)
	p.Notify("unknown", map[string]int{"x": 1})
	p.Call(1, "release", nil)
	if got, want := string(p.Await("a")), `{"jsonrpc":"2.0","id":"a","result":{"late":true}}`; got != want {
		t.Errorf("Await(a) = %s, want %s", got, want)
	}
	p.Send("junk")
	p.Expect(`{"id":null,"error":{"code":{"$capture":"CODE"}}}`)
	if got := p.Captured("CODE"); got != json.Number("-32700") {
		t.Errorf("Captured(CODE) = %v, want -32700", got)
	}
	if got := p.Messages(); len(got) != 4 {
		t.Errorf("Messages() = %s, want 4 of them", got)
	}
	if code := p.Close(); code != 0 {
		t.Errorf("Close() = %d, want 0", code)
	}
	if want := `unknown method unknown {"jsonrpc":"2.0","method":"unknown","params":{"x":1}}`; !strings.Contains(p.Stderr(), want) {
		t.Errorf("Stderr() = %q, want %q in it", p.Stderr(), want)
	}
}

func TestPeerKill(t *testing.T) {
	cmd := exec.Command("fake")
	p := Start(t, cmd)
	p.Call(1, "echo", "x")
	p.Kill()
	if err := cmd.Process.Signal(os.Interrupt); err == nil {
		t.Errorf("process %d is there after Kill", p.Process())
	}
}

// short is for waits that are in vain.
const short = 300 * time.Millisecond

// A Peer whose expectation is not met fails its test and tells what happened.
func TestPeerFails(t *testing.T) {
	cases := []struct {
		name, want string
		timeout    time.Duration
		run        func(p *Peer)
	}{
		{"no answer", "nothing came in time", short, func(p *Peer) { p.Await(1) }},
		{"wrong answer", `message.result is "x", want "y"`, DefaultTimeout, func(p *Peer) {
			p.Request(1, "echo", "x")
			p.Expect(`{"id":1,"result":"y"}`)
		}},
		{"no exit", "did not exit", short, func(p *Peer) { p.Exit() }},
		{"child left with the output", "still holds its output open", 2 * time.Second, func(p *Peer) {
			var answer struct{ Result struct{ PID int } }
			if err := json.Unmarshal(p.Call(1, "fork", nil), &answer); err != nil {
				panic(err)
			}
			child, err := os.FindProcess(answer.Result.PID)
			if err != nil {
				panic(err)
			}
			defer child.Kill()
			p.Close()
		}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			inner := &innerTB{TB: t}
			p := startWithin(inner, exec.Command("fake"), tc.timeout)
			inner.call(func() { tc.run(p) })
			inner.end()
			if !strings.Contains(inner.fatal, tc.want) {
				t.Errorf("failed with %q, want %q in it", inner.fatal, tc.want)
			}
			if !strings.Contains(inner.log, "transcript") {
				t.Errorf("logged %q, want the transcript", inner.log)
			}
		})
	}
}

// innerTB stands for the test that fails.
type innerTB struct {
	testing.TB
	fatal, log string
	cleanups   []func()
}

func (i *innerTB) Helper()                         {}
func (i *innerTB) Failed() bool                    { return i.fatal != "" }
func (i *innerTB) Cleanup(f func())                { i.cleanups = append(i.cleanups, f) }
func (i *innerTB) Logf(format string, args ...any) { i.log += fmt.Sprintf(format, args...) }

func (i *innerTB) Fatal(args ...any) {
	i.fatal = fmt.Sprint(args...)
	panic(i)
}

func (i *innerTB) call(f func()) {
	defer func() {
		if v := recover(); v != nil && v != any(i) {
			panic(v)
		}
	}()
	f()
}

func (i *innerTB) end() {
	for _, f := range i.cleanups {
		f()
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
