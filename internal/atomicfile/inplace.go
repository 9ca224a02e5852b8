package atomicfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// InPlaceError says that a write in place stopped midway: the file may hold
// a mix of old and new. The complete new content is in Copy.
type InPlaceError struct {
	Copy string
	Err  error
}

// Error implements error.
func (e *InPlaceError) Error() string {
	return fmt.Sprintf("stopped while writing in place; the complete new content is in %s: %v", e.Copy, e.Err)
}

// Unwrap returns the cause.
func (e *InPlaceError) Unwrap() error { return e.Err }

// Leftover is a pending copy whose process died while it wrote in place. The
// file it is for may hold a mix of old and new.
type Leftover struct {
	// Copy is the file with the complete new content.
	Copy string
	// Target is the file that was being written.
	Target string
	// Size is that of the new content in bytes.
	Size int64
	// Started is when the write began.
	Started time.Time
}

// header stands beside a complete copy, in <copy>.json. Without it the target
// has not been touched.
type header struct {
	Target  string    `json:"target"`
	PID     int       `json:"pid"`
	Size    int64     `json:"size"`
	Started time.Time `json:"started"`
}

const headerExt = ".json"

// Leftovers returns the pending copies of dead processes. It changes nothing and
// never applies one: the person has to look at both files. A missing folder has none.
func Leftovers(pending string) ([]Leftover, error) {
	entries, err := os.ReadDir(pending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for pending copies: %w", err)
	}
	var out []Leftover
	for _, entry := range entries {
		name, isHeader := strings.CutSuffix(entry.Name(), headerExt)
		if !isHeader {
			continue
		}
		path := filepath.Join(pending, name)
		data, err := os.ReadFile(path + headerExt)
		if err != nil {
			return nil, fmt.Errorf("look at a pending copy: %w", err)
		}
		var h header
		if json.Unmarshal(data, &h) != nil {
			continue // cut short: written before the target is touched
		}
		f, err := os.Open(path)
		if err != nil {
			continue // removed last, after the target was complete
		}
		dead := abandoned(f, h.PID)
		f.Close()
		if dead {
			out = append(out, Leftover{Copy: path, Target: h.Target, Size: h.Size, Started: h.Started})
		}
	}
	return out, nil
}

// inPlace writes over the old file after the new content is safe elsewhere.
func (r *replacement) inPlace(ctx context.Context, opts Options, why string, write func(io.Writer) error) (Outcome, error) {
	if opts.Pending == "" {
		return Outcome{}, fmt.Errorf("%s: %w", why, ErrNoPending)
	}
	if opts.Locks != nil {
		unlock, err := opts.Locks.Lock(ctx, fmt.Sprintf("file %d:%d", r.stat.device, r.stat.inode))
		if err != nil {
			return Outcome{}, err
		}
		defer unlock()
	}
	if err := os.MkdirAll(opts.Pending, 0o700); err != nil {
		return Outcome{}, err
	}
	backup, err := os.CreateTemp(opts.Pending, "copy-*")
	if err != nil {
		return Outcome{}, err
	}
	defer backup.Close()
	keep := false
	defer func() {
		if !keep {
			// The header goes first: a copy without one is no leftover.
			_ = os.Remove(backup.Name() + headerExt)
			_ = os.Remove(backup.Name())
		}
	}()
	_ = claim(backup)
	sum, size, err := fill(ctx, backup, write)
	if err != nil {
		return Outcome{}, err
	}
	if err := r.writeHeader(backup.Name(), size); err != nil {
		return Outcome{}, err
	}

	f, err := r.dir.root.OpenFile(r.name, openWrite, 0)
	if err != nil {
		return Outcome{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Outcome{}, err
	}
	if !os.SameFile(info, r.info) {
		return Outcome{}, conflict("another file has taken its place")
	}
	if r.old != nil {
		if err := r.verify(); err != nil {
			return Outcome{}, err
		}
	}
	touched, err := overwrite(f, info.Size(), backup, size)
	if err != nil {
		if keep = touched; touched {
			err = &InPlaceError{Copy: backup.Name(), Err: err}
		}
		return Outcome{}, err
	}
	st, err := statOf(f)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{InPlace: why, Snapshot: written(st, sum, size)}, nil
}

func (r *replacement) writeHeader(backup string, size int64) error {
	data, err := json.Marshal(header{Target: r.path, PID: os.Getpid(), Size: size, Started: time.Now()})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(backup+headerExt, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(backup))
	if err != nil {
		return err
	}
	defer dir.Close()
	return syncFolder(dir)
}

// overwrite gives f, of oldSize bytes, the content of src. What lies beyond the
// old end is written first: only that needs new space, and when there is none
// the file is cut back to what it was. Touched reports whether the old content
// may be lost.
func overwrite(f *os.File, oldSize int64, src *os.File, size int64) (touched bool, err error) {
	if size > oldSize {
		err := copyAt(f, oldSize, src, size)
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			undo := f.Truncate(oldSize)
			return undo != nil, errors.Join(err, undo)
		}
	}
	if err := copyAt(f, 0, src, min(size, oldSize)); err != nil {
		return true, err
	}
	if size < oldSize {
		if err := f.Truncate(size); err != nil {
			return true, err
		}
	}
	return true, f.Sync()
}

// copyAt copies the bytes of src from offset to end to the same place in f.
func copyAt(f *os.File, offset int64, src *os.File, end int64) error {
	_, err := io.Copy(io.NewOffsetWriter(f, offset), io.NewSectionReader(src, offset, end-offset))
	return err
}
