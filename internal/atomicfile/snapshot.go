package atomicfile

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"time"
)

// settle is how old the newest time of a file must be when a snapshot is taken
// before equal times later prove that nothing was written. It covers the
// coarsest clock of a common file system (FAT: 2 s).
const settle = 2 * time.Second

// seed makes sums comparable within this process, and only there.
var seed = maphash.MakeSeed()

// Snapshot is what a file was at one moment. It is plain data and comparable,
// and means something only to the process that took it.
//
// What Matches and Replace guarantee for a snapshot of the whole content: when
// device, inode, size, modification and change time are all as they were, and
// those times were at least two seconds old when the snapshot was taken, the
// file counts as unchanged without being read. Otherwise its content is read
// and compared by a keyed 64-bit sum. So a change made by ordinary writes is
// always seen, even within one tick of the file system's clock. Not seen are
// stores through a shared memory map until the kernel notices them, and a clock
// that was set back. A snapshot by stat alone counts by size and modification time.
type Snapshot struct {
	Device, Inode uint64
	Size          int64
	// ModTime and ChangeTime are nanoseconds since 1970. ChangeTime is zero
	// where the platform has none, and then the content is always compared.
	ModTime, ChangeTime int64

	settled bool
	whole   bool // sum is valid
	sum     uint64
}

// Stat returns a snapshot of f without reading it.
func Stat(f *os.File) (Snapshot, error) {
	st, err := statOf(f)
	if err != nil {
		return Snapshot{}, err
	}
	return st.snapshot(time.Now()), nil
}

// Read returns the content of f, read from its start, and its snapshot. The
// error is ErrConflict when f changed while it was read.
func Read(f *os.File) ([]byte, Snapshot, error) {
	before, err := Stat(f)
	if err != nil {
		return nil, Snapshot{}, err
	}
	// Read in one piece: growing a buffer would hold the file more than once.
	content := make([]byte, before.Size)
	n, err := io.ReadFull(io.NewSectionReader(f, 0, before.Size), content)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, Snapshot{}, err
	}
	if err := unmoved(f, before, int64(n)); err != nil {
		return nil, Snapshot{}, err
	}
	return content, before.With(content), nil
}

// Hash is Read without keeping the content: it costs no memory.
func Hash(f *os.File) (Snapshot, error) {
	before, err := Stat(f)
	if err != nil {
		return Snapshot{}, err
	}
	sum, n, err := sumOf(f)
	if err != nil {
		return Snapshot{}, err
	}
	if err := unmoved(f, before, n); err != nil {
		return Snapshot{}, err
	}
	before.whole, before.sum = true, sum
	return before, nil
}

// unmoved reports a conflict when f is not as before after n bytes were read.
func unmoved(f *os.File, before Snapshot, n int64) error {
	after, err := Stat(f)
	if err != nil {
		return err
	}
	if n != before.Size || !after.sameTimes(before) {
		return &fs.PathError{Op: "read", Path: f.Name(), Err: conflict("it changed while it was read")}
	}
	return nil
}

// With returns s as a snapshot of the whole content.
func (s Snapshot) With(content []byte) Snapshot {
	s.whole, s.sum = true, maphash.Bytes(seed, content)
	return s
}

// Whole reports whether s knows the whole content, not only size and times.
func (s Snapshot) Whole() bool { return s.whole }

// Holds reports whether the file held exactly content. A snapshot by stat alone
// never does.
func (s Snapshot) Holds(content []byte) bool {
	return s.whole && s.Size == int64(len(content)) && s.sum == maphash.Bytes(seed, content)
}

// Matches reports whether f, open for reading, is still what s says.
func (s Snapshot) Matches(f *os.File) (bool, error) {
	now, err := Stat(f)
	if err != nil {
		return false, err
	}
	if s.settled && now.sameTimes(s) {
		return true, nil
	}
	return s.sameContent(f, now)
}

// sameTimes reports whether t is the same file with the same size and times.
func (s Snapshot) sameTimes(t Snapshot) bool {
	return s.Device == t.Device && s.Inode == t.Inode && s.Size == t.Size &&
		s.ModTime == t.ModTime && s.ChangeTime == t.ChangeTime
}

// sameContent compares what s knows beyond identity and change time.
func (s Snapshot) sameContent(f *os.File, now Snapshot) (bool, error) {
	if now.Size != s.Size {
		return false, nil
	}
	if !s.whole {
		return now.ModTime == s.ModTime, nil
	}
	sum, n, err := sumOf(f)
	return n == s.Size && sum == s.sum, err
}

// sumOf reads f from its start, wherever its offset is.
func sumOf(f *os.File) (sum uint64, n int64, err error) {
	var h maphash.Hash
	h.SetSeed(seed)
	n, err = io.CopyBuffer(&h, io.NewSectionReader(f, 0, 1<<62), make([]byte, 256<<10))
	return h.Sum64(), n, err
}
