package builtins

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"raw/internal/grepengine"
	"raw/internal/walk"
)

// grepRun is one search: what its workers found.
type grepRun struct {
	in      grepInput
	pattern *grepengine.Pattern
	workers []grepPart
	single  bool          // one file was named
	read    *atomic.Int64 // counts the bytes of it, when it is not nil
	mayRead func(path string) bool
}

// grepPart is what one worker found.
type grepPart struct {
	searcher *grepengine.Searcher
	files    []fileMatches
	bound    string // no file behind it is shown any more; empty: none is known
	totals   grepTotals
	_        [64]byte // workers write to their own cache lines
}

// fileMatches is a file with matches. Lines are empty when it is not shown.
type fileMatches struct {
	path  string
	count int64
	lines []grepengine.Line
}

// grepTotals counts what was searched and what not.
type grepTotals struct {
	searched, matching int // files
	matches            int64
	where              *spread // matching lines, or files in mode files

	binary, special, links, unreadable, tooLong, denied walk.Tally
}

func newGrepRun(in grepInput, p *grepengine.Pattern) *grepRun {
	if in.Mode == "" {
		in.Mode = modeLines
	}
	g := &grepRun{in: in, pattern: p, workers: make([]grepPart, walk.Workers())}
	for i := range g.workers {
		g.workers[i].searcher = grepengine.NewSearcher(p)
		g.workers[i].totals.where = newSpread()
	}
	return g
}

// visit searches a file that a walk found.
func (g *grepRun) visit(ctx context.Context, worker int, e walk.Entry) {
	w := &g.workers[worker]
	switch {
	case e.Type&fs.ModeSymlink != 0:
		w.totals.links.Add(e.Path)
		return
	case !e.Type.IsRegular():
		w.totals.special.Add(e.Path)
		return
	}
	if !g.mayRead(e.Path) {
		w.totals.denied.Add(e.Path)
		return
	}
	f, err := e.Open()
	if err == nil {
		err = g.file(ctx, w, e.Path, f)
		f.Close()
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		w.totals.unreadable.Add(e.Path)
	}
}

// file searches an open file.
func (g *grepRun) file(ctx context.Context, w *grepPart, path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		w.totals.special.Add(path)
		return nil
	}
	want := grepengine.Want{First: g.in.Mode == modeFiles}
	if g.in.Mode == modeLines && (w.bound == "" || path <= w.bound) {
		want.Max, want.Context, want.Width = maxGrepLines, g.in.Context, maxLineShown
	}
	var r io.Reader = f
	if g.read != nil {
		r = countedReader{f, g.read}
	}
	found, err := w.searcher.Search(ctx, r, info.Size(), want)
	if found.Binary {
		w.totals.binary.Add(path)
		return nil
	}
	if found.TooLong {
		w.totals.tooLong.Add(path)
	}
	w.totals.searched++
	if found.Matches > 0 {
		w.totals.matching++
		w.totals.matches += found.Matches
		w.totals.where.add(path, int(found.Matches))
		w.files = append(w.files, fileMatches{path, found.Matches, found.Lines})
		if len(w.files) >= 4*maxPaths || len(w.files)%64 == 0 && g.in.Mode == modeLines {
			g.prune(w)
		}
	}
	return err
}

// countedReader counts what is read.
type countedReader struct {
	io.Reader
	n *atomic.Int64
}

// Read implements io.Reader.
func (r countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}

func byFile(a, b fileMatches) int { return strings.Compare(a.path, b.path) }

// prune forgets the files that come too late to be shown.
func (g *grepRun) prune(w *grepPart) {
	slices.SortFunc(w.files, byFile)
	n := g.shownFiles(w.files)
	if n < len(w.files) && g.in.Mode == modeLines {
		w.bound = w.files[n-1].path
	}
	clear(w.files[n:])
	w.files = w.files[:n]
}

// shownFiles is how many of the files, which are sorted, can be shown.
func (g *grepRun) shownFiles(files []fileMatches) int {
	if g.in.Mode != modeLines {
		return min(len(files), maxPaths)
	}
	lines := 0
	for i, f := range files {
		if lines += len(f.lines); lines >= maxGrepLines {
			return i + 1
		}
	}
	return len(files)
}

// merged is what all workers found.
func (g *grepRun) merged() ([]fileMatches, grepTotals) {
	var files []fileMatches
	all := grepTotals{where: newSpread()}
	for i := range g.workers {
		w := &g.workers[i]
		files = append(files, w.files...)
		t := &w.totals
		all.searched += t.searched
		all.matching += t.matching
		all.matches += t.matches
		all.where.join(t.where)
		all.binary.Join(t.binary)
		all.special.Join(t.special)
		all.links.Join(t.links)
		all.unreadable.Join(t.unreadable)
		all.tooLong.Join(t.tooLong)
		all.denied.Join(t.denied)
	}
	slices.SortFunc(files, byFile)
	return files[:g.shownFiles(files)], all
}
