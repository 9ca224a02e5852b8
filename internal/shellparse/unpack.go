package shellparse

import (
	"path"
	"strings"
)

// dashed gives tar's first word its dash: xfC a.tar dir is -x -f a.tar -C dir.
func dashed(w writer, args []word) []word {
	first := args[0]
	if !first.literal || strings.HasPrefix(first.value, "-") {
		return args
	}
	rest := args[1:]
	var out []word
	for i := range len(first.value) {
		letter := first.value[i : i+1]
		out = append(out, literalWord("-"+letter))
		if _, argument, ok := strings.Cut(w.short, letter); ok && strings.HasPrefix(argument, ":") && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// tarTargets lists the archive that is written, or the folder that one is
// unpacked into: what is in it is not in the text.
func tarTargets(t text, w writer, p parsed, d dirs) {
	if !p.has("x", "extract", "get") {
		t.written(p, "f file", d)
		return
	}
	if p.has("O", "to-stdout", "to-command") {
		return
	}
	into := literalWord(".")
	for _, c := range p.values("C", "directory") { // one is relative to the one before
		if dir, ok := c.path(); ok {
			d = d.enter(dir)
		} else {
			d = dirs{unknown: true}
		}
	}
	t.deepOperation(into, w.op, d)
}

func unzipTargets(t text, w writer, p parsed, d dirs) {
	into := literalWord(".")
	if dirs := p.values("d"); len(dirs) > 0 {
		into = dirs[len(dirs)-1]
	}
	t.deepOperation(into, w.op, d)
}

// rsyncTargets lists the destination, unless it is on another machine.
func rsyncTargets(t text, w writer, p parsed, d dirs) {
	n := len(p.operands) - 1
	if n < 1 {
		return // it lists files
	}
	into := p.operands[n]
	if host, _, ok := strings.Cut(into.value, ":"); ok && into.begins(host+":") && !strings.Contains(host, "/") {
		return
	}
	deletes := p.has("delete", "delete-before", "delete-during", "delete-delay", "delete-after", "delete-excluded")
	if deletes || p.has("R", "relative") {
		t.deepOperation(into, w.op, d)
	}
	for i, s := range p.operands[:n] {
		if strings.HasSuffix(s.value, "/") && s.literal {
			p.operands[i] = literalWord(s.value + ".") // its content, not itself
		}
	}
	destinations(t, w, p, d)
}

// compressTargets lists the files that a compressor puts in place of others.
func compressTargets(t text, w writer, p parsed, d dirs) {
	keeps := p.has("k", "keep") || w.erase != "" && !p.any(w.erase)
	for _, f := range p.operands {
		if p.any(w.deep) {
			t.deepOperation(f, w.op, d)
		}
		name, ok := f.path()
		if !ok {
			t.hiddenFiles = true
			continue
		}
		made := name + w.suffix
		if p.any(w.decode) {
			ext := path.Ext(name)
			made = strings.TrimSuffix(name, ext)
			switch ext {
			case w.suffix, ".Z", ".z", ".lzma":
			case ".tgz", ".taz", ".tbz", ".tbz2", ".txz", ".tlz", ".tzst":
				made += ".tar"
			default: // gzip -d a reads a.gz
				made, name = name, name+w.suffix
				t.hiddenFiles = true
			}
		}
		if !keeps {
			t.pathname(name, opDelete, d)
		}
		t.pathname(made, opWrite, d)
	}
}
