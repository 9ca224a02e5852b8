package shellparse

import (
	"path"
	"slices"
)

// maxDirs bounds the folders that a shell may be in at one point of its text.
const maxDirs = 4

// dirs is where a shell may be at one point of its text. The zero value says
// that the point is not reached.
type dirs struct {
	known   []string // absolute, cleaned; never changed in place
	unknown bool     // some other folder as well
}

func (d dirs) reached() bool { return d.unknown || len(d.known) > 0 }

func (d dirs) union(e dirs) dirs {
	u := dirs{known: d.known, unknown: d.unknown || e.unknown}
	for _, k := range e.known {
		if slices.Contains(u.known, k) {
			continue
		}
		if len(u.known) == maxDirs {
			u.unknown = true
			break
		}
		u.known = append(slices.Clip(u.known), k)
	}
	return u
}

// enter is d after a cd to the literal folder p.
func (d dirs) enter(p string) dirs {
	if path.IsAbs(p) {
		return dirs{known: []string{path.Clean(p)}}
	}
	u := dirs{unknown: d.unknown}
	for _, k := range d.known {
		u = u.union(dirs{known: []string{path.Join(k, p)}})
	}
	return u
}

// outcome is where a shell may be after a command, by its exit status.
type outcome struct{ ok, fail dirs }

func (o outcome) either() dirs { return o.ok.union(o.fail) }

// stay is the outcome of a command that leaves the working folder alone.
func stay(d dirs) outcome { return outcome{d, d} }

// operation lists a word as a path under an operation, for every folder it may
// be relative to.
func (t text) operation(w word, op string, d dirs) {
	t.fixedPath(w, func(p string) { t.pathname(p, op, d) })
}

// deepOperation is operation for anything below the path, too.
func (t text) deepOperation(w word, op string, d dirs) {
	t.fixedPath(w, func(p string) { t.folder(p, op, d) })
}

func (t text) fixedPath(w word, list func(p string)) {
	p, ok := w.path()
	switch {
	case t.place == remote:
	case !ok:
		t.hiddenFiles = true
	default:
		list(p)
	}
}

// pathname lists a path that the text fixes.
func (t text) pathname(p, op string, d dirs) {
	t.places(p, d, func(abs string) { t.file(abs, op) })
}

// folder lists a path that the text fixes for anything below it.
func (t text) folder(p, op string, d dirs) {
	t.places(p, d, func(abs string) { t.tree(abs, op) })
}

// places calls list for every file that a path may be.
func (t text) places(p string, d dirs, list func(abs string)) {
	switch {
	case p == "" || t.place == remote:
		return
	case t.place == otherRoot:
		t.hiddenFiles = true
		return
	}
	t.resolve(p, d, func(abs string) {
		if !deviceFile(abs) {
			list(abs)
		}
	}, &t.hiddenFiles)
}

// runFile lists a file that is run by name.
func (t text) runFile(w word, d dirs) {
	p, ok := w.path()
	switch {
	case t.place == remote:
		return
	case !ok || t.place == otherRoot:
		t.hiddenScripts = true
		return
	case p == "":
		return
	}
	t.resolve(p, d, t.script, &t.hiddenScripts)
}

func (t text) resolve(p string, d dirs, list func(string), unknown *bool) {
	if path.IsAbs(p) {
		list(path.Clean(p))
		return
	}
	t.relative++
	if d.unknown {
		*unknown = true
	}
	for _, k := range d.known {
		list(path.Join(k, p))
	}
}

// deviceFile reports whether writing to the path changes no file.
func deviceFile(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return path.Dir(p) == "/dev/fd"
}
