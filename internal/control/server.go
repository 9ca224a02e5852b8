//go:build linux || darwin

package control

import (
	"bufio"
	"bytes"
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
	"time"
	"unicode/utf8"
)

// maxConns bounds the connections that are served at once. What comes above is
// closed, not queued: a peer has to be judged while it is there.
const maxConns = 64

// Server answers the command lines of a person for one process.
type Server struct {
	handler  Handler
	log      *slog.Logger
	examine  func(*net.UnixConn) (pid int, err error)
	patience time.Duration // for one connection
	listener *net.UnixListener
	path     string
	serving  sync.WaitGroup
	closing  chan struct{}

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// Listen makes a socket under stateFolder, of which it makes what is missing,
// and answers on it until Close. It removes the sockets of servers that died.
func Listen(stateFolder string, h Handler, log *slog.Logger) (*Server, error) {
	s := &Server{handler: h, log: log, examine: examine, patience: patience}
	if err := s.start(runFolder(stateFolder)); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) start(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of sockets: %w", err)
	}
	if err := checkFolder(dir); err != nil {
		return err
	}
	if err := sweep(dir); err != nil {
		return err
	}
	l, name, err := listen(dir)
	if err != nil {
		return err
	}
	s.listener, s.path = l, filepath.Join(dir, name+socketSuffix)
	s.closing, s.conns = make(chan struct{}), map[net.Conn]struct{}{}
	s.serving.Go(s.accept)
	return nil
}

// Close removes the socket, ends all connections and waits for what is being
// answered. It is called once.
func (s *Server) Close() error {
	close(s.closing)
	err := errors.Join(os.Remove(s.path), s.listener.Close())
	s.mu.Lock()
	for conn := range s.conns {
		_ = conn.SetDeadline(time.Unix(1, 0)) // its own goroutine closes it
	}
	s.mu.Unlock()
	s.serving.Wait()
	return err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if !s.goesOn(err) {
				return
			}
			continue
		}
		if !s.enter(conn) {
			_ = conn.Close() // nothing was read or written
			continue
		}
		s.serving.Go(func() {
			defer s.leave(conn)
			s.serve(conn)
		})
	}
}

// goesOn reports whether accepting can be tried again after err, and waits
// before that: the system may be short of files for a moment.
func (s *Server) goesOn(err error) bool {
	if errors.Is(err, net.ErrClosed) {
		return false
	}
	s.log.Warn("accept a person's command", "error", err)
	pause := time.NewTimer(100 * time.Millisecond)
	defer pause.Stop()
	select {
	case <-s.closing:
		return false
	case <-pause.C:
		return true
	}
}

// enter takes conn in, unless there are too many or the server closes.
func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return false
	default:
	}
	if len(s.conns) == maxConns || conn.SetDeadline(time.Now().Add(s.patience)) != nil {
		return false
	}
	s.conns[conn] = struct{}{}
	return true
}

func (s *Server) leave(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	_ = conn.Close() // what was written is with the peer
}

// serve answers the one request of a connection.
func (s *Server) serve(conn *net.UnixConn) {
	pid, refused := s.examine(conn) // before the peer has had time to change
	line, err := bufio.NewReaderSize(conn, maxRequest).ReadSlice('\n')
	if err == io.EOF && len(line) == 0 {
		return // somebody looked whether we are there
	}
	var answer reply
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		answer = reply{Fault: faultInvalid, Why: fmt.Sprintf("the request has more than %d bytes", maxRequest)}
	case err == io.EOF:
		answer = reply{Fault: faultInvalid, Why: "the request does not end with a newline"}
	case err != nil:
		s.log.Debug("read a person's command", "peer", pid, "error", err)
		return
	case refused != nil:
		s.log.Warn("refused a command that decides for a person", "peer", pid, "why", refused)
		answer = reply{Fault: faultRefused, Why: refused.Error()}
	default:
		if attached, ok := s.attached(line); ok {
			s.hold(conn, attached)
			return
		}
		answer = s.answer(line, pid)
	}
	text, err := encode(answer)
	if err == nil {
		_, err = conn.Write(text)
	}
	if err != nil {
		s.log.Debug("answer a person's command", "peer", pid, "error", err)
	}
}

// attached reports whether a request attaches a terminal, and attaches it.
func (s *Server) attached(line []byte) (detach func(), ok bool) {
	var r Request
	if json.Unmarshal(line, &r) != nil || r.Verb != VerbAttach {
		return nil, false
	}
	return s.handler.Attach(), true
}

// hold keeps an attached terminal until it goes or the server closes.
func (s *Server) hold(conn *net.UnixConn, detach func()) {
	defer detach()
	s.mu.Lock()
	select {
	case <-s.closing:
		s.mu.Unlock()
		return
	default:
	}
	err := conn.SetDeadline(time.Time{})
	s.mu.Unlock()
	if err != nil {
		return
	}
	if _, err := conn.Write([]byte("{}\n")); err != nil {
		return
	}
	_, _ = conn.Read(make([]byte, 1)) // it sends nothing more; the end of the read is its end
}

// encode makes the line that is sent. One that is too long is replaced by a
// fault.
func encode(answer reply) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(answer)
	if err == nil && b.Len() > maxReply {
		return encode(reply{Fault: faultInvalid, Why: fmt.Sprintf("the answer has more than %d bytes; ask for one id", maxReply)})
	}
	return b.Bytes(), err
}

func (s *Server) answer(line []byte, pid int) reply {
	var r Request
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return reply{Fault: faultInvalid, Why: "the request is not understood: " + err.Error()}
	}
	if r.Verb != VerbAttach && (r.ID == "") != (r.Verb == VerbList) {
		return reply{Fault: faultInvalid, Why: fmt.Sprintf("verb %q: an id goes with every verb but %q", r.Verb, VerbList)}
	}
	done := false
	switch r.Verb {
	case VerbList:
		return s.list()
	case VerbShow:
		return s.show(r.ID)
	case VerbApprove:
		done = s.handler.Approve(r.ID)
	case VerbRevoke:
		done = s.handler.Revoke(r.ID)
	case VerbAnswer:
		if !slices.ContainsFunc(s.handler.Questions(), func(q Question) bool { return q.ID == r.ID }) {
			break
		}
		if err := s.handler.Answer(r.Submission); err != nil {
			return reply{Fault: faultAnswer, Why: err.Error()}
		}
		done = true
	default:
		return reply{Fault: faultInvalid, Why: fmt.Sprintf("there is no verb %q", r.Verb)}
	}
	if !done {
		return reply{Fault: faultUnknown}
	}
	s.log.Info("a person decided", "verb", r.Verb, "id", r.ID, "peer", pid)
	return reply{}
}

func (s *Server) list() reply {
	calls, grants := s.handler.Approvals()
	answer := reply{Grants: grants, Questions: s.handler.Questions()}
	for i := range answer.Questions {
		answer.Questions[i].Body = nil
	}
	for _, c := range calls {
		answer.Calls = append(answer.Calls, c.cut(shortArguments))
	}
	return answer
}

func (s *Server) show(id string) reply {
	calls, grants := s.handler.Approvals()
	for _, c := range calls {
		if c.ID == id {
			return reply{Calls: []Call{c.cut(maxArguments)}}
		}
	}
	for _, g := range grants {
		if g.ID == id {
			return reply{Grants: []Grant{g}}
		}
	}
	for _, q := range s.handler.Questions() {
		if q.ID == id {
			return reply{Questions: []Question{q}}
		}
	}
	return reply{Fault: faultUnknown}
}

// cut is c with at most n bytes of arguments, no rune split.
func (c Call) cut(n int) Call {
	if len(c.Arguments) > n {
		for n > 0 && !utf8.RuneStart(c.Arguments[n]) {
			n--
		}
		c.Hidden = len(c.Arguments) - n
		c.Arguments = strings.Clone(c.Arguments[:n])
	}
	return c
}
