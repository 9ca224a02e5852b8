package catalog

import (
	"fmt"
	"slices"
	"sync"
)

// The bounds of a toolbox (CONTRACT.md §12).
const (
	MaxActive      = 8
	MaxActiveBytes = 16 << 10
)

// Toolbox remembers by name which deferred tools a conversation has activated:
// at most MaxActive, and at most MaxActiveBytes of their definitions. The least
// recently used makes room. The zero Toolbox is empty; its methods may be called
// at once.
type Toolbox struct {
	mu     sync.Mutex
	active []tool // in the order in which they were activated, which lists keep
	used   int    // counts uses
}

type tool struct {
	name   string
	bytes  int
	used   int
	beside bool // does not count
}

// Activate remembers a tool whose definition has so many bytes, and returns the
// names that made room. Activating it again counts as a use.
func (t *Toolbox) Activate(name string, bytes int) (gone []string, err error) {
	if bytes > MaxActiveBytes {
		return nil, fmt.Errorf("activate %s: its definition has %d bytes; at most %d are kept", name, bytes, MaxActiveBytes)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used++
	if at := t.index(name); at >= 0 {
		t.active[at].bytes, t.active[at].used = bytes, t.used
	} else {
		t.active = append(t.active, tool{name: name, bytes: bytes, used: t.used})
	}
	for {
		count, size, oldest := t.counted()
		if count <= MaxActive && size <= MaxActiveBytes {
			return gone, nil
		}
		gone = append(gone, t.active[oldest].name)
		t.active = slices.Delete(t.active, oldest, oldest+1)
	}
}

// ActivateBeside remembers a tool that a result has named: beside the bounds, and
// until Clear.
func (t *Toolbox) ActivateBeside(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.index(name); at >= 0 {
		t.active[at].beside = true
		return
	}
	t.active = append(t.active, tool{name: name, beside: true})
}

// counted is what the bounds look at, and the place of the tool that goes first.
func (t *Toolbox) counted() (count, size, oldest int) {
	oldest = -1
	for i, a := range t.active {
		if a.beside {
			continue
		}
		count, size = count+1, size+a.bytes
		if oldest < 0 || a.used < t.active[oldest].used {
			oldest = i
		}
	}
	return count, size, oldest
}

func (t *Toolbox) index(name string) int {
	return slices.IndexFunc(t.active, func(a tool) bool { return a.name == name })
}

// Use notes a use of an active tool; of another it does nothing.
func (t *Toolbox) Use(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.index(name); at >= 0 {
		t.used++
		t.active[at].used = t.used
	}
}

// Has reports whether a tool is active.
func (t *Toolbox) Has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.index(name) >= 0
}

// Names are the active tools in the order of their activation. Those that may
// not stay, such as one that was removed, denied or became eager, drop out.
func (t *Toolbox) Names(stays func(name string) bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = slices.DeleteFunc(t.active, func(a tool) bool { return !stays(a.name) })
	names := make([]string, len(t.active))
	for i, a := range t.active {
		names[i] = a.name
	}
	return names
}

// Clear forgets everything: the conversation begins anew.
func (t *Toolbox) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = nil
}
