package control

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// examine says who is at the other end of conn, and why that process may not
// speak for a person.
func examine(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("find who is connected: %w", err)
	}
	var cred *unix.Xucred
	if ctlErr := raw.Control(func(fd uintptr) {
		if cred, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); err == nil {
			pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		}
	}); ctlErr != nil {
		err = ctlErr
	}
	if err != nil {
		return pid, fmt.Errorf("find who is connected: %w", err)
	}
	return pid, systemTable().judge(int(cred.Uid), pid)
}

func parentOf(pid int) (int, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return int(info.Eproc.Ppid), nil
}

// environOf takes the environment from what the system remembers of a start:
// the number of arguments, the program's path, padding, the arguments and then
// the environment, each NUL-terminated.
func environOf(pid int) ([]byte, error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, err
	}
	if len(raw) < 4 {
		return nil, nil
	}
	count := int(binary.NativeEndian.Uint32(raw))
	_, rest, _ := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for range count {
		_, rest, _ = bytes.Cut(rest, []byte{0})
	}
	return rest, nil
}
