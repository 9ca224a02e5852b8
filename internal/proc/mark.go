package proc

import (
	"fmt"
	"strconv"
	"strings"
)

// MarkVariable is the environment variable that carries a command's mark.
const MarkVariable = "RAW_PROC_MARK"

// id tells processes apart that had the same pid one after the other.
type id struct {
	pid     int
	started uint64 // in the unit of the platform's process table
}

// owner identifies a server process beyond the reuse of its pid.
type owner struct {
	id
	space string // pid namespace, in which alone a pid has a meaning
}

// mark tells whose a process is: <space>.<pid>.<started>.<runner>.<command>.
type mark struct {
	owner   owner
	runner  string
	command int64
}

func (o owner) String() string {
	return fmt.Sprintf("%s.%d.%d", o.space, o.pid, o.started)
}

func (m mark) String() string {
	return fmt.Sprintf("%s.%s.%d", m.owner, m.runner, m.command)
}

func parseMark(text string) (mark, bool) {
	part := strings.Split(text, ".")
	if len(part) != 5 {
		return mark{}, false
	}
	pid, err1 := strconv.Atoi(part[1])
	started, err2 := strconv.ParseUint(part[2], 10, 64)
	command, err3 := strconv.ParseInt(part[4], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return mark{}, false
	}
	return mark{owner: owner{id{pid, started}, part[0]}, runner: part[3], command: command}, true
}

// markIn finds the mark in an environment of NUL-terminated entries.
func markIn(environ string) (mark, bool) {
	for entry := range strings.SplitSeq(environ, "\x00") {
		if value, ok := strings.CutPrefix(entry, MarkVariable+"="); ok {
			return parseMark(value)
		}
	}
	return mark{}, false
}
