// Package wiretest drives a real program over standard input and output, the
// way an MCP or ACP client does, and pins what it says there.
//
// In a testscript, once TestMain has called [Main] with the programs and
// [Commands] are among the script's commands,
//
//	wire [-timeout 10s] talk.wire PROGRAM ARGS…
//
// starts PROGRAM in the script's directory and environment and plays the lines
// of talk.wire:
//
//	-> TEXT          send TEXT and a newline
//	->| TEXT         send TEXT alone, a fragment of a line
//	->raw "GO"       send the bytes of a quoted Go string
//	<- JSON          await the message that JSON describes
//	<-! ID [TIME]    no answer with this id comes (within TIME; else to the end)
//	<-order A B      every A comes before every B; an id as in JSON, or a method
//	close            close standard input
//	exit N           await the end of the program, with this exit code
//	kill             kill the program
//	# TEXT           a comment
//
// An awaited answer is the one with the same id, 1 and "1" being two ids;
// answers may come in any order. An awaited request or notification is the
// first one with that method that matches. Every message meets at most one
// expectation, and those that none names are allowed. Objects match if they
// have the keys of the pattern, arrays element by element (a last element "..."
// allows for more), numbers as they are written. In place of a value may stand
// {"$re": "…"}, a regular expression for the whole of a string, {"$any": true},
// {"$absent": true}, the key must not be there, and {"$capture": "NAME"}, which
// keeps the value for later lines, alone or beside $re.
//
// $NAME and ${NAME} stand for what was captured or for a variable of the
// script, as inside a JSON string. Other dollars stay; \u0024 writes one where
// a variable is in the way. There is no sleep: await something instead.
//
// When the lines are over, standard input is closed and the program must exit
// with 0. Anything on standard output that is not a JSON-RPC message, and any
// answer to a request that is not open, fails the script, and the failure shows
// the whole transcript. Standard error becomes the script's.
//
// [Start] is the same for tests that are not scripts. Neither knows anything
// about MCP or ACP beyond JSON-RPC, one message to a line.
package wiretest

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// DefaultTimeout bounds each wait of a script or a [Peer] that does not say.
const DefaultTimeout = 10 * time.Second

// environCommand is the program through which wire learns the environment of a
// script, which testscript gives to programs only.
const environCommand = "wire-environ"

// Main is [testscript.Main] for scripts that use wire. TestMain calls it.
func Main(m testscript.TestingM, programs map[string]func()) {
	all := map[string]func(){environCommand: printEnviron}
	for name, run := range programs {
		all[name] = run
	}
	testscript.Main(m, all)
}

func printEnviron() {
	if err := json.NewEncoder(os.Stdout).Encode(os.Environ()); err != nil {
		os.Exit(1)
	}
}

// Commands returns the commands of this package for [testscript.Params].
func Commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"wire": wire}
}

func wire(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("wire", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	timeout := flags.Duration("timeout", DefaultTimeout, "bounds each wait")
	if err := flags.Parse(args); err != nil || flags.NArg() < 2 || neg {
		ts.Fatalf("usage: wire [-timeout 10s] talk.wire PROGRAM ARGS…")
	}
	talk, name, args := flags.Arg(0), flags.Arg(1), flags.Args()[2:]
	script := ts.ReadFile(talk)

	if err := ts.Exec(environCommand); err != nil {
		ts.Fatalf("wire: %v; TestMain must call wiretest.Main", err)
	}
	cmd := exec.Command(lookUp(ts, name), args...)
	cmd.Dir = ts.MkAbs(".")
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &cmd.Env))

	program, err := start(cmd, *timeout/2)
	ts.Check(err)
	p := &player{program: program, timeout: *timeout, getenv: ts.Getenv}
	err = p.play(talk, script)
	fmt.Fprint(ts.Stderr(), program.errorOutput())
	if err != nil {
		ts.Fatalf("%v\n%v", err, program.log)
	}
	ts.Logf("%v", program.log)
}

// lookUp finds a program by the script's PATH, or by its path from the script's
// directory.
func lookUp(ts *testscript.TestScript, name string) string {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		return ts.MkAbs(name)
	}
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	ts.Fatalf("wire: %s is not in the script's PATH", name)
	return ""
}
