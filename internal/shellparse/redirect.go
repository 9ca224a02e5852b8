package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// input is what a command reads from its standard input, as far as the
// command's own redirects say. The zero value says nothing.
type input struct {
	given bool
	texts []string // here-documents and here-strings that the text fixes
	files []word   // files read as input
}

// redirects lists the targets of redirects and reads what is in them.
func (t text) redirects(list []*syntax.Redirect, d dirs) input {
	in := input{given: true}
	stdin := false
	for _, r := range list {
		t.expansions(r.Word, d)
		fd0 := r.N == nil || r.N.Value == "0"
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			body, literal := t.heredoc(r, d)
			in.given = in.given && (literal || !fd0)
			in.texts = append(in.texts, body)
			stdin = stdin || fd0
		case syntax.WordHdoc:
			w := t.word(r.Word)
			in.given = in.given && (w.literal || !fd0)
			in.texts = append(in.texts, w.value)
			stdin = stdin || fd0
		case syntax.DplIn:
			in.given = in.given && !fd0
		default:
			w := t.word(r.Word)
			if unquotedBrace(r.Word) { // it may expand
				w = word{value: w.value, written: w.written, split: true}
			}
			t.redirect(r.Op, w, d)
			if r.Op == syntax.RdrIn && fd0 {
				in.given = in.given && !w.process
				in.files = append(in.files, w)
				stdin = true
			}
		}
	}
	in.given = in.given && stdin
	return in
}

func unquotedBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

// heredoc is a here-document's body and whether it is fixed.
func (t text) heredoc(r *syntax.Redirect, d dirs) (string, bool) {
	if r.Hdoc == nil {
		return "", true
	}
	t.expansions(r.Hdoc, d)
	body, literal := t.document(r.Hdoc)
	if !quoted(r.Word) {
		body = unescape(body, "$`\\")
	}
	if r.Op == syntax.DashHdoc {
		lines := strings.SplitAfter(body, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimLeft(l, "\t")
		}
		body = strings.Join(lines, "")
	}
	return body, literal
}

// quoted reports whether a here-document's end word has quotes: then its body
// is taken as it is.
func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

func (t text) redirect(op syntax.RedirOperator, w word, d dirs) {
	switch op {
	case syntax.RdrIn:
		t.operation(w, opRead, d)
	case syntax.RdrInOut:
		t.operation(w, opRead, d)
		t.operation(w, opWrite, d)
	case syntax.DplOut:
		if w.literal && descriptor(w.value) {
			return
		}
		t.operation(w, opWrite, d)
	default:
		t.operation(w, opWrite, d)
	}
}

// descriptor reports whether the target of >& is a descriptor, not a file.
func descriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	return strings.Trim(s, "0123456789") == ""
}
