package shellparse

import (
	"slices"
	"strings"
)

// grammar is how a program reads its options.
type grammar struct {
	// short is a getopt string: a letter with : behind it takes an argument,
	// with :: only an attached one.
	short string
	// long has the long options, blank separated; name= takes an argument,
	// name=? only behind =. A leading part of a name stands for it.
	long string
	// permute says that options may stand behind operands.
	permute bool
}

// option is one option that was given. Name is a letter or a long name.
type option struct {
	name  string
	value word
}

// parsed is a command line taken apart.
type parsed struct {
	options  []option
	operands []word
	// sure is false when a word may be an option or an operand, or an option
	// is not in the grammar and may take the next word.
	sure bool
}

func (p parsed) has(names ...string) bool {
	return slices.ContainsFunc(p.options, func(o option) bool { return slices.Contains(names, o.name) })
}

// any reports whether one of the blank-separated options is given; * is always.
func (p parsed) any(names string) bool {
	list := strings.Fields(names)
	return slices.Contains(list, "*") || p.has(list...)
}

func (p parsed) values(names ...string) []word {
	var out []word
	for _, o := range p.options {
		if slices.Contains(names, o.name) {
			out = append(out, o.value)
		}
	}
	return out
}

// parse takes the words of a command line apart.
func (g grammar) parse(args []word) parsed {
	p := parsed{sure: true}
	for len(args) > 0 {
		w := args[0]
		dash := strings.HasPrefix(w.value, "-") && (w.literal || w.fixed > 0)
		switch {
		case w.literal && w.value == "--":
			p.operands = append(p.operands, args[1:]...)
			return p
		case !dash || w.value == "-":
			if !w.literal && !w.isPath() && (w.split || !w.begins(firstByte(w.value))) {
				p.sure = false
			}
			if !g.permute {
				p.operands = append(p.operands, args...)
				return p
			}
			p.operands = append(p.operands, w)
			args = args[1:]
		case strings.HasPrefix(w.value, "--"):
			args = g.parseLong(&p, w, args[1:])
		default:
			args = g.parseShort(&p, w, args[1:])
		}
	}
	return p
}

func firstByte(s string) string {
	if s == "" {
		return "-"
	}
	return s[:1]
}

func (g grammar) parseLong(p *parsed, w word, rest []word) []word {
	name, _, given := strings.Cut(w.value[2:], "=")
	if w.split || !w.begins("--"+name) || !w.literal && !given {
		p.sure = false
	}
	full, argument := g.lookLong(name)
	if full == "" {
		p.sure = false
		full = name
	}
	o := option{name: full}
	switch {
	case given:
		o.value = w.after(len("--" + name + "="))
	case argument && len(rest) > 0:
		o.value, rest = p.argument(rest)
	}
	p.options = append(p.options, o)
	return rest
}

// argument takes the word behind an option.
func (p *parsed) argument(rest []word) (word, []word) {
	if rest[0].split {
		p.sure = false
	}
	return rest[0], rest[1:]
}

func (g grammar) lookLong(name string) (full string, argument bool) {
	for _, l := range strings.Fields(g.long) {
		l, optional := strings.CutSuffix(l, "=?")
		known, arg := strings.CutSuffix(l, "=")
		if known == name {
			return known, arg && !optional
		}
		if strings.HasPrefix(known, name) {
			if full != "" && arg != argument {
				return "", false
			}
			full, argument = known, arg
		}
	}
	return full, argument
}

func (g grammar) parseShort(p *parsed, w word, rest []word) []word {
	for i := 1; i < len(w.value); i++ {
		letter := w.value[i : i+1]
		if w.split || !w.literal && i >= w.fixed {
			p.sure = false
		}
		k := strings.Index(g.short, letter)
		if k < 0 || letter == ":" {
			p.sure = false
			p.options = append(p.options, option{name: letter})
			continue
		}
		spec := g.short[k+1:]
		if !strings.HasPrefix(spec, ":") {
			p.options = append(p.options, option{name: letter})
			continue
		}
		o := option{name: letter}
		if i+1 < len(w.value) {
			o.value = w.after(i + 1)
		} else if !strings.HasPrefix(spec, "::") && len(rest) > 0 {
			o.value, rest = p.argument(rest)
		}
		p.options = append(p.options, o)
		return rest
	}
	return rest
}
