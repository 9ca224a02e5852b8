package walk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"raw/internal/ignore"
	"raw/internal/pathglob"
)

// dir is a folder of a walk. It is opened when something in it is, and closed
// when everything in it is done.
type dir struct {
	up    *dir // nil for the top
	name  string
	path  string // from what the rules are relative to
	state pathglob.State
	rules *ignore.Stack

	refs atomic.Int32
	left bool // it needs the folder above no more
	once sync.Once
	root *os.Root
	err  error
}

func (d *dir) handle() (*os.Root, error) {
	d.once.Do(func() {
		var up *os.Root
		if up, d.err = d.up.handle(); d.err == nil {
			// With the dot a pipe that took the folder's place is not opened.
			d.root, d.err = up.OpenRoot(d.name + "/.")
		}
	})
	return d.root, d.err
}

// release ends one use of d. Behind the last one it is closed.
func (d *dir) release() {
	for d.refs.Add(-1) == 0 && d.up != nil {
		if d.root != nil {
			d.root.Close()
		}
		if d.left {
			return
		}
		d = d.up
	}
}

// leave opens d for what is in it, so that the folder above can be closed: else
// all folders above a deep one would be open.
func (d *dir) leave() {
	if _, err := d.handle(); err == nil && d.up != nil {
		d.left = true
		d.up.release()
	}
}

// loadRules adds the rules that stand in a folder. Those above a repository do
// not hold in it.
func (d *dir) loadRules(entries []fs.DirEntry) {
	repository, list := false, false
	for _, e := range entries {
		switch e.Name() {
		case ".git":
			repository = true
		case ".gitignore":
			list = e.Type().IsRegular()
		}
	}
	if !repository && !list {
		return
	}
	if root, err := d.handle(); err == nil {
		d.rules = rulesOf(root, d.path, d.rules, repository, list)
	}
}

// rulesOf adds the rules of the folder at path, open as root, to those above it.
func rulesOf(root *os.Root, path string, above *ignore.Stack, repository, list bool) *ignore.Stack {
	if repository {
		above = (*ignore.Stack)(nil).Push(path, readList(root, ".git/info/exclude"))
	}
	if list {
		above = above.Push(path, readList(root, ".gitignore"))
	}
	return above
}

// maxList is how many bytes of a gitignore file count.
const maxList = 4 << 20

// readList reads a gitignore file. One that cannot be read has no patterns.
func readList(root *os.Root, name string) *ignore.List {
	f, err := root.OpenFile(name, openFile, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(f, maxList))
	if err != nil {
		return nil
	}
	return ignore.Parse(content)
}

// Above returns the rules that hold in the folder path, which is relative to
// root and has slashes, because of the folders from root down to it; those of the
// folder itself are left to the walk. Covered says that they exclude the folder,
// or all that is in it: then they are not returned, for a folder that was named
// is to be searched.
func Above(root *os.Root, path string) (rules *ignore.Stack, covered bool, err error) {
	if path == "" {
		return nil, false, nil
	}
	at, in := "", root
	defer func() {
		if in != root {
			in.Close()
		}
	}()
	names := strings.Split(path, "/")
	for i, name := range names {
		_, repositoryErr := in.Lstat(".git")
		info, listErr := in.Lstat(".gitignore")
		if repositoryErr == nil {
			covered = false
		}
		rules = rulesOf(in, at, rules, repositoryErr == nil, listErr == nil && info.Mode().IsRegular())
		at = join(at, name)
		covered = covered || rules.Ignores(at, true)
		if i == len(names)-1 {
			break
		}
		next, err := in.OpenRoot(name + "/.")
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				break // it may be entered and not be read
			}
			return nil, false, err
		}
		if in != root {
			in.Close()
		}
		in = next
	}
	if covered = covered || rules.Covers(path); covered {
		return nil, true, nil
	}
	return rules, false, nil
}
