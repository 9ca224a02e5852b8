package shellparse

import (
	"path"
	"slices"
	"strings"
)

// A writer is a program that changes the files it names, as data. Options are
// named blank separated; * stands for always.
type writer struct {
	grammar
	op    string // what it does to its operands
	list  func(t text, w writer, p parsed, d dirs)
	mode  string // options that make the operands plain targets
	idle  string // options with which it changes nothing
	out   string // options whose value is a file that it writes
	runs  string // options whose value is shell text
	vague string // options with which it writes files that its words do not name
	hides bool   // it always does

	deep       string // options with which it writes below its target
	soft, hard string // options with which it makes symbolic or hard links
	decode     string // options with which a compressor takes suffix off
	erase      string // options with which it removes its operands; empty when keep does not
	suffix     string // of compressed files
	old        bool   // its first word may be options without a dash
}

// write reads the command line of a writer.
func (t text) write(w writer, args []word, d dirs) {
	if w.old && len(args) > 0 {
		args = dashed(w, args)
	}
	p := w.parse(args)
	for _, v := range p.values(strings.Fields(w.runs)...) {
		t.runs(v, d)
	}
	if p.any(w.idle) && p.sure {
		return
	}
	if !p.sure || w.hides || p.any(w.vague) {
		t.hiddenFiles = true
	}
	t.written(p, w.out, d)
	if w.list != nil {
		w.list(t, w, p, d)
	}
}

// written lists the files that are values of options; - is the output.
func (t text) written(p parsed, options string, d dirs) {
	for _, v := range p.values(strings.Fields(options)...) {
		if v.value != "-" {
			t.operation(v, opWrite, d)
		}
	}
}

// runs reads the value of an option that names a program.
func (t text) runs(v word, d dirs) {
	if strings.HasPrefix(v.value, "ssh") && v.literal && !strings.Contains(strings.ToLower(v.value), "command") {
		return // rsync puts a host behind it
	}
	if v.begins("exec=") { // tar's --checkpoint-action
		v = v.after(len("exec="))
	}
	t.posix = true
	t.inner([]word{v}, d)
}

// base is the name that a file has in a folder that it is put into. It is ""
// when the text does not fix it, and "." for the content of a folder.
func (w word) base() string {
	name, fixed := w.path()
	if !fixed || path.Base(path.Clean(name)) == ".." {
		return ""
	}
	return path.Base(name) // of t/. that is the dot
}

// targets lists every operand.
func targets(t text, w writer, p parsed, d dirs) {
	for _, f := range p.operands {
		t.operation(f, w.op, d)
	}
	// rmdir -p removes the parents that are named, too.
	if w.op == opDelete && p.has("p", "parents") {
		for _, f := range p.operands {
			if len(f.value) > maxPath {
				continue // told already
			}
			for dir := path.Dir(f.value); f.literal && dir != "." && dir != "/"; dir = path.Dir(dir) {
				t.pathname(dir, w.op, d)
			}
		}
	}
}

func ddTarget(t text, w writer, p parsed, d dirs) {
	for _, a := range p.operands {
		switch {
		case a.begins("of="):
			t.operation(a.after(len("of=")), w.op, d)
		case !a.literal && (a.split || !strings.Contains(a.value[:a.fixed], "=")):
			t.hiddenFiles = true
		}
	}
}

func sedTargets(t text, w writer, p parsed, d dirs) {
	files := p.operands
	if !p.has("e", "expression", "f", "file") && len(files) > 0 {
		files = files[1:]
	}
	t.inPlace(p.values("i", "in-place"), files, d)
}

// inPlace lists the files that sed -i and perl -i change, if that is given.
func (t text) inPlace(suffixes, files []word, d dirs) {
	if len(suffixes) == 0 {
		return
	}
	suffix := suffixes[len(suffixes)-1]
	if !suffix.literal && suffix.value != "" || strings.ContainsAny(suffix.value, "*/") {
		t.hiddenFiles = true // the backup's name is made out of both
	}
	for _, f := range files {
		t.operation(f, opWrite, d)
		if f.literal && suffix.value != "" {
			t.pathname(f.value+suffix.value, opWrite, d)
		}
	}
}

// destinations lists where cp, mv, ln and install put files. Whether the
// destination is a folder is not known, so both readings are listed.
func destinations(t text, w writer, p parsed, d dirs) {
	if p.has("b", "backup", "S", "suffix") {
		t.hiddenFiles = true // backups have names of their own
	}
	sources := p.operands
	if p.any(w.mode) {
		for _, s := range sources {
			t.operation(s, w.op, d)
		}
		return
	}
	var into word
	folder := true // into is known to be one
	if dirs := p.values("t", "target-directory"); len(dirs) > 0 {
		into = dirs[len(dirs)-1]
	} else if n := len(sources) - 1; n > 0 {
		into, sources = sources[n], sources[:n]
		folder = n > 1 || path.Base(into.value) == "." || path.Base(into.value) == ".."
	} else {
		into = literalWord(".") // ln target makes a link here
	}
	t.sources(w, p, sources, d)
	exact := p.has("T", "no-target-directory")
	dir, ok := into.path()
	folder = folder || ok && dir == t.home
	switch {
	case !ok:
		t.hiddenFiles = true
	case len(sources) == 0 || into.value == "." && len(p.operands) == 1:
	case exact || !folder:
		w.put(t, p, sources[0], dir, d)
	case p.any(w.deep) && slices.ContainsFunc(sources, spreads):
		t.folder(dir, w.op, d)
	default:
		t.pathname(dir, w.op, d)
	}
	if exact {
		return
	}
	for _, s := range sources {
		name, base := s.value, s.base()
		switch {
		case base == "" || !ok:
			t.hiddenFiles = true
		case p.has("parents"):
			w.put(t, p, s, dir+"/"+path.Clean(name), d)
		case base != ".":
			w.put(t, p, s, dir+"/"+base, d)
		}
	}
}

// spreads reports whether a source that is copied with what is in it may put
// that into the destination itself.
func spreads(source word) bool { return source.base() == "." || source.base() == "" }

// sources lists what happens to the sources of cp, mv, ln and install.
func (t text) sources(w writer, p parsed, sources []word, d dirs) {
	for _, s := range sources {
		switch {
		case w.op == opRenameTo:
			t.operation(s, opRenameFrom, d)
			if p.has("exchange") {
				t.operation(s, opRenameTo, d)
			}
		case p.any(w.soft) || !p.any(w.hard):
		case p.any(w.deep):
			t.deepOperation(s, opWrite, d)
		default:
			t.operation(s, opWrite, d)
		}
	}
}

// put lists the name under which a source is put somewhere.
func (w writer) put(t text, p parsed, source word, name string, d dirs) {
	switch {
	case p.any(w.soft):
		to, fixed := source.path()
		if !fixed || p.has("r", "relative") {
			to = "" // ln -r writes the link for the working folder
		}
		t.places(name, d, func(abs string) { t.link(abs, to) })
	case p.any(w.deep):
		t.folder(name, w.op, d)
	default:
		t.pathname(name, w.op, d)
	}
}
