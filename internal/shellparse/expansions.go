package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expansions reads the commands that stand within a node: substitutions at
// any depth of quotes, parameters, arithmetic and patterns.
func (t text) expansions(n syntax.Node, d dirs) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if t.full {
			return false
		}
		switch n := n.(type) {
		case *syntax.CmdSubst:
			t.stmts(n.Stmts, d)
			return false
		case *syntax.ProcSubst:
			t.stmts(n.Stmts, d)
			return false
		case *syntax.ParamExp:
			t.parameter(n)
		case *syntax.ExtGlob:
			// The parser keeps the pattern as it is; without extglob, !(a)
			// runs a.
			if n.Op == syntax.GlobExcept || strings.ContainsAny(n.Pattern.Value, "$`<>") {
				t.hide()
			}
		case *syntax.ArithmExp:
			t.arithmetic(n.X)
			t.singleQuotes(n)
		}
		return true
	})
}

// singleQuotes looks for substitutions in single quotes within ${…} and
// arithmetic. Inside double quotes those quotes are plain characters.
func (t text) singleQuotes(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.SglQuoted:
			if substitutes(n.Value) {
				t.hide()
			}
		}
		return true
	})
}

func substitutes(s string) bool {
	return strings.Contains(s, "$(") || strings.Contains(s, "${") || strings.Contains(s, "`")
}

// parameter looks for expansions that run the text of a value.
func (t text) parameter(p *syntax.ParamExp) {
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && p.Exp.Word.Lit() == "P" {
		t.hide() // ${x@P} expands the value as a prompt
	}
	if p.Index != nil {
		t.arithmetic(p.Index)
	}
	t.singleQuotes(p)
}

// arithmetic looks for quoted text that a shell would evaluate as a number:
// the index in 'a[$(id)]' is expanded, and id is run.
func (t text) arithmetic(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Word:
			if w := t.word(n); indexed(t.flat(n)) || indexed(w.value) && w.literal {
				t.hide()
			}
		}
		return true
	})
}

// flat is the quoted literal text of a word.
func (t text) flat(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if q, ok := p.(*syntax.SglQuoted); ok {
			b.WriteString(q.Value)
		}
	}
	return b.String()
}

// indexed reports whether s, evaluated as a number, may run a command.
func indexed(s string) bool {
	_, index, ok := strings.Cut(s, "[")
	return ok && substitutes(index)
}

// assign reads the value of one assignment.
func (t text) assign(a *syntax.Assign, d dirs) {
	t.expansions(a, d)
	if a.Name == nil || a.Value == nil {
		return
	}
	t.variable(a.Name.Value, t.word(a.Value), d)
}

// commandVariables hold shell text that other programs run.
const commandVariables = " GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF" +
	" GIT_ASKPASS EDITOR VISUAL PAGER PROMPT_COMMAND "

// variable looks at a variable whose value runs something.
func (t text) variable(name string, value word, d dirs) {
	switch {
	case name == "PS4", name == "BASH_ENV", name == "ENV":
		if !value.literal || strings.ContainsAny(value.value, "$`") {
			t.hide()
		} else if name != "PS4" && value.value != "" {
			t.runFile(value, d)
		}
	case strings.HasPrefix(name, "BASH_FUNC_"):
		t.hide()
	case strings.Contains(commandVariables, " "+name+" "):
		if value.literal {
			t.later(func() { t.nested(value.value, d) })
		} else {
			t.hide()
		}
	case value.literal && indexed(value.value):
		t.hide()
	}
}
