package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
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
// the model spelled it.
func unwritten(ctx context.Context, verb, path string, err error) contract.Result {
	path = visibleName(path)
	text := fmt.Sprintf("%s %s: %s", verb, path, visibleName(err.Error()))
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		r := contract.FailedAs(contract.KindTransient, fmt.Sprintf("%s %s: cancelled; the file is as it was", verb, path))
		r.Failure.Code = contract.CodeAborted
		return r
	case errors.Is(err, atomicfile.ErrConflict), errors.Is(err, workspace.ErrChanged):
		return contract.Failed(contract.CodeConflict, text+"; nothing was written; read it again and decide anew")
	case errors.Is(err, workspace.ErrNotRegular), errors.Is(err, atomicfile.ErrNotRegular):
		return contract.FailedAs(contract.KindPrecondition, text+"; only regular files are written")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, atomicfile.ErrNoPending):
		return contract.FailedAs(contract.KindPrecondition, text+"; nothing was written")
	}
	return contract.FailedAs(contract.KindFatal, text)
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

// inPlaceNotice tells why a file was not swapped.
func inPlaceNotice(out atomicfile.Outcome) string {
	if out.InPlace == "" {
		return ""
	}
	return "[written in place, as " + out.InPlace + "]"
}

// number is n with its noun.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
