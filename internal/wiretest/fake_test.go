package wiretest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Under the race detector a program sleeps for a second before it exits,
	// which these tests would take for unwillingness.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	Main(goleakMain{m}, map[string]func(){"fake": fake, "idle": idle})
}

// goleakMain fails the run when a test has left a goroutine behind.
type goleakMain struct{ m *testing.M }

func (g goleakMain) Run() int {
	code := g.m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// idle does nothing for as long as any test can take, and not for ever.
func idle() { <-time.After(time.Minute) }

// fake is a server whose every method does something that a test needs.
func fake() {
	say := func(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }
	held := ""
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if os.Getenv("FAKE_HANG") != "" {
				idle()
			}
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
			continue
		}
		switch m.Method {
		case "echo":
			say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.Params)
		case "fail":
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found\nat all"}}`, m.ID)
		case "hold": // answered by release
			held = string(m.ID)
		case "release":
			say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
			say(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, held)
		case "progress":
			for i := range 3 {
				say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`, i)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		case "ask":
			held = string(m.ID)
			say(`{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"sure?"}}`)
		case "":
			if m.Result != nil { // the answer to ask
				say(`{"jsonrpc":"2.0","id":%s,"result":{"said":%s}}`, held, m.Result)
			}
		case "print":
			var text string
			if err := json.Unmarshal(m.Params, &text); err != nil {
				panic(err)
			}
			fmt.Print(text)
		case "environ":
			dir, err := os.Getwd()
			if err != nil {
				panic(err)
			}
			answer, err := json.Marshal(map[string]string{"FOO": os.Getenv("FOO"), "dir": dir})
			if err != nil {
				panic(err)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
		case "complain":
			fmt.Fprintln(os.Stderr, "something is wrong")
			say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		case "leave":
			os.Exit(3)
		case "fork": // a child that keeps the output open
			child := exec.Command("idle")
			child.Stdout = os.Stdout
			if err := child.Start(); err != nil {
				panic(err)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"pid":%d}}`, m.ID, child.Process.Pid)
		case "stuck": // reads no more
			idle()
		default:
			fmt.Fprintln(os.Stderr, "unknown method", m.Method, strings.TrimSpace(line))
		}
	}
}
