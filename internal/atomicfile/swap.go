package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// swap puts the temporary file in the place of the old one. When it returns an
// error, what stands at the target is not ours.
func (r *replacement) swap(tmp *temp) error {
	if r.expect.Force {
		return tmp.take(r.name)
	}
	if !r.exists {
		return tmp.takeFree(r.name)
	}
	err := exchange(r.dir.file, tmp.name, r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return conflict("it was removed")
	case errors.Is(err, errors.ErrUnsupported):
		// Without an exchange the last look comes before the rename.
		if err := r.stillThere(r.name); err != nil {
			return err
		}
		return tmp.take(r.name)
	case err != nil:
		return err
	}
	if found := r.stillThere(tmp.name); found != nil {
		if err := r.undo(tmp); err != nil {
			return err
		}
		return found
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

// undo gives back what an exchange took by mistake. If yet another file was put
// at the target meanwhile, that one is newer and goes back instead: it ends when
// what comes out is what was put there last. Until then the temporary name holds
// a foreign file, which no error may remove.
func (r *replacement) undo(tmp *temp) error {
	tmp.gone = true
	root := r.dir.root
	placed, err := tmp.file.Stat()
	if err != nil {
		return err
	}
	for {
		foreign, err := root.Lstat(tmp.name)
		if err != nil {
			return err
		}
		err = exchange(r.dir.file, tmp.name, r.name)
		if errors.Is(err, fs.ErrNotExist) { // ours was removed meanwhile
			return tmp.takeFree(r.name)
		}
		if err != nil {
			return err
		}
		out, err := root.Lstat(tmp.name)
		if err != nil {
			return err
		}
		if os.SameFile(out, placed) {
			tmp.gone = false
			return nil
		}
		placed = foreign
	}
}
