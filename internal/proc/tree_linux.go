package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts says that orphans of our commands become our children.
const adopts = true

// pipeSize is asked for each output pipe; the default of 64 KiB makes a flood
// pay for a wake-up per 64 KiB.
const pipeSize = 256 << 10

// sysProcAttr: the death signal comes when the thread that forked ends, not the
// process; hold keeps that thread.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
}

// hold runs f on a thread of its own that is not the main thread. A command's
// thread must live as long as the command, or the parent-death signal would
// come early: a thread ends when a goroutine ends that has locked it, and any
// other goroutine may do that to the thread that we forked on. It must not be
// the main thread because that one's children are to be orphans only.
func hold(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() != os.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // cannot land here: the main thread is locked to this goroutine
		defer close(done)
		hold(f)
	}()
	<-done
}

// awaitExit returns when p has exited, and leaves it to be waited for: as long
// as it is a zombie, its pid and group cannot pass to another process.
func awaitExit(p *os.Process) {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// enlarge makes a pipe larger; a refusal only costs speed.
func enlarge(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}

// orphans returns the children of the main thread, which are the processes that
// lost their parent and came to us. ok is false where the kernel does not tell.
func orphans() (pids []int, ok bool) {
	list, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	if err != nil {
		return nil, false
	}
	for field := range strings.FieldsSeq(string(list)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, true
}

// roots returns the places of our orphans, without those of our own session,
// which no command can come back to. complete is false when the table lacks one.
// r.mu is held.
func (t table) roots(r *Runner) (roots []int, complete bool) {
	pids, ok := orphans()
	if !ok {
		// Then all children but those that are known.
		known := map[int]bool{r.host.guardPID: true}
		for c := range r.running {
			known[c.pid] = true
		}
		for _, i := range t.children[os.Getpid()] {
			if pid := t.all[i].pid; !known[pid] {
				pids = append(pids, pid)
			}
		}
	}
	complete = true
	for _, pid := range pids {
		i, ok := t.index[pid]
		if !ok {
			complete = false
			continue
		}
		if t.all[i].session != r.host.session {
			roots = append(roots, i)
		}
	}
	return roots, complete
}

// collect waits for a dead orphan and reports whether it was one. Commands
// themselves are never in the list of orphans, so nobody's wait is stolen.
func (r *Runner) collect(p process) bool {
	if !p.dead {
		return false
	}
	_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
	return true
}

// reap collects dead orphans while commands run.
func (r *Runner) reap() {
	if pids, ok := orphans(); ok && len(pids) == 0 {
		return
	}
	t := newTable()
	r.mu.Lock()
	defer r.mu.Unlock()
	roots, _ := t.roots(r)
	for _, i := range roots {
		r.collect(t.all[i])
	}
}

// now returns the time in the unit of process start times.
func now() uint64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return 0
	}
	const ticks = 100 // USER_HZ, the same on all platforms of Go
	return uint64(t.Nano()) / (1e9 / ticks)
}

// pidSpace names our pid namespace.
func pidSpace() string {
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "0"
	}
	return strings.TrimSuffix(strings.TrimPrefix(link, "pid:["), "]")
}

func startOf(pid int) (uint64, error) {
	p, err := readStat(pid)
	return p.started, err
}

// processes returns the process table as far as it can be read.
func processes() []process {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readStat(pid); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// readStat reads one row; see proc_pid_stat(5) for the fields.
func readStat(pid int) (process, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	return parseStat(stat)
}

func parseStat(stat []byte) (process, error) {
	bad := fmt.Errorf("process table row %q: %w", stat, io.ErrUnexpectedEOF)
	before, _, ok := bytes.Cut(stat, []byte(" ("))
	end := bytes.LastIndex(stat, []byte(") ")) // the name may hold anything
	if !ok || end < 0 {
		return process{}, bad
	}
	field := strings.Fields(string(stat[end+2:]))
	if len(field) < 20 {
		return process{}, bad
	}
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			ok = false
		}
		return n
	}
	p := process{
		id:      id{pid: number(string(before)), started: uint64(number(field[19]))},
		name:    string(stat[len(before)+2 : end]),
		parent:  number(field[1]),
		group:   number(field[2]),
		session: number(field[3]),
	}
	const exitingFlag = 0x4 // PF_EXITING
	if threads := number(field[17]); threads <= 1 {
		// With more threads the first may have ended and the process go on.
		p.exiting = number(field[6])&exitingFlag != 0
		p.dead = field[0] == "Z" || field[0] == "X"
	}
	// Within exec a process has no environment yet, which is not the same as an
	// empty one.
	p.changing = len(field) > 48 && field[48] == "0"
	if !ok {
		return process{}, bad
	}
	return p, nil
}

// markOf reads the mark from the environment that a process was started with.
// sure is false while that cannot be told: a process within exec has none for a
// moment. One that wiped it has none every time.
func markOf(p process) (m mark, ok, sure bool) {
	for range 3 {
		environ, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
		switch {
		case errors.Is(err, fs.ErrPermission):
			return mark{}, false, true
		case err != nil:
			return mark{}, false, false // gone, or about to be
		case len(environ) > 0:
			m, ok = markIn(string(environ))
			return m, ok, true
		}
		if now, err := readStat(p.pid); err != nil || now.id != p.id || now.changing || now.exiting {
			return mark{}, false, false
		}
	}
	return mark{}, false, true
}
