package control

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// examine says who is at the other end of conn, and why that process may not
// speak for a person.
func examine(conn *net.UnixConn) (pid int, err error) {
	who, err := identify(conn)
	if err != nil {
		return 0, err
	}
	defer who.release()
	if err := systemTable().judge(who.uid, who.pid); err != nil {
		return who.pid, err
	}
	return who.pid, who.present()
}

// peer is a process as it was when it connected.
type peer struct {
	uid, pid int
	pin      int   // a pidfd
	pinErr   error // why there is no pin
}

func identify(conn *net.UnixConn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, fmt.Errorf("find who is connected: %w", err)
	}
	var p peer
	var cred *unix.Ucred
	if ctlErr := raw.Control(func(fd uintptr) {
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			p.pin, p.pinErr = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		}
	}); ctlErr != nil {
		err = ctlErr
	}
	if err != nil {
		return peer{}, fmt.Errorf("find who is connected: %w", err)
	}
	p.uid, p.pid = int(cred.Uid), int(cred.Pid)
	return p, nil
}

// present is nil while the peer is there. It may have ended and left its
// connection to others: then what has its process id now, and was judged, may
// be somebody else.
func (p peer) present() error {
	if errors.Is(p.pinErr, unix.ENOPROTOOPT) {
		return nil // before Linux 6.5: that peers are judged at once has to do
	}
	err := p.pinErr
	if err == nil {
		err = unix.PidfdSendSignal(p.pin, 0, nil, 0)
	}
	if err != nil {
		return fmt.Errorf("process %d has ended: %w", p.pid, err)
	}
	return nil
}

func (p peer) release() {
	if p.pinErr == nil {
		_ = unix.Close(p.pin)
	}
}

// parentOf reads the fourth field of proc_pid_stat(5). The second one, the
// name in brackets, may hold anything.
func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, fmt.Errorf("process table row %q is not understood", stat)
	}
	return strconv.Atoi(string(fields[1]))
}

func environOf(pid int) ([]byte, error) {
	return os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
}
