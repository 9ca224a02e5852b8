package shellparse

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// A word is one argument as far as the text fixes it.
type word struct {
	value   string // after quote removal, computed parts as written
	written string // as it stands in Program.Command
	fixed   int    // bytes of written that every value begins with
	literal bool   // value is what the program gets
	split   bool   // may become none or several words
	home    string // value with a leading ~ or $HOME replaced, or ""
	process bool   // holds <(…) or >(…)
}

// more stands for any further words, from the input of xargs.
func more() word { return word{split: true} }

func (w word) isMore() bool { return w.split && w.written == "" }

func literalWord(s string) word {
	return word{value: s, written: s, fixed: len(s), literal: true}
}

// path is the word as a path, when the text and the home folder fix it.
func (w word) path() (string, bool) {
	if w.literal {
		return w.value, true
	}
	return w.home, w.home != ""
}

// isPath reports whether the word is fixed but for the home folder that it
// begins with: then it is no option and no blank splits it.
func (w word) isPath() bool { return !w.literal && w.home != "" }

// computedIn is w as a program gets it when it puts other text in place of
// every marker.
func (w word) computedIn(marker string) word {
	i := strings.Index(w.value, marker)
	if marker == "" || i < 0 {
		return w
	}
	w.literal, w.home = false, ""
	w.fixed = min(w.fixed, commonPrefix(w.written, w.value[:i]))
	return w
}

// after is the rest of a word behind its first n bytes, which are fixed.
func (w word) after(n int) word {
	w.value = w.value[n:]
	if w.literal {
		return literalWord(w.value)
	}
	w.written, w.fixed, w.home = w.value, max(0, w.fixed-n), ""
	return w
}

// begins reports whether every value of the word begins with s.
func (w word) begins(s string) bool {
	return strings.HasPrefix(w.value, s) && (w.literal || w.fixed >= len(s))
}

// maxBraces bounds the brace expansions of one word, in characters { and in
// words that come of it: splitting and expanding them is not linear.
const maxBraces = 32

// words are the arguments that the words of a command become.
func (t text) words(ws []*syntax.Word) []word {
	var out []word
	for _, w := range ws {
		out = append(out, t.braces(w)...)
	}
	return out
}

func (t text) braces(w *syntax.Word) []word {
	opening := 0
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			opening += strings.Count(l.Value, "{")
		}
	}
	plain := t.word(w)
	if opening == 0 {
		return []word{plain}
	}
	plain.literal, plain.split, plain.fixed, plain.home = false, true, 0, ""
	split := *w // SplitBraces changes the word, and Walk knows no BraceExp
	if opening > maxBraces {
		return []word{plain}
	}
	if !syntax.SplitBraces(&split) {
		return []word{t.word(w)}
	}
	if t.posix { // some shells expand braces, some do not
		return []word{plain}
	}
	var out []word
	for b, err := range expand.BracesSeq(nil, &split) {
		if err != nil || len(out) == maxBraces {
			return []word{plain}
		}
		e := t.word(b)
		e.written = e.value
		out = append(out, e)
	}
	return out
}

// word is one argument, without brace expansion.
func (t text) word(w *syntax.Word) word {
	b := builder{text: t, fixed: -1}
	for i, p := range w.Parts {
		b.part(p, i == 0, i == len(w.Parts)-1)
	}
	return b.word(t.source(w))
}

// source is a node as written.
func (t text) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(t.src) {
		return ""
	}
	return t.src[from:to]
}

type builder struct {
	text
	value       strings.Builder
	fixed       int // bytes of value before the first computed part, or -1
	split, glob bool
	process     bool
	home        int // bytes of value that stand for the home folder
}

func (b *builder) word(written string) word {
	w := word{value: b.value.String(), split: b.split || b.glob, process: b.process}
	w.literal = b.fixed < 0 && !b.glob && b.home == 0 && utf8.ValidString(w.value)
	if w.literal {
		w.written, w.fixed = w.value, len(w.value)
		return w
	}
	if written == "" {
		written = w.value
	}
	w.written = written
	if b.fixed > 0 && !w.split && b.home == 0 {
		w.fixed = commonPrefix(written, w.value[:b.fixed])
	}
	if b.home > 0 && b.fixed < 0 && !b.glob {
		w.home = b.text.home + w.value[b.home:]
	}
	return w
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (b *builder) computed(n syntax.Node) {
	if b.fixed < 0 {
		b.fixed = b.value.Len()
	}
	b.value.WriteString(b.source(n))
}

func (b *builder) part(p syntax.WordPart, first, last bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.lit(p.Value, first, last)
	case *syntax.SglQuoted:
		b.single(p)
	case *syntax.DblQuoted:
		b.double(p, first)
	case *syntax.ParamExp:
		if first && b.isHome(p) && !strings.ContainsAny(b.text.home, " \t\n*?[\\") {
			b.putHome(b.source(p))
			return
		}
		b.split = true
		b.computed(p)
	case *syntax.CmdSubst:
		b.split = true
		b.computed(p)
	case *syntax.ProcSubst:
		b.process = true
		b.computed(p)
	case *syntax.ExtGlob:
		b.glob = true
		b.computed(p)
	default:
		b.computed(p)
	}
}

// lit takes unquoted text.
func (b *builder) lit(s string, first, last bool) {
	if first && strings.HasPrefix(s, "~") {
		user, _, slash := strings.Cut(s[1:], "/")
		if user != "" || b.text.home == "" || !slash && !last {
			b.fixed = 0
		} else {
			b.putHome("~")
			s = s[1:]
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] == '\n' {
				continue
			}
			c = s[i]
		case c == '*' || c == '?' || c == '[' && (len(s) > 1 || !last):
			b.glob = true
			if b.fixed < 0 {
				b.fixed = b.value.Len()
			}
		case c == '~' && i > 0 && (s[i-1] == '=' || s[i-1] == ':') && b.fixed < 0:
			b.fixed = b.value.Len() // a shell may expand it after = and :
		case c == '$' && b.posix && !last && b.fixed < 0:
			b.fixed = b.value.Len() // $'…' and $"…" differ between shells
		}
		b.value.WriteByte(c)
	}
}

func (b *builder) single(q *syntax.SglQuoted) {
	if !q.Dollar {
		b.value.WriteString(q.Value)
		return
	}
	s, ok := unquoteANSI(q.Value)
	if !ok || b.posix {
		b.computed(q)
		return
	}
	b.value.WriteString(s)
}

func (b *builder) double(q *syntax.DblQuoted, first bool) {
	if q.Dollar && b.posix && b.fixed < 0 {
		b.fixed = b.value.Len()
	}
	for i, p := range q.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.value.WriteString(unescape(p.Value, "$`\"\\"))
		case *syntax.ParamExp:
			if first && i == 0 && b.isHome(p) {
				b.putHome(b.source(p))
				continue
			}
			// "$@", "${a[@]}" and what ${!x} may name become several words.
			if strings.ContainsAny(b.source(p), "@!") {
				b.split = true
			}
			b.computed(p)
		default:
			b.computed(p)
		}
	}
}

// isHome reports whether p is the plain value of HOME and known.
func (b *builder) isHome(p *syntax.ParamExp) bool {
	s := b.source(p)
	return b.text.home != "" && (s == "$HOME" || s == "${HOME}")
}

func (b *builder) putHome(written string) {
	b.value.WriteString(written)
	b.home = len(written)
}

// unescape removes the backslashes that stand before one of special, and
// continued lines.
func unescape(s, special string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, s[i+1]) >= 0 {
				i++
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// document is a here-document's body and whether the text fixes it.
func (t text) document(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", true
	}
	literal := true
	var out strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			out.WriteString(p.Value)
		default:
			literal = false
			out.WriteString(t.source(p))
		}
	}
	return out.String(), literal
}

// assignment is the argument that name=value of a declaration becomes.
func (t text) assignment(a *syntax.Assign) []word {
	if a.Name == nil {
		return t.braces(a.Value)
	}
	written := t.source(a)
	if a.Index == nil && a.Array == nil && !a.Naked {
		prefix := a.Name.Value + "="
		if a.Append {
			prefix = a.Name.Value + "+="
		}
		w := literalWord("")
		if a.Value != nil {
			w = t.word(a.Value)
		}
		if w.literal {
			return []word{literalWord(prefix + w.value)}
		}
		return []word{{value: prefix + w.value, written: written, fixed: len(prefix), split: w.split}}
	}
	if a.Naked && a.Index == nil {
		return []word{literalWord(a.Name.Value)}
	}
	return []word{{value: written, written: written, fixed: commonPrefix(written, a.Name.Value)}}
}
