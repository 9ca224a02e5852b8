//go:build linux

package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("PROC_TEST_ROLE"); role != "" {
		os.Exit(roles[role]())
	}
	goleak.VerifyTestMain(m)
}

// roles are what this binary does when a test starts it again.
var roles = map[string]func() int{
	"server": serve,
	"flood":  flood,
}

func testRunner(t testing.TB) *Runner {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func bash(command string) Spec {
	return Spec{Path: "bash", Args: []string{"-c", command}, Env: Environment(os.Environ(), nil)}
}

func run(t testing.TB, r *Runner, s Spec) Exit {
	t.Helper()
	e, err := r.Run(t.Context(), s)
	if err != nil {
		t.Fatalf("Run(%q) = %v", s.Args, err)
	}
	return e
}

// unique returns a number of seconds to sleep that no other sleep has, so that
// what is left of a test can be found by it.
func unique() string {
	return fmt.Sprintf("%d.%09d", 700+os.Getpid()%100, time.Now().UnixNano()%1e9)
}

// find returns the processes that have text in their command line.
func find(t testing.TB, text string) []int {
	t.Helper()
	var pids []int
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		var pid int
		if _, scanErr := fmt.Sscanf(file, "/proc/%d/", &pid); scanErr != nil {
			t.Fatal(scanErr)
		}
		if err == nil && pid != os.Getpid() && bytes.Contains(line, []byte(text)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func names(left []Survivor) []string {
	var names []string
	for _, s := range left {
		names = append(names, s.Name)
	}
	return names
}

func TestExit(t *testing.T) {
	type result struct {
		Code           int
		Signal         string
		Stdout, Stderr string
	}
	tests := []struct {
		command string
		want    result
	}{
		{"true", result{}},
		{"echo oops >&2; exit 3", result{Code: 3, Stderr: "oops\n"}},
		{"sh -c 'exit 3' | tail -1", result{}},
		{"yes | head -1", result{Stdout: "y\n"}},
		{"grep zzz /etc/hosts | wc -l", result{Stdout: "0\n"}},
		{"kill -SEGV $$", result{Code: 139, Signal: "SIGSEGV"}},
		{"sh -c 'kill -9 $$'; exit $?", result{Code: 137, Stderr: "bash: line 1:"}},
		{`read -r x; echo "got=[$x]"`, result{Stdout: "got=[]\n"}},
		{"cat", result{}},
		{"read x 2>/dev/null </dev/tty || echo none", result{Stdout: "none\n"}},
		{"echo out; echo err >&2", result{Stdout: "out\n", Stderr: "err\n"}},
		{"exit 255", result{Code: 255}},
	}
	r := testRunner(t)
	for _, test := range tests {
		s := bash(test.command)
		s.Timeout = 10 * time.Second
		e := run(t, r, s)
		got := result{e.Code, e.Signal, string(e.Stdout.Head), string(e.Stderr.Head)}
		if strings.HasSuffix(test.want.Stderr, ":") && strings.HasPrefix(got.Stderr, test.want.Stderr) {
			got.Stderr = test.want.Stderr
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Run(%q) (-want +got):\n%s", test.command, diff)
		}
		if e.TimedOut || e.Cancelled || len(e.Left) > 0 {
			t.Errorf("Run(%q): timed out %v, cancelled %v, left %v", test.command, e.TimedOut, e.Cancelled, e.Left)
		}
	}
}

func TestStdin(t *testing.T) {
	r := testRunner(t)
	s := bash("cat")
	s.Stdin = strings.NewReader("handed in")
	if e := run(t, r, s); string(e.Stdout.Head) != "handed in" {
		t.Errorf("Run(cat) = %q, want the text handed in", e.Stdout.Head)
	}
	s = bash("exit 4") // never reads what is more than a pipe holds
	s.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	if e := run(t, r, s); e.Code != 4 {
		t.Errorf("Run(exit 4) = %d, want 4", e.Code)
	}
}

func TestShortCommandKeepsStderr(t *testing.T) {
	r := testRunner(t)
	var lanes sync.WaitGroup
	for range 5 {
		lanes.Go(func() {
			for range 100 {
				e, err := r.Run(t.Context(), bash("echo oops >&2; exit 3"))
				if err != nil || e.Code != 3 || string(e.Stderr.Head) != "oops\n" {
					t.Errorf("Run = %d, %q, %v, want 3 and oops", e.Code, e.Stderr.Head, err)
				}
			}
		})
	}
	lanes.Wait()
}

func TestStartErrors(t *testing.T) {
	scratch := t.TempDir()
	file := filepath.Join(scratch, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(scratch, "gone")
	env := []string{"PATH=/nowhere:/bin:/usr/bin"}
	r := testRunner(t)
	tests := []struct {
		spec Spec
		want string
		is   error
	}{
		{Spec{Path: "bash", Dir: gone, Env: env}, "working folder " + gone + " does not exist: file does not exist", fs.ErrNotExist},
		{Spec{Path: "bash", Dir: file, Env: env}, "working folder " + file + " is not a folder", nil},
		{Spec{Path: "./bash", Dir: gone, Env: env}, "working folder " + gone + " does not exist: file does not exist", fs.ErrNotExist},
		{Spec{Path: "no-such-program", Env: env}, "start no-such-program: no such program in PATH=/nowhere:/bin:/usr/bin: executable file not found in $PATH", exec.ErrNotFound},
		{Spec{Path: "bash"}, "start bash: no such program in PATH=: executable file not found in $PATH", exec.ErrNotFound},
		{Spec{Path: "file", Dir: scratch, Env: []string{"PATH=.:"}}, "start file: no such program in PATH=.:: executable file not found in $PATH", exec.ErrNotFound},
		{Spec{Path: "./file", Dir: scratch}, "start ./file: permission denied", fs.ErrPermission},
		{Spec{}, "start a command: no program is named", nil},
	}
	for _, test := range tests {
		_, err := r.Run(t.Context(), test.spec)
		if err == nil || err.Error() != test.want || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("Run(%q in %q) = %v, want %s", test.spec.Path, test.spec.Dir, err, test.want)
		}
	}
	// A bad folder heals with the next call.
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	s := bash("pwd")
	s.Dir = gone
	if e := run(t, r, s); string(e.Stdout.Head) != gone+"\n" {
		t.Errorf("Run(pwd) = %q, want %q", e.Stdout.Head, gone)
	}
}

func TestOnOutput(t *testing.T) {
	var mu sync.Mutex
	seen := map[int]string{}
	s := bash("for b in f0 9f 98 80; do printf \"\\\\x$b\"; sleep .01; done; echo err >&2")
	s.OnOutput = func(stream int, p []byte) {
		mu.Lock()
		defer mu.Unlock()
		seen[stream] += string(p)
	}
	e := run(t, testRunner(t), s)
	if diff := cmp.Diff(map[int]string{Stdout: "😀", Stderr: "err\n"}, seen); diff != "" {
		t.Errorf("OnOutput saw (-want +got):\n%s", diff)
	}
	if string(e.Stdout.Head) != "😀" {
		t.Errorf("stdout = %q, want 😀", e.Stdout.Head)
	}
}

func TestClose(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	length := unique()
	started := make(chan struct{})
	s := bash("trap '' TERM; echo up; sleep " + length + "; :") // takes KILL
	s.OnOutput = func(int, []byte) { close(started) }
	ended := make(chan Exit, 1)
	go func() {
		e, err := r.Run(t.Context(), s)
		if err != nil {
			t.Error(err)
		}
		ended <- e
	}()
	<-started
	if err := r.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if pids := find(t, length); len(pids) > 0 {
		t.Errorf("after Close %v still run", pids)
	}
	if e := <-ended; !e.Cancelled {
		t.Errorf("Run during Close = %+v, want it cancelled", e)
	}
	if _, err := r.Run(context.WithoutCancel(t.Context()), bash("true")); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close = %v, want ErrClosed", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close() = %v", err)
	}
}
