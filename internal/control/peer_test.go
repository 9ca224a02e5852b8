//go:build linux

package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"raw/internal/proc"
)

func TestJudge(t *testing.T) {
	// 1 ← 10 (the server) ← 20 ← 30; 1 ← 40 (a shell) ← 50; 60 ↔ 61; 71's parent is gone.
	parents := map[int]int{1: 0, 10: 1, 20: 10, 30: 20, 40: 1, 50: 40, 60: 61, 61: 60, 71: 70}
	environs := map[int]string{
		10: "A=b\x00", 40: "A=b\x00", 50: "HOME=/x\x00TERM=xterm\x00", 51: "A=b\x00RAW_PROC_MARK=\x00", 52: "\x00\x00",
		53: "NOT_RAW_PROC_MARK=x\x00A=RAW_PROC_MARK=y\x00", 54: "RAW_PROC_MARK=4026531836.1.2.r.3\x00", 55: "",
	}
	for pid := range environs {
		if _, ok := parents[pid]; !ok {
			parents[pid] = 40
		}
	}
	parents[56] = 40 // shows no environment
	s := table{
		self: 10, uid: 1000,
		parent: func(pid int) (int, error) {
			if p, ok := parents[pid]; ok {
				return p, nil
			}
			return 0, fs.ErrNotExist
		},
		environ: func(pid int) ([]byte, error) {
			if e, ok := environs[pid]; ok {
				return []byte(e), nil
			}
			return nil, fs.ErrPermission
		},
	}
	const mark, own = "RAW_PROC_MARK", "started by the server"
	tests := []struct {
		uid, pid int
		want     string // in the error; empty: it may
	}{
		{1000, 50, ""},
		{1000, 40, ""},
		{1000, 53, ""},
		{1001, 50, "belongs to user 1001"},
		{0, 50, "belongs to user 0"},
		{1000, 0, "another container"},
		{1000, 10, own},
		{1000, 20, own},
		{1000, 30, own},
		{1000, 51, mark},
		{1000, 54, mark},
		{1000, 52, "shows no environment"},
		{1000, 55, "shows no environment"},
		{1000, 56, "permission denied"},
		{1000, 60, "more than 1000 ancestors"},
		{1000, 71, "cannot be seen: file does not exist"},
		{1000, 99, "cannot be seen: file does not exist"},
	}
	for _, tc := range tests {
		err := s.judge(tc.uid, tc.pid)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("judge(%d, %d) = %v, want %q", tc.uid, tc.pid, err, tc.want)
		}
	}
	// In a container the server may be the first process itself.
	s.self = 1
	if err := s.judge(1000, 50); err == nil || !strings.Contains(err.Error(), own) {
		t.Errorf("judge of a descendant of process 1 = %v, want %q", err, own)
	}
}

// roles are what this binary does when a test starts it again.
var roles = map[string]func() int{
	"server": serverRole,
	"detach": detachRole,
	"client": clientRole,
	"knock":  knockRole,
}

// again is this binary in a role, with no mark that we may have ourselves.
func again(role string, env ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, proc.MarkVariable+"=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(append(cmd.Env, "CONTROL_TEST_ROLE="+role), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// outcome is what clientRole prints.
type outcome struct{ Calls, Why, Err string }

// clientRole asks for a call once its standard input has ended.
func clientRole() int {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return 1
	}
	var o outcome
	got, err := Ask(context.Background(), os.Getenv("CONTROL_TEST_STATE"), Request{Verb: VerbShow, ID: "ap-1"})
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		o.Why = refused.Why
	case err != nil:
		o.Err = err.Error()
	}
	for _, r := range got {
		o.Calls += r.Calls[0].Tool
	}
	if json.NewEncoder(os.Stdout).Encode(o) != nil {
		return 1
	}
	return 0
}

// detachRole leaves a client in a session of its own behind.
func detachRole() int {
	cmd := again("client", marked()...)
	cmd.Stdin = os.Stdin
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// marked is our own mark, for what we start.
func marked() []string {
	if m, ok := os.LookupEnv(proc.MarkVariable); ok {
		return []string{proc.MarkVariable + "=" + m}
	}
	return nil
}

// serverRole serves until its standard input ends. The first line of it says
// which client it starts.
func serverRole() int {
	err := func() error {
		if os.Getenv("CONTROL_TEST_ADOPTS") != "" {
			r, err := proc.New()
			if err != nil {
				return err
			}
			defer r.Close()
		}
		s, err := Listen(os.Getenv("CONTROL_TEST_STATE"), &session{calls: []Call{{ID: "ap-1", Tool: "write"}}}, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		in := bufio.NewReader(os.Stdin)
		fmt.Println("ready")
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		if err := startClient(strings.TrimSpace(line)); err != nil {
			return err
		}
		if _, err := in.ReadString('\n'); err != io.EOF {
			return fmt.Errorf("standard input goes on: %w", err)
		}
		return errors.Join(s.Close(), goleak.Find())
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		return 1
	}
	return 0
}

func startClient(which string) error {
	switch which {
	case "none":
		return nil
	case "child":
		return again("client").Run()
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close() // lets the client go, which has lost its parent by then
	defer r.Close()
	cmd := again("detach")
	if which == "detached, marked" {
		cmd.Env = append(cmd.Env, proc.MarkVariable+"=4026531836.1.2.r.3")
	}
	cmd.Stdin = r
	return cmd.Run()
}

// TestPeers shows which processes a server in a process of its own answers.
func TestPeers(t *testing.T) {
	const own = "was started by the server"
	tests := []struct {
		client string // that the server starts; none: the test does
		adopts bool   // the server runs commands, so orphans come back to it
		want   string // why it is refused; empty: it is answered
	}{
		{"none", false, ""},
		{"none", true, ""},
		{"child", false, own},
		{"detached, marked", false, "it has " + proc.MarkVariable},
		{"detached, mark wiped", true, own},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%s, adopts %v", tc.client, tc.adopts), func(t *testing.T) {
			t.Parallel()
			env := []string{"CONTROL_TEST_STATE=" + t.TempDir()}
			server := again("server", env...)
			if tc.adopts {
				server.Env = append(server.Env, "CONTROL_TEST_ADOPTS=1")
			}
			server.Stdout = nil
			out, err := server.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			in, err := server.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); line != "ready\n" {
				t.Fatalf("the server says %q, %v", line, err)
			}
			if _, err := fmt.Fprintln(in, tc.client); err != nil {
				t.Fatal(err)
			}
			var said string
			if tc.client == "none" {
				cmd := again("client", env...)
				cmd.Stdout = nil
				text, err := cmd.Output()
				if err != nil {
					t.Error(err)
				}
				said = string(text)
			} else if said, err = lines.ReadString('\n'); err != nil {
				t.Error(err)
			}
			in.Close()
			if err := server.Wait(); err != nil {
				t.Error(err)
			}
			var got outcome
			if err := json.Unmarshal([]byte(said), &got); err != nil {
				t.Fatalf("the client says %q: %v", said, err)
			}
			if got.Err != "" || (got.Calls == "write") != (tc.want == "") || !strings.Contains(got.Why, tc.want) {
				t.Errorf("the client got %+v, want it refused with %q", got, tc.want)
			}
		})
	}
}

// knockRole connects, and is gone before anybody looks.
func knockRole() int {
	if _, err := net.Dial("unix", os.Getenv("CONTROL_TEST_STATE")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestPeerThatEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := again("knock", "CONTROL_TEST_STATE="+path).Run(); err != nil {
		t.Fatal(err)
	}
	ended := accepted(t, l)
	if pid, err := examine(ended); err == nil {
		t.Errorf("examine accepts process %d, which has ended", pid)
	}
	own, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for _, tc := range []struct {
		conn *net.UnixConn
		want bool
	}{{ended, false}, {accepted(t, l), true}} {
		who, err := identify(tc.conn)
		if err != nil {
			t.Fatal(err)
		}
		defer who.release()
		if errors.Is(who.pinErr, syscall.ENOPROTOOPT) {
			t.Skip("this kernel has no SO_PEERPIDFD")
		}
		if err := who.present(); (err == nil) != tc.want {
			t.Errorf("present() of process %d = %v, want present %v", who.pid, err, tc.want)
		}
	}
}

func accepted(t *testing.T, l *net.UnixListener) *net.UnixConn {
	t.Helper()
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
