// Package proc starts processes for the product and sees to it that nothing of
// them is left: not their children, not what those detached, not zombies.
//
// It is the only package that starts processes. It knows no shell syntax, asks
// nobody for permission and decides nothing about what may run; that is the
// work of its callers.
//
// # How a tree is ended
//
// A command runs in a session of its own, without a terminal. When it exits,
// times out or is cancelled, whatever it started gets TERM, 500 ms later KILL,
// until a scan finds nothing. What it started is found by its place in the
// process tree, by its session, and by a mark in its environment
// (MarkVariable), which detached processes inherit.
//
// On Linux the process is a child subreaper while it has a Runner: each process
// that loses its parent becomes a child of ours, so that nothing started here
// can leave the tree. Such orphans always land with the main thread, and we
// never fork on that thread; so the kernel's list of the main thread's children
// is exactly the list of orphans, and an empty list proves in one read that a
// command left nothing behind. An orphan that wiped its environment belongs to
// the only command that has been running since it was born; if there were
// several it ends with the last of them, marked Shared.
//
// A server that was killed cannot end anything. The kernel then kills the
// commands themselves (parent-death signal), a guard process that waits for our
// end kills what carries the mark, and [EndMarkedOrphans] at the next
// start ends what is left.
//
// macOS has neither subreapers nor parent-death signals: there group, session,
// parents and marks are used, as far as the system shows them. Windows ends a
// job object, at once and without naming what was in it.
package proc

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Runner starts commands and owns them. One per process is meant: orphans
// without a mark cannot be told apart between several. All methods may be
// called at once.
type Runner struct {
	owner   owner // this server, as told by its marks
	nonce   string
	host    host // platform state
	count   atomic.Int64
	closing chan struct{}

	// mu is held from before a command is started until it stands in running,
	// so that whoever has seen a process and then takes mu also sees its
	// command.
	mu      sync.Mutex
	running map[*command]struct{}
	idle    *sync.Cond // signalled when running shrinks
	closed  bool
	// disputed are orphans that more than one command may have started.
	disputed map[id]bool
}

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("runner is closed")

// New returns a Runner. Close must be called in the end.
func New() (*Runner, error) {
	self, err := self()
	if err != nil {
		return nil, fmt.Errorf("read our own place in the process table: %w", err)
	}
	r := &Runner{
		owner:    self,
		nonce:    rand.Text()[:8],
		closing:  make(chan struct{}),
		running:  map[*command]struct{}{},
		disputed: map[id]bool{},
	}
	r.idle = sync.NewCond(&r.mu)
	if err := r.host.open(); err != nil {
		return nil, err
	}
	return r, nil
}

// Close ends all commands, waits until their Run calls have ended them, and
// gives up what the Runner holds of the system. Later calls of Run get
// ErrClosed. Close may be called more than once.
func (r *Runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.closing)
	}
	for len(r.running) > 0 {
		r.idle.Wait()
	}
	return r.host.close()
}

// forget takes a finished command off the list.
func (r *Runner) forget(c *command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, c)
	r.idle.Broadcast()
}

// mark returns a fresh mark for one command.
func (r *Runner) mark() mark {
	return mark{owner: r.owner, runner: r.nonce, command: r.count.Add(1)}
}

// self describes this process as the owner of marks.
func self() (owner, error) {
	pid := os.Getpid()
	started, err := startOf(pid)
	if err != nil {
		return owner{}, err
	}
	return owner{id{pid, started}, pidSpace()}, nil
}
