package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

// What is here removes and moves files. Both work below an open folder to which
// no link leads, and look right before the change whether the name still is the
// file that was judged, with the content that was seen. Between that look and
// the change a gap of microseconds is left, in which a foreign file that takes
// the name would be removed or moved in its place.

// remove removes the file at p, which must be as it was seen.
func (b batcher) remove(p contract.Path, seen atomicfile.Snapshot) error {
	info, err := b.identify(p, seen)
	if err != nil {
		return err
	}
	dir, err := below(filepath.Dir(p.Real), p.Root)
	if err != nil {
		return err
	}
	defer dir.Close()
	return removeName(dir, filepath.Base(p.Real), info)
}

// removeName removes a name that is still the file of info.
func removeName(dir *os.Root, name string, info fs.FileInfo) error {
	now, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(now, info) {
		return fmt.Errorf("another file has taken the name %s: %w", name, atomicfile.ErrConflict)
	}
	return dir.Remove(name)
}

// identify is the file at p, which must be as it was seen. It is not kept open:
// some systems remove and move no open file.
func (b batcher) identify(p contract.Path, seen atomicfile.Snapshot) (fs.FileInfo, error) {
	f, err := b.known.open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if same, err := seen.Matches(f); err != nil || !same {
		return nil, errors.Join(err, atomicfile.ErrConflict)
	}
	return f.Stat()
}

// halfMovedError says that a file has its new path but not its new content.
type halfMovedError struct {
	to   string
	err  error // why the content was not changed
	back error // why the file was not moved back
}

// Error implements error.
func (e *halfMovedError) Error() string {
	return fmt.Sprintf("the file was moved to %s with its old content: %v; and it was not moved back: %v", visibleName(e.to), e.err, e.back)
}

// move moves a file and then changes it. When it cannot be changed it is moved
// back; the error is a *halfMovedError when that fails too.
func (b batcher) move(ctx context.Context, s staged) (atomicfile.Outcome, error) {
	seen := *s.seen.file
	info, err := b.identify(s.from, seen)
	if err != nil {
		return atomicfile.Outcome{}, err
	}
	if err := rename(s.from, s.to, info); err != nil {
		return atomicfile.Outcome{}, err
	}
	if len(s.plan.splices) == 0 {
		b.known.note(s.to.Real, seen)
		return atomicfile.Outcome{}, nil
	}
	out, err := b.replace(ctx, s.to, atomicfile.Expect{Snapshot: &seen}, s.plan)
	if err != nil {
		if back := rename(s.to, s.from, info); back != nil {
			err = &halfMovedError{s.to.Lexical, err, back}
		}
	}
	return out, err
}

// rename gives the file of info, which stands at from, the path to, at which
// nothing stands; missing folders are made. The new name is a hard link first,
// which no system makes over another file. On a file system without hard links
// a look at the new name comes right before a rename instead.
func rename(from, to contract.Path, info fs.FileInfo) error {
	common := filepath.Dir(from.Real)
	for !workspace.Contains(common, to.Real) {
		if common == filepath.Dir(common) {
			return fmt.Errorf("%s and %s have no folder in common; add the file there and delete it here", from.Real, to.Real)
		}
		common = filepath.Dir(common)
	}
	base, err := below(common, from.Root)
	if err != nil {
		return err
	}
	defer base.Close()
	old, err := filepath.Rel(common, from.Real)
	if err == nil {
		err = wander(base, filepath.Dir(old), false)
	}
	if err != nil {
		return err
	}
	next, err := filepath.Rel(common, to.Real)
	if err == nil {
		err = wander(base, filepath.Dir(next), true)
	}
	if err != nil {
		return err
	}
	if now, err := base.Lstat(old); err != nil {
		return err
	} else if !os.SameFile(now, info) {
		return fmt.Errorf("another file has taken the name %s: %w", from.Real, atomicfile.ErrConflict)
	}
	taken := fmt.Errorf("%s exists now: %w", to.Real, atomicfile.ErrConflict)
	err = base.Link(old, next)
	switch {
	case err == nil:
		if err = removeName(base, old, info); err != nil {
			return errors.Join(err, removeName(base, next, info))
		}
		return nil
	case errors.Is(err, fs.ErrExist):
		return taken
	}
	if _, err := base.Lstat(next); err == nil {
		return taken
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return base.Rename(old, next)
}

// wander goes from a folder, which stays open, to one below it, to see that no
// link is on the way; with create it makes what is missing.
func wander(base *os.Root, rel string, create bool) error {
	at, err := base.OpenRoot(".")
	if err != nil {
		return err
	}
	if at, err = descend(at, rel, create); err != nil {
		return err
	}
	return at.Close()
}

// below opens an existing folder, by a way without links from root where root
// contains it, else by its path.
func below(dir, root string) (*os.Root, error) {
	if root == "" || !workspace.Contains(root, dir) {
		root = dir
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	at, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return descend(at, rel, false)
}

// descend goes from an open folder, which it closes, to one below it. A link on
// the way is refused: paths were resolved, so it is new.
func descend(at *os.Root, rel string, create bool) (*os.Root, error) {
	if rel == "." {
		return at, nil
	}
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		next, err := enter(at, name, create)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func enter(at *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	info, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
		next.Close()
		return nil, fmt.Errorf("%s is another folder now: %w", filepath.Join(at.Name(), name), errors.Join(err, workspace.ErrChanged))
	}
	return next, nil
}
