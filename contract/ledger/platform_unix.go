//go:build unix

package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock takes the exclusive lock of f and waits for it. It ends with the file.
func lock(f *os.File) error { return flock(f, unix.LOCK_EX) }

// lockedElsewhere reports whether a writer holds the lock of f. It asks for a
// shared lock, so that those who only look never keep each other out.
func lockedElsewhere(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, flock(f, unix.LOCK_UN)
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
		return nil
	}
}

// checkOwner refuses a folder that this user does not own, or that others may
// write: they could put records of their own into it.
func checkOwner(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d and this process is user %d; set ledger.folder to a folder of your own: %w", folder, st.Uid, os.Geteuid(), ErrUnsafe)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s may be written by others (mode %04o); run chmod go-w on it: %w", folder, mode, ErrUnsafe)
	}
	return nil
}

// syncFolder makes new names in a folder survive a power cut.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
