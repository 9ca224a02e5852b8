package wiretest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Cmds: Commands()})
}

// A script that expects the wrong thing must fail, and say why.
func TestWrongExpectations(t *testing.T) {
	const echo = `-> {"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1,2],"s":"xy"}}` + "\n"
	cases := []struct {
		name, script, want string
	}{
		{"value", echo + `<- {"id":1,"result":{"s":"other"}}`, `message.result.s is "xy", want "other"`},
		{"key not there", echo + `<- {"id":1,"result":{"t":1}}`, `message.result.t is absent`},
		{"key there", echo + `<- {"id":1,"result":{"s":{"$absent":true}}}`, `want it absent`},
		{"array longer", echo + `<- {"id":1,"result":{"a":[1]}}`, `has 2 elements, want 1`},
		{"array shorter", echo + `<- {"id":1,"result":{"a":[1,2,3,"..."]}}`, `has 2 elements, want 3`},
		{"element", echo + `<- {"id":1,"result":{"a":[1,3]}}`, `message.result.a[1] is 2, want 3`},
		{"regexp of the whole string", echo + `<- {"id":1,"result":{"s":{"$re":"x"}}}`, `want a string matching x`},
		{"regexp on a number", echo + `<- {"id":1,"result":{"a":[{"$re":"."},2]}}`, `is 1, want a string`},
		{"number as written", echo + `<- {"id":1,"result":{"a":[1.0,2]}}`, `is 1, want 1.0`},
		{"answer expected twice", echo + "<- {\"id\":1}\n<- {\"id\":1}", `nothing came in time`},
		{"id of another type", echo + `<- {"id":"1"}`, `nothing came in time`},
		{"no such notification", `<- {"method":"notifications/x"}`, `nothing came in time`},
		{"notification does not match", `-> {"jsonrpc":"2.0","id":1,"method":"progress"}` + "\n" +
			`<- {"method":"notifications/progress","params":{"progress":7}}`, `progress is 0, want 7`},
		{"unwanted answer", "<-! 1\n" + echo, `there is an answer 1, want none`},
		{"unwanted answer in time", echo + "<-! 1 5s", `there is an answer 1, want none`},
		{"order", `-> {"jsonrpc":"2.0","id":1,"method":"hold"}` + "\n" +
			`-> {"jsonrpc":"2.0","id":2,"method":"release"}` + "\n<-order 1 2", `1 came after 2`},
		{"order broken later", `-> {"jsonrpc":"2.0","id":1,"method":"progress"}` + "\n<-order notifications/progress 1\n" +
			`-> {"jsonrpc":"2.0","id":2,"method":"progress"}`, `notifications/progress came after 1`},
		{"order of what never came", echo + "<-order 1 2", `order of 1 and 2: nothing came in time`},
		{"exit code", `-> {"jsonrpc":"2.0","method":"leave"}` + "\nexit 0", `exit code is 3, want 0`},
		{"exit code at the end", `-> {"jsonrpc":"2.0","method":"leave"}`, `exit code is 3, want 0`},
		{"no exit", "exit 0", `did not exit within`},
		{"answer after the end", `-> {"jsonrpc":"2.0","method":"leave"}` + "\n<- {\"id\":1}", `the program has ended (exit status 3)`},
		{"stdout is protocol only", `-> {"jsonrpc":"2.0","method":"print","params":"hello\n"}` + "\n<- {\"id\":1}", `not JSON-RPC`},
		{"unfinished line", `-> {"jsonrpc":"2.0","method":"print","params":"{"}`, `unfinished line: {`},
		{"batch", `-> {"jsonrpc":"2.0","method":"print","params":"[]\n"}`, `not JSON-RPC`},
		{"version", `-> {"jsonrpc":"2.0","method":"print","params":"{\"id\":1,\"result\":1}\n"}`, `"jsonrpc" is ""`},
		{"result and error", `-> {"jsonrpc":"2.0","method":"print","params":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{\"code\":1,\"message\":\"\"}}\n"}`, `one of result and error`},
		{"error without code", `-> {"jsonrpc":"2.0","method":"print","params":"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"message\":\"\"}}\n"}`, `lacks an integer code`},
		{"answer to nobody", `-> {"jsonrpc":"2.0","method":"print","params":"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}\n"}`, `answer 5 belongs to no open request`},
		{"no key", `<- {"result":1}`, `it needs an id or a method`},
		{"mixed operator", echo + `<- {"id":1,"result":{"a":{"$any":true,"b":1}}}`, `an operator among other keys`},
		{"bad regexp", echo + `<- {"id":1,"result":{"s":{"$re":"("}}}`, `bad pattern`},
		{"bad operand", echo + `<- {"id":1,"result":{"s":{"$any":1}}}`, `$any cannot be 1`},
		{"bad JSON", `<- {"id":1`, `bad pattern`},
		{"more than JSON", `<- {"id":1} {}`, `bad pattern`},
		{"unknown line", "await 1", `unknown line "await"`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			timeout := 10 * time.Second
			if strings.Contains(tc.want, "in time") || strings.Contains(tc.want, "within") || strings.Contains(tc.want, "want 7") {
				timeout = short
			}
			err := playFake(t, tc.script, timeout)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("play(%q) = %v, want an error with %q", tc.script, err, tc.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "talk.wire:") {
				t.Errorf("play(%q) = %v, want the place in the script", tc.script, err)
			}
		})
	}
}

func playFake(t *testing.T, script string, timeout time.Duration, env ...string) error {
	t.Helper()
	cmd := exec.Command("fake")
	cmd.Env = append(cmd.Environ(), env...)
	program, err := start(cmd, timeout/2)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{program: program, timeout: timeout, getenv: func(string) string { return "" }}
	return p.play("talk.wire", script)
}

// A program that outlives its input, or that leaves a child with its output,
// fails the script instead of hanging the test.
func TestUnwillingPrograms(t *testing.T) {
	err := playFake(t, "close", short, "FAKE_HANG=1")
	if err == nil || !strings.Contains(err.Error(), "did not exit within") {
		t.Errorf("a program that ignores the end of input: %v", err)
	}
	err = playFake(t, `-> {"jsonrpc":"2.0","method":"stuck"}`+"\n-> "+strings.Repeat("x", 1<<20), short)
	if err == nil || !strings.Contains(err.Error(), "write to the program") {
		t.Errorf("a program that does not read: %v", err)
	}
}

// What a program printed before it was killed counts as well.
func TestFaultBeforeKill(t *testing.T) {
	program, err := start(exec.Command("fake"), DefaultTimeout)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{program: program, timeout: DefaultTimeout, getenv: func(string) string { return "" }}
	defer p.stop()
	if err := p.step(`-> {"jsonrpc":"2.0","method":"print","params":"junk\n"}`); err != nil {
		t.Fatal(err)
	}
	arrived := p.await(p.timeout, func([]*message) bool { return false })
	if err := p.step("kill"); err != nil {
		t.Fatal(err)
	}
	if err := p.finish(); err == nil || err.Error() != arrived.Error() {
		t.Errorf("finish() = %v, want %v", err, arrived)
	}
}

// The command prints the transcript of a failed script.
func TestFailureShowsTranscript(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "x.txtar")
	writeFile(t, script, `wire talk.wire fake
-- talk.wire --
-> {"jsonrpc":"2.0","id":1,"method":"echo","params":"hello"}
<- {"id":1,"result":"bye"}
`)
	log := runFailing(t, testscript.Params{Files: []string{script}, Cmds: Commands()})
	for _, want := range []string{
		`talk.wire:2: message.result is "hello", want "bye"`,
		`ms ->  {"jsonrpc":"2.0","id":1,"method":"echo","params":"hello"}`,
		`ms <-  {"jsonrpc":"2.0","id":1,"result":"hello"}`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("log of a failed script lacks %q:\n%s", want, log)
		}
	}
}

// runFailing runs scripts that must fail and returns what they print.
func runFailing(t *testing.T, params testscript.Params) string {
	t.Helper()
	r := &recorder{}
	func() {
		defer func() {
			if v := recover(); v != nil && v != error(errStopped) {
				panic(v)
			}
		}()
		testscript.RunT(r, params)
	}()
	if !r.failed {
		t.Errorf("the script passed, want it to fail")
	}
	return r.log.String()
}

// recorder is a testscript.T that records.
type recorder struct {
	log    strings.Builder
	failed bool
}

var errStopped = fmt.Errorf("stopped")

func (r *recorder) Skip(args ...any)                       { panic(errStopped) }
func (r *recorder) Fatal(args ...any)                      { r.Log(args...); r.FailNow() }
func (r *recorder) Parallel()                              {}
func (r *recorder) Log(args ...any)                        { fmt.Fprintln(&r.log, args...) }
func (r *recorder) FailNow()                               { r.failed = true; panic(errStopped) }
func (r *recorder) Run(_ string, run func(t testscript.T)) { run(r) }
func (r *recorder) Verbose() bool                          { return false }
