package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names in a folder. The error is errors.ErrUnsupported where
// the file system cannot.
func exchange(dir *os.File, a, b string) error {
	return rename(dir, a, b, unix.RENAME_EXCHANGE)
}

// renameNew renames unless to exists. The error is errors.ErrUnsupported where
// the file system cannot.
func renameNew(dir *os.File, from, to string) error {
	return rename(dir, from, to, unix.RENAME_NOREPLACE)
}

func rename(dir *os.File, from, to string, flags uint) error {
	fd := int(dir.Fd())
	switch err := unix.Renameat2(fd, from, fd, to, flags); err {
	case nil:
		return nil
	case unix.EINVAL, unix.ENOSYS, unix.EPERM: // EPERM: a filter that does not know the call
		return errors.ErrUnsupported
	default:
		return os.NewSyscallError("renameat2", err)
	}
}
