package shellparse

import "strings"

// A wrapper is a program that runs another program, as data.
type wrapper struct {
	grammar
	skip    int    // operands before the command
	again   bool   // options may follow the skipped operands and the assignments
	login   bool   // the operands behind the skipped ones are a shell's
	assigns bool   // NAME=value may stand before the command
	joined  bool   // the operands are one shell text
	shell   string // options with which it runs a shell when there is no command; * for always
	builtin bool   // the command may be one of the shell's own
	input   bool   // further words come from its input
	unsure  bool   // it runs more than its words show
	text    string // options whose value is shell text
	idle    string // options with which it runs nothing
	chdir   string // options whose value is the command's folder
	split   string // options whose value is taken apart into words
	marker  string // options whose value is replaced by input; {} when empty
	out     string // options whose value is a file that it writes
	hook    string // options whose value may name a command to run here
	log     string // a file that it writes when no operand names another
	place   place
	noHome  bool // the command may have another HOME
}

// wrapperOf is the row of a name. runuser without -u is su,
// and setarch may begin with its options.
func wrapperOf(name string, args []word) (wrapper, bool) {
	w, ok := wrappers[name]
	switch {
	case name == "runuser" && !w.parse(args).has("u", "user"):
		w = wrappers["su"]
	case name == "setarch" && len(args) > 0 && args[0].begins("-"):
		w.skip = 0
	}
	return w, ok
}

// wrap reads the command of a wrapper.
func (t text) wrap(w wrapper, args []word, in input, d dirs) outcome {
	p := w.parse(args)
	var rest []word
	if !p.has(strings.Fields(w.split)...) {
		rest = w.command(t, &p, d)
	}
	if !p.sure || w.unsure {
		t.hide()
	}
	for _, v := range p.values(strings.Fields(w.hook)...) {
		if strings.Contains(strings.ToLower(v.value), "command") || !v.literal {
			t.hide()
		}
	}
	t.written(p, w.out, d)
	if w.log != "" {
		t.operation(append(p.operands, literalWord(w.log))[0], opWrite, d)
	}
	if p.has(strings.Fields(w.idle)...) {
		return stay(d)
	}
	from := d
	for _, v := range p.values(strings.Fields(w.chdir)...) {
		if dir, ok := v.path(); ok {
			from = from.enter(dir)
		} else {
			from = dirs{unknown: true}
		}
	}
	child := t
	child.place = max(t.place, w.place)
	if w.noHome {
		child.home = ""
	}
	if s := p.values(strings.Fields(w.split)...); len(s) > 0 {
		return child.splitString(w, append(s, p.operands...), in, from)
	}
	if s := p.values(strings.Fields(w.text)...); len(s) > 0 {
		child.posix = true
		for _, v := range s {
			child.inner([]word{v}, from)
		}
		return stay(d)
	}
	switch {
	case len(rest) == 0 && (w.shell == "*" || p.has(strings.Fields(w.shell)...)):
		child.posix = true
		child.stdin(in, from)
	case len(rest) == 0 && w.input:
		child.run([]word{literalWord("echo"), more()}, input{}, from)
	case len(rest) == 0:
	case w.text != "" && w.skip > 0 && len(rest) == 2 && rest[0].value == "-c": // flock FILE -c TEXT
		child.posix = true
		child.inner(rest[1:], from)
	case w.login:
		child.shell(shellKind{posix: true}, rest, in, from)
	case w.joined:
		child.posix = true
		child.inner(rest, from)
	default:
		o := child.run(w.open(p, rest), in, from)
		if w.builtin {
			return o
		}
	}
	return stay(d)
}

// command is what is left of the operands when those before the command are
// taken off. It adds the options that stand among them to p.
func (w wrapper) command(t text, p *parsed, d dirs) []word {
	rest := p.operands
	if len(rest) > 0 && rest[0].literal && rest[0].value == "-" { // env - and su -
		rest = rest[1:]
	}
	for i := 0; i < w.skip && len(rest) > 0; i++ {
		if rest[0].split {
			t.hide()
		}
		rest = rest[1:]
	}
	for len(rest) > 0 {
		if w.again && rest[0].begins("-") {
			q := w.parse(rest)
			p.options = append(p.options, q.options...)
			p.sure = p.sure && q.sure
			rest = q.operands
			if len(rest) == 0 || rest[0].begins("-") {
				break
			}
			continue
		}
		if !w.assigns {
			break
		}
		name, _, ok := strings.Cut(rest[0].value, "=")
		if !ok {
			break
		}
		if !rest[0].begins(name+"=") || rest[0].split {
			t.hide()
		}
		t.variable(name, rest[0].after(len(name)+1), d)
		rest = rest[1:]
	}
	return rest
}

// open adds to a command what a wrapper with input puts into it.
func (w wrapper) open(p parsed, rest []word) []word {
	if !w.input {
		return rest
	}
	markers := p.values(strings.Fields(w.marker)...)
	if len(markers) == 0 {
		return append(rest[:len(rest):len(rest)], more())
	}
	marker := markers[len(markers)-1].value
	if marker == "" {
		marker = "{}"
	}
	out := make([]word, len(rest))
	for i, r := range rest {
		out[i] = r.computedIn(marker)
	}
	if p.has("n", "max-args", "L", "l", "max-lines") { // the last of these and -I wins
		out = append(out, more())
	}
	return out
}

// splitString reads env -S: its value is taken apart into options and words.
func (t text) splitString(w wrapper, words []word, in input, d dirs) outcome {
	t.depth++
	first := words[0]
	if t.depth > maxTexts || !first.literal || strings.ContainsAny(first.value, "\\\"'$#") {
		t.hide()
	}
	if t.depth > maxTexts {
		return stay(d)
	}
	var args []word
	for _, f := range strings.Fields(first.value) {
		args = append(args, literalWord(f))
	}
	return t.wrap(w, append(args, words[1:]...), in, d)
}

// A shellKind is how a shell's text is read.
type shellKind struct {
	posix   bool // it may lack what bash adds
	foreign bool // it has another language, so its text hides programs
}

// shell reads the command line of a shell.
func (t text) shell(k shellKind, args []word, in input, d dirs) {
	t.posix = k.posix
	command, fromInput := false, false
options:
	for len(args) > 0 {
		w := args[0]
		switch {
		case !w.literal:
			if !w.isPath() {
				t.hide()
			}
			break options
		case w.value == "--" || w.value == "-":
			args = args[1:]
			break options
		case strings.HasPrefix(w.value, "--"):
			args = args[1:]
			if (w.value == "--rcfile" || w.value == "--init-file") && len(args) > 0 {
				t.runFile(args[0], d)
				args = args[1:]
			}
		case len(w.value) > 1 && strings.Contains("-+", w.value[:1]):
			args = args[1:]
			command = command || strings.Contains(w.value, "c")
			fromInput = fromInput || strings.Contains(w.value, "s")
			for range strings.Count(strings.ToLower(w.value), "o") {
				if len(args) > 0 {
					if args[0].split {
						t.hide()
					}
					args = args[1:]
				}
			}
		default:
			break options
		}
	}
	switch {
	case command && len(args) > 0:
		if k.foreign {
			t.hide()
		}
		t.inFunc = false
		t.inner(args[:1], d)
	case command:
	case fromInput || len(args) == 0:
		if k.foreign {
			t.hide()
		}
		t.stdin(in, d)
	default:
		t.dot(args[:1], in, d)
	}
}

// find reads the expression of find.
func (t text) find(args []word, d dirs) {
	leading := true // folders, before the expression
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		if w.literal && strings.HasPrefix(w.value, "-") && w.value != "-H" && w.value != "-L" && w.value != "-P" {
			leading = false
		}
		if !w.literal {
			// "$dir" may hold an option, but as a folder it is too common
			// to ask about every time.
			if w.split || !leading && !w.isPath() {
				t.hide()
			}
			continue
		}
		switch w.value {
		case "-exec", "-ok", "-execdir", "-okdir":
			n := endOfExec(args)
			from := d
			if strings.HasSuffix(w.value, "dir") {
				from = dirs{unknown: true}
			}
			command := make([]word, n)
			for i, a := range args[:n] {
				command[i] = a.computedIn("{}")
				if strings.HasPrefix(a.value, "-exec") || strings.HasPrefix(a.value, "-ok") {
					t.hide() // a computed word before it may have ended the command
				}
			}
			if n > 0 {
				t.run(command, input{}, from)
			}
			args = args[n:]
		case "-delete":
			t.hiddenFiles = true
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if len(args) > 0 {
				t.operation(args[0], opWrite, d)
			}
		case "-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-newer", "-type", "-size", "-mtime",
			"-mmin", "-atime", "-ctime", "-maxdepth", "-mindepth", "-user", "-group", "-perm", "-printf":
			if len(args) > 0 && !args[0].split {
				args = args[1:]
			}
		}
	}
}

// endOfExec is how many words the command of -exec has.
func endOfExec(args []word) int {
	for i, a := range args {
		if a.value == ";" || a.value == "+" && i > 0 && args[i-1].value == "{}" {
			return i
		}
	}
	return len(args)
}

// An interpreter runs a script file that is its first operand.
type interpreter struct {
	grammar
	code   string // options that give the program otherwise
	edits  string // options with which it changes the files it is given
	script string // options whose value is a script file
	only   bool   // the first operand is no script file
}

func (t text) interpreter(i interpreter, args []word, d dirs) {
	p := i.parse(args)
	if !p.sure {
		t.hiddenScripts = true
		t.hiddenFiles = t.hiddenFiles || p.has(strings.Fields(i.edits)...)
	}
	scripts := p.values(strings.Fields(i.script)...)
	for _, s := range scripts {
		t.runFile(s, d)
	}
	files := p.operands
	if len(scripts) == 0 && len(files) > 0 && !p.has(strings.Fields(i.code)...) {
		files = files[1:]
	}
	t.inPlace(p.values(strings.Fields(i.edits)...), files, d)
	if len(scripts) > 0 || i.only || len(p.operands) == 0 || p.has(strings.Fields(i.code)...) {
		return
	}
	if f := p.operands[0]; !f.literal || !standardInput(f.value) {
		t.runFile(f, d)
	}
}
