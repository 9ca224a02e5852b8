package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts says that orphans of our commands become our children.
const adopts = false

func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func hold(f func()) { f() }

func enlarge(*os.File) {}

// awaitExit returns when p has exited, and leaves it to be waited for: as long
// as it is a zombie, its pid and group cannot pass to another process.
func awaitExit(p *os.Process) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	var change unix.Kevent_t
	unix.SetKevent(&change, p.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change.Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		// A process that is a zombie already gives ESRCH.
		_, err := unix.Kevent(queue, []unix.Kevent_t{change}, events, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// orphans go to launchd here, among everybody else's.
func orphans() ([]int, bool) { return nil, false }

// roots returns the places of processes that may be orphans of ours.
func (t table) roots(*Runner) (roots []int, complete bool) {
	for _, i := range t.children[1] {
		roots = append(roots, i)
	}
	return roots, true
}

// collect has nothing to wait for: launchd does it.
func (r *Runner) collect(p process) bool { return p.dead }

func (r *Runner) reap() {}

func now() uint64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &t); err != nil {
		return 0
	}
	return uint64(t.Nano()) / 1000
}

func pidSpace() string { return "0" }

func startOf(pid int) (uint64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return startTime(info), nil
}

func startTime(info *unix.KinfoProc) uint64 {
	return uint64(info.Proc.P_starttime.Nano()) / 1000
}

// processes returns the process table as far as it can be read.
func processes() []process {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	const zombie, exitingFlag = 5, 0x2000 // SZOMB, P_WEXIT
	var all []process
	for i := range infos {
		info := &infos[i]
		pid := int(info.Proc.P_pid)
		session, err := unix.Getsid(pid)
		if err != nil {
			session = -1 // dead, or not ours to ask about
		}
		all = append(all, process{
			id:      id{pid: pid, started: startTime(info)},
			parent:  int(info.Eproc.Ppid),
			group:   int(info.Eproc.Pgid),
			session: session,
			name:    unix.ByteSliceToString(info.Proc.P_comm[:]),
			exiting: info.Proc.P_flag&exitingFlag != 0,
			dead:    info.Proc.P_stat == zombie,
		})
	}
	return all
}

func markOf(p process) (m mark, ok, sure bool) {
	m, ok = markIn(environOf(p.pid))
	return m, ok, true
}

// environOf returns the arguments and environment a process was started with,
// or nothing where the system does not show them: an argument count, the
// program's path, padding, then NUL-terminated strings.
func environOf(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return ""
	}
	count := int(binary.NativeEndian.Uint32(raw))
	_, rest, _ := bytes.Cut(raw[4:], []byte{0})
	entries := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	return string(bytes.Join(slices.Clip(entries)[min(count, len(entries)):], []byte{0}))
}

// host is what a Runner holds of the system.
type host struct {
	opened uint64
}

func (h *host) open() error {
	h.opened = now()
	return nil
}

func (h *host) guard(owner) {}

func (h *host) close() error { return nil }
