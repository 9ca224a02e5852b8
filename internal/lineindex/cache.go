package lineindex

import (
	"slices"
	"sync"
	"time"
)

const (
	// maxFiles bounds a cache: 2 MiB of marks.
	maxFiles = 16
	// settle is how old a state must be when its index is begun for the key to
	// prove that nothing was written since: it covers the coarsest clock of a
	// common file system (FAT: 2 s).
	settle = 2 * time.Second
)

// Key is one state of a file. Times are nanoseconds since 1970; ChangeTime is
// zero where the platform has none.
type Key struct {
	Device, Inode       uint64
	Size                int64
	ModTime, ChangeTime int64
}

// Cache keeps the indexes of the files that were asked for last. The zero
// Cache is empty and ready; its methods may be called at once.
type Cache struct {
	mu      sync.Mutex
	entries []entry // the last asked for first
}

type entry struct {
	key   Key
	index *Index
}

// Of returns the index for a state that the file was found in at now. Another
// state of the same file is forgotten. A state younger than two seconds, and a
// file without a number, get an index that is not kept: it could not be told
// from the next state.
func (c *Cache) Of(key Key, now time.Time) *Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.key.Device != key.Device || e.key.Inode != key.Inode {
			continue
		}
		c.entries = slices.Delete(c.entries, i, i+1)
		if e.key == key {
			c.entries = slices.Insert(c.entries, 0, e)
			return e.index
		}
		break
	}
	x := New(key.Size)
	newest := time.Unix(0, max(key.ModTime, key.ChangeTime))
	if key.Inode == 0 || now.Sub(newest) < settle {
		return x
	}
	c.entries = slices.Insert(c.entries, 0, entry{key, x})
	if len(c.entries) > maxFiles {
		c.entries = slices.Delete(c.entries, maxFiles, len(c.entries))
	}
	return x
}
