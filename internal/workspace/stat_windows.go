package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

const (
	openFile   = os.O_RDONLY
	openFolder = os.O_RDONLY
)

func lstat(path string) (info, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return info{}, err
	}
	out := info{mode: fi.Mode()}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return info{}, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	// No access rights are asked for: only the numbers are read.
	h, err := windows.CreateFile(name, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return info{}, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	defer windows.CloseHandle(h)
	err = numbers(h, &out)
	return out, err
}

func fstat(f *os.File) (info, error) {
	fi, err := f.Stat()
	if err != nil {
		return info{}, err
	}
	out := info{mode: fi.Mode()}
	err = numbers(windows.Handle(f.Fd()), &out)
	return out, err
}

func numbers(h windows.Handle, out *info) error {
	var data windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &data); err != nil {
		return fmt.Errorf("read the file's identity: %w", err)
	}
	out.device = uint64(data.VolumeSerialNumber)
	out.inode = uint64(data.FileIndexHigh)<<32 | uint64(data.FileIndexLow)
	return nil
}

// checkNames refuses names that open something else than they say: streams of a
// file (name:stream), devices (NUL), and the trailing dots and blanks that
// Windows drops.
func checkNames(path string) error {
	rest := path[len(filepath.VolumeName(path)):]
	for name := range strings.SplitSeq(rest, `\`) {
		if name == "" {
			continue
		}
		if strings.Contains(name, ":") || strings.TrimRight(name, ". ") != name || !filepath.IsLocal(name) {
			return fmt.Errorf("path %q: %q is no plain file name on Windows", path, name)
		}
	}
	return nil
}

// aliased reports whether name may be a short (8.3) name.
func aliased(name string) bool { return strings.Contains(name, "~") }
