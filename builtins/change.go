package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

// open is open for a call that may have waited for another of this session:
// where the dispatcher resolved a file, or none, and this session has put one
// of its own since, that one is meant.
func (k *known) open(p contract.Path) (*os.File, error) {
	f, err := open(p)
	if !errors.Is(err, workspace.ErrChanged) && !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	s, ok := k.of(p.Real)
	if !ok {
		return nil, err
	}
	own := p
	own.Exists, own.Device, own.Inode = true, s.Device, s.Inode
	if f, err := open(own); err == nil {
		return f, nil
	}
	return nil, err
}

// replaceOptions are the settings of every write.
func (h Host) replaceOptions() atomicfile.Options {
	return atomicfile.Options{Pending: h.Pending, Locks: h.Locks}
}

// progressWriter passes a content of so many bytes on to a writer in pieces, and
// reports once a second how far it is.
type progressWriter struct {
	to          io.Writer
	done, total int64
	last        time.Time
	report      func(contract.Progress)
}

func withProgress(c *contract.Call, to io.Writer, total int64) *progressWriter {
	return &progressWriter{to: to, total: total, last: time.Now(), report: c.Report}
}

// Write implements io.Writer.
func (r *progressWriter) Write(p []byte) (written int, err error) {
	const piece = 4 << 20
	for written < len(p) && err == nil {
		var n int
		n, err = r.to.Write(p[written:min(len(p), written+piece)])
		written += n
		r.done += int64(n)
		if time.Since(r.last) >= time.Second {
			r.last = time.Now()
			r.report(contract.Progress{Done: float64(r.done), Total: float64(r.total), Message: "writing"})
		}
	}
	return written, err
}

// unwritten is the answer to a write or edit that an error ended. Path is as
// the model spelled it, and the only one that is told: a reason that names the
// file once more, or a temporary one, would only be longer.
func unwritten(ctx context.Context, verb, path string, err error) contract.Result {
	head := verb + " " + shortName(path) + ": "
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		r := contract.FailedAs(contract.KindTransient, head+"cancelled; the file is as it was")
		r.Failure.Code = contract.CodeAborted
		return r
	}
	if _, ok := errors.AsType[*atomicfile.InPlaceError](err); ok {
		return contract.FailedAs(contract.KindFatal, head+reason(err))
	}
	if k, ok := errors.AsType[*atomicfile.KeptError](err); ok {
		return contract.Failed(contract.CodeConflict, head+keptText(path, k))
	}
	switch {
	case errors.Is(err, atomicfile.ErrConflict), errors.Is(err, workspace.ErrChanged):
		return contract.Failed(contract.CodeConflict, head+found(err)+"; nothing was written; read it again and decide anew")
	case errors.Is(err, workspace.ErrNotRegular), errors.Is(err, atomicfile.ErrNotRegular):
		return contract.FailedAs(contract.KindPrecondition, head+reason(err)+"; only regular files are written")
	case errors.Is(err, syscall.EFBIG):
		return contract.FailedAs(contract.KindFatal, head+"file too large for the limit of this process or file system; "+
			"nothing was written and the old content stands; write less, or let a person raise the limit (ulimit -f)")
	case errors.Is(err, syscall.ENOSPC):
		return contract.FailedAs(contract.KindFatal, head+"no space left on device; nothing was written and the old content stands; free space, then try again")
	case errors.Is(err, syscall.EDQUOT):
		return contract.FailedAs(contract.KindFatal, head+"disk quota exceeded; nothing was written and the old content stands; free space, then try again")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return contract.FailedAs(contract.KindPrecondition, head+"file name too long; nothing was written; use a shorter name")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, atomicfile.ErrNoPending):
		return contract.FailedAs(contract.KindPrecondition, head+reason(err)+"; nothing was written")
	}
	return contract.FailedAs(contract.KindFatal, head+reason(err))
}

// found is what a conflict found in the place of what was expected.
func found(err error) string {
	if c, ok := errors.AsType[*atomicfile.ConflictError](err); ok {
		return visibleName(c.Found)
	}
	if errors.Is(err, workspace.ErrChanged) {
		return "another file has taken its place since this call began"
	}
	return reason(err)
}

// keptText says where the other side's writing is.
func keptText(path string, k *atomicfile.KeptError) string {
	kept := shortName(filepath.Join(filepath.Dir(path), filepath.Base(k.Kept)))
	if k.Err != nil {
		return fmt.Sprintf("%s; its content of then is kept in %s, as it could not be put back: %s; read both and decide anew", k.Found, kept, reason(k.Err))
	}
	return fmt.Sprintf("%s; the file is as the other program left it, and what was written into the new content meanwhile is kept in %s; read both and decide anew", k.Found, kept)
}

// reason is an error without the operation and the path at its start.
func reason(err error) string {
	for {
		p, ok := errors.AsType[*fs.PathError](err)
		if !ok || error(p) != err {
			return visibleName(err.Error())
		}
		err = p.Err
	}
}

// shortName is visibleName for a message that is to stay short.
func shortName(path string) string {
	const most = 200
	if len(path) <= most {
		return visibleName(path)
	}
	return fmt.Sprintf("%s… (%d bytes)", visibleName(cutText(path, most)), len(path))
}

// absent is the answer to an edit of a file that does not exist.
func absent(path string, p contract.Path) contract.Result {
	text := fmt.Sprintf("edit %s: there is no such file; write creates one", visibleName(path))
	if near := workspace.Near(p.Real, 3); len(near) > 0 {
		for i, name := range near {
			near[i] = nearName(name)
		}
		text += "; in its folder there is:\n" + strings.Join(near, "\n")
	}
	return contract.FailedAs(contract.KindPrecondition, text)
}

// inPlaceNotice tells why a file was not swapped, and what an earlier swap that
// was killed has left.
func inPlaceNotice(out atomicfile.Outcome) string {
	var notices []string
	if out.InPlace != "" {
		notices = append(notices, "[written in place, as "+out.InPlace+"]")
	}
	for _, kept := range out.Kept {
		notices = append(notices, fmt.Sprintf("[beside it is %s, left by a write that was killed; it may hold what another program wrote: compare it, then remove it]",
			shortName(filepath.Base(kept))))
	}
	return strings.Join(notices, "\n")
}

// number is n with its noun.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
