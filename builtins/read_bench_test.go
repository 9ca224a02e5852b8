package builtins

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"raw/contract"
	"raw/internal/atomicfile"
)

func openForTest(t testing.TB, path string) (*os.File, atomicfile.Snapshot) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := atomicfile.Stat(f)
	if err != nil {
		t.Fatal(err)
	}
	return f, s
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KiB", 1 << 10}, {"100KiB", 100 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			rt := newReadTest(b, 200_000)
			rt.file("f", strings.Repeat(strings.Repeat("x", 63)+"\n", size.bytes/64))
			request := contract.Request{Name: "read", Arguments: []byte(`{"path":"f"}`)}
			b.SetBytes(int64(size.bytes))
			b.ReportAllocs()
			for b.Loop() {
				if r := rt.session.Call(b.Context(), request); r.IsError() {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkReadLarge compares the first page in the middle of 200 MiB, and the
// same again, with a bare count of the file's line ends.
func BenchmarkReadLarge(b *testing.B) {
	rt := newReadTest(b, 30_000)
	path := rt.file("f", "")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	piece := []byte(strings.Repeat(strings.Repeat("x", 63)+"\n", 1<<14))
	const size = 200 << 20
	for range size / len(piece) {
		if _, err := f.Write(piece); err != nil {
			b.Fatal(err)
		}
	}
	const middle = size / 64 / 2
	b.Run("count", func(b *testing.B) {
		b.SetBytes(size)
		buf := make([]byte, 256<<10)
		for b.Loop() {
			f, _ := openForTest(b, path)
			for {
				n, err := f.Read(buf)
				if bytes.Count(buf[:n], newline) < 0 || errors.Is(err, io.EOF) {
					break
				}
			}
			f.Close()
		}
	})
	b.Run("first", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			b.StopTimer()
			fresh := readTestIn(b, rt.dir, 30_000)
			fresh.read("/none", 0, 0) // compiles the schemas
			b.StartTimer()
			if r := fresh.read(path, middle, 200); r.IsError() {
				b.Fatal(r)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			if r := rt.read(path, middle, 200); r.IsError() {
				b.Fatal(r)
			}
		}
	})
}
