//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"raw/internal/control"
	"raw/internal/proc"
)

// TestMain plays a server when a test starts this binary again. Under a server
// of ours the tests are no person's commands: they drop the mark, which only a
// new start can.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("CLI_TEST_SERVER") != "":
		os.Exit(serverRole())
	case os.Getenv(proc.MarkVariable) != "":
		os.Unsetenv(proc.MarkVariable)
		err := syscall.Exec("/proc/self/exe", os.Args, os.Environ())
		fmt.Fprintln(os.Stderr, "start again without the mark:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// session is what the server of these tests knows.
type session struct{}

func (session) Approvals() ([]control.Call, []control.Grant) {
	if os.Getenv("CLI_TEST_HIDES") != "" {
		return nil, nil // and still approves what it is told to
	}
	return []control.Call{
		{
			ID: "ap-1", Tool: "write", Identity: "builtin/write", Until: noon, Reasons: []string{"by config.toml:3", "as it is late"},
			Arguments: "{\"path\":\"a\u202eb\",\"content\":\"x\"}",
		},
		{ID: "ap-2", Tool: "bash", Identity: "builtin/bash", Until: noon, Approved: true, Arguments: "{}"},
		{ID: "ap-3", Tool: "bash", Identity: "builtin/bash", Until: noon, Arguments: strings.Repeat("y", 70_000)},
		{ID: "ap-4", Tool: "gone", Identity: "builtin/gone", Until: noon, Arguments: "{}"},
	}, []control.Grant{
		{ID: "gr-1", Text: "running go test\nin \x1b[1m/x", Since: noon, Allow: true},
		{ID: "gr-2", Text: "files in /y", Since: noon},
	}
}

func (session) Approve(id string) bool { return id != "ap-4" && say("approve", id) }
func (session) Revoke(id string) bool  { return say("revoke", id) }

func (session) Questions() []control.Question {
	return []control.Question{{
		ID: "q-1", Title: "Which way?", Panel: "builtin/ask_user#questions", Deadline: noon,
		Body: json.RawMessage(`{"id":"q-1","revision":1,"title":"Which way?","form":{"fields":[
			{"id":"way","label":"Way","kind":"single_select","required":true,"options":[{"id":"l","label":"left"},{"id":"r","label":"right\u001b[1m"}]},
			{"id":"why","label":"Why","kind":"text","required":false},
			{"id":"with","label":"With","kind":"multi_select","required":false,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]}}`),
	}}
}

func (session) Answer(submission json.RawMessage) error {
	if strings.Contains(string(submission), `"l"`) {
		return errors.New("/answers/way: left is closed")
	}
	say("answer", string(submission))
	return nil
}

func (session) Attach() (detach func()) { return func() {} }

// say tells the test what was decided.
func say(verb, id string) bool {
	fmt.Println(verb, id)
	return true
}

func serverRole() int {
	s, err := control.Listen(os.Getenv("CLI_TEST_SERVER"), session{}, slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil || s.Close() != nil {
		return 1
	}
	return 0
}

// server runs one in a process of its own. decided ends it and returns what it
// was told.
func server(t *testing.T, state string, env ...string) (pid string, decided func() []string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), "CLI_TEST_SERVER="+state), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the server says %q", lines.Text())
	}
	return fmt.Sprint(cmd.Process.Pid), func() (said []string) {
		t.Helper()
		in.Close()
		for lines.Scan() {
			said = append(said, lines.Text())
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return said
	}
}

// outcome is what a command leaves.
type outcome struct {
	code           int
	stdout, stderr string
}

// runCommand runs one of our commands with a home of its own. typed is what a
// person types; without a person there is no terminal.
func runCommand(t *testing.T, home string, person bool, typed string, args ...string) outcome {
	t.Helper()
	file := func(name, text string) *os.File {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	var stdout bytes.Buffer
	p := &Program{
		Name: "raw-test", Stdin: file("in", typed), Stdout: &stdout, Stderr: file("err", ""),
		Environ: []string{"HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home},
	}
	root := &cobra.Command{Use: "raw-test"}
	p.AddFlags(root)
	d := decider{p, func() bool { return person }}
	root.AddCommand(d.approveCommand(), d.approvalsCommand(), d.answerCommand(), p.PanelsCommand())
	code := p.Execute(t.Context(), root, args)
	stderr, err := os.ReadFile(p.Stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	return outcome{code, stdout.String(), string(stderr)}
}

func TestApprove(t *testing.T) {
	home := t.TempDir()
	pid, decided := server(t, filepath.Join(home, "raw"))
	_, others := server(t, filepath.Join(home, "raw"), "CLI_TEST_HIDES=1")
	until := clock(noon)
	const question = "Let this call through once? [y/N] "
	shown := `tool       write (builtin/write)
arguments  {
             "path": "a\u202eb",
             "content": "x"
           }
asked      by config.toml:3
           as it is late
server     process ` + pid + `
holds      until ` + until + "\n" + question
	tests := []struct {
		name    string
		nobody  bool
		id      string
		typed   string
		want    outcome
		partial bool // stderr holds want.stderr
	}{
		{name: "yes", id: "ap-1", typed: "y\n", want: outcome{0, "approved: write goes through once when the model calls it again, until " + until + "\n", shown}},
		{name: "YES, by server", id: pid + "/ap-1", typed: " YES \n", want: outcome{0, "approved: write goes through once when the model calls it again, until " + until + "\n", shown}},
		{name: "no", id: "ap-1", typed: "n\n", want: outcome{1, "", shown + "raw-test: not approved\n"}},
		{name: "only enter", id: "ap-1", typed: "\n", want: outcome{1, "", shown + "raw-test: not approved\n"}},
		{name: "end of input", id: "ap-1", typed: "y", want: outcome{1, "", shown + "raw-test: not approved\n"}},
		{name: "no terminal", nobody: true, id: "ap-1", typed: "y\n", want: outcome{2, "", "raw-test: approve decides for a person: run it in a terminal, with standard input and standard error connected to it\n"}},
		{name: "approved before", id: "ap-2", typed: "y\n", want: outcome{0, "ap-2 was approved before: bash goes through once when the model calls it again\n", ""}},
		{name: "unknown", id: "ap-9", typed: "y\n", want: outcome{1, "", "no running server knows this id: ap-9; it was used up"}, partial: true},
		{name: "gone meanwhile", id: "ap-4", typed: "y\n", want: outcome{1, "", "no running server knows this id: ap-4; it was used up"}, partial: true},
		{name: "a grant", id: "gr-1", typed: "y\n", want: outcome{1, "", "gr-1 is no refused call"}, partial: true},
		{name: "no such server", id: "1/ap-1", typed: "y\n", want: outcome{1, "", "no server is running as 1 with the state folder"}, partial: true},
		{name: "cut arguments", id: "ap-3", typed: "n\n", want: outcome{1, "", "yy\n           (4464 more bytes are not shown)\n"}, partial: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got := runCommand(t, home, !tc.nobody, tc.typed, "approve", tc.id)
			if tc.partial && strings.Contains(got.stderr, tc.want.stderr) {
				got.stderr = tc.want.stderr
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("approve %s (-want +got):\n%s", tc.id, diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"approve ap-1", "approve ap-1"}, decided()); diff != "" {
		t.Errorf("the server was told (-want +got):\n%s", diff)
	}
	if got := others(); got != nil {
		t.Errorf("a server that had not shown the call was told %v", got)
	}
	got := runCommand(t, home, true, "y\n", "approve", "ap-1")
	if want := "no server is running with the state folder " + filepath.Join(home, "raw"); got.code != 1 || !strings.Contains(got.stderr, want) {
		t.Errorf("approve without a server = %+v, want exit code 1 and %q", got, want)
	}
}

func TestApprovals(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "raw")
	pid, decided := server(t, state)
	at := clock(noon)
	got := runCommand(t, home, false, "", "approvals")
	want := outcome{0, strings.ReplaceAll(`PID/gr-1  allowed        since AT  running go test in \x1b[1m/x
PID/gr-2  declined       since AT  files in /y
PID/ap-1  waits          until AT  write {"path":"a\u202eb","content":"x"}
PID/ap-2  approved once  until AT  bash {}
PID/ap-3  waits          until AT  bash `+strings.Repeat("y", 200)+`…
PID/ap-4  waits          until AT  gone {}
`, "AT", at), ""}
	want.stdout = strings.ReplaceAll(want.stdout, "PID", pid)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("approvals (-want +got):\n%s", diff)
	}

	got = runCommand(t, home, false, "", "approvals", "revoke", "gr-1")
	want = outcome{0, "revoked: running go test in \\x1b[1m/x\n", ""}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("revoke (-want +got):\n%s", diff)
	}
	if got := runCommand(t, home, false, "", "approvals", "revoke", "ap-1"); got.code != 1 || !strings.Contains(got.stderr, "ap-1 is a refused call") {
		t.Errorf("revoke of a call = %+v", got)
	}
	if got := runCommand(t, home, false, "", "approvals", "revok", "gr-1"); got.code != 2 {
		t.Errorf("a wrong word = %+v, want exit code 2", got)
	}

	// A second server has the same ids: nothing is done before it is said which.
	other, otherDecided := server(t, state)
	for _, line := range [][]string{{"approvals", "revoke", "gr-2"}, {"approve", "ap-1"}} {
		got := runCommand(t, home, true, "y\n", line...)
		id := line[len(line)-1]
		if got.code != 1 || !strings.Contains(got.stderr, "several servers have "+id) || !strings.Contains(got.stderr, other+"/"+id) {
			t.Errorf("%v = %+v, want it to ask which", line, got)
		}
	}
	if got := runCommand(t, home, false, "", "approvals", "revoke", other+"/gr-2"); got.code != 0 {
		t.Errorf("revoke of one of two = %+v", got)
	}
	if diff := cmp.Diff([]string{"revoke gr-1"}, decided()); diff != "" {
		t.Errorf("the first server was told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"revoke gr-2"}, otherDecided()); diff != "" {
		t.Errorf("the second server was told (-want +got):\n%s", diff)
	}
	if got := runCommand(t, home, false, "", "approvals"); got.code != 1 || !strings.Contains(got.stderr, "no server is running") {
		t.Errorf("approvals without a server = %+v, want exit code 1", got)
	}
}

func TestAtTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	// A character device, but nobody sits there.
	if (&Program{Stdin: null, Stderr: null}).atTerminal() {
		t.Error("the null device counts as a terminal")
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this system gives no terminal: %v", err)
	}
	defer terminal.Close()
	for _, tc := range []struct {
		in, err *os.File
		want    bool
	}{{terminal, terminal, true}, {terminal, null, false}, {null, terminal, false}} {
		if got := (&Program{Stdin: tc.in, Stderr: tc.err}).atTerminal(); got != tc.want {
			t.Errorf("atTerminal with %s and %s = %v, want %v", tc.in.Name(), tc.err.Name(), got, tc.want)
		}
	}
}
