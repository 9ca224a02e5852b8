package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// flush is one sync, shared by everybody whose record was written before it
// began.
type flush struct {
	done chan struct{}
	err  error // set before done is closed
}

// append records an event. On return r.Seq is zero unless the record is in the
// segment: an error with a Seq comes from the sync.
func (l *Log) append(r *Record, event any, durable bool) error {
	durable = durable && !l.options.NoSync
	data, err := encodeData(event)
	if err == nil {
		data, err = l.masker.inJSON(data)
	}
	if err != nil {
		return err
	}
	if r.Data = data; len(data) > maxInline {
		// In place before the record that names it.
		if r.Blob, err = writeBlob(l.folder, data, durable); err != nil {
			return err
		}
		r.Data = nil
		l.options.Crash.at("blob-written")
	}
	f, leads, err := l.write(r, durable)
	switch {
	case err != nil || f == nil:
		return err
	case leads:
		return l.lead(f)
	}
	<-f.done
	return f.err
}

// write appends the line of a record, with the next sequence unless it is the
// first of the segment. It returns the sync to wait for, nil when there is none,
// and whether the caller has to do it.
func (l *Log) write(r *Record, durable bool) (f *flush, leads bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil, false, ErrClosed
	}
	if err := l.mend(); err != nil {
		return nil, false, err
	}
	full := *r
	full.Seq, full.At = l.seq, l.now()
	if r.Kind != KindSegment {
		full.Seq++
	}
	line := full.encode(l.hash)
	l.options.Crash.at("before-write")
	if _, err := l.file.WriteAt(line, l.size); err != nil {
		l.torn = true
		_ = l.mend() // else before the next record
		return nil, false, err
	}
	l.options.Crash.at("after-write")
	l.size += int64(len(line))
	l.seq, l.hash = full.Seq, full.Hash
	*r = full
	if !durable {
		return nil, false, nil
	}
	if leads = l.next == nil; leads {
		l.next = &flush{done: make(chan struct{})}
	}
	return l.next, leads, nil
}

// now is the time of a record. A clock beyond what RFC 3339 can spell counts as
// not set at all.
func (l *Log) now() time.Time {
	at := l.options.Clock().UTC()
	if y := at.Year(); y < 1 || y > 9999 {
		return time.Time{}
	}
	return at
}

// mend cuts off what a write that did not succeed has left. mu is held.
func (l *Log) mend() error {
	if !l.torn {
		return nil
	}
	if err := l.file.Truncate(l.size); err != nil {
		return fmt.Errorf("cut off a record that was written in part: %w", err)
	}
	l.torn = false
	return nil
}

// lead does a sync as soon as the one before has ended. Whoever has written
// until then is served by it.
func (l *Log) lead(f *flush) error {
	l.disk.Lock()
	defer l.disk.Unlock()
	l.mu.Lock()
	l.next = nil
	file := l.file
	l.mu.Unlock()
	f.err = l.sync(file)
	close(f.done)
	return f.err
}

// sync makes the segment durable, with the first call its name too. disk is held.
func (l *Log) sync(file *os.File) error {
	if file == nil {
		return ErrClosed
	}
	l.options.Crash.at("before-sync")
	// A segment that somebody has removed takes records, and nobody can read them.
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(l.path); err != nil || !os.SameFile(mine, there) {
		return fmt.Errorf("%s was removed or replaced while it was written; start again to record in a new one", l.path)
	}
	if err := file.Sync(); err != nil {
		return err
	}
	l.options.Crash.at("after-sync")
	if l.placed {
		return nil
	}
	for _, folder := range []string{l.folder, filepath.Dir(l.folder), l.options.Folder} {
		if err := syncFolder(folder); err != nil {
			return err
		}
	}
	l.placed = true
	return nil
}
