package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locks Locks
		unlock, err := locks.Lock(t.Context(), "a")
		must(t, err)
		other, err := locks.Lock(t.Context(), "b") // another file does not wait
		must(t, err)

		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		waiting := make(chan error)
		go func() {
			_, err := locks.Lock(ctx, "a")
			waiting <- err
		}()
		entered := make(chan func())
		go func() {
			unlock, err := locks.Lock(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			entered <- unlock
		}()
		synctest.Wait()
		select {
		case err := <-waiting:
			t.Fatalf("Lock of a held file returned %v, want it to wait", err)
		case <-entered:
			t.Fatal("two hold one file")
		default:
		}
		cancel(gone)
		if err := <-waiting; !errors.Is(err, gone) {
			t.Errorf("cancelled Lock: %v, want the cause", err)
		}
		unlock()
		unlock() // once more is harmless: the next holder keeps its lock
		next := <-entered
		if got := locks.byKey["a"].users; got != 1 {
			t.Errorf("%d users of the lock, want the one holder", got)
		}
		next()
		other()
		if len(locks.byKey) != 0 {
			t.Errorf("%d entries are left, want none", len(locks.byKey))
		}
	})
}

// Edits of one file that take its lock are all there at the end.
func TestLockedEditsAreNotLost(t *testing.T) {
	const writers, edits = 8, 25
	dir := realDir(t)
	path := filepath.Join(dir, "f")
	must(t, os.WriteFile(path, nil, 0o644))
	var locks Locks
	edit := func(line string) error {
		unlock, err := locks.Lock(t.Context(), path)
		if err != nil {
			return err
		}
		defer unlock()
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		old, s, err := Read(f)
		if err != nil {
			return err
		}
		_, err = Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Snapshot: &s}, content(string(old)+line))
		return err
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for e := range edits {
				if err := edit(fmt.Sprintf("%d-%d\n", w, e)); err != nil {
					t.Errorf("edit %d-%d: %v", w, e, err)
				}
			}
		})
	}
	all.Wait()
	if got := strings.Count(readFile(t, path), "\n"); got != writers*edits {
		t.Errorf("%d edits are in the file, want %d", got, writers*edits)
	}
	wantNames(t, dir, "f")
}

// Writers of one folder and one name do not disturb each other's temporary files.
func TestConcurrentWriters(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "f")
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for range 20 {
				text := strings.Repeat(fmt.Sprint(w), 5000)
				if _, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Force: true}, content(text)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := readFile(t, path); len(got) != 5000 || strings.Count(got, got[:1]) != 5000 {
		t.Errorf("file is a mix of %d bytes", len(got))
	}
	wantNames(t, dir, "f")
}
