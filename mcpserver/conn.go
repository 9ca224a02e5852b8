package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"raw/contract"
)

// conn is one host on one pair of pipes: one reader, one writer at a time, a
// goroutine for each request. Order and limits of calls live in the core.
type conn struct {
	options Options
	in      io.ReadCloser
	session *contract.Session
	core    *core

	calls   sync.WaitGroup
	parking parking
	views   *views
	changes changes // of resources

	inputEnded chan struct{} // closed at the end of input
	begun      atomic.Bool   // the session's hooks were told that it begins

	writing sync.Mutex // held for the length of one line
	out     io.Writer

	mu       sync.Mutex
	inFlight map[string]*request // by the id as it was written
	replies  map[string]chan frame
	lastAsk  int
	closed   bool                    // nothing new is started
	mute     bool                    // the host cannot answer any more
	broken   context.CancelCauseFunc // ends the connection
	refusals atomic.Int64            // that wait to be written
	listens  []*listener             // open subscriptions/listen requests
	inList   map[string]bool         // the tools of the list that was served last
}

// request is one request of the host that has no answer yet.
type request struct {
	id     json.RawMessage
	cancel context.CancelFunc
	silent bool // cancelled: no answer follows
	kept   bool // cannot be cancelled
}

func newConn(in io.ReadCloser, out io.Writer, o Options) *conn {
	return &conn{options: o, in: in, out: out, inFlight: map[string]*request{}, replies: map[string]chan frame{}, inputEnded: make(chan struct{}), views: newViews()}
}

// serve runs the connection to its end, in the order of MCP.md §1: what was
// read is answered, then calls are cancelled, then everything has left.
func (c *conn) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.broken = cancel
	telling, quiet := context.WithCancel(ctx)
	announced := make(chan struct{})
	go func() { defer close(announced); c.announce(telling) }()
	defer func() {
		quiet()
		timer := time.NewTimer(quietGrace)
		defer timer.Stop()
		select {
		case <-announced:
		case <-timer.C: // the host does not read, and the line is stuck in the pipe
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- c.read(ctx) }()

	var err error
	select {
	case err = <-ended:
		c.noAnswers()
		c.drain(ctx, drainGrace)
	case <-ctx.Done():
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	cancel(err)
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.drain(context.WithoutCancel(ctx), stopGrace)
	if c.begun.Load() {
		c.session.End(context.WithoutCancel(ctx))
	}
	c.session.Close()
	_ = c.in.Close() // lets a reader go that still waits for input
	if errors.Is(err, io.EOF) || errors.Is(err, errGone) {
		return nil
	}
	return err
}

// drain waits until every call has left, at most for grace or until ctx ends.
func (c *conn) drain(ctx context.Context, grace time.Duration) {
	left := make(chan struct{})
	go func() { c.calls.Wait(); close(left) }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-left:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// read is the only reader. It never waits for a call, so that answers and
// cancellations always get through.
func (c *conn) read(ctx context.Context) error {
	lines := newLineReader(c.in, c.options.LineLimit)
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, errTooLong):
			c.refuse(idOfSkipped(line), &wireError{codeInvalidRequest, fmt.Sprintf("the line is longer than %d MiB and was skipped; send less in one call", c.options.LineLimit>>20)})
			continue
		case err != nil:
			return err
		}
		f, fault := parseFrame(line)
		switch {
		case fault != nil:
			c.refuse(f.ID, fault)
		case f.Method == "":
			c.answered(f)
		case f.ID == nil:
			c.notified(ctx, f)
		default:
			c.requested(ctx, f)
		}
	}
}

// requested starts a request. A call takes its place in the order here, in
// the reader; everything else about it happens in its own goroutine.
func (c *conn) requested(ctx context.Context, f frame) {
	c.mu.Lock()
	key := string(f.ID)
	switch {
	case c.inFlight[key] != nil:
		c.mu.Unlock()
		c.refuse(f.ID, &wireError{codeInvalidRequest, "a request with this id has no answer yet; use another id"})
		return
	case len(c.inFlight) >= maxInFlight:
		c.mu.Unlock()
		c.refuse(f.ID, &wireError{codeInvalidRequest, fmt.Sprintf("%d requests are open; wait for answers", maxInFlight)})
		return
	}
	own, cancel := context.WithCancel(ctx)
	r := &request{id: f.ID, cancel: cancel, kept: f.Method == "initialize"}
	c.inFlight[key] = r
	c.mu.Unlock()

	handle := c.handler(ctx, f)
	c.start(func() {
		defer cancel()
		c.finish(r, handle(own))
	})
}

// start runs f in a goroutine that serve waits for.
func (c *conn) start(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.calls.Go(f)
	}
}

// answer is the result or the error of a request, encoded.
type answer struct {
	result json.RawMessage
	fault  *wireError
	raw    json.RawMessage // an error object of the protocol core
}

// handler decides who answers a request. It runs in the reader; ctx is that of
// the connection.
func (c *conn) handler(ctx context.Context, f frame) func(context.Context) answer {
	switch f.Method {
	case "tools/call":
		return c.callTool(ctx, f)
	case "initialize":
		// Done in the reader: the next line may depend on it.
		c.session.SyncTools()
		a := c.core.handle(ctx, f)
		if a.result != nil {
			c.core.session.greet(f.Params)
		}
		return fixed(a)
	case "subscriptions/listen":
		return func(ctx context.Context) answer { return c.listen(ctx, f) }
	case "server/discover":
		if c.options.Legacy {
			return func(context.Context) answer {
				return answer{fault: &wireError{codeMethodNotFound, "server/discover is switched off here; use initialize"}}
			}
		}
	}
	return func(ctx context.Context) answer { return c.core.handle(ctx, f) }
}

// finish writes the answer unless the request was cancelled, up to the moment
// of writing. Until then the request counts as open, which bounds the answers
// that wait for a host that does not read.
func (c *conn) finish(r *request, a answer) {
	field, body := "result", []byte(a.result)
	switch {
	case a.fault != nil:
		field, body = "error", a.fault.encode()
	case a.raw != nil:
		field, body = "error", a.raw
	}
	line := encodeAnswer(r.id, field, body)
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	silent := r.silent
	if c.inFlight[string(r.id)] == r {
		delete(c.inFlight, string(r.id))
	}
	c.mu.Unlock()
	if !silent {
		c.put(line)
	}
}

func (c *conn) notified(ctx context.Context, f frame) {
	switch f.Method {
	case "notifications/initialized":
		c.begin(ctx)
		c.core.notify(ctx, f)
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(f.Params, &p) == nil && p.RequestID != nil {
			c.cancelled(p.RequestID)
		}
	case "notifications/roots/list_changed":
		c.session.RootsChanged()
	default:
		c.core.notify(ctx, f)
	}
}

// cancelled takes effect before the next line is read. An id that is unknown,
// finished, or of another type disturbs nothing. A handshake cannot be
// cancelled.
func (c *conn) cancelled(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.inFlight[string(id)]; r != nil && !r.kept {
		r.silent = true
		delete(c.inFlight, string(id))
		r.cancel()
	}
}

// refuse answers what the reader does not take on; a message without a usable
// id gets null. The reader must not wait for a host that does not read, so the
// line is written by another goroutine; when too many wait, it is dropped.
func (c *conn) refuse(id json.RawMessage, e *wireError) {
	if c.refusals.Add(1) > maxRefusals {
		c.refusals.Add(-1)
		c.options.Log.Warn("a refusal is dropped, because the host does not read", "refusal", e.Message)
		return
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	c.start(func() {
		defer c.refusals.Add(-1)
		c.write(encodeAnswer(id, "error", e.encode()))
	})
}

// encodeAnswer is one answer as a line. The body must not contain a newline.
func encodeAnswer(id json.RawMessage, field string, body []byte) []byte {
	line := make([]byte, 0, len(body)+len(id)+len(field)+32)
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	line = append(line, id...)
	line = append(line, `,"`+field+`":`...)
	line = append(line, body...)
	return append(line, "}\n"...)
}

// begin tells the session's hooks, once, that it begins. A process that a
// client starts only to ask for server/discover never gets here.
func (c *conn) begin(ctx context.Context) {
	if c.begun.CompareAndSwap(false, true) {
		c.start(func() { c.session.Begin(ctx, "") })
	}
}

// notify writes one notification.
func (c *conn) notify(method string, params any) {
	body, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", method, params})
	if err != nil {
		c.options.Log.Error("encode a notification", "method", method, "error", err)
		return
	}
	c.write(append(body, '\n'))
}

// write puts one whole line on the wire.
func (c *conn) write(line []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.put(line)
}

// put writes under the lock. A host that is gone ends everything.
func (c *conn) put(line []byte) {
	if _, err := c.out.Write(line); err != nil {
		c.options.Log.Debug("write to the host", "error", err)
		c.broken(errGone)
	}
}
