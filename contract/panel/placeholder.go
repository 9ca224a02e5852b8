package panel

import (
	"slices"
	"strings"
)

// placeholderNames are what may stand between {{ and }} in the texts and
// arguments of an action.
var placeholderNames = []string{"panel.id", "block.id", "item.id", "item.label"}

// fillText replaces each {{name}} of s with what fill gives for the name, and
// gives up with the first name that fill refuses. What was filled in is not
// read again. A {{ that is never closed is text.
func fillText(s string, fill func(name string) (string, bool)) (text, refused string, ok bool) {
	var out strings.Builder
	for {
		before, rest, opened := strings.Cut(s, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !opened || !closed {
			out.WriteString(s)
			return out.String(), "", true
		}
		with, known := fill(name)
		if !known {
			return "", name, false
		}
		out.WriteString(before)
		out.WriteString(with)
		s = after
	}
}

// placeholders refuses a name that no action can have filled in.
func (w *walk) placeholders(tree any) *Error {
	switch t := tree.(type) {
	case string:
		_, name, ok := fillText(t, func(name string) (string, bool) {
			return "", slices.Contains(placeholderNames, name)
		})
		if !ok {
			return w.fail("{{%s}} is none of %s", clip(name), strings.Join(placeholderNames, ", "))
		}
	case []any:
		w.intoItem(0)
		for i, item := range t {
			w.next(i)
			if err := w.placeholders(item); err != nil {
				return err
			}
		}
		w.out()
	case map[string]any:
		for _, name := range sortedNames(t) {
			w.into(name)
			if err := w.placeholders(t[name]); err != nil {
				return err
			}
			w.out()
		}
	}
	return nil
}
