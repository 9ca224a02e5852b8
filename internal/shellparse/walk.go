package shellparse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// place says whose files a text's paths name.
type place int

const (
	here      place = iota
	otherRoot       // chroot: the same names may be any file
	remote          // ssh: not ours
)

// text is one shell text under way: the command itself or one within it.
type text struct {
	*walker
	src    string
	home   string // "" when unknown
	posix  bool   // read by sh, which may be any of several shells
	place  place
	depth  int  // texts around this one
	inFunc bool // return ends it
}

// nested reads shell text that runs where t runs, starting in d.
func (t text) nested(src string, d dirs) outcome {
	t.depth++
	t.parsed += len(src)
	switch {
	case t.depth > maxTexts, len(src) > maxText, t.parsed > maxParsed, openers(src) > maxOpeners:
		t.hide()
		return stay(d)
	case strings.Contains(src, "\r"), strings.Contains(src, "\x00"), !utf8.ValidString(src):
		t.hide() // shells and the parser differ on these
	}
	variant := syntax.LangBash
	if t.posix {
		variant = syntax.LangPOSIX
	}
	t.src = src
	stmts, err := parse(src, variant)
	if err != nil && t.posix {
		t.hide() // what sh makes of it depends on which shell it is
		stmts, err = parse(src, syntax.LangBash)
	}
	o := t.stmts(stmts, d)
	if err != nil {
		t.hide() // what stands before the fault has run by then
	}
	return o
}

// parse returns the statements before the first fault, and the fault. The
// parser's own panic is a fault like any other: the text cannot be read.
func parse(src string, v syntax.LangVariant) (stmts []*syntax.Stmt, fault error) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Errorf("parse shell text: %v", r)
		}
	}()
	for s, err := range syntax.NewParser(syntax.Variant(v)).StmtsSeq(strings.NewReader(src)) {
		switch { // no break: the parser goes on after some faults, and panics if not heard
		case fault != nil:
		case err != nil:
			fault = err
		default:
			stmts = append(stmts, s)
		}
	}
	return stmts, fault
}

func openers(src string) int {
	n := 0
	for i := range len(src) {
		switch src[i] {
		case '(', '[', '{', '`':
			n++
		}
	}
	return n
}

// later reads a text that runs at another time: a function's body, a trap, an
// alias. Where the shell is by then is known only if it never moves.
func (t text) later(read func()) {
	relative := t.relative
	read()
	if t.relative > relative {
		t.deferred = true
	}
}

func (t text) stmts(list []*syntax.Stmt, d dirs) outcome {
	o := stay(d)
	for _, s := range list {
		o = t.stmt(s, d)
		if next := o.either(); next.reached() {
			d = next
		}
	}
	return o
}

func (t text) stmt(s *syntax.Stmt, d dirs) outcome {
	if t.full {
		return stay(d)
	}
	in := t.redirects(s.Redirs, d)
	o := t.command(s.Cmd, in, d)
	if len(s.Redirs) > 0 {
		o.fail = o.fail.union(d) // a redirect that fails keeps the command from running
	}
	switch {
	case s.Background, s.Coprocess:
		return stay(d)
	case s.Negated:
		return outcome{o.fail, o.ok}
	}
	return o
}

func (t text) command(c syntax.Command, in input, d dirs) outcome {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return t.call(c, in, d)
	case *syntax.Block:
		return t.stmts(c.Stmts, d)
	case *syntax.Subshell:
		t.stmts(c.Stmts, d)
	case *syntax.BinaryCmd:
		return t.binary(c, d)
	case *syntax.IfClause:
		return t.ifClause(c, d)
	case *syntax.WhileClause:
		return t.loop(d, func() { t.stmts(c.Do, t.stmts(c.Cond, d).either()) })
	case *syntax.ForClause:
		t.expansions(c.Loop, d)
		return t.loop(d, func() { t.stmts(c.Do, d) })
	case *syntax.CaseClause:
		return t.caseClause(c, d)
	case *syntax.FuncDecl:
		return t.function(c, d)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return t.stmt(c.Stmt, d)
		}
	case *syntax.CoprocClause:
		t.stmt(c.Stmt, d)
	case *syntax.DeclClause:
		t.declaration(c, d)
	case *syntax.LetClause:
		t.let(c, d)
	case *syntax.ArithmCmd:
		t.expansions(c.X, d)
		t.arithmetic(c.X)
		t.singleQuotes(c.X)
	case *syntax.TestClause:
		t.expansions(c.X, d)
		t.arithmetic(c.X)
	case nil:
	default:
		t.hide()
	}
	return stay(d)
}

func (t text) binary(c *syntax.BinaryCmd, d dirs) outcome {
	switch c.Op {
	case syntax.AndStmt:
		x := t.stmt(c.X, d)
		y := t.branch(c.Y, x.ok, d)
		return outcome{y.ok, x.fail.union(y.fail)}
	case syntax.OrStmt:
		x := t.stmt(c.X, d)
		y := t.branch(c.Y, x.fail, d)
		return outcome{x.ok.union(y.ok), y.fail}
	default: // pipes: every side has its own shell
		t.stmt(c.X, d)
		t.stmt(c.Y, d)
		return stay(d)
	}
}

// branch reads a statement that is reached from d only; what d makes
// unreachable is read from otherwise, to be sure.
func (t text) branch(s *syntax.Stmt, d, otherwise dirs) outcome {
	if !d.reached() {
		d = otherwise
	}
	return t.stmt(s, d)
}

func (t text) ifClause(c *syntax.IfClause, d dirs) outcome {
	if len(c.Cond) == 0 { // else
		return t.stmts(c.Then, d)
	}
	cond := t.stmts(c.Cond, d)
	then := t.stmts(c.Then, orElse(cond.ok, d))
	if c.Else == nil {
		return outcome{then.ok.union(cond.fail), then.fail}
	}
	other := t.ifClause(c.Else, orElse(cond.fail, d))
	return outcome{then.ok.union(other.ok), then.fail.union(other.fail)}
}

func orElse(d, otherwise dirs) dirs {
	if d.reached() {
		return d
	}
	return otherwise
}

// loop reads a loop once. A loop that moves starts its later rounds elsewhere.
func (t text) loop(d dirs, round func()) outcome {
	moves, relative := t.moves, t.relative
	round()
	if t.moves > moves {
		if t.relative > relative {
			t.hiddenFiles = true
		}
		d.unknown = true
	}
	return stay(d)
}

func (t text) caseClause(c *syntax.CaseClause, d dirs) outcome {
	t.expansions(c.Word, d)
	o := stay(d)
	moves := t.moves
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			t.expansions(p, d)
		}
		from := d
		from.unknown = d.unknown || t.moves > moves // an item may fall through to the next
		end := t.stmts(item.Stmts, from)
		o = outcome{o.ok.union(end.ok), o.fail.union(end.fail)}
	}
	return o
}

func (t text) function(c *syntax.FuncDecl, d dirs) outcome {
	if c.Name != nil {
		switch c.Name.Value {
		case "cd", "exit", "return", "builtin", "command":
			t.shadowed = true
		}
	}
	moves := t.moves
	t.inFunc = true
	t.later(func() { t.stmt(c.Body, d) })
	if t.moves > moves {
		d.unknown = true // a call of it moves the shell
	}
	return stay(d)
}

func (t text) declaration(c *syntax.DeclClause, d dirs) {
	words := []word{literalWord(c.Variant.Value)}
	for _, a := range c.Args {
		words = append(words, t.assignment(a)...)
	}
	t.run(words, input{}, d)
	for _, a := range c.Args {
		t.assign(a, d)
	}
}

func (t text) let(c *syntax.LetClause, d dirs) {
	words := []word{literalWord("let")}
	for _, x := range c.Exprs {
		s := t.source(x)
		words = append(words, word{value: s, written: s})
	}
	t.run(words, input{}, d)
	for _, x := range c.Exprs {
		t.expansions(x, d)
		t.arithmetic(x)
	}
}
