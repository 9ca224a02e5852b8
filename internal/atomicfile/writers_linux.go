package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openForWriting reports whether somebody has f, which is open for reading, open
// for writing. The kernel grants a lease only when nobody has; where it grants
// none, nobody is assumed.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}
