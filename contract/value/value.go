// Package value holds JSON values that nothing can change once they are parsed.
// Every party to a call (policy, hooks, approval, ledger, handler) reads the
// same Value, so none of them can show one thing and run another. Numbers stay
// as they were written. It knows nothing of schemas and does not merge, patch
// or query.
package value

import (
	"encoding/json"
	"iter"
	"maps"
	"reflect"
	"slices"
)

// Kind says what a Value is. The zero Kind is Absent, which differs from Null.
type Kind int

// The kinds of a Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	ObjectKind // not Object: that is the type
)

// Value is one JSON value, or the absence of one (the zero Value). It is safe
// for concurrent use.
type Value struct {
	kind Kind
	tree any
}

// String names the kind as JSON does.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case ObjectKind:
		return "object"
	default:
		return "absent"
	}
}

func wrap(tree any) Value {
	switch tree.(type) {
	case nil:
		return Value{Null, nil}
	case bool:
		return Value{Bool, tree}
	case json.Number:
		return Value{Number, tree}
	case string:
		return Value{String, tree}
	case []any:
		return Value{Array, tree}
	default:
		return Value{ObjectKind, tree}
	}
}

// FromTree is the Value of a tree as Tree gives it. It takes the tree over:
// nobody may change it afterwards. A tree with anything else in it panics when
// it is encoded.
func FromTree(tree any) Value { return wrap(tree) }

// Kind says what v is.
func (v Value) Kind() Kind { return v.kind }

// Str returns the text of a string, and whether v is one.
func (v Value) Str() (string, bool) {
	s, ok := v.tree.(string)
	return s, ok
}

// Field returns the named field, Absent when there is none or v is no object.
func (v Value) Field(name string) Value {
	m, _ := v.tree.(map[string]any)
	f, ok := m[name]
	if !ok {
		return Value{}
	}
	return wrap(f)
}

// Len is the number of items of an array or fields of an object, else 0.
func (v Value) Len() int {
	switch t := v.tree.(type) {
	case []any:
		return len(t)
	case map[string]any:
		return len(t)
	default:
		return 0
	}
}

// At returns item i of an array, Absent when there is none or v is no array.
func (v Value) At(i int) Value {
	a, _ := v.tree.([]any)
	if i < 0 || i >= len(a) {
		return Value{}
	}
	return wrap(a[i])
}

// Fields yields the fields of an object, names in order of code points.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		m, _ := v.tree.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, wrap(m[name])) {
				return
			}
		}
	}
}

// Tree is v as nil, bool, json.Number, string, []any and map[string]any, for
// validators. It is not a copy: whoever gets it must not change it. An absent
// value is nil, as null is; ask Kind first where that matters.
func (v Value) Tree() any { return v.tree }

// Equal reports whether both are the same kind with the same content. Numbers
// are the same when they are written the same.
func (v Value) Equal(w Value) bool {
	return v.kind == w.kind && reflect.DeepEqual(v.tree, w.tree)
}
