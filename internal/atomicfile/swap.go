package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxLooks bounds how often a swap looks whether a program that has the old file
// open for writing is done: for about a millisecond.
const maxLooks = 500

// swap puts the temporary file, which holds ours, in the place of the old one.
// When it returns an error, what stands at the target is not ours.
func (r *replacement) swap(tmp *temp, ours Snapshot) error {
	if r.expect.Force {
		return tmp.take(r.name)
	}
	if !r.exists {
		return tmp.takeFree(r.name)
	}
	err := tmp.exchangeable()
	unable := errors.Is(err, errors.ErrUnsupported)
	if err != nil && !unable {
		return err
	}
	// Nearly every change is found here, before anybody can see the new content.
	if err := r.stillThere(r.name); err != nil {
		return err
	}
	if unable {
		return tmp.take(r.name)
	}
	return r.place(tmp, ours)
}

// place exchanges the temporary file for the old one, and takes that back when
// what comes out is not as it was seen.
func (r *replacement) place(tmp *temp, ours Snapshot) error {
	err := exchange(r.dir.file, tmp.name, r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return conflict("it was removed")
	case errors.Is(err, errors.ErrUnsupported): // a gap since the last look, but there is no other way
		return tmp.take(r.name)
	case err != nil:
		return err
	}
	for range maxLooks {
		if !openForWriting(r.old) {
			break
		}
	}
	if found := r.stillThere(tmp.name); found != nil {
		return r.undo(tmp, ours, found)
	}
	return nil
}

// stillThere reports a conflict unless name is the old file as it was seen. An
// exchange changes its change time, so that does not count.
func (r *replacement) stillThere(name string) error {
	info, err := r.dir.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return conflict("it was removed")
	case err != nil:
		return err
	case !os.SameFile(info, r.info):
		return conflict("another file has taken its place")
	case info.Mode() != r.info.Mode():
		return conflict("its mode was changed")
	case info.Size() != r.seen.Size || info.ModTime().UnixNano() != r.seen.ModTime:
		return conflict("its content is not what was read")
	case r.seen.settled:
		return nil
	}
	now, err := Stat(r.old)
	if err != nil {
		return err
	}
	same, err := r.expect.Snapshot.sameContent(r.old, now)
	if err == nil && !same {
		err = conflict("its content is not what was read")
	}
	return err
}

// undo gives back what an exchange took by mistake, and returns found or what
// came in the way. If yet another file was put at the target meanwhile, that
// one is newer and goes back instead: it ends when what comes out is what was
// put there last. That is removed only when nobody wrote into it; everything
// else under the temporary name is foreign, and is kept whatever goes wrong.
func (r *replacement) undo(tmp *temp, ours Snapshot, found error) error {
	tmp.gone = true
	// What was placed stays open: else its inode number could come back as that
	// of a newer file, which would then be taken for it.
	held, next := tmp.file, (*os.File)(nil)
	defer func() {
		held.Close()
		next.Close()
	}()
	for placed := ours; ; {
		foreign, err := r.dir.look(tmp.name)
		next = r.dir.hold(tmp.name)
		if err == nil {
			err = exchange(r.dir.file, tmp.name, r.name)
		}
		if errors.Is(err, fs.ErrNotExist) { // what was there was removed meanwhile
			if err = tmp.takeFree(r.name); err == nil {
				return found
			}
		}
		if err != nil {
			return r.keep(tmp, found, err)
		}
		out, err := r.dir.look(tmp.name)
		held.Close() // ours would count as open for writing
		switch {
		case err != nil:
			return r.keep(tmp, found, err)
		case out.Device != placed.Device || out.Inode != placed.Inode:
			placed, held = foreign, next
		case r.dir.untouched(tmp.name, placed):
			tmp.gone = false // so it may be removed
			return found
		default:
			return r.keep(tmp, found, nil)
		}
	}
}

// look is what stands under a name, without its content.
func (d *folder) look(name string) (Snapshot, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return Snapshot{}, err
	}
	st, err := d.stat(name, info)
	if err != nil {
		return Snapshot{}, err
	}
	return st.snapshot(time.Now()), nil
}

// hold opens a regular file for reading, so that it keeps its inode number. It
// is nil for what may not be read.
func (d *folder) hold(name string) *os.File {
	if info, err := d.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := d.root.OpenFile(name, openRead, 0)
	if err != nil {
		return nil
	}
	return f
}

// untouched reports whether name is a regular file that nobody has written into
// since it was as placed says, and that nobody can write into any more.
func (d *folder) untouched(name string, placed Snapshot) bool {
	info, err := d.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := d.root.OpenFile(name, openRead, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if openForWriting(f) {
		return false
	}
	now, err := Stat(f)
	if err != nil {
		return false
	}
	same, err := placed.sameContent(f, now)
	return err == nil && same
}

// keep gives what stands under the temporary name a visible one. Cause is what
// stopped an undo, nil when it went through.
func (r *replacement) keep(tmp *temp, found, cause error) error {
	kept := tmp.name
	if name, err := r.dir.show(tmp.name, r.name); err == nil {
		kept = name
	}
	what := "it changed"
	if c, ok := errors.AsType[*ConflictError](found); ok {
		what = c.Found
	}
	return &KeptError{Kept: filepath.Join(filepath.Dir(r.path), kept), Found: what, Err: cause}
}
