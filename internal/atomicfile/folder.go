package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// folder is the open folder of a target. All work goes by names in it, so that
// a link put into the path meanwhile leads nowhere.
type folder struct {
	root *os.Root
	file *os.File // the same folder, for syncing and for calls that os.Root lacks
}

func (d *folder) close() {
	d.file.Close()
	d.root.Close()
}

// openFolder opens the folder of t without following links, and makes what is
// missing when t says so.
func openFolder(t Target) (*folder, error) {
	dir, start := filepath.Dir(t.Path), t.Root
	if start == "" {
		start = dir
		for t.Parents && !present(start) && filepath.Dir(start) != start {
			start = filepath.Dir(start)
		}
	}
	rel, err := filepath.Rel(start, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("it is not below %s", start)
	}
	// Opening a pipe would block.
	if info, err := os.Lstat(start); err == nil && !info.IsDir() {
		return nil, conflict(start + " is no folder now")
	}
	at, err := os.OpenRoot(start)
	if err != nil {
		return nil, err
	}
	if t.Root == "" {
		err = linkFree(at, start)
	}
	if err == nil && rel != "." {
		for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
			var next *os.Root
			if next, err = enter(at, name, t.Parents); err != nil {
				break
			}
			at.Close()
			at = next
		}
	}
	var self *os.File
	if err == nil {
		self, err = at.Open(".")
	}
	if err != nil {
		at.Close()
		return nil, err
	}
	return &folder{root: at, file: self}, nil
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// enter opens the folder name in at. A link is refused: os.Root would follow one
// that stays inside, but the path was resolved, so a link is new.
func enter(at *os.Root, name string, create bool) (*os.Root, error) {
	info, err := at.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err = at.Mkdir(name, 0o777); err == nil {
			err = syncRoot(at)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			info, err = at.Lstat(name)
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, conflict(filepath.Join(at.Name(), name) + " is no folder now")
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	// The name was a folder, and this is that folder: no link was in between.
	if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
		next.Close()
		return nil, conflict(filepath.Join(at.Name(), name) + " is another folder now")
	}
	return next, nil
}

// linkFree reports a conflict when a link leads to the open folder at.
func linkFree(at *os.Root, path string) error {
	opened, err := at.Stat(".")
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(info, opened) {
		return conflict(path + " is another folder now")
	}
	for p := path; filepath.Dir(p) != p; p = filepath.Dir(p) {
		if info, err := os.Lstat(p); err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return conflict(p + " is no folder now")
		}
	}
	return nil
}

func syncRoot(at *os.Root) error {
	self, err := at.Open(".")
	if err != nil {
		return err
	}
	defer self.Close()
	return syncFolder(self)
}
