package value

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Object is a Value that is an object, with the text it came from. The zero
// Object is absent and has no fields.
type Object struct {
	Value
	source string
}

// ParseObject is Parse for a text that must be an object.
func ParseObject(text []byte) (Object, error) {
	return parseObject(string(text))
}

func parseObject(text string) (Object, error) {
	v, err := parse(text)
	if err != nil {
		return Object{}, err
	}
	if v.kind != ObjectKind {
		return Object{}, fmt.Errorf("parse JSON: found %s, want an object", v.kind)
	}
	return Object{v, text}, nil
}

// Of encodes x and parses the encoding, so that no later change of x reaches
// the Object: this is how effects freeze.
func Of(x any) (Object, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return Object{}, fmt.Errorf("encode %T: %w", x, err)
	}
	return parseObject(strings.TrimSuffix(text.String(), "\n"))
}

// Source is the text as it was received; from Of, the encoding.
func (o Object) Source() string { return o.source }

// Decode decodes the source into a Go value as encoding/json does, with two
// differences. A number without a fraction fits a Go integer however it is
// written (2.0, 2e3), as it does for a schema. Numbers that meet an interface
// become json.Number, so that they stay exact. The error for what does not fit
// names the field and what was found, not Go types.
func (o Object) Decode(into any) error {
	err := decode(o.source, into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// Only now, as hardly any call writes its integers in such a way.
		err = decode(string(appendTree(nil, plainIntegers(o.tree))), into)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("decode %s: found %s, want %s", cmp.Or(wrong.Field, "the object"), clip(wrong.Value), wanted(wrong.Type))
	}
	if err != nil {
		return fmt.Errorf("decode the object: %w", err)
	}
	return nil
}

func decode(text string, into any) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

// wanted names the JSON that a Go type takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number of at most %d bits", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number of at most %d bits that is not negative", t.Bits())
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return Bool.String()
	case reflect.String:
		return String.String()
	case reflect.Slice, reflect.Array:
		return Array.String()
	}
	return ObjectKind.String()
}
