//go:build linux || darwin

package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Ask puts a request to every live server of stateFolder at once, or to the one
// that it names, and returns the answers of those that did it, in the order of
// their names. It waits at most 5 s.
//
// The error tells of servers that refused (*RefusedError) or did not answer as
// they should; it may come beside answers. When nobody did anything it is
// ErrNoServer or ErrUnknownID.
func Ask(ctx context.Context, stateFolder string, r Request) ([]Response, error) {
	dir := runFolder(stateFolder)
	err := checkFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoServer
	}
	if err != nil {
		return nil, err
	}
	names, err := sockets(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	responses, errs := make([]Response, len(names)), make([]error, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		if r.Server != "" && r.Server != name && r.Server != pidOf(name) {
			errs[i] = ErrNoServer
			continue
		}
		asking.Go(func() { responses[i], errs[i] = askOne(ctx, dir, name, r) })
	}
	asking.Wait()
	done, err := gather(responses, errs)
	if r.Server != "" && errors.Is(err, ErrNoServer) {
		err = fmt.Errorf("%w as %s", err, r.Server)
	}
	return done, err
}

// gather makes one outcome of what the servers said.
func gather(responses []Response, errs []error) ([]Response, error) {
	var done []Response
	var failed []error
	nobody := ErrNoServer
	for i, err := range errs {
		switch {
		case err == nil:
			done = append(done, responses[i])
		case errors.Is(err, ErrUnknownID):
			nobody = err
		case !errors.Is(err, ErrNoServer):
			failed = append(failed, err)
		}
	}
	if len(done) == 0 && len(failed) == 0 {
		return nil, nobody
	}
	return done, errors.Join(failed...)
}

func askOne(ctx context.Context, dir, name string, r Request) (Response, error) {
	answer, err := exchange(ctx, filepath.Join(dir, name+socketSuffix), r)
	switch {
	case errors.Is(err, ErrNoServer):
		return Response{}, err
	case err != nil:
		return Response{}, fmt.Errorf("ask server %s: %w", pidOf(name), err)
	}
	switch answer.Fault {
	case "":
		return Response{Server: name, PID: pidOf(name), Calls: answer.Calls, Grants: answer.Grants, Questions: answer.Questions}, nil
	case faultUnknown:
		return Response{}, fmt.Errorf("%w: %s", ErrUnknownID, r.ID)
	case faultRefused:
		return Response{}, &RefusedError{PID: pidOf(name), Why: answer.Why}
	case faultAnswer:
		return Response{}, &InvalidAnswerError{Why: answer.Why}
	default:
		return Response{}, fmt.Errorf("ask server %s: it answers %s: %s", pidOf(name), answer.Fault, answer.Why)
	}
}

// exchange sends one request and reads one answer.
func exchange(ctx context.Context, path string, r Request) (answer reply, err error) {
	request, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return answer, ErrNoServer
	}
	if err != nil {
		return answer, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // ends the read and the write
	defer stop()
	_, err = conn.Write(append(request, '\n'))
	var line []byte
	if err == nil {
		line, err = io.ReadAll(io.LimitReader(conn, maxReply+1))
	}
	switch {
	case err == nil && len(line) == 0, errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return answer, errors.New("it closed the connection without an answer: it ends, or has too many; try again")
	case err != nil && ctx.Err() != nil:
		return answer, fmt.Errorf("it gave no answer: %w", ctx.Err())
	case err != nil:
		return answer, err
	case len(line) > maxReply:
		return answer, fmt.Errorf("its answer has more than %d bytes", maxReply)
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return answer, fmt.Errorf("its answer is not understood: %w", err)
	}
	return answer, nil
}

// Attach tells every live server of stateFolder that a person watches and can
// answer, and the ones that come later too, until ctx ends. The error, at once,
// says that nobody can be attached here; servers that refuse are told to refused,
// once each.
func Attach(ctx context.Context, stateFolder string, refused func(error)) error {
	dir := runFolder(stateFolder)
	if err := checkFolder(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a := attachment{dir: dir, refused: refused, held: map[string]bool{}}
	defer a.holding.Wait()
	tick := time.NewTicker(attachEvery)
	defer tick.Stop()
	for {
		a.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// attachEvery is how often new servers are looked for.
const attachEvery = time.Second

// attachment is one terminal at all servers.
type attachment struct {
	dir     string
	refused func(error)
	holding sync.WaitGroup

	mu   sync.Mutex
	held map[string]bool // servers that know of us, or do not want to
}

// look attaches to the servers that are new.
func (a *attachment) look(ctx context.Context) {
	names, err := sockets(a.dir)
	if err != nil {
		return // no server has been there yet
	}
	for _, name := range names {
		a.mu.Lock()
		known := a.held[name]
		a.held[name] = true
		a.mu.Unlock()
		if !known {
			a.holding.Go(func() {
				if !a.hold(ctx, name) { // it may have had too many, and is asked again
					a.mu.Lock()
					delete(a.held, name)
					a.mu.Unlock()
				}
			})
		}
	}
}

// hold keeps a connection to one server open. It reports whether the server has
// said anything.
func (a *attachment) hold(ctx context.Context, name string) (answered bool) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", filepath.Join(a.dir, name+socketSuffix))
	if err != nil {
		return false
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	request, err := json.Marshal(Request{Verb: VerbAttach})
	if err != nil {
		return false
	}
	if _, err := conn.Write(append(request, '\n')); err != nil {
		return false
	}
	line, err := bufio.NewReader(conn).ReadSlice('\n')
	var answer reply
	if err != nil || json.Unmarshal(line, &answer) != nil {
		return false
	}
	if answer.Fault != "" {
		a.refused(&RefusedError{PID: pidOf(name), Why: answer.Why})
		return true
	}
	_, _ = conn.Read(make([]byte, 1)) // until either side ends
	return true
}
