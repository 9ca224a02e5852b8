//go:build unix

package walk

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A pipe or terminal that took the place of a file does not block.
const (
	openFile   = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
	openFolder = os.O_RDONLY | syscall.O_DIRECTORY
)

// listed returns the open folder f as a file by whose ReadDir no entry is asked
// for more than its name and type, as each is for a file from an os.Root. Both
// are for the caller to close.
func listed(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var same int
	var dupErr error
	err = raw.Control(func(fd uintptr) {
		same, dupErr = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = dupErr
	}
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(same), f.Name()), nil
}
