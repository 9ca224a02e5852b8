//go:build linux

package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNoServer(t *testing.T) {
	state := t.TempDir()
	ask := func(when string) {
		t.Helper()
		if got, err := Ask(t.Context(), state, Request{Verb: VerbShow, ID: "ap-1"}); got != nil || !errors.Is(err, ErrNoServer) {
			t.Errorf("%s: Ask = %v, %v, want ErrNoServer", when, got, err)
		}
	}
	ask("no folder")
	if err := os.Mkdir(runFolder(state), 0o700); err != nil {
		t.Fatal(err)
	}
	ask("an empty folder")
	leaveSocket(t, filepath.Join(runFolder(state), "1-dead.sock"))
	ask("a dead server")
}

func TestSeveralServers(t *testing.T) {
	state := t.TempDir()
	first := &session{calls: []Call{{ID: "ap-1", Tool: "first"}}, grants: []Grant{{ID: "gr-1", Text: "one"}}}
	second := &session{calls: []Call{{ID: "ap-2", Tool: "second"}}, grants: []Grant{{ID: "gr-1", Text: "two"}}}
	names := map[string]*session{}
	for _, h := range []*session{first, second} {
		names[strings.TrimSuffix(filepath.Base(serve(t, state, h).path), socketSuffix)] = h
	}
	for _, h := range []*session{first, second} {
		got, err := Ask(t.Context(), state, Request{Verb: VerbShow, ID: h.calls[0].ID})
		if err != nil || len(got) != 1 || names[got[0].Server] != h || got[0].PID != fmt.Sprint(os.Getpid()) {
			t.Errorf("show %s = %+v, %v, want it from its server only", h.calls[0].ID, got, err)
			continue
		}
		if diff := cmp.Diff(h.calls, got[0].Calls); diff != "" {
			t.Errorf("show %s (-want +got):\n%s", h.calls[0].ID, diff)
		}
	}
	both, err := Ask(t.Context(), state, Request{Verb: VerbList})
	if err != nil || len(both) != 2 || both[0].Server >= both[1].Server {
		t.Fatalf("list = %+v, %v, want both servers in order", both, err)
	}
	if _, err := Ask(t.Context(), state, Request{Verb: VerbApprove, ID: "ap-9"}); !errors.Is(err, ErrUnknownID) {
		t.Errorf("approve ap-9: %v, want ErrUnknownID", err)
	}
	// The id is known to both; only the named one is asked.
	if _, err := Ask(t.Context(), state, Request{Verb: VerbRevoke, ID: "gr-1", Server: both[1].Server}); err != nil {
		t.Error(err)
	}
	for name, h := range names {
		var want []string
		if name == both[1].Server {
			want = []string{"revoke gr-1"}
		}
		if diff := cmp.Diff(want, h.decided); diff != "" {
			t.Errorf("server %s decided (-want +got):\n%s", name, diff)
		}
	}
	if got, err := Ask(t.Context(), state, Request{Verb: VerbList, Server: fmt.Sprint(os.Getpid())}); err != nil || len(got) != 2 {
		t.Errorf("list by process id = %v, %v, want both", got, err)
	}
	if _, err := Ask(t.Context(), state, Request{Verb: VerbList, Server: "1"}); !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), "as 1") {
		t.Errorf("list of a server that is not there: %v, want ErrNoServer", err)
	}
}

// TestStrangeServers puts something else behind a socket: it must not hide the
// answer of a true server, nor hold the client.
func TestStrangeServers(t *testing.T) {
	for _, tc := range []struct{ name, says, want string }{
		{"garbage", "SSH-2.0-x\r\n", "its answer is not understood"},
		{"nothing", "", "closed the connection without an answer"},
		{"too much", strings.Repeat("x", maxReply+1), "more than 1048576 bytes"},
		{"another fault", `{"fault":"tired","why":"late"}`, "it answers tired: late"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			state := t.TempDir()
			serve(t, state, &session{calls: []Call{{ID: "ap-1"}}})
			stranger(t, state, tc.says)
			got, err := Ask(t.Context(), state, Request{Verb: VerbShow, ID: "ap-1"})
			if len(got) != 1 || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Ask = %v, %v, want an answer and an error with %q", got, err, tc.want)
			}
		})
	}
}

func TestAskEndsWithContext(t *testing.T) {
	state := t.TempDir()
	if err := os.Mkdir(runFolder(state), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(runFolder(state), "1-silent.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if _, err := conn.Read(make([]byte, 1<<10)); err != nil {
			t.Error(err)
		}
		cancel()
		if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("after the request come %d bytes, %v, want the client gone", n, err)
		}
	}()
	if _, err := Ask(ctx, state, Request{Verb: VerbList}); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask of a silent server = %v, want it cut off", err)
	}
	<-done
}

// stranger answers one connection with text.
func stranger(t *testing.T, state, text string) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(runFolder(state), "1-stranger.sock"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 1<<10))
		_, _ = conn.Write([]byte(text)) // the client may have enough before the end
	}()
	t.Cleanup(func() { l.Close(); <-done })
}
