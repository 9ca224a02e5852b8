package config

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// shape is what a key accepts, read once from a Go type and its tags.
type shape struct {
	typ  reflect.Type
	kind kind
	elem *shape // of a list or map

	keys     []key          // of a table, in the order of the type
	index    map[string]int // into keys
	required bool           // whether a key of the table is
	expands  bool           // whether a value in it may be replaced after decoding

	oneof    []string
	or       string
	min, max int64 // durations in nanoseconds
	path     string
	env      bool
	filled   bool // "" is refused: it would be a folder without a name
}

type key struct {
	name     string
	shape    *shape
	field    []int // of the Go type
	required bool
}

type kind uint8

const (
	text kind = iota
	flag
	number
	duration
	list
	table     // fixed keys
	named     // tables or strings under names of the person's choice
	free      // tool arguments: any keys, any values
	example   // a string or a free table
	classList // Baseline
)

// shaper makes each struct's shape once.
type shaper map[reflect.Type]*shape

func (m shaper) of(t reflect.Type, tag reflect.StructTag) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := m[t]; s != nil {
		return s
	}
	s := &shape{
		typ: t, min: math.MinInt64, max: math.MaxInt64,
		path: tag.Get("path"), env: tag.Get("env") == "value", or: tag.Get("or"),
	}
	if list := tag.Get("oneof"); list != "" {
		s.oneof = strings.Split(list, "|")
	}
	s.expands = s.env || s.path != ""
	switch {
	case t == reflect.TypeFor[Baseline]():
		s.kind = classList
	case t == reflect.TypeFor[Duration]():
		s.kind = duration
		s.bounds(tag, func(v string) (int64, error) { d, err := ParseDuration(v); return int64(d), err })
	case t.Kind() == reflect.Bool:
		s.kind = flag
	case t.Kind() == reflect.Int:
		s.kind = number
		s.bounds(tag, func(v string) (int64, error) { return strconv.ParseInt(v, 10, 64) })
	case t.Kind() == reflect.Interface:
		s.kind = example
	case t.Kind() == reflect.Slice:
		s.kind, s.elem = list, m.of(t.Elem(), tag)
		s.elem.filled = s.path == "absolute"
		s.expands = s.elem.expands
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Interface:
		s.kind = free
	case t.Kind() == reflect.Map:
		s.kind, s.elem = named, m.of(t.Elem(), tag)
		s.expands = s.elem.expands
	case t.Kind() == reflect.Struct:
		s.kind = table
		m[t] = s
		s.fields(m)
	}
	return s
}

func (s *shape) bounds(tag reflect.StructTag, parse func(string) (int64, error)) {
	for name, bound := range map[string]*int64{"min": &s.min, "max": &s.max} {
		if v, ok := tag.Lookup(name); ok {
			n, err := parse(v)
			if err != nil {
				panic("config: bad bound in a tag: " + err.Error())
			}
			*bound = n
		}
	}
}

func (s *shape) fields(m shaper) {
	s.index = make(map[string]int, s.typ.NumField())
	for f := range s.typ.Fields() {
		name := f.Tag.Get("toml")
		if name == "-" {
			continue
		}
		required := f.Tag.Get("required") == "true"
		s.index[name] = len(s.keys)
		s.keys = append(s.keys, key{name, m.of(f.Type, f.Tag), f.Index, required})
		s.expands = s.expands || s.keys[len(s.keys)-1].shape.expands
		s.required = s.required || required
	}
}

// loose reports whether any keys may follow below s.
func (s *shape) loose() bool {
	return s.kind == free || s.kind == list && s.elem.kind == example
}

// names are the keys of a table.
func (s *shape) names() []string {
	names := make([]string, len(s.keys))
	for i, k := range s.keys {
		names[i] = k.name
	}
	return names
}

// paths are the dotted paths under s that end in name.
func (s *shape) paths(name, prefix string) []string {
	var found []string
	for _, k := range s.keys {
		path := prefix + k.name
		if k.name == name {
			found = append(found, path)
		}
		if k.shape.kind == table {
			found = append(found, k.shape.paths(name, path+".")...)
		}
	}
	return found
}

// expected names what s accepts, for a fault.
func (s *shape) expected() string {
	switch s.kind {
	case flag:
		return "true or false"
	case number:
		return "an integer"
	case duration:
		return `a duration such as "90s"`
	case list:
		if s.elem.kind == table {
			return "an array of tables"
		}
		return "an array"
	case table, named, free:
		return "a table"
	case example:
		return "a string or a table of arguments"
	case classList:
		return `"auto" or an array of classes`
	}
	return "a string"
}

// found names what stands in the file, for a fault.
func found(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "a string"
	case unstable.Bool:
		return "a boolean"
	case unstable.Integer:
		return "an integer"
	case unstable.Float:
		return "a float"
	case unstable.Array:
		return "an array"
	case unstable.InlineTable, unstable.Table:
		return "a table"
	case unstable.ArrayTable:
		return "an array of tables"
	}
	return "a date or time"
}
