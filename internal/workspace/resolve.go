package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds the links of one path, as filepath.EvalSymlinks does.
const maxLinks = 255

// ErrLinks is wrapped by the error for a path with a cycle of links, or with
// more than 255 of them.
var ErrLinks = errors.New("too many links, or a cycle of them")

// Resolve says where path leads, taken from the workspace's working folder. It
// looks only at names and links and opens no file. A missing file and a link to
// a missing file are no errors: Exists says so. Errors are a cycle of links
// (ErrLinks), a file in the place of a folder, a folder that may not be searched,
// and what Lexical refuses.
func (w *Workspace) Resolve(path string) (Path, error) {
	lexical, err := Lexical(path, w.cwd)
	if err != nil {
		return Path{}, err
	}
	found, err := walk(lexical)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		const most = 100 // such a path is no message
		return Path{}, fmt.Errorf("resolve %.*s…: a path of %d bytes: %w; use a shorter name", most, lexical, len(lexical), syscall.ENAMETOOLONG)
	}
	if err != nil {
		return Path{}, fmt.Errorf("resolve %s: %w", lexical, err)
	}
	p := Path{Lexical: lexical, Real: found.path, Exists: found.exists}
	if found.exists {
		p.Device, p.Inode = found.info.device, found.info.inode
	}
	for _, r := range w.roots {
		if len(r.real) > len(p.Root) && Contains(r.real, p.Real) {
			p.Root = r.real
		}
	}
	return p, nil
}

// info is what resolving needs to know of a file.
type info struct {
	mode          fs.FileMode
	device, inode uint64
}

// same reports whether two files are one. Without numbers they are not known to be.
func (a info) same(b info) bool {
	return a.inode != 0 && a.device == b.device && a.inode == b.inode
}

// found is where a walk ended.
type found struct {
	path   string
	exists bool
	info   info // valid when exists
}

// walk follows path, absolute and cleaned, component by component.
func walk(path string) (found, error) {
	volume := filepath.VolumeName(path)
	at := found{path: volume + string(filepath.Separator), exists: true}
	rest := strings.TrimLeft(path[len(volume):], string(filepath.Separator))
	var err error
	if at.info, err = lstat(at.path); err != nil {
		return found{}, err
	}
	for links := 0; rest != ""; {
		var name string
		name, rest = firstName(rest)
		switch {
		case name == "" || name == ".":
			continue
		case !at.exists && name == "..": // only from a link: spelled ones are cleaned
			return found{}, fmt.Errorf("%s does not exist and a link leads through it", at.path)
		case !at.exists:
			at.path = filepath.Join(at.path, name)
			continue
		case !at.info.mode.IsDir():
			return found{}, fmt.Errorf("%s is a %s, not a folder: %w", at.path, kindOf(at.info.mode), syscall.ENOTDIR)
		case name == "..":
			at.path = filepath.Dir(at.path)
			if at.info, err = lstat(at.path); err != nil {
				return found{}, err
			}
			continue
		}
		next := filepath.Join(at.path, name)
		stat, err := lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at = found{path: next}
			continue
		case err != nil:
			return found{}, err
		case stat.mode&fs.ModeSymlink == 0:
			at = found{path: storedName(at.path, name, stat), exists: true, info: stat}
			continue
		}
		if links++; links > maxLinks {
			return found{}, fmt.Errorf("%s: %w", next, ErrLinks)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return found{}, err
		}
		if v := filepath.VolumeName(target); filepath.IsAbs(target) || (target != "" && os.IsPathSeparator(target[0])) {
			if v == "" {
				v = filepath.VolumeName(at.path)
			}
			at.path = v + string(filepath.Separator)
			target = strings.TrimPrefix(target, filepath.VolumeName(target))
			if at.info, err = lstat(at.path); err != nil {
				return found{}, err
			}
		}
		rest = target + string(filepath.Separator) + rest
	}
	return at, nil
}

// firstName splits off the first component.
func firstName(path string) (name, rest string) {
	for i := range len(path) {
		if os.IsPathSeparator(path[i]) {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}
