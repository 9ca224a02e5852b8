package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"raw/contract/value"
)

// maxHops bounds how many references and branches lead to one place.
const maxHops = 128

// Node is a place in a schema, for whoever asks what may stand there.
type Node struct{ lib *jsonschema.Schema }

// Node is the root of s.
func (s *Schema) Node() Node { return Node{s.top} }

// branches are n and all that local references and the branches of allOf,
// anyOf and oneOf put in the same place. Cycles are cut.
func (n Node) branches() []*jsonschema.Schema {
	found := []*jsonschema.Schema{n.lib}
	level := found
	for range maxHops {
		var next []*jsonschema.Schema
		for _, s := range level {
			for _, b := range combined(s) {
				if !slices.Contains(found, b) {
					found, next = append(found, b), append(next, b)
				}
			}
		}
		if len(next) == 0 {
			break
		}
		level = next
	}
	return found
}

func combined(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	if s.Ref != nil {
		all = append(all, s.Ref)
	}
	return all
}

// Property gives each subschema that some branch has for the named field: of
// that name, else a schema-valued additionalProperties.
func (n Node) Property(name string) []Node {
	var nodes []Node
	for _, s := range n.branches() {
		if p := s.Properties[name]; p != nil {
			nodes = append(nodes, Node{p})
		} else if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			nodes = append(nodes, Node{more})
		}
	}
	return nodes
}

// Items gives each subschema that some branch has for an item of an array.
func (n Node) Items() []Node {
	var nodes []Node
	add := func(items ...*jsonschema.Schema) {
		for _, i := range items {
			nodes = append(nodes, Node{i})
		}
	}
	for _, s := range n.branches() {
		add(s.PrefixItems...)
		if s.Items2020 != nil {
			add(s.Items2020)
		}
		switch items := s.Items.(type) { // draft-07
		case *jsonschema.Schema:
			add(items)
		case []*jsonschema.Schema:
			add(items...)
		}
		if more, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
			add(more)
		}
	}
	return nodes
}

// IsString reports whether some branch declares a string: by type, or by an
// enum or const with one in it.
func (n Node) IsString() bool {
	return slices.ContainsFunc(n.branches(), func(s *jsonschema.Schema) bool {
		if s.Types != nil {
			return slices.Contains(s.Types.ToStrings(), "string")
		}
		if s.Const != nil {
			_, ok := (*s.Const).(string)
			return ok
		}
		return s.Enum != nil && slices.ContainsFunc(s.Enum.Values, func(v any) bool {
			_, ok := v.(string)
			return ok
		})
	})
}

// children are all subschemas that s refers to.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	all := combined(s)
	all = append(all, s.PrefixItems...)
	all = append(all, slices.Collect(maps.Values(s.Properties))...)
	all = append(all, slices.Collect(maps.Values(s.PatternProperties))...)
	all = append(all, slices.Collect(maps.Values(s.DependentSchemas))...)
	for _, d := range s.Dependencies {
		all = appendAny(all, d)
	}
	for _, x := range []any{s.Items, s.AdditionalItems, s.AdditionalProperties} {
		all = appendAny(all, x)
	}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	all = append(
		all, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	)
	return slices.DeleteFunc(all, func(c *jsonschema.Schema) bool { return c == nil })
}

// appendAny takes the forms in which the library keeps what may be a schema, a
// list of them, or something else.
func appendAny(all []*jsonschema.Schema, x any) []*jsonschema.Schema {
	switch x := x.(type) {
	case *jsonschema.Schema:
		return append(all, x)
	case []*jsonschema.Schema:
		return append(all, x...)
	}
	return all
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// join is the JSON pointer of steps.
func join(steps []string) string {
	var p strings.Builder
	for _, s := range steps {
		p.WriteByte('/')
		p.WriteString(pointerEscape.Replace(s))
	}
	return p.String()
}

// lookup follows a JSON pointer.
func lookup(v value.Value, pointer string) value.Value {
	if pointer == "" {
		return v
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		v = child(v, pointerUnescape.Replace(step))
	}
	return v
}

func child(v value.Value, step string) value.Value {
	if v.Kind() != value.Array {
		return v.Field(step)
	}
	i, err := strconv.Atoi(step)
	if err != nil {
		return value.Value{}
	}
	return v.At(i)
}

// Distinct drops nodes that stand for the same subschema.
func Distinct(nodes []Node) []Node {
	seen := map[Node]bool{}
	return slices.DeleteFunc(nodes, func(n Node) bool {
		was := seen[n]
		seen[n] = true
		return was
	})
}
