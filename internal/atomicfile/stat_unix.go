//go:build linux || darwin

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stat is what replacing needs to know of a file.
type stat struct {
	mode          fs.FileMode
	device, inode uint64
	links         uint64
	uid, gid      int
	size          int64
	modTime       time.Time
	changeTime    time.Time
}

func statOf(f *os.File) (stat, error) {
	fi, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return statFrom(fi), nil
}

func statFrom(fi fs.FileInfo) stat {
	st := stat{mode: fi.Mode(), size: fi.Size(), modTime: fi.ModTime(), links: 1}
	if sys, ok := fi.Sys().(*syscall.Stat_t); ok {
		st.device, st.inode, st.links = uint64(sys.Dev), uint64(sys.Ino), uint64(sys.Nlink)
		st.uid, st.gid = int(sys.Uid), int(sys.Gid)
		st.changeTime = time.Unix(changeTime(sys))
	}
	return st
}

// stat returns what is known of the file name, which info describes.
func (d *folder) stat(_ string, info fs.FileInfo) (stat, error) { return statFrom(info), nil }

// newest is when the file was last touched.
func (st stat) newest() time.Time {
	if st.changeTime.After(st.modTime) {
		return st.changeTime
	}
	return st.modTime
}

// snapshot returns st as seen at now.
func (st stat) snapshot(now time.Time) Snapshot {
	return Snapshot{
		Device: st.device, Inode: st.inode, Size: st.size,
		ModTime: st.modTime.UnixNano(), ChangeTime: st.changeTime.UnixNano(),
		settled: now.Sub(st.newest()) >= settle,
	}
}

// keepOwner gives f the owner of st. It reports whether it has it now.
func keepOwner(f *os.File, st stat) bool {
	mine, err := statOf(f)
	if err != nil {
		return false
	}
	return mine.uid == st.uid && mine.gid == st.gid || f.Chown(st.uid, st.gid) == nil
}

// writable reports an error when this process may not write the file, even
// though it might replace it. Nothing is opened for that: an open for writing
// wakes watchers and fails for a running program.
func writable(dir *os.File, name string, _ stat) error {
	if err := unix.Faccessat(int(dir.Fd()), name, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write", Path: name, Err: err}
	}
	return nil
}

// claim marks f as in use until it is closed.
func claim(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// alive reports whether a process exists. Zero and less name groups, not processes.
func alive(pid int) bool {
	err := unix.Kill(pid, 0)
	return pid > 0 && (err == nil || err == unix.EPERM)
}

// openRead opens without blocking on a pipe and without following a link.
const openRead = os.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY

// openWrite is openRead for writing; the content stays.
const openWrite = os.O_WRONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY

// syncFolder makes the names in a folder durable. Some file systems cannot.
func syncFolder(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
