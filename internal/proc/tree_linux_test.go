package proc

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestNothingSurvives runs commands that try to leave something behind. $N in
// them is a sleep that can be found by its length.
func TestNothingSurvives(t *testing.T) {
	tests := []struct {
		name, command string
		timeout       time.Duration
		stdout        string
		left          []string
		within        time.Duration
	}{
		{"background child holds the pipe", "sleep $N & sleep .1; echo done", 0, "done\n", []string{"sleep"}, 2 * time.Second},
		{"background child without the pipe", "sleep $N >/dev/null 2>&1 & sleep .1; echo done", 0, "done\n", []string{"sleep"}, 400 * time.Millisecond},
		{"grandchild at a timeout", "bash -c 'bash -c \"sleep $N; :\"; :'; :", 200 * time.Millisecond, "", nil, 600 * time.Millisecond},
		{"TERM ignored", "trap '' TERM; while :; do sleep $N; done", 200 * time.Millisecond, "", nil, 2 * time.Second},
		{"own session", "setsid sleep $N >/dev/null 2>&1 & sleep .1; echo done", 0, "done\n", []string{"sleep"}, 2 * time.Second},
		{"double fork, own session, wiped environment", "setsid bash -c 'env -i sleep $N >/dev/null 2>&1 & disown'; sleep .1; echo done", 0, "done\n", []string{"sleep"}, 2 * time.Second},
		{"the same at a timeout", "setsid bash -c 'env -i setsid sleep $N & disown'; sleep $N", 200 * time.Millisecond, "", nil, 2 * time.Second},
		{"stopped", "sleep $N >/dev/null 2>&1 & sleep .1; kill -STOP $!; echo done", 0, "done\n", []string{"sleep"}, 2 * time.Second},
		{"output that is finished in time", "echo done > >(sleep .1; cat)", 0, "done\n", nil, 2 * time.Second},
	}
	r := testRunner(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			length := unique()
			s := bash(strings.ReplaceAll(test.command, "$N", length))
			s.Timeout = test.timeout
			began := time.Now()
			e := run(t, r, s)
			if took := time.Since(began); took > test.within {
				t.Errorf("took %v, want at most %v", took, test.within)
			}
			if pids := find(t, length); len(pids) > 0 {
				t.Errorf("%v still run", pids)
			}
			if e.TimedOut != (test.timeout > 0) || string(e.Stdout.Head) != test.stdout {
				t.Errorf("timed out %v, stdout %q, want %q", e.TimedOut, e.Stdout.Head, test.stdout)
			}
			if diff := cmp.Diff(test.left, names(e.Left)); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			for _, s := range e.Left {
				if !s.Ended || s.Shared {
					t.Errorf("left %+v, want it ended and not shared", s)
				}
			}
		})
	}
}

func TestCancel(t *testing.T) {
	r := testRunner(t)
	length := unique()
	ctx, cancel := context.WithCancel(t.Context())
	s := bash("echo up; sleep " + length + " & wait")
	s.OnOutput = func(int, []byte) { cancel() }
	e, err := r.Run(ctx, s)
	if err != nil || !e.Cancelled || e.TimedOut || e.Left != nil {
		t.Errorf("Run = %+v, %v, want it cancelled", e, err)
	}
	if pids := find(t, length); len(pids) > 0 {
		t.Errorf("after cancel %v still run", pids)
	}
	if e, err := r.Run(ctx, s); err != nil || !e.Cancelled || e.Stdout.Total > 0 {
		t.Errorf("Run with a cancelled context = %+v, %v, want it cancelled and not started", e, err)
	}
}

// TestParallelSurvivors starts marked survivors in many commands at once: each
// is told by its own command.
func TestParallelSurvivors(t *testing.T) {
	r := testRunner(t)
	var lanes sync.WaitGroup
	for range 16 {
		lanes.Go(func() {
			e, err := r.Run(t.Context(), bash("(setsid sleep 600 >/dev/null 2>&1 & echo $!); sleep .3"))
			if err != nil {
				t.Error(err)
				return
			}
			var pid int
			if _, err := fmt.Sscan(string(e.Stdout.Head), &pid); err != nil {
				t.Errorf("stdout %q: %v", e.Stdout.Head, err)
				return
			}
			want := []Survivor{{PID: pid, Name: "sleep", Ended: true}}
			if len(e.Left) == 1 && e.Left[0].Name == "setsid" {
				want[0].Name = "setsid" // on its way to be sleep, on a busy machine
			}
			if diff := cmp.Diff(want, e.Left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
	lanes.Wait()
}

// TestSharedOrphan has an orphan that either of two commands may have left.
func TestSharedOrphan(t *testing.T) {
	r := testRunner(t)
	length := unique()
	up := make(chan struct{})
	other := bash("echo up; read -r _; echo")
	pipeR, pipeW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipeR.Close()
	other.Stdin = pipeR
	upOnce := sync.OnceFunc(func() { close(up) })
	other.OnOutput = func(int, []byte) { upOnce() }
	ended := make(chan Exit, 1)
	go func() {
		e, err := r.Run(t.Context(), other)
		if err != nil {
			t.Error(err)
		}
		ended <- e
	}()
	<-up
	e := run(t, r, bash("setsid bash -c 'env -i setsid sleep "+length+" >/dev/null 2>&1 & disown'; sleep .1"))
	if e.Left != nil {
		t.Errorf("first command left %v, want nothing", e.Left)
	}
	if pids := find(t, length); len(pids) != 1 {
		t.Errorf("while the other command runs %v run, want one", pids)
	}
	pipeW.Close()
	e = <-ended
	if len(e.Left) != 1 || e.Left[0].Name != "sleep" || !e.Left[0].Ended || !e.Left[0].Shared {
		t.Errorf("last command left %+v, want the sleep, ended and shared", e.Left)
	}
	if pids := find(t, length); len(pids) > 0 {
		t.Errorf("after both %v still run", pids)
	}
}

// TestLongCommandCollectsOrphans looks for zombies while a command runs.
func TestLongCommandCollectsOrphans(t *testing.T) {
	r := testRunner(t)
	s := bash("for i in 1 2 3; do (setsid true & echo /proc/$!) ; done >list; sleep 1.5; ls -d $(cat list) 2>/dev/null")
	s.Dir = t.TempDir()
	e := run(t, r, s)
	if got := string(e.Stdout.Head); got != "" {
		t.Errorf("zombies of ours after 1.5 s: %q, want none", got)
	}
}

func TestNoLeaks(t *testing.T) {
	r := testRunner(t)
	run(t, r, bash("true")) // opens what stays open
	before := openFiles(t)
	for range 1000 {
		run(t, r, Spec{Path: "/bin/true"})
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d open files after 1,000 commands, want %d", after, before)
	}
	if pids, ok := orphans(); !ok || len(pids) > 0 {
		t.Errorf("orphans() = %v, %v, want none", pids, ok)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestKilledServer kills a server with -9 while its command runs.
func TestKilledServer(t *testing.T) {
	const command = "setsid sleep $N & sleep $N & echo up; sleep $N; :"
	tests := []struct {
		name  string
		guard bool
	}{
		{"the guard ends all", true},
		{"without a guard the next start ends all", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			length := unique()
			server := startServer(t, strings.ReplaceAll(command, "$N", length))
			awaitCount(t, length, 4) // the shell and three sleeps
			if !test.guard {
				guards := find(t, fmt.Sprintf(".%d.", server.Process.Pid))
				for _, pid := range guards {
					if err := unix.Kill(pid, unix.SIGKILL); err != nil {
						t.Fatal(err)
					}
				}
				if len(guards) != 1 {
					t.Fatalf("guards %v, want one", guards)
				}
				if left := EndMarkedOrphans(t.Context()); left != nil {
					t.Fatalf("EndMarkedOrphans with the server alive ended %v", left)
				}
			}
			if err := server.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = server.Wait()
			if !test.guard {
				if left := EndMarkedOrphans(t.Context()); len(left) < 3 {
					t.Errorf("EndMarkedOrphans ended %v, want the sleeps", left)
				}
			}
			awaitCount(t, length, 0)
		})
	}
}

// awaitCount waits until as many processes have text in their command line.
func awaitCount(t *testing.T, text string, want int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(4 * time.Second); ; <-tick.C {
		pids := find(t, text)
		if len(pids) == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v run, want %d processes", pids, want)
		}
	}
}

// startServer starts this binary as a server with one command and returns when
// that has printed something.
func startServer(t *testing.T, command string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=server", "PROC_TEST_COMMAND="+command)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("server said %q, %v", line, err)
	}
	return cmd
}

func serve() int {
	r, err := New()
	if err != nil {
		return 1
	}
	defer r.Close()
	s := bash(os.Getenv("PROC_TEST_COMMAND"))
	s.OnOutput = func(_ int, p []byte) { os.Stdout.Write(p) }
	if _, err := r.Run(context.Background(), s); err != nil {
		return 1
	}
	return 0
}
