package atomicfile

import (
	"context"
	"sync"
)

// Locks serialises work on one file within this process. Keys are resolved
// paths. The zero value is ready; it must not be copied; all methods are safe
// for concurrent use. An entry lives only while someone holds it or waits for it.
type Locks struct {
	mu    sync.Mutex
	byKey map[string]*lock
}

type lock struct {
	held  chan struct{} // full while someone holds the lock
	users int           // holders and waiters, guarded by Locks.mu
}

// Lock waits until nobody else holds path and returns the function that lets it
// go, which may be called more than once. When ctx ends first it returns the
// cause and holds nothing.
//
// A caller locks around reading, computing and Replace, so that of two edits of
// one file the second sees what the first wrote. To take several locks, take
// them in sorted order.
func (l *Locks) Lock(ctx context.Context, path string) (unlock func(), err error) {
	l.mu.Lock()
	if l.byKey == nil {
		l.byKey = make(map[string]*lock)
	}
	e := l.byKey[path]
	if e == nil {
		e = &lock{held: make(chan struct{}, 1)}
		l.byKey[path] = e
	}
	e.users++
	l.mu.Unlock()

	select {
	case e.held <- struct{}{}:
		return sync.OnceFunc(func() {
			<-e.held
			l.leave(path, e)
		}), nil
	case <-ctx.Done():
		l.leave(path, e)
		return nil, context.Cause(ctx)
	}
}

func (l *Locks) leave(path string, e *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.users--; e.users == 0 {
		delete(l.byKey, path)
	}
}
