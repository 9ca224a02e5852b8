package shellparse

import (
	"path"
	"strings"
)

// A writer is a program that changes the files it names.
type writer struct {
	grammar
	op   string // what it does to its operands
	list func(t text, w writer, args []word, d dirs)
	mode string // options that make the operands plain targets
}

// writers by base name. The table is data and never changes.
var writers = map[string]writer{
	"tee":      {grammar: grammar{short: "aip", long: "append ignore-interrupts output-error=?", permute: true}, op: opWrite, list: targets},
	"sponge":   {grammar: grammar{short: "a", permute: true}, op: opWrite, list: targets},
	"truncate": {grammar: grammar{short: "cor:s:", long: "no-create io-blocks reference= size=", permute: true}, op: opWrite, list: targets},
	"touch": {
		grammar: grammar{short: "acd:fhmr:t:", long: "no-create date= no-dereference reference= time=", permute: true},
		op:      opWrite, list: targets,
	},
	"mkdir":  {grammar: grammar{short: "m:pvZ", long: "mode= parents verbose context=?", permute: true}, op: opWrite, list: targets},
	"mkfifo": {grammar: grammar{short: "m:Z", long: "mode=", permute: true}, op: opWrite, list: targets},
	"rmdir":  {grammar: grammar{short: "pv", long: "parents verbose ignore-fail-on-non-empty", permute: true}, op: opDelete, list: targets},
	"rm": {
		grammar: grammar{
			short: "dfiIrRv", permute: true,
			long: "dir force interactive=? recursive verbose one-file-system no-preserve-root preserve-root=?",
		},
		op: opDelete, list: targets,
	},
	"unlink": {op: opDelete, list: targets},
	"shred": {
		grammar: grammar{short: "fn:s:uvxz", long: "force iterations= random-source= size= remove=? verbose exact zero", permute: true},
		op:      opWrite, list: targets,
	},
	"dd": {op: opWrite, list: ddTarget},
	"sed": {
		grammar: grammar{
			short: "bnre:f:El:i::suz", permute: true,
			long: "quiet silent expression= file= regexp-extended line-length= in-place=? separate unbuffered " +
				"null-data posix debug sandbox follow-symlinks binary",
		},
		op: opWrite, list: sedTargets,
	},
	"cp": {
		grammar: grammar{
			short: "abdfHiLlnPprRsS:t:TuvxZ", permute: true,
			long: "archive attributes-only backup=? copy-contents debug dereference force interactive keep-directory-symlink " +
				"link no-clobber no-dereference no-preserve= no-target-directory one-file-system parents preserve=? " +
				"recursive reflink=? remove-destination sparse= strip-trailing-slashes suffix= symbolic-link " +
				"target-directory= update=? verbose context=?",
		},
		op: opWrite, list: destinations,
	},
	"mv": {
		grammar: grammar{
			short: "bfinS:t:TuvZ", permute: true,
			long: "backup=? debug exchange force interactive no-clobber no-copy no-target-directory " +
				"strip-trailing-slashes suffix= target-directory= update=? verbose context",
		},
		op: opRenameTo, list: destinations,
	},
	"ln": {
		grammar: grammar{
			short: "bdFfiLnPrsS:t:Tv", permute: true,
			long: "backup=? directory force interactive logical no-dereference no-target-directory physical " +
				"relative suffix= symbolic target-directory= verbose",
		},
		op: opWrite, list: destinations,
	},
	"install": {
		grammar: grammar{
			short: "bcCdDg:m:o:pS:sTt:vZ", permute: true,
			long: "backup=? compare debug directory group= mode= owner= preserve-timestamps strip strip-program= " +
				"suffix= target-directory= no-target-directory verbose preserve-context context=?",
		},
		op: opWrite, list: destinations, mode: "d directory",
	},
}

// targets lists every operand.
func targets(t text, w writer, args []word, d dirs) {
	p := w.parse(args)
	if !p.sure {
		t.hiddenFiles = true
	}
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

func ddTarget(t text, w writer, args []word, d dirs) {
	for _, a := range args {
		switch {
		case a.begins("of="):
			t.operation(a.after(len("of=")), w.op, d)
		case !a.literal && (a.split || !strings.Contains(a.value[:a.fixed], "=")):
			t.hiddenFiles = true
		}
	}
}

func sedTargets(t text, w writer, args []word, d dirs) {
	p := w.parse(args)
	if !p.sure {
		t.hiddenFiles = true
	}
	suffixes := p.values("i", "in-place")
	if len(suffixes) == 0 {
		return
	}
	files := p.operands
	if !p.has("e", "expression", "f", "file") && len(files) > 0 {
		files = files[1:]
	}
	suffix := suffixes[len(suffixes)-1]
	if !suffix.literal && suffix.value != "" || strings.ContainsAny(suffix.value, "*/") {
		t.hiddenFiles = true // sed makes the backup's name out of both
	}
	for _, f := range files {
		t.operation(f, w.op, d)
		if f.literal && suffix.value != "" {
			t.pathname(f.value+suffix.value, w.op, d)
		}
	}
}

// destinations lists where cp, mv, ln and install put files. Whether the
// destination is a folder is not known, so both readings are listed.
func destinations(t text, w writer, args []word, d dirs) {
	p := w.parse(args)
	if !p.sure || p.has("b", "backup", "S", "suffix") {
		t.hiddenFiles = true // backups have names of their own
	}
	sources := p.operands
	if p.has(strings.Fields(w.mode)...) {
		for _, s := range sources {
			t.operation(s, w.op, d)
		}
		return
	}
	var into word
	if dirs := p.values("t", "target-directory"); len(dirs) > 0 {
		into = dirs[len(dirs)-1]
	} else if len(sources) > 1 {
		into = sources[len(sources)-1]
		sources = sources[:len(sources)-1]
	} else {
		into = literalWord(".") // ln target makes a link here
	}
	if w.op == opRenameTo {
		for _, s := range sources {
			t.operation(s, opRenameFrom, d)
			if p.has("exchange") {
				t.operation(s, opRenameTo, d)
			}
		}
	}
	if len(p.operands) > 1 || len(sources) > 0 && into.value != "." {
		t.operation(into, w.op, d)
	}
	if p.has("T", "no-target-directory") {
		return
	}
	folder, ok := into.path()
	for _, s := range sources {
		name, fixed := s.path()
		name = path.Clean(name)
		switch {
		case !fixed || !ok || path.Base(name) == "..":
			t.hiddenFiles = true
		case p.has("parents"):
			t.pathname(folder+"/"+name, w.op, d)
		case name != ".":
			t.pathname(folder+"/"+path.Base(name), w.op, d)
		}
	}
}
