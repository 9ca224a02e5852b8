package schema

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"raw/contract/value"
)

const (
	formatPath      = "path"
	formatMentioned = "mentioned-path"
)

// PathString is a string that the schema declares to be a path.
type PathString struct {
	Pointer, Text string
	Mentioned     bool // named by the tool, not opened
}

// Paths gives the strings of v whose schema has "format":"path" or
// "mentioned-path", once each: items of arrays in order, fields by name. A
// branch of anyOf, oneOf or if counts when it accepts the value; where both
// formats hold, the string is a path.
func (s *Schema) Paths(v value.Value) []PathString {
	if !s.paths {
		return nil
	}
	w := pathWalk{parts: s.parts}
	w.walk(s.top, v, nil)
	slices.SortStableFunc(w.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.place, b.place), mentionedLast(a.Mentioned, b.Mentioned))
	})
	var paths []PathString
	for i, f := range w.found {
		if i == 0 || f.place != w.found[i-1].place {
			paths = append(paths, f.PathString)
		}
	}
	return paths
}

func mentionedLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

type found struct {
	PathString
	place int
}

type pathWalk struct {
	parts map[string]*part
	found []found
	steps []string
	place map[string]int // order of places as first reached
}

func (w *pathWalk) walk(s *jsonschema.Schema, v value.Value, seen []*jsonschema.Schema) {
	if slices.Contains(seen, s) || len(seen) > maxHops {
		return
	}
	seen = append(slices.Clip(seen), s)
	w.note(s, v)
	for _, b := range w.holding(s, v) {
		w.walk(b, v, seen)
	}
	switch v.Kind() {
	case value.ObjectKind:
		for name, field := range v.Fields() {
			for _, p := range fieldSchemas(s, name) {
				w.into(p, field, name)
			}
		}
	case value.Array:
		for i := range v.Len() {
			for _, p := range itemSchemas(s, i) {
				w.into(p, v.At(i), strconv.Itoa(i))
			}
		}
	}
}

func (w *pathWalk) into(s *jsonschema.Schema, v value.Value, step string) {
	w.steps = append(w.steps, step)
	w.walk(s, v, nil)
	w.steps = w.steps[:len(w.steps)-1]
}

func (w *pathWalk) note(s *jsonschema.Schema, v value.Value) {
	text, ok := v.Str()
	part := w.parts[s.Location]
	if !ok || part == nil || (part.format != formatPath && part.format != formatMentioned) {
		return
	}
	pointer := join(w.steps)
	place, ok := w.place[pointer]
	if !ok {
		if w.place == nil {
			w.place = map[string]int{}
		}
		place = len(w.place)
		w.place[pointer] = place
	}
	w.found = append(w.found, found{PathString{pointer, text, part.format == formatMentioned}, place})
}

// holding are the schemas that hold for v because s does.
func (w *pathWalk) holding(s *jsonschema.Schema, v value.Value) []*jsonschema.Schema {
	all := slices.Clone(s.AllOf)
	if s.Ref != nil {
		all = append(all, s.Ref)
	}
	for _, choice := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		for _, b := range choice {
			if b.Validate(v.Tree()) == nil {
				all = append(all, b)
			}
		}
	}
	if s.If != nil {
		then := s.Else
		if s.If.Validate(v.Tree()) == nil {
			all, then = append(all, s.If), s.Then
		}
		if then != nil {
			all = append(all, then)
		}
	}
	for name, b := range s.DependentSchemas {
		if v.Field(name).Kind() != value.Absent {
			all = append(all, b)
		}
	}
	return all
}

func fieldSchemas(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if p := s.Properties[name]; p != nil {
		all = append(all, p)
	}
	for pattern, p := range s.PatternProperties {
		if pattern.MatchString(name) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		all = appendAny(all, s.AdditionalProperties)
	}
	if len(all) == 0 && s.UnevaluatedProperties != nil {
		all = append(all, s.UnevaluatedProperties)
	}
	return all
}

func itemSchemas(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	tuple, rest := s.PrefixItems, any(s.Items2020)
	switch items := s.Items.(type) { // draft-07
	case *jsonschema.Schema:
		rest = items
	case []*jsonschema.Schema:
		tuple, rest = items, s.AdditionalItems
	}
	if i < len(tuple) {
		return tuple[i : i+1]
	}
	all := appendAny(nil, rest)
	return slices.DeleteFunc(all, func(c *jsonschema.Schema) bool { return c == nil })
}
