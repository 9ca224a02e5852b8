package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// program is a running program and everything that it has put on its
// standard output so far. Its methods may be called at once.
type program struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	log   *transcript

	exited  chan struct{} // closed once the process and its output have ended
	waitErr error         // what Wait said; read after exited

	mu      sync.Mutex
	changed chan struct{}  // closed and replaced whenever something arrives
	partial []byte         // the begun last line of standard output
	got     []*message     // in wire order
	fault   error          // the first thing on standard output that no client would accept
	asked   map[string]int // by id, the requests without an answer
	sent    []byte         // the begun last line of standard input
	killed  bool           // by us, so that output may end anywhere
	stderr  bytes.Buffer
}

// start runs cmd. What still holds the output open linger after the process has
// ended is cut off, and reported by awaitExit; so a wait must be longer.
func start(cmd *exec.Cmd, linger time.Duration) (*program, error) {
	p := &program{
		cmd:     cmd,
		log:     newTranscript(),
		exited:  make(chan struct{}),
		changed: make(chan struct{}),
		asked:   map[string]int{},
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open standard input of %s: %w", cmd.Path, err)
	}
	p.stdin = stdin
	cmd.Stdout = writerFunc(p.receive)
	cmd.Stderr = writerFunc(p.complain)
	cmd.WaitDelay = linger
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go func() {
		p.waitErr = cmd.Wait()
		p.endOutput()
		close(p.exited)
	}()
	return p, nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func (p *program) complain(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(b)
}

// receive takes a piece of standard output.
func (p *program) receive(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partial = append(p.partial, b...)
	for {
		line, rest, found := bytes.Cut(p.partial, []byte("\n"))
		if !found {
			break
		}
		p.takeLine(line)
		p.partial = rest
	}
	p.wake()
	return len(b), nil
}

func (p *program) endOutput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.partial) > 0 && !p.killed {
		p.log.add("<-|", p.partial)
		p.blame(fmt.Errorf("standard output ends in an unfinished line: %s", clip(p.partial)))
	}
	p.wake()
}

// takeLine files one line of standard output. The caller holds mu.
func (p *program) takeLine(line []byte) {
	p.log.add("<-", line)
	m, err := parseMessage(bytes.Clone(line))
	if err != nil {
		p.blame(fmt.Errorf("standard output is not JSON-RPC: %w: %s", err, clip(line)))
		return
	}
	if m.method == "" && m.id != "null" {
		if p.asked[m.id] == 0 {
			p.blame(fmt.Errorf("answer %s belongs to no open request: %s", m.id, clip(line)))
		} else {
			p.asked[m.id]--
		}
	}
	p.got = append(p.got, m)
}

// blame keeps the first fault. The caller holds mu.
func (p *program) blame(err error) {
	if p.fault == nil {
		p.fault = err
	}
}

// wake tells whoever waits to look again. The caller holds mu.
func (p *program) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// send writes b, which need not be a line, to standard input.
func (p *program) send(b []byte, timeout time.Duration) error {
	p.mu.Lock()
	p.log.add("->", b)
	p.sent = append(p.sent, b...)
	for {
		line, rest, found := bytes.Cut(p.sent, []byte("\n"))
		if !found {
			break
		}
		for _, id := range idsIn(line) {
			p.asked[id]++
		}
		p.sent = rest
	}
	p.mu.Unlock()
	if d, ok := p.stdin.(interface{ SetWriteDeadline(time.Time) error }); ok {
		// Not every platform's pipes have deadlines; there a full pipe blocks
		// until the test's own deadline.
		_ = d.SetWriteDeadline(time.Now().Add(timeout))
	}
	if _, err := p.stdin.Write(b); err != nil {
		return fmt.Errorf("write to the program: %w", err)
	}
	return nil
}

// What waiting ends with when it was in vain.
var (
	errTimeout = errors.New("nothing came in time")
	errEnded   = errors.New("the program has ended")
)

// await looks with pick, under the lock, whenever something has arrived, until
// pick is satisfied, the program has ended, or the time is over.
func (p *program) await(timeout time.Duration, pick func([]*message) (done bool)) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	exited := p.exited
	for {
		p.mu.Lock()
		fault, done, changed := p.fault, pick(p.got), p.changed
		p.mu.Unlock()
		switch {
		case fault != nil:
			return fault
		case done:
			return nil
		case exited == nil:
			return fmt.Errorf("%w (%v)", errEnded, p.cmd.ProcessState)
		}
		select {
		case <-changed:
		case <-exited:
			exited = nil // look once more: the last output came with the exit
		case <-timer.C:
			return errTimeout
		}
	}
}

func (p *program) closeInput() error {
	p.log.add("--", []byte("close"))
	// A program that has ended has had its input closed for it.
	if err := p.stdin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close the program's standard input: %w", err)
	}
	return nil
}

// awaitExit returns the exit code, -1 for a signal.
func (p *program) awaitExit(timeout time.Duration) (int, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		return 0, fmt.Errorf("the program did not exit within %v", timeout)
	}
	if errors.Is(p.waitErr, exec.ErrWaitDelay) {
		return 0, errors.New("the program has exited, but something it started still holds its output open")
	}
	return p.cmd.ProcessState.ExitCode(), p.broken()
}

// broken returns the first fault of standard output so far.
func (p *program) broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

// kill ends the program and returns once it and its output are gone.
func (p *program) kill() {
	p.log.add("--", []byte("kill"))
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.exited
}

// stop makes sure that nothing of the program is left.
func (p *program) stop() {
	select {
	case <-p.exited:
	default:
		p.kill()
	}
	_ = p.stdin.Close() // closed already in most scripts
}

func (p *program) errorOutput() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// idsIn lists the ids that a line sends: of the message, or of each in a batch.
func idsIn(line []byte) []string {
	type sent struct {
		ID json.RawMessage `json:"id"`
	}
	var batch []sent
	if json.Unmarshal(line, &batch) != nil {
		batch = make([]sent, 1)
		if json.Unmarshal(line, &batch[0]) != nil {
			return nil
		}
	}
	var ids []string
	for _, m := range batch {
		if m.ID != nil {
			ids = append(ids, string(m.ID))
		}
	}
	return ids
}
