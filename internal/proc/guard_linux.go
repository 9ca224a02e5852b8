package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// host is what a Runner holds of the system.
type host struct {
	opened   uint64
	session  int
	guardPID int
	watcher  *exec.Cmd
	lifeline *os.File // its end in the guard reads EOF when we are gone
}

// open makes this process a subreaper. It stays one after close: another Runner
// may rely on it, and it means nothing to a process without children.
func (h *host) open() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans (PR_SET_CHILD_SUBREAPER): %w", err)
	}
	session, err := unix.Getsid(0)
	if err != nil {
		return fmt.Errorf("read our own session: %w", err)
	}
	h.session, h.opened = session, now()
	return nil
}

// guardScript waits until the server is gone and ends what has its mark ($1).
// An empty round ends it early.
const guardScript = `read -r _
for signal in TERM KILL KILL KILL; do
	found=$(grep -Fls "$1" /proc/[0-9]*/environ 2>/dev/null)
	[ -n "$found" ] || exit 0
	for file in $found; do
		pid=${file#/proc/}
		kill -"$signal" "${pid%/environ}" 2>/dev/null
	done
	sleep 1
done`

// guard starts the guard before the first command. Without it (no sh, no grep)
// the next start of a server has to do its work.
func (h *host) guard(o owner) {
	if h.watcher != nil {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	h.watcher = &exec.Cmd{
		Path:        "/bin/sh",
		Args:        []string{"sh", "-c", guardScript, "raw-guard", MarkVariable + "=" + o.String() + "."},
		Dir:         "/",
		Env:         []string{"PATH=/usr/bin:/bin"},
		Stdin:       r,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := h.watcher.Start(); err != nil {
		w.Close()
		return
	}
	h.guardPID, h.lifeline = h.watcher.Process.Pid, w
}

func (h *host) close() error {
	if h.lifeline == nil {
		return nil
	}
	h.lifeline.Close()
	h.lifeline = nil
	_ = h.watcher.Process.Kill() // nothing is left for it to do
	_ = h.watcher.Wait()         // killed is not an error here
	return nil
}
