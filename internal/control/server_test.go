//go:build linux

package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv("CONTROL_TEST_ROLE")]; ok {
		os.Exit(role())
	}
	goleak.VerifyTestMain(m)
}

// session is a Handler that remembers what was decided.
type session struct {
	calls     []Call
	grants    []Grant
	questions []Question
	enter     func() // in Approve; may be nil

	mu       sync.Mutex
	decided  []string
	attached int
}

func (s *session) Approvals() ([]Call, []Grant) { return s.calls, s.grants }

func (s *session) Approve(id string) bool {
	if s.enter != nil {
		s.enter()
	}
	return s.decide("approve", id, slices.ContainsFunc(s.calls, func(c Call) bool { return c.ID == id }))
}

func (s *session) Revoke(id string) bool {
	return s.decide("revoke", id, slices.ContainsFunc(s.grants, func(g Grant) bool { return g.ID == id }))
}

func (s *session) Questions() []Question { return slices.Clone(s.questions) }

func (s *session) Answer(submission json.RawMessage) error {
	if !strings.Contains(string(submission), "right") {
		return errors.New("/answers/a: it is not right")
	}
	s.decide("answer", string(submission), true)
	return nil
}

func (s *session) Attach() (detach func()) {
	s.attach(1)
	return func() { s.attach(-1) }
}

func (s *session) attach(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attached += n
}

func (s *session) terminals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attached
}

func (s *session) decide(verb, id string, ok bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok {
		s.decided = append(s.decided, verb+" "+id)
	}
	return ok
}

func trust(*net.UnixConn) (int, error) { return 0, nil }

// serve starts a server in this process that answers everybody.
func serve(t *testing.T, state string, h Handler) *Server {
	t.Helper()
	s := &Server{handler: h, log: slog.New(slog.DiscardHandler), examine: trust, patience: patience}
	start(t, state, s)
	return s
}

func start(t *testing.T, state string, s *Server) {
	t.Helper()
	if err := s.start(runFolder(state)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-s.closing:
		default:
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func dial(t *testing.T, s *Server) *net.UnixConn {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestRequests(t *testing.T) {
	h := &session{
		calls:  []Call{{ID: "ap-1", Tool: "write", Arguments: `{"path":"<x>"}`}, {ID: "ap-2", Tool: "bash"}},
		grants: []Grant{{ID: "gr-1", Text: "files in /x", Allow: true}},
	}
	s := serve(t, t.TempDir(), h)
	const zero = `"0001-01-01T00:00:00Z"`
	call1 := `{"id":"ap-1","tool":"write","identity":"","arguments":"{\"path\":\"<x>\"}","until":` + zero + `}`
	call2 := `{"id":"ap-2","tool":"bash","identity":"","arguments":"","until":` + zero + `}`
	grant := `{"id":"gr-1","text":"files in /x","since":` + zero + `,"allow":true}`
	tests := []struct{ send, want string }{
		{"", ""},
		{"{\"verb\":\"list\"}\n", `{"calls":[` + call1 + `,` + call2 + `],"grants":[` + grant + `]}`},
		{"{\"verb\":\"show\",\"id\":\"ap-1\"}\n", `{"calls":[` + call1 + `]}`},
		{"{\"verb\":\"show\",\"id\":\"gr-1\"}\n", `{"grants":[` + grant + `]}`},
		{"{\"verb\":\"show\",\"id\":\"ap-9\"}\n", `{"fault":"unknown"}`},
		{"{\"verb\":\"approve\",\"id\":\"ap-1\"}\n", `{}`},
		{"{\"verb\":\"approve\",\"id\":\"gr-1\"}\n", `{"fault":"unknown"}`},
		{"{\"verb\":\"revoke\",\"id\":\"gr-1\"}\n", `{}`},
		{"{\"verb\":\"revoke\",\"id\":\"ap-1\"}\n", `{"fault":"unknown"}`},
		{"{\"verb\":\"approve\",\"id\":\"ap-2\"}\nand more", `{}`},
		{"{\"verb\":\"approve\"}\n", `{"fault":"invalid","why":"verb \"approve\": an id goes with every verb but \"list\""}`},
		{"{\"verb\":\"list\",\"id\":\"ap-1\"}\n", `{"fault":"invalid","why":"verb \"list\": an id goes with every verb but \"list\""}`},
		{"{\"verb\":\"burn\",\"id\":\"x\"}\n", `{"fault":"invalid","why":"there is no verb \"burn\""}`},
		{"{\"verb\":\"list\",\"all\":1}\n", `{"fault":"invalid","why":"the request is not understood: json: unknown field \"all\""}`},
		{"GET / HTTP/1.1\r\n", `{"fault":"invalid","why":"the request is not understood: invalid character 'G' looking for beginning of value"}`},
		{"{\"verb\":\"list\"}", `{"fault":"invalid","why":"the request does not end with a newline"}`},
		{strings.Repeat("x", maxRequest+1), `{"fault":"invalid","why":"the request has more than 65536 bytes"}`},
	}
	for _, tc := range tests {
		conn := dial(t, s)
		// What is too long is not read to its end, which may fail the write.
		_, writeErr := io.WriteString(conn, tc.send)
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if err != nil && writeErr == nil && len(tc.send) <= maxRequest && !strings.Contains(tc.send, "and more") {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(string(got), "\n"); got != tc.want {
			t.Errorf("%.60q is answered %s, want %s", tc.send, got, tc.want)
		}
	}
	want := []string{"approve ap-1", "revoke gr-1", "approve ap-2"}
	if diff := cmp.Diff(want, h.decided); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
}

// TestRefused shows that a refused peer gets nothing, whatever it asks.
func TestRefused(t *testing.T) {
	state := t.TempDir()
	h := &session{calls: []Call{{ID: "ap-1"}}, grants: []Grant{{ID: "gr-1"}}}
	start(t, state, &Server{
		handler: h, log: slog.New(slog.DiscardHandler), patience: patience,
		examine: func(*net.UnixConn) (int, error) { return 7, errors.New("not you") },
	})
	for _, r := range []Request{{Verb: VerbList}, {Verb: VerbShow, ID: "ap-1"}, {Verb: VerbApprove, ID: "ap-1"}, {Verb: VerbRevoke, ID: "gr-1"}} {
		got, err := Ask(t.Context(), state, r)
		var refused *RefusedError
		if got != nil || !errors.As(err, &refused) || refused.Why != "not you" || refused.PID != fmt.Sprint(os.Getpid()) {
			t.Errorf("Ask(%v) = %v, %v, want it refused", r, got, err)
		}
	}
	if h.decided != nil {
		t.Errorf("a refused peer decided %v", h.decided)
	}
}

func TestBounds(t *testing.T) {
	state := t.TempDir()
	long := strings.Repeat("é", maxArguments)
	h := &session{calls: []Call{{ID: "ap-1", Arguments: "x" + long}, {ID: "ap-2", Arguments: strings.Repeat("\x01", maxArguments)}}}
	s := serve(t, state, h)
	for _, tc := range []struct {
		r     Request
		shown int
	}{
		{Request{Verb: VerbShow, ID: "ap-1"}, maxArguments - 1}, // no rune is split
		{Request{Verb: VerbShow, ID: "ap-2"}, maxArguments},
		{Request{Verb: VerbList}, shortArguments - 1},
	} {
		got, err := Ask(t.Context(), state, tc.r)
		if err != nil {
			t.Fatal(err)
		}
		c := got[0].Calls[0]
		if tc.r.ID == "ap-2" {
			if len(c.Arguments) != tc.shown || c.Hidden != 0 {
				t.Errorf("%v shows %d bytes and hides %d, want %d and 0", tc.r, len(c.Arguments), c.Hidden, tc.shown)
			}
			continue
		}
		if want := "x" + long[:tc.shown-1]; c.Arguments != want || c.Hidden != 1+len(long)-tc.shown {
			t.Errorf("%v shows %d bytes and hides %d, want %d and %d", tc.r, len(c.Arguments), c.Hidden, tc.shown, 1+len(long)-tc.shown)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, state, &session{grants: []Grant{{Text: strings.Repeat("x", maxReply)}}})
	if got, err := Ask(t.Context(), state, Request{Verb: VerbList}); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes; ask for one id") {
		t.Errorf("a list that is too long: %v, %v", got, err)
	}
}

func TestFolder(t *testing.T) {
	state := filepath.Join(t.TempDir(), "made", "here")
	s := serve(t, state, &session{})
	for path, want := range map[string]os.FileMode{
		state:            os.ModeDir | 0o700,
		runFolder(state): os.ModeDir | 0o700,
		s.path:           os.ModeSocket | 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
	if want := fmt.Sprintf("%d-", os.Getpid()); !strings.HasPrefix(filepath.Base(s.path), want) {
		t.Errorf("the socket is %s, want it to begin with %s", s.path, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(runFolder(state)); len(left) > 0 || err != nil {
		t.Errorf("Close leaves %v, %v", left, err)
	}
}

func TestWrongFolders(t *testing.T) {
	tests := []struct {
		name  string
		make  func(run string) error
		where string // below the state folder
		want  string
	}{
		{"open to a group", func(run string) error { return errors.Join(os.Mkdir(run, 0o700), os.Chmod(run, 0o770)) }, "", "mode 770"},
		{"a file", func(run string) error { return os.WriteFile(run, nil, 0o600) }, "", "not a directory"},
		{"a link", func(run string) error { return os.Symlink(os.TempDir(), run) }, "", "has to be a folder"},
		{"a long path", func(string) error { return nil }, strings.Repeat("long/", 20), "and the system allows 107"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), tc.where)
			if err := tc.make(runFolder(state)); err != nil {
				t.Fatal(err)
			}
			s, err := Listen(state, &session{}, slog.New(slog.DiscardHandler))
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Listen = %v, want an error with %q", err, tc.want)
			}
			if tc.where == "" {
				if _, err := Ask(t.Context(), state, Request{Verb: VerbList}); err == nil || errors.Is(err, ErrNoServer) {
					t.Errorf("Ask = %v, want the folder not trusted", err)
				}
			}
		})
	}
}

// leaveSocket makes a socket that nobody listens on any more.
func leaveSocket(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// busySocket makes one whose server lives, but has no room for more clients.
func busySocket(t *testing.T, path string) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		conn, err := net.Dial("unix", path)
		if errors.Is(err, unix.EAGAIN) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Fatalf("%s takes ever more clients", path)
}

func TestStaleSockets(t *testing.T) {
	state := t.TempDir()
	live := serve(t, state, &session{})
	dir := runFolder(state)
	leaveSocket(t, filepath.Join(dir, "1-dead.sock")) // a process id that lives
	leaveSocket(t, filepath.Join(dir, "999999999-dead.sock"))
	if err := os.WriteFile(filepath.Join(dir, "notes.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	busySocket(t, filepath.Join(dir, "3-busy.sock"))
	next := serve(t, state, &session{})
	want := []string{"3-busy.sock", filepath.Base(live.path), filepath.Base(next.path), "notes.sock"}
	slices.Sort(want)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sockets (-want +got):\n%s", diff)
	}
}

func TestManyAtOnce(t *testing.T) {
	state := t.TempDir()
	h := &session{}
	var want []string
	for i := range 50 {
		id := fmt.Sprintf("ap-%02d", i)
		h.calls = append(h.calls, Call{ID: id})
		want = append(want, "approve "+id)
	}
	serve(t, state, h)
	var clients sync.WaitGroup
	for _, c := range h.calls {
		clients.Go(func() {
			if _, err := Ask(t.Context(), state, Request{Verb: VerbApprove, ID: c.ID}); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	slices.Sort(h.decided)
	if diff := cmp.Diff(want, h.decided); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
}

func TestTooMany(t *testing.T) {
	state := t.TempDir()
	s := serve(t, state, &session{})
	for range maxConns {
		dial(t, s)
	}
	if _, err := Ask(t.Context(), state, Request{Verb: VerbList}); err == nil || !strings.Contains(err.Error(), "has too many") {
		t.Errorf("Ask with %d connections open = %v, want it told", maxConns, err)
	}
}

func TestSilentPeer(t *testing.T) {
	s := &Server{handler: &session{}, log: slog.New(slog.DiscardHandler), examine: trust, patience: 20 * time.Millisecond}
	start(t, t.TempDir(), s)
	conn := dial(t, s)
	if _, err := io.WriteString(conn, `{"verb":`); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); len(got) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a peer that sends half a request gets %q, %v, want the connection closed", got, err)
	}
}

// TestClose shows that Close does not wait for silent peers, and waits for what
// is being answered.
func TestClose(t *testing.T) {
	state := t.TempDir()
	entered, release := make(chan struct{}), make(chan struct{})
	h := &session{calls: []Call{{ID: "ap-1"}}, enter: func() { close(entered); <-release }}
	s := serve(t, state, h)
	dial(t, s)
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() { _, _ = Ask(t.Context(), state, Request{Verb: VerbApprove, ID: "ap-1"}) }) // it is cut off
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	<-s.closing
	select {
	case <-closed:
		t.Error("Close returns while a request is being answered")
	case <-time.After(20 * time.Millisecond):
	}
	began := time.Now()
	close(release)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("Close waits %v for a silent peer", took)
	}
	if diff := cmp.Diff([]string{"approve ap-1"}, h.decided); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
}
