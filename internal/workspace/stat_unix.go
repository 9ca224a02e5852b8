//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A pipe without a writer does not block with O_NONBLOCK, and a terminal does
// not become ours with O_NOCTTY.
const (
	openFile   = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY
	openFolder = openFile | syscall.O_DIRECTORY
)

// lstat is called twice for each name of a path, so it makes no os.FileInfo.
func lstat(path string) (info, error) {
	var st unix.Stat_t
	for {
		err := unix.Lstat(path, &st)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return info{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
		}
		return infoOf(&st), nil
	}
}

func fstat(f *os.File) (info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return info{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return infoOf(&st), nil
}

// infoOf takes the type, not the permissions: nobody here asks for them.
func infoOf(st *unix.Stat_t) info {
	out := info{device: uint64(st.Dev), inode: st.Ino}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		out.mode = fs.ModeDir
	case unix.S_IFLNK:
		out.mode = fs.ModeSymlink
	case unix.S_IFIFO:
		out.mode = fs.ModeNamedPipe
	case unix.S_IFSOCK:
		out.mode = fs.ModeSocket
	case unix.S_IFBLK, unix.S_IFCHR:
		out.mode = fs.ModeDevice
	default:
		out.mode = fs.ModeIrregular
	}
	return out
}

// checkNames has nothing to refuse: every name means itself.
func checkNames(string) error { return nil }

// aliased reports whether a name may be a made-up second name of a file.
func aliased(string) bool { return false }
