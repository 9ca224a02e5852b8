package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Retention says what may go. A zero bound does not bound.
type Retention struct {
	Age   time.Duration // of segments and scratch folders
	Bytes int64         // of all sessions together
	Now   time.Time     // zero means time.Now
	// Keep names sessions whose scratch folders stay. A process that keeps no
	// ledger names its own here: nothing else tells that it lives.
	Keep []string
}

// Pruned says what Prune removed, and what it could not.
type Pruned struct {
	Segments, Blobs, Scratch int
	Bytes                    int64
	// Kept are segments that would have gone and had to stay.
	Kept []Kept
}

// Kept is a segment that stays, and why.
type Kept struct{ File, Why string }

// segment is one that Prune may remove.
type segment struct {
	session string
	path    string
	written time.Time
	bytes   int64
	live    bool
}

// Prune removes whole segments, the oldest first: those beyond the age, then
// more until the rest fits. After them go the blobs that no record names any
// longer, and scratch folders beyond the age. It never removes a segment that a
// process writes, nor one that holds an uncertain execution: a person decides
// about that first.
//
// Age counts back from the last write to an ended segment, or from now if that
// is earlier. So a clock that runs ahead for a while removes nothing, and what
// lies in the future is young; after a long pause old segments go one session
// later than they could. Errors of one segment do not keep others; they come
// joined. ErrUnsafe is wrapped for a state folder that is not this user's.
func (s Store) Prune(r Retention) (Pruned, error) {
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	var done Pruned
	if err := checkOwner(s.Folder); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return done, nil
		}
		return done, fmt.Errorf("prune: %w", err)
	}
	all, total, err := s.inventory()
	errs := []error{err}
	newest := time.Time{}
	for _, seg := range all {
		if !seg.live && seg.written.After(newest) {
			newest = seg.written
		}
	}
	if newest.IsZero() || newest.After(r.Now) {
		newest = r.Now
	}
	kept := map[string]bool{} // sessions whose older segments had to stay
	for _, seg := range all {
		old := r.Age > 0 && newest.Sub(seg.written) > r.Age
		large := r.Bytes > 0 && total-done.Bytes > r.Bytes
		if kept[seg.session] || !old && !large {
			continue
		}
		why, err := s.remove(seg, &done)
		if why != "" {
			kept[seg.session] = true
			done.Kept = append(done.Kept, Kept{seg.path, why})
		}
		errs = append(errs, err)
	}
	errs = append(errs, s.pruneScratch(r, newest, &done))
	if err := errors.Join(errs...); err != nil {
		return done, fmt.Errorf("prune: %w", err)
	}
	return done, nil
}

// inventory lists every segment, in the order in which they may go, and the size
// of everything. Segments of one session never change places, whatever the clock
// did.
func (s Store) inventory() (all []segment, total int64, err error) {
	names, err := s.Names()
	errs := []error{err}
	for _, name := range names {
		folder := sessionFolder(s.Folder, name)
		numbers, err := segmentsIn(folder)
		errs = append(errs, err)
		var latest time.Time
		for _, n := range numbers {
			seg := segment{session: name, path: filepath.Join(folder, segmentName(n))}
			if seg.bytes, seg.written, seg.live, err = inspect(seg.path); err != nil {
				errs = append(errs, err)
				continue
			}
			if latest.After(seg.written) {
				seg.written = latest
			}
			latest = seg.written
			total += seg.bytes
			all = append(all, seg)
		}
		blobs, _ := os.ReadDir(filepath.Join(folder, blobsFolder))
		for _, b := range blobs {
			if info, err := b.Info(); err == nil {
				total += info.Size()
			}
		}
	}
	slices.SortStableFunc(all, func(a, b segment) int { return a.written.Compare(b.written) })
	return all, total, errors.Join(errs...)
}

func inspect(path string) (bytes int64, written time.Time, live bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, time.Time{}, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, time.Time{}, false, err
	}
	live, err = lockedElsewhere(f)
	return info.Size(), info.ModTime(), live, err
}

// remove removes a segment and what only it named, or says why it stays.
func (s Store) remove(seg segment, done *Pruned) (why string, err error) {
	folder := filepath.Dir(seg.path)
	release, err := lockSession(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // somebody else pruned it
	}
	if err != nil {
		return "", err
	}
	defer release()
	// Only now: when it was listed, it may just have been made and not yet locked.
	if _, _, live, err := inspect(seg.path); live || err != nil {
		return "", err
	}
	sum, err := s.Session(seg.session)
	if err != nil {
		return "", err
	}
	for _, e := range sum.Uncertain {
		if e.file == seg.path {
			return fmt.Sprintf("%s/%s is uncertain; resolve it first", e.Session, e.ID), nil
		}
	}
	if err := os.Remove(seg.path); err != nil {
		return "", err
	}
	done.Segments++
	done.Bytes += seg.bytes
	if sum.Live {
		return "", nil // it may be about to name any of the blobs
	}
	return "", s.sweep(seg.session, done)
}

// sweep removes the blobs that no record names, and the folder of a session
// that has no segments left. The session is locked.
func (s Store) sweep(session string, done *Pruned) error {
	folder := sessionFolder(s.Folder, session)
	numbers, err := segmentsIn(folder)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, r := range s.walk(session, numbers) {
		if r.fault != nil {
			return nil // a record that is lost may have named any
		}
		if r.Blob != nil {
			named[r.Blob.SHA256] = true
		}
	}
	blobs, err := os.ReadDir(filepath.Join(folder, blobsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, b := range blobs {
		if named[b.Name()] {
			continue
		}
		info, err := b.Info()
		if err == nil {
			err = os.Remove(filepath.Join(folder, blobsFolder, b.Name()))
		}
		if err != nil {
			return err
		}
		done.Blobs++
		done.Bytes += info.Size()
	}
	if len(numbers) == 0 {
		_ = os.RemoveAll(folder) // Windows keeps the lock; a folder without segments is no session
	}
	return nil
}

// pruneScratch removes scratch folders in which nothing was written for the age,
// unless the session lives.
func (s Store) pruneScratch(r Retention, newest time.Time, done *Pruned) error {
	if r.Age <= 0 {
		return nil
	}
	base := filepath.Join(s.Folder, scratchFolder)
	entries, err := os.ReadDir(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		written, err := lastWrite(path)
		if err != nil || newest.Sub(written) <= r.Age || slices.Contains(r.Keep, e.Name()) || s.lives(e.Name()) {
			continue // what cannot be judged stays
		}
		if err := os.RemoveAll(path); err != nil {
			errs = append(errs, err)
			continue
		}
		done.Scratch++
	}
	return errors.Join(errs...)
}

// lives reports whether a process writes the session, or that this cannot be seen.
func (s Store) lives(session string) bool {
	folder := sessionFolder(s.Folder, session)
	numbers, err := segmentsIn(folder)
	if err != nil || len(numbers) == 0 {
		return !errors.Is(cmp.Or(err, fs.ErrNotExist), fs.ErrNotExist)
	}
	_, _, live, err := inspect(filepath.Join(folder, segmentName(numbers[len(numbers)-1])))
	return live || err != nil
}

// lastWrite is the newest time of anything in a folder. It follows no links.
func lastWrite(folder string) (newest time.Time, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return err
	})
	return newest, err
}
