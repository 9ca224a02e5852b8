// Package walk visits the files below a folder with several workers at once. It
// goes where a glob could match, leaves out what gitignore files and dots
// exclude, counts what it left out, and follows no link.
//
// Every folder is opened by its name in the open folder above it, through
// os.Root: whatever happens to the tree meanwhile, nothing outside the top is
// opened. The package prints and decides nothing about what it finds.
package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"

	"raw/internal/ignore"
	"raw/internal/pathglob"
)

// readAtOnce is how many entries of a folder are read between two looks at the
// context.
const readAtOnce = 1024

// maxWorkers bounds the workers of one walk; more do not help a disk.
const maxWorkers = 8

// Options say where a walk goes. Pattern and Visit are needed.
type Options struct {
	// Pattern is what the visited paths match. One that asks for folders
	// visits nothing else.
	Pattern *pathglob.Pattern
	// Ignored visits what gitignore files exclude, and the folders .git,
	// node_modules and target, which are else left out too.
	Ignored bool
	// Prefix is the path of the top from the folder to which the paths of Rules
	// are relative; "" when it is that one. Rules hold above the top.
	Prefix string
	Rules  *ignore.Stack
	// Closed are paths from the top of folders that are not entered and not
	// counted.
	Closed []string
	// Batch is how many entries are visited between two looks at the context,
	// when visiting one takes long. Zero means all of a folder.
	Batch int
	// Visit gets each entry that matches, in no order and from several
	// goroutines at once. Worker is below Workers(), and different for visits
	// that overlap.
	Visit func(worker int, e Entry)
	// Seen, when not nil, counts the entries that were looked at, as they are.
	Seen *atomic.Int64
}

// Workers is how many workers a walk has.
func Workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// Entry is a file, link or folder that was found.
type Entry struct {
	// Path is relative to the top, with slashes, in the bytes of the disk.
	Path string
	// Type is the type alone, without permissions.
	Type fs.FileMode
	name string
	in   *dir
}

// Open opens a regular file while it is visited. It does not block on what took
// the file's place; its type is for the caller to check.
func (e Entry) Open() (*os.File, error) {
	root, err := e.in.handle()
	if err != nil {
		return nil, err
	}
	return root.OpenFile(e.name, openFile, 0)
}

// Skipped is what a walk left out although the pattern could have matched it or
// something in it. A folder counts once, whatever it holds.
type Skipped struct {
	Ignored    Tally // by gitignore files, or .git, node_modules, target
	Hidden     Tally // by the dot that its name begins with
	Unreadable Tally // folders that could not be read
	Links      Tally // links that may lead to folders
	// Folders are folders that the pattern matches, which does not ask for them.
	Folders Tally
}

func (s *Skipped) add(o *Skipped) {
	s.Ignored.Join(o.Ignored)
	s.Hidden.Join(o.Hidden)
	s.Unreadable.Join(o.Unreadable)
	s.Links.Join(o.Links)
	s.Folders.Join(o.Folders)
}

// Walk visits everything below top. Its error is that of the context, or that
// of a top that cannot be read. What it returns beside an error is what was
// skipped until then.
func Walk(ctx context.Context, top *os.Root, o Options) (Skipped, error) {
	n := Workers()
	w := &walker{
		Options: o,
		queue:   newQueue(),
		skipped: make([]Skipped, n),
		closed:  map[string]bool{},
	}
	for _, path := range o.Closed {
		w.closed[join(o.Prefix, path)] = true
	}
	first := &dir{root: top, path: o.Prefix, state: o.Pattern.Start(), rules: o.Rules}
	first.once.Do(func() {})
	first.refs.Store(1)
	w.queue.push(task{dir: first})
	w.queue.run(ctx, n, w.do)
	var all Skipped
	for i := range w.skipped {
		all.add(&w.skipped[i])
	}
	if ctx.Err() != nil {
		return all, context.Cause(ctx)
	}
	return all, w.topError
}

type walker struct {
	Options
	queue    *queue
	skipped  []Skipped // of each worker
	closed   map[string]bool
	topError error // written by the one worker that reads the top
}

// do does one task.
func (w *walker) do(ctx context.Context, worker int, t task) {
	defer t.dir.release()
	if t.visit != nil {
		for _, e := range t.visit {
			w.Visit(worker, e)
		}
		return
	}
	err := w.folder(ctx, worker, t.dir)
	switch {
	case err == nil || ctx.Err() != nil:
	case t.dir.up == nil:
		w.topError = err
	case !errors.Is(err, fs.ErrNotExist):
		w.skipped[worker].Unreadable.Add(w.below(t.dir.path))
	}
}

// below is a path from the top.
func (w *walker) below(path string) string {
	if w.Prefix == "" {
		return path
	}
	return path[min(len(path), len(w.Prefix)+1):]
}

// folder reads a folder and judges its entries.
func (w *walker) folder(ctx context.Context, worker int, d *dir) error {
	entries, err := d.read(ctx)
	if err != nil {
		return err
	}
	if w.Seen != nil {
		w.Seen.Add(int64(len(entries)))
	}
	if !w.Ignored {
		d.loadRules(entries)
	}
	var visit []Entry
	var deeper []task
	for _, e := range entries {
		name, path := e.Name(), join(d.path, e.Name())
		found := Entry{Path: w.below(path), Type: e.Type(), name: name, in: d}
		step, fresh := w.judge(&w.skipped[worker], d, found, path)
		if step.Match && e.IsDir() == w.Pattern.Folders() {
			visit = append(visit, found)
		} else if step.Match && e.IsDir() {
			w.skipped[worker].Folders.Add(found.Path)
		}
		if e.IsDir() && step.Next != (pathglob.State{}) && !w.closed[path] {
			child := &dir{up: d, name: name, path: path, state: step.Next, rules: d.rules}
			if fresh {
				child.rules = nil
			}
			child.refs.Store(1)
			d.refs.Add(1)
			deeper = append(deeper, task{dir: child})
		}
	}
	if w.Batch == 0 {
		for _, e := range visit {
			w.Visit(worker, e)
		}
		visit = nil
	}
	for len(visit) > 0 {
		n := min(w.Batch, len(visit))
		d.refs.Add(1)
		deeper = append(deeper, task{dir: d, visit: visit[:n:n]})
		visit = visit[n:]
	}
	if len(deeper) > 0 {
		d.leave()
	}
	w.queue.push(deeper...)
	return nil
}

// alwaysIgnored are folders that only a pattern that names them enters.
func alwaysIgnored(name string) bool {
	return name == ".git" || name == "node_modules" || name == "target"
}

// judge is what the pattern makes of an entry after the rules had their say.
// With fresh the rules that hold here do not hold in the entry, as it was named
// although they exclude it.
func (w *walker) judge(s *Skipped, d *dir, e Entry, path string) (step pathglob.Step, fresh bool) {
	step = w.Pattern.Step(d.state, e.name)
	folder := e.Type.IsDir()
	if folder && step.DottedFolder || !folder && step.Dotted && !w.Pattern.Folders() {
		s.Hidden.Add(e.Path)
	}
	wanted := step.Match && !w.Pattern.Folders()
	if folder {
		wanted = step.Match || step.Next != (pathglob.State{})
	}
	switch {
	case !wanted && e.Type&fs.ModeSymlink != 0 && step.Next != (pathglob.State{}) && e.mayLead():
		s.Links.Add(e.Path)
		return pathglob.Step{}, false
	case folder && step.Next == (pathglob.State{}) && !w.Pattern.Folders(): // nothing in it is looked for
		return step, false
	case !wanted:
		return pathglob.Step{}, false
	case w.Ignored:
		return step, false
	case folder && alwaysIgnored(e.name) && !step.Named:
		s.Ignored.Add(e.Path)
		return pathglob.Step{}, false
	case !d.rules.Ignores(path, folder):
		return step, step.Exact && folder && d.rules.Covers(path)
	case step.Exact:
		return step, true
	}
	s.Ignored.Add(e.Path)
	return pathglob.Step{}, false
}

// mayLead reports whether a link may lead to a folder. Where it leaves the
// folder that it is in, nobody looks.
func (e Entry) mayLead() bool {
	root, err := e.in.handle()
	if err != nil {
		return true
	}
	info, err := root.Stat(e.name)
	return err == nil && info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist)
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// read reads the entries of a folder.
func (d *dir) read(ctx context.Context) ([]fs.DirEntry, error) {
	in, name := d, "."
	if d.up != nil {
		in, name = d.up, d.name
	}
	root, err := in.handle()
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, openFolder, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := listed(f)
	if err != nil {
		return nil, err
	}
	if list != f {
		defer list.Close()
	}
	var all []fs.DirEntry
	for {
		entries, err := list.ReadDir(readAtOnce)
		all = append(all, entries...)
		if errors.Is(err, io.EOF) || err == nil && len(entries) == 0 {
			return all, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
}
