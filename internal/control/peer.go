//go:build linux || darwin

package control

import (
	"bytes"
	"fmt"
	"os"

	"raw/internal/proc"
)

// maxDepth ends the walk to the first process in a table that changes below it.
const maxDepth = 1000

// table is the process table as one server sees it.
type table struct {
	self    int                       // the server
	uid     int                       // its user
	parent  func(int) (int, error)    // of a process, 0 for the first one
	environ func(int) ([]byte, error) // NUL-separated, as the process was started with
}

func systemTable() table {
	return table{self: os.Getpid(), uid: os.Geteuid(), parent: parentOf, environ: environOf}
}

// judge says why a process may not speak for a person, nil when it may. What
// cannot be seen speaks against it.
func (t table) judge(uid, pid int) error {
	if uid != t.uid {
		return fmt.Errorf("process %d belongs to user %d, the server to user %d", pid, uid, t.uid)
	}
	if pid <= 0 {
		return fmt.Errorf("the process cannot be seen from here: it is in another container")
	}
	for at, depth := pid, 0; at > 0; depth++ {
		if at == t.self {
			return fmt.Errorf("process %d was started by the server; a person has to run this in a terminal of their own", pid)
		}
		if depth == maxDepth {
			return fmt.Errorf("process %d has more than %d ancestors", pid, maxDepth)
		}
		parent, err := t.parent(at)
		if err != nil {
			return fmt.Errorf("who started process %d cannot be seen: %w", pid, err)
		}
		at = parent
	}
	// A command that left the server's tree still has its mark.
	environ, err := t.environ(pid)
	if err != nil {
		return fmt.Errorf("the environment of process %d cannot be seen: %w", pid, err)
	}
	if len(bytes.Trim(environ, "\x00")) == 0 {
		return fmt.Errorf("process %d shows no environment", pid)
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.HasPrefix(entry, []byte(proc.MarkVariable+"=")) {
			return fmt.Errorf("process %d comes from a command that a server ran (it has %s); a person has to run this in a terminal of their own", pid, proc.MarkVariable)
		}
	}
	return nil
}
