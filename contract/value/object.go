package value

import (
	"encoding/json"
	"fmt"
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

// Decode decodes the source into a Go value as encoding/json does; numbers
// that meet an interface become json.Number, so that they stay exact.
func (o Object) Decode(into any) error {
	dec := json.NewDecoder(strings.NewReader(o.source))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("decode into %T: %w", into, err)
	}
	return nil
}
