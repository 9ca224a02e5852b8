package lineindex

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// naive finds lines the slow and obvious way.
func naive(content []byte) (starts []int64) {
	for at := 0; at < len(content); {
		starts = append(starts, int64(at))
		n := bytes.IndexByte(content[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return starts
}

func source(content []byte) Source { return Source{ReaderAt: bytes.NewReader(content)} }

func checkStart(t *testing.T, x *Index, content []byte, starts []int64, line int64) {
	t.Helper()
	got, ok, err := x.Start(t.Context(), source(content), line)
	if err != nil {
		t.Fatalf("Start(%d): %v", line, err)
	}
	want, exists := int64(0), line <= int64(len(starts))
	if exists {
		want = starts[line-1]
	}
	if ok != exists || ok && got != want {
		t.Fatalf("Start(%d) of %d bytes = %d, %v; want %d, %v", line, len(content), got, ok, want, exists)
	}
}

func TestStart(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                  "",
		"one line":               "a",
		"one ended line":         "a\n",
		"blank lines":            "\n\n\n",
		"text after the end":     "a\n\nb",
		"a mark on a line end":   strings.Repeat("x", minStride-1) + "\n" + "next\n",
		"a mark before an end":   strings.Repeat("x", minStride) + "\n" + "next\n",
		"a block of line ends":   strings.Repeat("\n", block+1),
		"one long line":          strings.Repeat("x", 3*block),
		"a long line in between": "a\n" + strings.Repeat("x", 2*block) + "\nb\n",
		"exactly a block":        strings.Repeat("1234567\n", block/8),
	} {
		t.Run(name, func(t *testing.T) {
			content := []byte(text)
			starts := naive(content)
			n := int64(len(starts))
			for _, line := range []int64{1, 2, 3, n / 2, n - 1, n, n + 1, n + 2, 1 << 53, 2, 1} {
				if line > 0 {
					checkStart(t, New(int64(len(content))), content, starts, line)
				}
			}
			x := New(int64(len(content)))
			if got, whole, err := x.Count(t.Context(), source(content), 1<<60); got != n || !whole || err != nil {
				t.Errorf("Count = %d, %v, %v; want %d, true", got, whole, err, n)
			}
		})
	}
}

// TestAgainstNaive asks one index for many lines in any order.
func TestAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		content := make([]byte, rng.IntN(3*block))
		every := 1 + rng.IntN(5000)
		for i := range content {
			if content[i] = byte(rng.IntN(256)); content[i] == '\n' || rng.IntN(every) == 0 {
				content[i] = '\n'
			}
		}
		starts := naive(content)
		x := New(int64(len(content)))
		for range 200 {
			checkStart(t, x, content, starts, 1+rng.Int64N(int64(len(starts)+2)))
		}
	}
}

// regular is a file of any size in which every period-th byte is a line end.
type regular struct{ size, period int64 }

func (r regular) ReadAt(b []byte, at int64) (int, error) {
	clear(b)
	for i := (at/r.period+1)*r.period - 1; i < at+int64(len(b)); i += r.period {
		b[i-at] = '\n'
	}
	return len(b), nil
}

// TestMarksAreBounded: beyond 1 GiB the marks get sparser and stay right.
func TestMarksAreBounded(t *testing.T) {
	f := regular{size: 3<<30 + 17, period: 1 << 19}
	x := New(f.size)
	lines, whole, err := x.Count(t.Context(), Source{ReaderAt: f}, f.size)
	if want := f.size/f.period + 1; lines != want || !whole || err != nil {
		t.Fatalf("Count = %d, %v, %v; want %d, true", lines, whole, err, want)
	}
	if len(x.marks) > maxMarks {
		t.Errorf("%d marks, want at most %d", len(x.marks), maxMarks)
	}
	for _, line := range []int64{1, 2, 3, lines / 2, lines - 1, lines} {
		if got, ok, err := x.Start(t.Context(), Source{ReaderAt: f}, line); got != (line-1)*f.period || !ok || err != nil {
			t.Errorf("Start(%d) = %d, %v, %v; want %d", line, got, ok, err, (line-1)*f.period)
		}
	}
}

// counter counts the bytes that are read.
type counter struct {
	regular
	read atomic.Int64
}

func (c *counter) ReadAt(b []byte, at int64) (int, error) {
	c.read.Add(int64(len(b)))
	return c.regular.ReadAt(b, at)
}

// TestReadsOnlyWhatIsNeeded: no further than a few blocks beyond the line, and
// nothing but the line's surroundings a second time.
func TestReadsOnlyWhatIsNeeded(t *testing.T) {
	f := &counter{regular: regular{size: 1 << 30, period: 64}}
	x := New(f.size)
	const line = 1 << 20 // starts at 64 MiB less 64 bytes
	if _, ok, err := x.Start(t.Context(), Source{ReaderAt: f}, line); !ok || err != nil {
		t.Fatalf("Start(%d) = %v, %v", line, ok, err)
	}
	if most := int64(64<<20 + maxTallies*block + minStride); f.read.Load() > most {
		t.Errorf("the first Start(%d) read %d bytes, want at most %d", line, f.read.Load(), most)
	}
	f.read.Store(0)
	if _, _, err := x.Start(t.Context(), Source{ReaderAt: f}, line-5); err != nil {
		t.Fatal(err)
	}
	if f.read.Load() > minStride {
		t.Errorf("the second Start read %d bytes, want at most %d", f.read.Load(), minStride)
	}
}

func TestShrunkFile(t *testing.T) {
	x := New(100)
	if _, _, err := x.Start(t.Context(), source([]byte("a\nb\n")), 50); !errors.Is(err, ErrChanged) {
		t.Errorf("Start on a file shorter than its size: %v, want %v", err, ErrChanged)
	}
	// What was counted before a change is not trusted blindly either.
	long := bytes.Repeat([]byte("line\n"), 100)
	x = New(500)
	if _, _, err := x.Count(t.Context(), source(long), 500); err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Start(t.Context(), source(bytes.Repeat([]byte("x"), 500)), 50); !errors.Is(err, ErrChanged) {
		t.Errorf("Start on other content: %v, want %v", err, ErrChanged)
	}
}

// stalled blocks until it is released, as a dead network disk does.
type stalled struct{ release chan struct{} }

func (s stalled) ReadAt(b []byte, _ int64) (int, error) {
	<-s.release
	clear(b)
	return len(b), nil
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(1 << 20)
		f := stalled{make(chan struct{})}
		first, cancelFirst := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, _, err := x.Start(first, Source{ReaderAt: f}, 10)
			done <- err
		}()
		synctest.Wait()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := x.Start(second, Source{ReaderAt: f}, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that waits for another: %v, want %v", err, context.DeadlineExceeded)
		}
		cancelFirst()
		close(f.release)
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the counting call: %v, want %v", err, context.Canceled)
		}
		if lines, whole, err := x.Count(t.Context(), Source{ReaderAt: f}, 1<<20); lines != 1 || !whole || err != nil {
			t.Errorf("Count after a cancelled one = %d, %v, %v; want 1, true", lines, whole, err)
		}
	})
}

func TestCache(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	old := now.Add(-settle).UnixNano()
	key := Key{Device: 1, Inode: 2, Size: 10, ModTime: old, ChangeTime: old}
	change := func(f func(*Key)) Key {
		k := key
		f(&k)
		return k
	}
	for _, tc := range []struct {
		name string
		next Key
		kept bool
	}{
		{"the same state", key, true},
		{"grown", change(func(k *Key) { k.Size++ }), false},
		{"shrunk", change(func(k *Key) { k.Size-- }), false},
		{"written", change(func(k *Key) { k.ModTime-- }), false},
		{"written, its time set back", change(func(k *Key) { k.ChangeTime-- }), false},
		{"another file", change(func(k *Key) { k.Inode++ }), false},
		{"another disk", change(func(k *Key) { k.Device++ }), false},
	} {
		var c Cache
		first := c.Of(key, now)
		if got := c.Of(tc.next, now) == first; got != tc.kept {
			t.Errorf("%s: the index is used again: %v, want %v", tc.name, got, tc.kept)
		}
	}
	var c Cache
	for name, k := range map[string]Key{
		"modified just now": change(func(k *Key) { k.ModTime++ }),
		"changed just now":  change(func(k *Key) { k.ChangeTime++ }),
		"without a number":  change(func(k *Key) { k.Inode = 0 }),
	} {
		if first := c.Of(k, now); c.Of(k, now) == first {
			t.Errorf("a file %s: its index is used again", name)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	var c Cache
	first := c.Of(Key{Inode: 1}, now)
	for i := range uint64(maxFiles - 1) {
		c.Of(Key{Inode: i + 2}, now)
	}
	if c.Of(Key{Inode: 1}, now) != first {
		t.Errorf("file 1 of %d is forgotten", maxFiles)
	}
	c.Of(Key{Inode: 100}, now)
	if len(c.entries) != maxFiles {
		t.Errorf("%d files are kept, want %d", len(c.entries), maxFiles)
	}
	if c.Of(Key{Inode: 1}, now) != first {
		t.Error("the file asked for last but one is forgotten")
	}
	if i := c.entries[len(c.entries)-1].key.Inode; i != 3 {
		t.Errorf("the oldest file kept is %d, want 3", i)
	}
}

func FuzzStart(f *testing.F) {
	f.Add([]byte("a\nb\n\nc"), uint8(3), uint16(1))
	f.Fuzz(func(t *testing.T, unit []byte, line uint8, times uint16) {
		content := bytes.Repeat(unit, int(times))
		if len(content) > 4*block {
			return
		}
		starts := naive(content)
		x := New(int64(len(content)))
		n := int64(len(starts))
		for _, l := range []int64{int64(line) + 1, n - int64(line), n + 1, n, 1} {
			if l > 0 {
				checkStart(t, x, content, starts, l)
			}
		}
		if got, whole, err := x.Count(t.Context(), source(content), int64(len(content))); got != n || !whole || err != nil {
			t.Fatalf("Count = %d, %v, %v; want %d, true", got, whole, err, n)
		}
	})
}
