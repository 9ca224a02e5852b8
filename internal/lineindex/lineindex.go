// Package lineindex finds the lines of files that are too large to look at
// whole. It counts line ends once, as far into a file as somebody asked, and
// keeps a few marks of the way, so that the same lines are found again at once.
//
// A line ends with "\n"; what follows the last one is a line too, unless it is
// empty. The package neither opens files nor judges whether one has changed: a
// Key says which state of a file is meant.
package lineindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sort"
	"sync"
)

const (
	// block is how much one goroutine reads at a time.
	block = 256 << 10
	// maxTallies bounds the goroutines of one count: memory, not the
	// processor, limits more.
	maxTallies = 8
	// alone is the most that one goroutine counts without help.
	alone = 4 << 20
	// minStride is the smallest distance of two marks. It divides block.
	minStride = 64 << 10
	// maxMarks bounds the marks of one file: 128 KiB of memory. Beyond it the
	// distance doubles, so 1 GiB has a mark every 64 KiB, 16 GiB every MiB.
	maxMarks = 16 << 10
)

// ErrChanged is wrapped by the error for a file that is no longer what was counted.
var ErrChanged = errors.New("it changed while it was read")

// Source is a file in the state that an index is of.
type Source struct {
	io.ReaderAt

	// Progress hears how many bytes have been counted, at least after every
	// 2 MiB of a count. Nil means that nobody listens.
	Progress func(done int64)
}

// Index knows where the lines of one state of a file start, as far as it was
// asked. Its methods may be called at once; one call counts and the others
// wait for it, or for their context.
type Index struct {
	size int64
	turn chan struct{} // holds a token while a call is inside

	stride  int64   // bytes between marks
	marks   []int64 // line ends before byte (i+1)*stride
	scanned int64   // bytes counted, from the start
	ends    int64   // line ends in them
	open    bool    // the last byte counted is no line end
}

// New returns an index of a file with size bytes, of which nothing is known.
func New(size int64) *Index {
	return &Index{size: size, turn: make(chan struct{}, 1), stride: minStride}
}

// Start returns where line n starts, the first being 1. It reads up to there
// and at most 2 MiB beyond. ok is false when there is no such line;
// then the whole file has been counted.
func (x *Index) Start(ctx context.Context, f Source, n int64) (offset int64, ok bool, err error) {
	if err := x.enter(ctx); err != nil {
		return 0, false, err
	}
	defer x.leave()
	before := n - 1 // line ends before line n
	if err := x.count(ctx, f, func() bool { return x.ends >= before }); err != nil {
		return 0, false, err
	}
	if x.ends < before {
		return 0, false, nil
	}
	if before > 0 {
		if offset, err = x.after(f, before); err != nil {
			return 0, false, err
		}
	}
	return offset, offset < x.size, nil
}

// Count counts on to byte limit, unless that was done, and returns how many
// lines start in all that has been counted; limit zero counts nothing. whole
// says that these are all lines of the file.
func (x *Index) Count(ctx context.Context, f Source, limit int64) (lines int64, whole bool, err error) {
	if err := x.enter(ctx); err != nil {
		return 0, false, err
	}
	defer x.leave()
	limit = min(limit, x.size)
	if err := x.count(ctx, f, func() bool { return x.scanned >= limit }); err != nil {
		return 0, false, err
	}
	lines = x.ends
	if x.open {
		lines++
	}
	return lines, x.scanned == x.size, nil
}

func (x *Index) enter(ctx context.Context) error {
	select {
	case x.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (x *Index) leave() { <-x.turn }

// count counts on until enough says so, or to the end.
func (x *Index) count(ctx context.Context, f Source, enough func() bool) error {
	if x.scanned == x.size || enough() {
		return nil
	}
	tallies := make([]tally, 1)
	if x.size-x.scanned > alone {
		tallies = make([]tally, min(runtime.GOMAXPROCS(0), maxTallies))
	}
	for x.scanned < x.size && !enough() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var beside sync.WaitGroup
		for i := range tallies[1:] {
			at := x.scanned + int64(i+1)*block
			beside.Go(func() { tallies[i+1].count(f, at, x.size) })
		}
		tallies[0].count(f, x.scanned, x.size)
		beside.Wait()
		for i := range tallies {
			if tallies[i].err != nil {
				return tallies[i].err
			}
			for _, p := range tallies[i].pieces {
				x.add(p)
			}
		}
		if f.Progress != nil {
			f.Progress(x.scanned)
		}
	}
	return nil
}

// tally counts one block.
type tally struct {
	buf    []byte
	pieces []piece
	err    error
}

// piece is what was counted of minStride bytes, or of the last ones of a file.
type piece struct {
	size, ends int64
	open       bool // the last byte is no line end
}

// count counts the block at offset at, which may lie behind the end.
func (c *tally) count(f Source, at, size int64) {
	c.pieces, c.err = c.pieces[:0], nil
	if at >= size {
		return
	}
	if c.buf == nil {
		c.buf = make([]byte, block)
	}
	b, err := readFull(f, c.buf[:min(block, size-at)], at)
	if err != nil {
		c.err = err
		return
	}
	for len(b) > 0 {
		p := b[:min(minStride, len(b))]
		b = b[len(p):]
		c.pieces = append(c.pieces, piece{int64(len(p)), int64(bytes.Count(p, newline)), p[len(p)-1] != '\n'})
	}
}

// add takes the next piece in.
func (x *Index) add(p piece) {
	x.ends += p.ends
	x.open = p.open
	x.scanned += p.size
	if x.scanned%x.stride != 0 {
		return
	}
	x.marks = append(x.marks, x.ends)
	if len(x.marks) == maxMarks {
		for i := range maxMarks / 2 {
			x.marks[i] = x.marks[2*i+1]
		}
		x.marks = x.marks[:maxMarks/2]
		x.stride *= 2
	}
}

// after returns the offset behind the k-th line end, which has been counted.
func (x *Index) after(f Source, k int64) (int64, error) {
	i := sort.Search(len(x.marks), func(i int) bool { return x.marks[i] >= k })
	if i > 0 {
		k -= x.marks[i-1]
	}
	buf := make([]byte, minStride)
	for at := int64(i) * x.stride; ; at += minStride {
		b, err := readFull(f, buf[:min(minStride, x.size-at)], at)
		if err != nil {
			return 0, err
		}
		if c := int64(bytes.Count(b, newline)); c < k && at+minStride < x.size {
			k -= c
			continue
		} else if c < k {
			return 0, fmt.Errorf("find line end %d: %w", k, ErrChanged)
		}
		return at + int64(behind(b, int(k))), nil
	}
}

// behind returns the offset behind the k-th line end of b. Halves are counted
// first, because counting is many times faster than going from end to end.
func behind(b []byte, k int) int {
	off := 0
	for len(b) > 512 {
		half := b[:len(b)/2]
		if c := bytes.Count(half, newline); c < k {
			k -= c
			off += len(half)
			b = b[len(half):]
		} else {
			b = half
		}
	}
	for ; k > 0; k-- {
		n := bytes.IndexByte(b, '\n') + 1
		off += n
		b = b[n:]
	}
	return off
}

var newline = []byte{'\n'}

// readFull fills b from offset at.
func readFull(r io.ReaderAt, b []byte, at int64) ([]byte, error) {
	switch n, err := r.ReadAt(b, at); {
	case n == len(b):
		return b, nil
	case err == nil || errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read at byte %d: %w", at+int64(n), ErrChanged)
	default:
		return nil, err
	}
}
