package interaction

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"raw/contract/nearest"
	"raw/contract/value"
)

// maxFaults bounds what is said about an answer.
const maxFaults = 16

// Check tells what is wrong with answers, an object with a member for each field
// that was answered: up to 16 faults, none when the answers hold. A field that is
// not required may be left out, whatever it wants of an answer.
func (f Form) Check(answers value.Value) []Fault {
	if answers.Kind() != value.ObjectKind {
		return []Fault{{"/answers", fmt.Sprintf("found %s, want an object with a member for each field", answers.Kind())}}
	}
	var faults []Fault
	var names []string
	for _, field := range f.Fields {
		names = append(names, field.ID)
	}
	for name := range answers.Fields() {
		if len(faults) == maxFaults {
			return faults
		}
		if !slices.Contains(names, name) {
			message := "unknown field; there are " + strings.Join(names, ", ")
			if near := nearest.Names(clip(name), names, 1); len(near) > 0 {
				message += "; nearest: " + near[0]
			}
			faults = append(faults, Fault{"/answers/" + escape(clip(name)), message})
		}
	}
	for _, field := range f.Fields {
		faults = append(faults, field.check("/answers/"+escape(field.ID), answers.Field(field.ID))...)
	}
	return faults[:min(len(faults), maxFaults)]
}

// clip keeps what a message quotes short.
func clip(s string) string {
	const limit = 64
	return cut(s, limit)
}

// cut bounds a text to n bytes and a mark, and splits no character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// escape writes a name as a part of a JSON pointer.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func (f Field) check(at string, v value.Value) []Fault {
	if v.Kind() == value.Absent {
		if f.Required {
			return []Fault{{at, "missing; it has to be answered"}}
		}
		return nil
	}
	switch f.Kind {
	case SingleSelect:
		id, ok := v.Str()
		if !ok {
			return []Fault{{at, fmt.Sprintf("found %s, want the id of an option", v.Kind())}}
		}
		return f.option(at, id)
	case MultiSelect:
		return f.checkList(at, v)
	}
	text, ok := v.Str()
	switch {
	case !ok:
		return []Fault{{at, fmt.Sprintf("found %s, want a text", v.Kind())}}
	case f.Required && text == "":
		return []Fault{{at, "empty; it has to be answered"}}
	case len(text) > f.Limit():
		return []Fault{{at, fmt.Sprintf("%d bytes; at most %d are accepted", len(text), f.Limit())}}
	}
	return nil
}

func (f Field) option(at, id string) []Fault {
	var ids []string
	for _, o := range f.Options {
		if o.ID == id {
			return nil
		}
		ids = append(ids, o.ID)
	}
	return []Fault{{at, fmt.Sprintf("no option %q; there are %s", clip(id), strings.Join(ids, ", "))}}
}

func (f Field) checkList(at string, v value.Value) []Fault {
	if v.Kind() != value.Array {
		return []Fault{{at, fmt.Sprintf("found %s, want a list of option ids", v.Kind())}}
	}
	var faults []Fault
	seen := map[string]bool{}
	for i := range v.Len() {
		if len(faults) == maxFaults {
			return faults
		}
		place := fmt.Sprintf("%s/%d", at, i)
		id, ok := v.At(i).Str()
		switch {
		case !ok:
			faults = append(faults, Fault{place, fmt.Sprintf("found %s, want the id of an option", v.At(i).Kind())})
		case seen[id]:
			faults = append(faults, Fault{place, fmt.Sprintf("option %q is chosen twice", clip(id))})
		default:
			faults = append(faults, f.option(place, id)...)
		}
		seen[id] = true
	}
	if n := v.Len(); len(faults) == 0 && (n < f.least() || n > f.most()) {
		faults = append(faults, Fault{at, fmt.Sprintf("%d options are chosen; want %d to %d", n, f.least(), f.most())})
	}
	return faults
}

// ordered are answers that hold, with the options of a list in the form's order.
func (f Form) ordered(answers value.Value) value.Value {
	tree := map[string]any{}
	for name, v := range answers.Fields() {
		tree[name] = v.Tree()
	}
	for _, field := range f.Fields {
		list, ok := tree[field.ID].([]any)
		if !ok {
			continue
		}
		chosen := []any{}
		for _, o := range field.Options {
			if slices.Contains(list, any(o.ID)) {
				chosen = append(chosen, o.ID)
			}
		}
		tree[field.ID] = chosen
	}
	return value.FromTree(tree)
}
