package builtins

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// sourceText is text like that of a program: n bytes in lines of their own.
func sourceText(n int) string {
	var b strings.Builder
	b.Grow(n + 100)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "\tif value[%d] != nil { return fmt.Errorf(\"item %d: %%w\", err) }\n", i, i*7)
	}
	return b.String()
}

// floor is what any safe replacement costs: write a new file, sync, rename.
func floor(b *testing.B, path string, content []byte) {
	f, err := os.CreateTemp(b.TempDir(), "floor")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkEdit(b *testing.B) {
	for _, size := range []int{1 << 20, 50 << 20} {
		content := sourceText(size)
		lines := strings.Split(content, "\n")
		name := fmt.Sprintf("%dMiB", size>>20)
		b.Run(name+"/floor", func(b *testing.B) {
			w := newBench(b)
			for b.Loop() {
				floor(b, w.path("f"), []byte(content))
			}
		})
		for _, edits := range []int{1, 20} {
			var there, back []string
			for i := range edits {
				line := lines[(i+1)*len(lines)/(edits+2)]
				other := strings.Replace(line, "value", "other", 1)
				there, back = append(there, line, other), append(back, other, line)
			}
			b.Run(fmt.Sprintf("%s/edits=%d", name, edits), func(b *testing.B) {
				w := newBench(b)
				w.put("f", content)
				for i := 0; b.Loop(); i++ {
					pairs := there
					if i%2 == 1 {
						pairs = back
					}
					if text, res := w.edit("f", pairs...); res.IsError() {
						b.Fatal(text)
					}
				}
			})
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	content := []byte(sourceText(1 << 20))
	lines := bytes.Split(content, []byte("\n"))
	for _, edits := range []int{1, 20} {
		var all []replacement
		for i := range edits {
			all = append(all, replacement{string(lines[(i+1)*len(lines)/(edits+2)]), "x"})
		}
		b.Run(fmt.Sprintf("edits=%d", edits), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if _, err := planEdits(b.Context(), content, all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite1KiB(b *testing.B) {
	w := newBench(b)
	texts := []string{strings.Repeat("a", 1<<10), strings.Repeat("b", 1<<10)}
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			floor(b, w.path("f"), []byte(texts[0]))
		}
	})
	b.Run("write", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if text, res := w.write("g", texts[i%2]); res.IsError() {
				b.Fatal(text)
			}
		}
	})
}

// allocated is how much memory was ever asked for, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
