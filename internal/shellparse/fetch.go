package shellparse

import (
	"path"
	"strings"
)

// remoteName lists the file that a download is saved as.
func (t text) remoteName(url word, folder, index string, d dirs) {
	if !url.literal || strings.ContainsAny(url.value, "{[") {
		t.hiddenFiles = true
		return
	}
	name, _, _ := strings.Cut(url.value, "#")
	if _, rest, ok := strings.Cut(name, "://"); ok {
		name = rest
	}
	_, file, _ := strings.Cut(name, "/")
	if file = file[strings.LastIndex(file, "/")+1:]; file == "" {
		file = index
	}
	t.pathname(folder+file, opWrite, d)
	if plain, _, ok := strings.Cut(file, "?"); ok {
		t.pathname(folder+plain, opWrite, d)
	}
}

// folderOption is the folder that an option names, with a slash behind it.
func (t text) folderOption(p parsed, names ...string) (string, bool) {
	values := p.values(names...)
	if len(values) == 0 {
		return "", true
	}
	dir, ok := values[len(values)-1].path()
	return dir + "/", ok
}

func curlTargets(t text, w writer, p parsed, d dirs) {
	folder, ok := t.folderOption(p, "output-dir")
	outputs := p.values("o", "output")
	for _, o := range outputs {
		switch name, fixed := o.path(); {
		case !ok || !fixed || strings.Contains(name, "#"): // #1 is a part of the URL
			t.hiddenFiles = true
		case name == "-":
		case path.IsAbs(name):
			t.pathname(name, w.op, d)
		default:
			t.pathname(folder+name, w.op, d)
		}
	}
	for _, f := range p.values("w", "write-out") {
		if !f.literal || strings.Contains(f.value, "output{") {
			t.hiddenFiles = true
		}
	}
	if p.has("O", "remote-name", "remote-name-all") {
		t.hiddenFiles = t.hiddenFiles || !ok
		for _, url := range append(p.operands, p.values("url")...) {
			t.remoteName(url, folder, "curl_response", d)
		}
	}
}

func wgetTargets(t text, w writer, p parsed, d dirs) {
	if p.has("O", "output-document") {
		return
	}
	folder, ok := t.folderOption(p, "P", "directory-prefix")
	switch {
	case !ok:
		t.hiddenFiles = true
	case p.any(w.deep):
		t.folder("./"+folder, w.op, d)
	default:
		for _, url := range p.operands {
			t.remoteName(url, folder, "index.html", d)
		}
	}
}

// splitTargets lists the prefix of the names; the names are hidden.
func splitTargets(t text, w writer, p parsed, d dirs) {
	if len(p.operands) > 1 {
		t.operation(p.operands[1], w.op, d)
	}
}

// opensslTargets lists what stands behind the options of openssl's commands,
// which are words of their own.
func opensslTargets(t text, w writer, p parsed, d dirs) {
	for i, o := range p.operands {
		switch {
		case !o.literal:
			t.hiddenFiles = t.hiddenFiles || o.split
		case i+1 == len(p.operands):
		case o.value == "-out", o.value == "-keyout", o.value == "-writerand", o.value == "-sigfile":
			t.operation(p.operands[i+1], w.op, d)
		}
	}
}

// keygenTargets lists a key and its public part; without -f the file is the
// home folder's.
func keygenTargets(t text, w writer, p parsed, d dirs) {
	files := p.values("f")
	if len(files) == 0 {
		t.hiddenFiles = true
	}
	for _, f := range files {
		t.operation(f, w.op, d)
		if name, ok := f.path(); ok {
			t.pathname(name+".pub", w.op, d)
			if p.has("R", "H") {
				t.pathname(name+".old", w.op, d)
			}
		}
	}
}
