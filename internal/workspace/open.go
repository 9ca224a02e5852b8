package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	// ErrChanged is wrapped by the error for a path that no longer leads to
	// the file that was resolved.
	ErrChanged = errors.New("changed since it was resolved")
	// ErrNotRegular matches every SpecialError.
	ErrNotRegular = errors.New("not a regular file")
)

// SpecialError says that a path leads to something else than asked for: a
// folder, a pipe, a socket, a device. errors.Is matches it with ErrNotRegular.
type SpecialError struct {
	Path string
	// Kind is "directory", "named pipe", "socket", "device", "special file",
	// or "regular file" where a folder was asked for.
	Kind string
}

// Error implements error.
func (e *SpecialError) Error() string {
	if e.Kind == kindRegular {
		return fmt.Sprintf("open %s: it is a regular file, not a directory", e.Path)
	}
	return fmt.Sprintf("open %s: it is a %s, not a regular file", e.Path, e.Kind)
}

// Is reports whether target is ErrNotRegular and the file is none.
func (e *SpecialError) Is(target error) bool {
	return target == ErrNotRegular && e.Kind != kindRegular
}

const kindRegular = "regular file"

// kindOf names the type of a file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return kindRegular
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// Open opens the regular file at p.Real for reading and never blocks. Inside a
// root it goes through os.Root, so no link leads out of the root whatever
// happens meanwhile; outside, the last name is not followed. What was opened is
// then checked to be the file that was resolved.
//
// Errors: fs.ErrNotExist when p does not exist, a *SpecialError for what is no
// regular file (a device or pipe is not even opened), ErrChanged when another
// file stands there now. A file that was removed and made anew may get the same
// number from the file system, and then counts as the same.
func Open(p Path) (*os.File, error) {
	return open(p, openFile, fs.FileMode.IsRegular)
}

// OpenDir is Open for a folder. Its error for a file is a *SpecialError too.
func OpenDir(p Path) (*os.File, error) {
	return open(p, openFolder, fs.FileMode.IsDir)
}

func open(p Path, flag int, want func(fs.FileMode) bool) (*os.File, error) {
	if !p.Exists {
		return nil, &fs.PathError{Op: "open", Path: p.Real, Err: fs.ErrNotExist}
	}
	// Opening a device can have effects of its own, so its type is looked at
	// first. The check that counts is the one on the open file.
	stat, err := lstat(p.Real)
	if err != nil {
		return nil, err
	}
	if err := check(p, stat, want); err != nil {
		return nil, err
	}
	f, err := openReal(p, flag)
	if err != nil {
		return nil, err
	}
	if stat, err = fstat(f); err == nil {
		err = check(p, stat, want)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func openReal(p Path, flag int) (*os.File, error) {
	if p.Root == "" {
		return os.OpenFile(p.Real, flag, 0)
	}
	rel, err := filepath.Rel(p.Root, p.Real)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(rel, flag, 0)
}

func check(p Path, stat info, want func(fs.FileMode) bool) error {
	switch {
	case stat.device != p.Device || stat.inode != p.Inode, stat.mode&fs.ModeSymlink != 0:
		// A link is new even when it got the number of the file that was removed.
		return fmt.Errorf("open %s: %w", p.Real, ErrChanged)
	case !want(stat.mode):
		return &SpecialError{Path: p.Real, Kind: kindOf(stat.mode)}
	}
	return nil
}
