package proc

import (
	"context"
	"io"
	"os"
	"time"
)

const (
	// drainTime is how long output is still read once the command itself has
	// exited while something that it started goes on.
	drainTime = 500 * time.Millisecond
	// reapEvery is how often dead orphans of a long command are collected.
	reapEvery = time.Second
)

// Stdout and Stderr number the streams given to Spec.OnOutput.
const (
	Stdout = 1
	Stderr = 2
)

// Spec says what to start. Its zero optional fields are the safe side.
type Spec struct {
	// Path is the program: a name looked up in the PATH of Env, or a path.
	Path string
	// Args are the arguments after the program's own name.
	Args []string
	// Dir is the working folder. Empty means that of this process.
	Dir string
	// Folder, if not nil, is the working folder as somebody opened it; Dir then
	// only names it. Where the system allows it, the command enters this very
	// folder, whatever stands at its path by then. It stays the caller's.
	Folder *os.File
	// Env is the complete environment as "NAME=value"; nothing is inherited.
	// The mark is added to it.
	Env []string
	// Stdin is what the command reads. Nil means that it is at its end. A
	// reader that can block for ever is left behind when the command ends.
	Stdin io.Reader
	// Keep is how many bytes are kept of each stream, half from its start and
	// half from its end. Zero means DefaultKeep.
	Keep int
	// OnOutput, if not nil, sees output as it comes. It is called from one
	// goroutine per stream, both at once, and must not block for long nor keep
	// p, which is used again.
	OnOutput func(stream int, p []byte)
	// Timeout is how long the command may run. Zero means no limit.
	Timeout time.Duration
}

// Exit is how a command ended.
type Exit struct {
	// Code is the exit status, 128 plus the signal's number for a command that
	// a signal ended, and -1 when the status could not be learned.
	Code int
	// Signal names the signal that ended the command ("SIGSEGV"), or is empty.
	Signal string
	// TimedOut says that Spec.Timeout ended the command.
	TimedOut bool
	// Cancelled says that the context or Runner.Close ended the command.
	Cancelled bool
	// Stdout and Stderr are what was printed.
	Stdout, Stderr Captured
	// Left is what the command had started and left running when it exited;
	// all of it was ended unless it says otherwise. After a timeout or a
	// cancel, when everything is expected to be ended, it has only what could
	// not be ended and what may belong to another command.
	Left []Survivor
	// Duration is the time from start to the command's exit.
	Duration time.Duration
}

// Survivor is a process that was still running after its command had exited.
type Survivor struct {
	PID int
	// Name is the command name as the system shows it, which may be cut.
	Name string
	// Ended says that the process is gone. It stays false for a process of
	// another user, for example, which may not be signalled.
	Ended bool
	// Shared says that the process was detached and without the mark while
	// several commands ran, so that it may be another command's.
	Shared bool
}

// Run starts a command, waits for it and ends all that it started. The error is
// not nil only when the command could not be started. Any number of goroutines
// may call Run at once.
func (r *Runner) Run(ctx context.Context, s Spec) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1, Cancelled: true}, nil
	}
	c, err := r.start(s)
	if err != nil {
		return Exit{}, err
	}
	defer r.forget(c)

	var e Exit
	r.await(ctx, c, s.Timeout, &e)
	if e.TimedOut || e.Cancelled {
		e.Left = unsettled(r.end(c))
	} else if r.survivors(c) {
		if c.drained(ctx.Done(), drainTime) {
			r.settle(c)
		}
		e.Left = r.end(c)
	}
	e.Duration = c.finish(&e)
	return e, nil
}

// await returns when the command has exited or has to be ended.
func (r *Runner) await(ctx context.Context, c *command, timeout time.Duration, e *Exit) {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	tick := time.NewTicker(reapEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.exited:
			return
		case <-expired:
			e.TimedOut = true
			return
		case <-ctx.Done():
			e.Cancelled = true
			return
		case <-r.closing:
			e.Cancelled = true
			return
		case <-tick.C:
			r.reap()
		}
	}
}

// unsettled returns the survivors that are news even when all was to be ended.
func unsettled(all []Survivor) []Survivor {
	var news []Survivor
	for _, s := range all {
		if !s.Ended || s.Shared {
			news = append(news, s)
		}
	}
	return news
}

// drained waits until both streams are at their end, stop is closed, or limit
// has passed, and reports whether it was the first.
func (c *command) drained(stop <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, s := range []*stream{c.stdout, c.stderr} {
		select {
		case <-s.done:
		case <-stop:
			return false
		case <-timer.C:
			return false
		}
	}
	return true
}

// finish collects output and status once the tree has been ended.
func (c *command) finish(e *Exit) time.Duration {
	// With the tree gone both pipes are at their end. A process that could not
	// be ended must not keep the caller, hence the limit.
	c.drained(nil, drainTime)
	e.Stdout, e.Stderr = c.stdout.stop(), c.stderr.stop()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C: // may not be signalled, or hangs in the kernel: its waiter stays
		e.Code = -1
		return time.Since(c.began)
	}
	// The status is in the state; any other error is about Stdin, which is no
	// fault of the command.
	_ = c.cmd.Wait()
	e.Code, e.Signal = -1, ""
	if state := c.cmd.ProcessState; state != nil {
		e.Code, e.Signal = status(state)
	}
	return c.ended.Sub(c.began)
}

// status splits a process state into a shell-like exit code and a signal name.
func status(state *os.ProcessState) (code int, signal string) {
	if number, name := signalOf(state); number > 0 {
		return 128 + number, name
	}
	return state.ExitCode(), ""
}
