// Package atomicfile replaces the content of files so that a reader, a crash or
// a full disk finds the old content or the new one, never a part.
//
// The new content goes to a temporary file in the same folder, with the final
// mode, owner and attributes, is synced, and then takes the file's place. What
// the file was when the caller read it is checked right before that swap and
// after it: a change from outside is ErrConflict, and what the other side wrote
// stays. On Linux and macOS the swap is an exchange, which is undone when what
// comes out is not what was expected. What somebody wrote into the new content
// until then is kept in a file beside the target: see KeptError. Elsewhere, and
// on file systems that cannot exchange, the check comes right before a rename
// and a gap of microseconds is left. As with every replacement by rename, one
// thing stays open: a program that opened the old file before the swap and
// writes after it writes into a file that has no name any more. On Linux the
// swap waits up to a millisecond for such a program, and counts what it wrote
// as a change from outside.
//
// A process killed during an exchange may leave a file that somebody else
// wrote. It is under a name of its own, is never removed, and gets a visible
// name with the next Replace in that folder: see Outcome.Kept.
//
// A file with several hard links, one whose owner or access list cannot be kept,
// and one in a folder that takes no new file are written in place, after the
// complete new content has been synced to a pending folder. That is not atomic:
// see Leftovers.
//
// The package does not decide what may be written and follows no links. It
// does not keep creation times, macOS flags or Windows access lists.
package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	// ErrConflict is wrapped by the error when a file is not what the caller
	// expected it to be. Nothing of the caller's was written.
	ErrConflict = errors.New("changed from outside")
	// ErrNotRegular is wrapped by the error for a folder, pipe, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNoPending is wrapped by the error when a file can be written only in
	// place and Options.Pending is "".
	ErrNoPending = errors.New("it can be written only in place, and there is no folder for pending copies")
)

// Options are settings that stay the same from write to write. The zero value
// refuses what can only be written in place.
type Options struct {
	// Pending is the folder for copies that back writes in place. It is made
	// when needed, for this user only. "" refuses such writes with ErrNoPending.
	Pending string
	// Locks keeps two writes in place to one file under two names apart. It is
	// the registry in which the caller locks the paths; nil does without.
	Locks *Locks
}

// Target is the file to replace.
type Target struct {
	// Path is absolute and free of links, as resolved. A link in it is
	// a conflict: something changed since.
	Path string
	// Root is a folder that contains Path and from which the way is taken
	// without following links, whatever happens meanwhile. "" takes the way
	// from the path's own folder, after a look for links.
	Root string
	// Parents makes missing folders.
	Parents bool
}

// Expect is what must stand at the target. The zero value is: nothing.
type Expect struct {
	// Snapshot is what the file must still be. Nil means that there must be no file.
	Snapshot *Snapshot
	// Force replaces whatever regular file is there, or none. Snapshot is ignored.
	Force bool
}

// Outcome is what a successful Replace did.
type Outcome struct {
	// Created reports that there was no file before.
	Created bool
	// InPlace is why the file was written in place, "" when it was swapped.
	InPlace string
	// Snapshot is the file as it is now, of the whole content.
	Snapshot Snapshot
	// Kept are the paths of files beside the target that a killed process left
	// in the middle of an exchange, and that now have a visible name. They may
	// hold what somebody else wrote.
	Kept []string
}

// Replace gives target the content that write produces. Write is called once, or
// not at all; it may write in pieces of any size, which go to disk as they come;
// its error ends the replacement and is wrapped. The mode is kept, a new file gets
// 0666 less the umask; owner and extended attributes are kept where the system
// allows it. It does not lock: hold Locks around reading and replacing.
//
// On any error before the swap the file is as it was and no temporary file is
// left. Errors, in an *fs.PathError with the target's path: ErrConflict, as
// *ConflictError or *KeptError; fs.ErrPermission, also for a file that may not
// be written although its folder may; ErrNotRegular; ErrNoPending; the cause of
// ctx, which counts until the swap; *InPlaceError; the system's own (a full
// disk). Temporary files of dead processes in the same folder are removed first.
func Replace(ctx context.Context, opts Options, target Target, expect Expect, write func(io.Writer) error) (Outcome, error) {
	out, err := replace(ctx, opts, target, expect, write)
	if err != nil {
		return Outcome{}, &fs.PathError{Op: "write", Path: target.Path, Err: err}
	}
	return out, nil
}

func replace(ctx context.Context, opts Options, target Target, expect Expect, write func(io.Writer) error) (Outcome, error) {
	if err := context.Cause(ctx); err != nil {
		return Outcome{}, err
	}
	dir, err := openFolder(target)
	if err != nil {
		return Outcome{}, err
	}
	defer dir.close()
	kept := dir.sweep()

	r := &replacement{dir: dir, path: target.Path, name: filepath.Base(target.Path), expect: expect}
	if err := r.inspect(); err != nil {
		return Outcome{}, err
	}
	defer r.close()
	tmp, why, err := r.prepare()
	if err != nil {
		return Outcome{}, err
	}
	if why != "" {
		out, err := r.inPlace(ctx, opts, why, write)
		out.Kept = kept
		return out, err
	}
	defer tmp.close()
	sum, size, err := fill(ctx, tmp.file, write)
	if err != nil {
		return Outcome{}, err
	}
	st, err := statOf(tmp.file)
	if err != nil {
		return Outcome{}, err
	}
	if err := r.swap(tmp, written(st, sum, size)); err != nil {
		return Outcome{}, err
	}
	tmp.discard()
	if st, err = statOf(tmp.file); err != nil { // the swap changed a time
		return Outcome{}, err
	}
	if err := syncFolder(dir.file); err != nil {
		return Outcome{}, fmt.Errorf("the new content is in place but may not survive a power cut: %w", err)
	}
	return Outcome{Created: !r.exists, Snapshot: written(st, sum, size), Kept: kept}, nil
}

// replacement is one Replace under way.
type replacement struct {
	dir        *folder
	path, name string
	expect     Expect

	exists bool
	info   fs.FileInfo // of the old file, when it exists
	stat   stat
	old    *os.File // nil when there is none or it may not be read
	seen   Snapshot // the old file when it was last found to be as expected
}

func (r *replacement) close() {
	if r.old != nil {
		r.old.Close()
	}
}

// inspect looks at the old file and compares it with what is expected. Nothing
// stays open when it returns an error.
func (r *replacement) inspect() (err error) {
	r.exists = false
	r.info, err = r.dir.root.Lstat(r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if r.expect.Snapshot != nil && !r.expect.Force {
			return conflict("it was removed")
		}
		return nil
	case err != nil:
		return err
	case r.info.Mode()&fs.ModeSymlink != 0:
		return conflict("it is a symbolic link now")
	case !r.info.Mode().IsRegular():
		return fmt.Errorf("it is a %s: %w", kindOf(r.info.Mode()), ErrNotRegular)
	case r.expect.Snapshot == nil && !r.expect.Force:
		return conflict("it exists now")
	}
	if r.stat, err = r.dir.stat(r.name, r.info); err != nil {
		return err
	}
	if err := writable(r.dir.file, r.name, r.stat); err != nil {
		return err
	}
	r.exists = true
	r.old, err = r.dir.root.OpenFile(r.name, openRead, 0)
	if errors.Is(err, fs.ErrPermission) && r.expect.Force {
		r.old = nil // written in place: nothing of it can be copied to another file
		return nil
	}
	if err != nil {
		return err
	}
	err = r.verify()
	if err != nil {
		r.close()
	}
	if r.expect.Force && errors.Is(err, ErrConflict) {
		return r.inspect() // whatever is there now
	}
	return err
}

// verify compares the open old file with what is expected.
func (r *replacement) verify() error {
	info, err := r.old.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, r.info) {
		return conflict("another file has taken its place")
	}
	if r.seen, err = Stat(r.old); err != nil {
		return err
	}
	if r.expect.Force {
		return nil
	}
	same, err := r.expect.Snapshot.Matches(r.old)
	if err != nil {
		return err
	}
	if !same {
		return conflict("its content is not what was read")
	}
	return nil
}

// prepare makes the temporary file, or says why the file must be written in place.
func (r *replacement) prepare() (tmp *temp, inPlace string, err error) {
	if !r.exists {
		tmp, err = r.dir.createTemp(r.name, 0o666)
		return tmp, "", err
	}
	switch {
	case r.old == nil:
		return nil, "it may be written but not read", nil
	case r.stat.links > 1:
		return nil, fmt.Sprintf("it has %d hard links", r.stat.links), nil
	}
	tmp, err = r.dir.createTemp(r.name, r.info.Mode().Perm())
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, "its folder takes no new file", nil
	case err != nil:
		return nil, "", err
	}
	switch {
	case !keepOwner(tmp.file, r.stat):
		inPlace = "its owner cannot be kept"
	case !keepAttributes(tmp.file, r.old):
		inPlace = "its access list cannot be kept"
	default:
		err = tmp.file.Chmod(r.info.Mode())
	}
	if inPlace != "" || err != nil {
		tmp.close()
		return nil, inPlace, err
	}
	return tmp, "", nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
