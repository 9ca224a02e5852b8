package shellparse

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command of the text.
func (t text) call(c *syntax.CallExpr, in input, d dirs) outcome {
	words := t.words(c.Args)
	bare := len(c.Assigns) == 0
	o := stay(d)
	if len(words) > 0 {
		o = t.run(words, in, d)
	}
	for _, a := range c.Assigns {
		t.assign(a, d)
	}
	for _, w := range c.Args {
		t.expansions(w, d)
	}
	if !bare {
		o.fail = o.fail.union(d)
	}
	return o
}

// run lists the program that words name and looks at what it runs and writes.
func (t text) run(words []word, in input, d dirs) outcome {
	if words[0].isMore() {
		t.hide()
		return stay(d)
	}
	name, fixed := t.list(words)
	if !fixed || t.full {
		return stay(d)
	}
	args := words[1:]
	if strings.HasPrefix(name, "-") && len(args) > 0 {
		t.hide() // time -- COMMAND, which the parser does not know
		return t.run(args, in, d)
	}
	slash := strings.Contains(words[0].value, "/")
	if slash {
		t.runFile(words[0], d)
	} else if o, ok := t.builtin(name, args, in, d); ok {
		return o
	}
	if s, ok := shells[name]; ok {
		t.shell(s, args, in, d)
	} else if w, ok := wrapperOf(name, args); ok {
		return t.wrap(w, args, in, d)
	} else if i, ok := interpreters[unversioned(name)]; ok {
		t.interpreter(i, args, d)
	} else if w, ok := writers[name]; ok {
		t.write(w, args, d)
	} else if name == "find" {
		t.find(args, d)
	} else if name == "git" {
		t.git(args, d)
	}
	return stay(d)
}

// list adds the entry of one simple command and reports its name, and whether
// the text fixes that.
func (t text) list(words []word) (string, bool) {
	name, fixed := words[0].path()
	if !fixed {
		name = words[0].written
	}
	name = base(name)
	var command strings.Builder
	command.WriteString(name)
	first := -1 // bytes that are fixed, when not all are
	if !fixed {
		t.hide()
		first = 0
	}
	for _, w := range words[1:] {
		if command.Len() > maxCommand {
			break
		}
		if w.isMore() {
			if first < 0 {
				first = command.Len()
			}
			break
		}
		command.WriteByte(' ')
		if !w.literal && first < 0 {
			first = command.Len() + w.fixed
		}
		command.WriteString(w.written)
	}
	exact := first < 0
	if exact {
		first = command.Len()
	}
	t.program(name, command.String(), first, exact)
	return name, fixed
}

// base is the name behind the last slash, or all of a name that ends in one.
func base(name string) string {
	if strings.HasSuffix(name, "/") {
		return name
	}
	return path.Base("/" + name)
}

// joined is the shell text that words make, as eval and ssh join them.
func joined(words []word) (string, bool) {
	fixed := true
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.value
		fixed = fixed && w.literal
	}
	return strings.Join(parts, " "), fixed
}

// inner reads shell text that is an argument. When the text does not fix it,
// what shows is listed all the same.
func (t text) inner(words []word, d dirs) outcome {
	src, fixed := joined(words)
	if !fixed {
		t.hide()
	}
	return t.nested(src, d)
}

// stdin reads what a shell without a script reads.
func (t text) stdin(in input, d dirs) {
	if !in.given {
		t.hide()
	}
	for _, s := range in.texts {
		t.nested(s, d)
	}
	for _, f := range in.files {
		t.runFile(f, d)
	}
}

// builtin reads the commands that a shell runs itself. It reports false for a
// name that is looked up further.
func (t text) builtin(name string, args []word, in input, d dirs) (outcome, bool) {
	switch name {
	case "cd":
		return t.cd(args, d), true
	case "pushd", "popd":
		t.moves++
		return outcome{dirs{unknown: true}, d}, true
	case "exit":
		if len(args) < 2 && !t.shadowed && !anySplit(args) {
			return outcome{}, true
		}
	case "return":
		if len(args) < 2 && !t.shadowed && t.inFunc && !anySplit(args) {
			return outcome{}, true
		}
	case "eval":
		return t.inner(operands(args), d), true
	case "command", "builtin":
		if len(args) > 0 && !args[0].begins("-") && args[0].literal {
			return t.run(args, in, d), true
		}
	case ".", "source":
		t.dot(operands(args), in, d)
	case "trap":
		t.trap(operands(args), d)
	case "alias":
		for _, a := range args {
			_, value, ok := strings.Cut(a.value, "=")
			if ok || !a.literal {
				t.later(func() { t.inner([]word{{value: value, literal: a.literal}}, d) })
			}
			if ok && strings.HasPrefix(a.value, "cd=") {
				t.shadowed = true
			}
		}
	case "jobs":
		if len(args) > 1 && args[0].begins("-x") {
			t.run(args[1:], in, d)
		}
	case "hash", "enable", "compgen", "complete", "mapfile", "readarray", "bind":
		t.callback(args)
	case "test", "[", "let", "printf", "unset", "read", "declare", "typeset", "local", "export", "readonly", "wait":
		for _, a := range args {
			if indexed(a.value) && (a.literal || name == "let") {
				t.hide()
			}
		}
		return stay(d), true
	default:
		return outcome{}, false
	}
	return stay(d), name != "command" && name != "builtin"
}

// callback hides what the options of some builtins run: hash -p and enable -f
// give a name another program, -C runs its value, bind -x too.
func (t text) callback(args []word) {
	for _, a := range args {
		if !a.literal || strings.HasPrefix(a.value, "-") && strings.ContainsAny(a.value, "pfCFx") {
			t.hide()
		}
	}
}

func anySplit(words []word) bool {
	for _, w := range words {
		if w.split {
			return true
		}
	}
	return false
}

// operands are the words behind a leading --.
func operands(args []word) []word {
	if len(args) > 0 && args[0].literal && args[0].value == "--" {
		return args[1:]
	}
	return args
}

func (t text) cd(args []word, d dirs) outcome {
	t.moves++
	lost := outcome{dirs{unknown: true}, d}
	for len(args) > 0 && args[0].literal && len(args[0].value) > 1 && args[0].value[0] == '-' {
		end := args[0].value == "--"
		args = args[1:]
		if end {
			break
		}
	}
	if t.shadowed || len(args) > 1 {
		lost.ok = lost.ok.union(d)
		return lost
	}
	target := t.home
	if len(args) == 1 {
		p, ok := args[0].path()
		if !ok || p == "-" || t.cdpath && !strings.HasPrefix(p, "/") {
			return lost
		}
		if target = p; p == "" {
			return stay(d)
		}
	}
	if target == "" {
		return lost
	}
	return outcome{d.enter(target), d}
}

// dot reads what . and source run.
func (t text) dot(args []word, in input, d dirs) {
	if len(args) == 0 {
		return
	}
	if f := args[0]; f.literal && standardInput(f.value) {
		t.stdin(in, d)
	} else {
		if f.process || f.split {
			t.hide()
		}
		t.runFile(f, d)
	}
}

// standardInput reports whether a script's path may name an open descriptor.
func standardInput(p string) bool {
	p = path.Clean(p)
	return p == "/dev/stdin" || p == "-" || strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/proc/")
}

func (t text) trap(args []word, d dirs) {
	if len(args) < 2 && !anySplit(args) || args[0].literal && (args[0].value == "-" || args[0].value == "-p") {
		return
	}
	t.later(func() { t.inner(args[:1], d) })
}

// unversioned is python for python3.12.
func unversioned(name string) string {
	return strings.TrimRight(name, "0123456789.")
}
