package panel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"raw/contract/nearest"
)

// maxNesting is how deep plain JSON may be nested: the fields of an unknown
// block kind, of new items and of arguments.
const maxNesting = 32

// walk checks a tree against rules and remembers where it stands, so that
// a pointer costs nothing until there is a fault to point at. It stops at the
// first fault, and then it is spent.
type walk struct {
	path []step
	seen map[string]struct{}
}

// step is a field, or an item when the name is empty and item is set.
type step struct {
	name  string
	index int
	item  bool
}

func (w *walk) into(name string) { w.path = append(w.path, step{name: name}) }
func (w *walk) intoItem(at int)  { w.path = append(w.path, step{index: at, item: true}) }
func (w *walk) out()             { w.path = w.path[:len(w.path)-1] }
func (w *walk) next(at int)      { w.path[len(w.path)-1].index = at }

// pointer is the JSON pointer of the current place; the whole is "/", as an
// empty text could not be told from none. A name that somebody made up is cut
// and shown without control characters.
func (w *walk) pointer() string {
	if len(w.path) == 0 {
		return "/"
	}
	var p strings.Builder
	for _, s := range w.path {
		p.WriteByte('/')
		if s.item {
			p.WriteString(strconv.Itoa(s.index))
			continue
		}
		for _, r := range clip(s.name) {
			switch {
			case r == '~':
				p.WriteString("~0")
			case r == '/':
				p.WriteString("~1")
			case r < ' ' || r == 0x7f:
				p.WriteRune(utf8.RuneError)
			default:
				p.WriteRune(r)
			}
		}
	}
	return p.String()
}

// fail is the fault at the current place.
func (w *walk) fail(format string, a ...any) *Error {
	return fail(CodeInvalid, "%s: %s", w.pointer(), fmt.Sprintf(format, a...))
}

// failAt is the fault of a field of the current place.
func (w *walk) failAt(name, format string, a ...any) *Error {
	w.into(name)
	return w.fail(format, a...)
}

func (w *walk) check(r *rule, tree any) *Error {
	switch r.shape {
	case shapeText:
		return w.text(r, tree)
	case shapeWhole:
		return w.whole(r, tree)
	case shapeNumber:
		return w.number(r, tree)
	case shapeFlag:
		if _, ok := tree.(bool); !ok {
			return w.fail("found %s, want true or false", show(tree))
		}
		return nil
	case shapeList:
		return w.list(r, tree)
	case shapeMap:
		return w.dictionary(r, tree)
	case shapeAny:
		return nil
	default:
		return w.object(r, tree, false)
	}
}

func (w *walk) text(r *rule, tree any) *Error {
	s, ok := tree.(string)
	switch {
	case !ok:
		return w.fail("found %s, want a string", show(tree))
	case r.words != nil && !slices.Contains(r.words, s):
		return w.fail("%s is not one of %s", show(s), strings.Join(r.words, ", "))
	case !r.grammar.matches(s):
		return w.fail("%s does not match %s", show(s), r.grammar)
	case r.min > 0 && s == "":
		return w.fail("is empty, want at least one character")
	}
	if err := w.printable(s); err != nil {
		return err
	}
	if r.bytes > 0 && len(s) > r.bytes {
		return w.fail("has %d bytes, more than the maximum %d", len(s), r.bytes)
	}
	if r.max > 0 && int64(len(s)) > r.max {
		if n := utf8.RuneCountInString(s); int64(n) > r.max {
			return w.fail("has %d characters, more than the maximum %d", n, r.max)
		}
	}
	return nil
}

// printable refuses control characters other than newline and tab.
func (w *walk) printable(s string) *Error {
	if i := strings.IndexFunc(s, control); i >= 0 {
		return w.fail("has the control character U+%04X at byte %d", s[i], i)
	}
	if !utf8.ValidString(s) {
		return w.fail("is not valid UTF-8")
	}
	return nil
}

func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
}

func (w *walk) list(r *rule, tree any) *Error {
	items, ok := tree.([]any)
	switch n := int64(len(items)); {
	case !ok:
		return w.fail("found %s, want an array", show(tree))
	case n < r.min:
		return w.fail("has %d items, fewer than the minimum %d", n, r.min)
	case n > r.max:
		return w.fail("has %d items, more than the maximum %d", n, r.max)
	}
	w.intoItem(0)
	for i, item := range items {
		w.next(i)
		if err := w.check(r.items, item); err != nil {
			return err
		}
	}
	w.out()
	if r.unique == "" {
		return nil
	}
	w.forget()
	for i, item := range items {
		id, ok := item.(string)
		if !ok {
			id = textOf(item, r.unique)
		}
		if !w.met(id) {
			continue
		}
		w.intoItem(i)
		if r.unique == itself {
			return w.fail("duplicate %s", show(id))
		}
		return w.failAt(r.unique, "duplicate %s %s", r.unique, show(id))
	}
	return nil
}

// dictionary goes through the names in order only when there is a fault.
func (w *walk) dictionary(r *rule, tree any) *Error {
	fields, ok := tree.(map[string]any)
	if !ok {
		return w.fail("found %s, want an object", show(tree))
	}
	depth := len(w.path)
	for name, part := range fields {
		if w.entry(r, name, part) == nil {
			continue
		}
		for _, name := range sortedNames(fields) {
			w.path = w.path[:depth]
			if err := w.entry(r, name, fields[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) entry(r *rule, name string, part any) *Error {
	w.into(name)
	if err := w.printable(name); err != nil {
		return err
	}
	if err := w.check(r.items, part); err != nil {
		return err
	}
	w.out()
	return nil
}

// forget starts a new set of names for met.
func (w *walk) forget() {
	clear(w.seen)
}

// met reports whether it was asked for a name before.
func (w *walk) met(name string) bool {
	if w.seen == nil {
		w.seen = map[string]struct{}{}
	}
	before := len(w.seen)
	w.seen[name] = struct{}{}
	return len(w.seen) == before
}

// object checks an object. A part of one, which is to be merged, needs no field.
func (w *walk) object(r *rule, tree any, part bool) *Error {
	fields, ok := tree.(map[string]any)
	if !ok {
		return w.fail("found %s, want an object", show(tree))
	}
	also, own, open := r.also, []field(nil), r.open
	if r.tag != "" {
		c, err := w.variant(r, fields)
		if err != nil {
			return err
		}
		if c != nil {
			also, own, open = c.also, c.fields, false
		}
	}
	if err := w.unknown(fields, r.fields, own, open); err != nil {
		return err
	}
	for _, list := range [...][]field{r.fields, own} {
		for i := range list {
			f := &list[i]
			inner, has := fields[f.name]
			if !has {
				if f.need && !part {
					return w.failAt(f.name, "missing")
				}
				continue
			}
			w.into(f.name)
			if err := w.check(&f.rule, inner); err != nil {
				return err
			}
			w.out()
		}
	}
	return w.together(also, fields)
}

// variant finds the case that the tag names; nil when r is open for others.
func (w *walk) variant(r *rule, fields map[string]any) (*variant, *Error) {
	tag, has := fields[r.tag]
	if !has {
		return nil, w.failAt(r.tag, "missing")
	}
	w.into(r.tag)
	if err := w.check(known(r.fields, r.tag), tag); err != nil {
		return nil, err
	}
	word, _ := tag.(string)
	c := r.named(word)
	if c == nil && !r.open {
		return nil, w.fail("%s is not one of %s", show(word), strings.Join(r.caseWords(), ", "))
	}
	w.out()
	return c, nil
}

// unknown refuses fields that are in neither list, or checks that they are
// plain JSON when they may stay.
func (w *walk) unknown(fields map[string]any, common, own []field, open bool) *Error {
	count := 0
	for _, list := range [...][]field{common, own} {
		for i := range list {
			if _, has := fields[list[i].name]; has {
				count++
			}
		}
	}
	if count == len(fields) {
		return nil
	}
	var names []string
	for name := range fields {
		if known(common, name) == nil && known(own, name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if !open {
		accepted := fieldNames(common, own)
		text := "unknown field; accepted: " + strings.Join(accepted, ", ")
		if near := nearest.Names(names[0], accepted, 1); len(near) > 0 {
			text += "; nearest: " + near[0]
		}
		return w.failAt(names[0], "%s", text)
	}
	for _, name := range names {
		w.into(name)
		if err := w.printable(name); err != nil {
			return err
		}
		if err := w.plain(fields[name], 1); err != nil {
			return err
		}
		w.out()
	}
	return nil
}

// plain checks JSON that no rule describes.
func (w *walk) plain(tree any, depth int) *Error {
	switch t := tree.(type) {
	case nil, bool, json.Number:
		return nil
	case string:
		return w.printable(t)
	case []any:
		if depth > maxNesting {
			return w.fail("is nested deeper than %d", maxNesting)
		}
		w.intoItem(0)
		for i, item := range t {
			w.next(i)
			if err := w.plain(item, depth+1); err != nil {
				return err
			}
		}
		w.out()
		return nil
	case map[string]any:
		if depth > maxNesting {
			return w.fail("is nested deeper than %d", maxNesting)
		}
		for _, name := range sortedNames(t) {
			w.into(name)
			if err := w.printable(name); err != nil {
				return err
			}
			if err := w.plain(t[name], depth+1); err != nil {
				return err
			}
			w.out()
		}
		return nil
	default:
		return w.fail("found a %T, want JSON", tree)
	}
}
