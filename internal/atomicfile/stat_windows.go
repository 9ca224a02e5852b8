package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// stat is what replacing needs to know of a file.
type stat struct {
	mode          fs.FileMode
	device, inode uint64
	links         uint64
	size          int64
	modTime       time.Time
}

func statOf(f *os.File) (stat, error) {
	fi, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	var data windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &data); err != nil {
		return stat{}, fmt.Errorf("read the identity of %s: %w", f.Name(), err)
	}
	return stat{
		mode: fi.Mode(), size: fi.Size(), modTime: fi.ModTime(),
		device: uint64(data.VolumeSerialNumber),
		inode:  uint64(data.FileIndexHigh)<<32 | uint64(data.FileIndexLow),
		links:  uint64(data.NumberOfLinks),
	}, nil
}

// stat returns what is known of the file name, which info describes.
func (d *folder) stat(name string, _ fs.FileInfo) (stat, error) {
	f, err := d.root.OpenFile(name, openRead, 0)
	if err != nil {
		return stat{}, err
	}
	defer f.Close()
	return statOf(f)
}

func (st stat) newest() time.Time { return st.modTime }

// snapshot returns st. Windows may set times long after a write, so they never
// prove anything.
func (st stat) snapshot(time.Time) Snapshot {
	return Snapshot{Device: st.device, Inode: st.inode, Size: st.size, ModTime: st.modTime.UnixNano()}
}

// keepOwner has nothing to do: a new file belongs to who writes it, and its
// access list is that of its folder.
func keepOwner(*os.File, stat) bool { return true }

func keepAttributes(_, _ *os.File) bool { return true }

// writable reports an error when the file is marked read-only.
func writable(_ *os.File, name string, st stat) error {
	if st.mode.Perm()&0o200 == 0 {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrPermission}
	}
	return nil
}

// claim has nothing to do: only the process number counts here.
func claim(*os.File) error { return nil }

// alive reports whether a process exists.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(h)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(h, &code) != nil || code == stillActive
}

const (
	openRead  = os.O_RDONLY
	openWrite = os.O_WRONLY
)

// syncFolder has nothing to do: folders cannot be synced.
func syncFolder(*os.File) error { return nil }

// exchange is not there on Windows.
func exchange(*os.File, string, string) error { return errors.ErrUnsupported }

// renameNew is left to a hard link.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
