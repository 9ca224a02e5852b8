package builtins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"
	"unicode/utf8"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/lineindex"
)

const (
	// wholeSize is up to how many bytes a file is read whole. Its hash is then
	// known, and no index of it is worth keeping.
	wholeSize = 256 << 10
	// freeCount is how many bytes behind a page are counted for its total,
	// beside as many as lie before it. So a count at most doubles what the page
	// itself needs, and a page in the middle of a file knows the total.
	freeCount = 32 << 20
	// sniffSize is how much of a file is looked at to tell what it is.
	sniffSize = 8 << 10
)

const changedNotice = "[the file changed while it was read; line numbers may be off]"

// small answers from the whole content.
func (r *reader) small(ctx context.Context, p contract.Path, f *os.File, seen atomicfile.Snapshot, v view) contract.Result {
	content, err := readWhole(f, seen.Size)
	if err != nil {
		return readFailed(ctx, p, err)
	}
	size := int64(len(content))
	if size == 0 {
		r.known.note(p.Real, seen.With(nil))
		return contract.Succeeded("[empty file]")
	}
	if res, ok := r.otherThanText(ctx, p, f, content[:min(size, sniffSize)], seen, size); ok {
		return res
	}
	start, ok := startOfLine(content, v.first)
	total := countLines(content)
	if !ok {
		return pastEnd(v, total)
	}
	r.known.note(p.Real, seen.With(content))
	data := content[start:]
	pg := v.fill(data, true, size)
	if pg.lines == 0 {
		line, _, more := bytes.Cut(data, newline)
		l := longLine{start: int64(start), length: int64(len(line)), last: !more || len(line)+1 == len(data)}
		return contract.Succeeded(v.excerpt(data, l))
	}
	if pg.bytes == len(data) {
		return contract.Succeeded(pg.finish())
	}
	return contract.Succeeded(pg.finish(pageNotice(v.first, v.first+int64(pg.lines)-1, total, true)))
}

// large answers from the page alone, which the file's index finds.
func (r *reader) large(ctx context.Context, c *contract.Call, f *os.File, seen atomicfile.Snapshot, v view) contract.Result {
	p, size := c.Paths[0], seen.Size
	head := make([]byte, sniffSize)
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return readFailed(ctx, p, err)
	}
	if res, ok := r.otherThanText(ctx, p, f, head, seen, size); ok {
		return res
	}
	v.spare = utf8.RuneCountInString(changedNotice) + 1
	index := r.index.Of(keyOf(seen), r.now())
	src := lineindex.Source{ReaderAt: f, Progress: counting(size, c.Report)}
	start, ok, err := index.Start(ctx, src, v.first)
	if err != nil {
		return readFailed(ctx, p, err)
	}
	if !ok {
		total, _, err := index.Count(ctx, src, size)
		if err != nil {
			return readFailed(ctx, p, err)
		}
		return pastEnd(v, total)
	}
	data := make([]byte, min(size-start, int64(utf8.UTFMax*max(v.budget, maxExcerpt)+1)))
	if n, err := f.ReadAt(data, start); n < len(data) {
		return readFailed(ctx, p, errors.Join(err, lineindex.ErrChanged))
	}
	pg := v.fill(data, start+int64(len(data)) == size, size)
	if int64(pg.bytes) == size {
		seen = seen.With(data)
	}
	r.known.note(p.Real, seen)
	var text string
	if pg.lines == 0 {
		text, err = v.longLine(ctx, index, src, data, start, size)
	} else {
		text, err = v.pageOf(ctx, index, src, pg, start, size)
	}
	if err != nil {
		return readFailed(ctx, p, err)
	}
	if now, err := atomicfile.Stat(f); err != nil || keyOf(now) != keyOf(seen) {
		text = page{text: []byte(text)}.finish(changedNotice)
	}
	return contract.Succeeded(text)
}

// pageOf finishes a page of a large file.
func (v view) pageOf(ctx context.Context, index *lineindex.Index, src lineindex.Source, pg page, start, size int64) (string, error) {
	next := start + int64(pg.bytes)
	limit := int64(0) // what is known is enough
	if size-next <= next+freeCount {
		limit = size
	}
	total, whole, err := index.Count(ctx, src, limit)
	if err != nil {
		return "", err
	}
	if next == size {
		return pg.finish(), nil
	}
	last := v.first + int64(pg.lines) - 1
	if !whole {
		total = max(total, last+1) // a page may reach beyond what was counted
	}
	return pg.finish(pageNotice(v.first, last, total, whole)), nil
}

// longLine shows the start of a line of a large file.
func (v view) longLine(ctx context.Context, index *lineindex.Index, src lineindex.Source, data []byte, start, size int64) (string, error) {
	next, more, err := index.Start(ctx, src, v.first+1)
	if err != nil {
		return "", err
	}
	l := longLine{start: start, length: next - start - 1, last: !more}
	if !more {
		l.length = size - start
		end := make([]byte, 1)
		if _, err := src.ReadAt(end, size-1); err != nil {
			return "", errors.Join(err, lineindex.ErrChanged)
		}
		if end[0] == '\n' {
			l.length--
		}
	}
	return v.excerpt(data, l), nil
}

func pastEnd(v view, total int64) contract.Result {
	lines := "lines"
	if total == 1 {
		lines = "line"
	}
	offset := fmt.Sprintf("offset %d", v.first)
	if v.first == math.MaxInt64 { // it may stand for an even larger one
		offset = "the offset"
	}
	return contract.FailedAs(contract.KindInvalidInput, fmt.Sprintf("read %s: %s is past the end: the file has %d %s; use an offset up to %d",
		visibleName(v.path), offset, total, lines, total))
}

// readWhole reads a small file. Files of /proc say that they have no bytes and
// have some, so the size is only what is tried first.
func readWhole(f *os.File, size int64) ([]byte, error) {
	content := make([]byte, 0, max(size, 511)+1)
	for {
		n, err := f.ReadAt(content[len(content):cap(content)], int64(len(content)))
		content = content[:len(content)+n]
		switch {
		case errors.Is(err, io.EOF):
			return content, nil
		case err != nil:
			return nil, err
		case len(content) > wholeSize && size > 0:
			return nil, lineindex.ErrChanged
		case len(content) > wholeSize:
			return nil, fmt.Errorf("it says that it has no bytes and has more than %d; print it with bash", wholeSize)
		}
		content = append(content, 0)[:len(content)] // room for more
	}
}

// startOfLine returns where line n starts.
func startOfLine(content []byte, n int64) (int, bool) {
	at := 0
	for ; n > 1; n-- {
		i := bytes.IndexByte(content[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	return at, at < len(content)
}

// countLines counts as lineindex does: text behind the last line end is a line.
func countLines(content []byte) int64 {
	n := bytes.Count(content, newline)
	if content[len(content)-1] != '\n' {
		n++
	}
	return int64(n)
}

var newline = []byte{'\n'}

func keyOf(s atomicfile.Snapshot) lineindex.Key {
	return lineindex.Key{Device: s.Device, Inode: s.Inode, Size: s.Size, ModTime: s.ModTime, ChangeTime: s.ChangeTime}
}

// counting reports a count that goes on for more than a second, once a second.
func counting(size int64, report func(contract.Progress)) func(done int64) {
	last := time.Now()
	return func(done int64) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		report(contract.Progress{Done: float64(done), Total: float64(size), Message: "counting lines"})
	}
}
