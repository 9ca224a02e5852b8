package value

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of what Parse accepts. The number bounds keep exact arithmetic on a
// hostile number (1e999999999) from taking the process down; no float64 and no
// integer that a tool could mean comes near them.
const (
	maxDepth    = 512
	maxNumber   = 1000 // characters of one number
	maxExponent = 1000
)

// SyntaxError says why a text is not one JSON value, and where.
type SyntaxError struct {
	Offset int // byte offset in the text, from 0
	What   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("parse JSON at byte %d: %s", e.Offset, e.What)
}

// Parse reads exactly one JSON text. It refuses invalid UTF-8, escapes of lone
// surrogates, duplicate keys, nesting deeper than 512, numbers of more than
// 1,000 characters or with an exponent beyond 1,000, and anything after the
// value, with a *SyntaxError. The text is copied once, whatever its size;
// strings without escapes share that copy.
func Parse(text []byte) (Value, error) {
	return parse(string(text))
}

func parse(text string) (Value, error) {
	if !utf8.ValidString(text) {
		return Value{}, &SyntaxError{invalidAt(text), "invalid UTF-8"}
	}
	p := parser{text: text}
	tree, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.blank()
	if p.at < len(text) {
		return Value{}, p.fault("unexpected %s after the value", p.found())
	}
	return wrap(tree), nil
}

func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return len(text)
}

type parser struct {
	text string
	at   int
}

func (p *parser) fault(format string, args ...any) error {
	return &SyntaxError{p.at, fmt.Sprintf(format, args...)}
}

// found describes what stands at the current place.
func (p *parser) found() string {
	if p.at >= len(p.text) {
		return "end of text"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return fmt.Sprintf("%q", r)
}

func (p *parser) blank() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek is the next byte that is not blank, 0 at the end.
func (p *parser) peek() byte {
	p.blank()
	if p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value(depth int) (any, error) {
	switch c := p.peek(); {
	case c == '"':
		return p.string()
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	for _, word := range []struct {
		text string
		tree any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if strings.HasPrefix(p.text[p.at:], word.text) {
			p.at += len(word.text)
			return word.tree, nil
		}
	}
	return nil, p.fault("found %s, want a value", p.found())
}

func (p *parser) object(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.fault("nested deeper than %d", maxDepth)
	}
	p.at++
	fields := make(map[string]any)
	if p.peek() == '}' {
		p.at++
		return fields, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.fault("found %s, want a field name in quotes", p.found())
		}
		start := p.at
		name, err := p.string()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, p.fault("found %s, want a colon", p.found())
		}
		p.at++
		field, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		before := len(fields)
		fields[name] = field
		if len(fields) == before {
			p.at = start
			return nil, p.fault("duplicate key %q", clip(name))
		}
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return fields, nil
		default:
			return nil, p.fault("found %s, want a comma or }", p.found())
		}
	}
}

func (p *parser) array(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.fault("nested deeper than %d", maxDepth)
	}
	p.at++
	items := []any{}
	if p.peek() == ']' {
		p.at++
		return items, nil
	}
	for {
		item, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return items, nil
		default:
			return nil, p.fault("found %s, want a comma or ]", p.found())
		}
	}
}

func (p *parser) number() (any, error) {
	start := p.at
	if p.text[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.text) && p.text[p.at] == '0' {
		p.at++
	} else if p.digits() == 0 {
		return nil, p.fault("found %s, want a digit", p.found())
	}
	if p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		if p.digits() == 0 {
			return nil, p.fault("found %s, want a digit", p.found())
		}
	}
	exponent := 0
	if p.at < len(p.text) && (p.text[p.at] == 'e' || p.text[p.at] == 'E') {
		p.at++
		if p.at < len(p.text) && (p.text[p.at] == '+' || p.text[p.at] == '-') {
			p.at++
		}
		first := p.at
		if p.digits() == 0 {
			return nil, p.fault("found %s, want a digit", p.found())
		}
		for _, c := range []byte(p.text[first:p.at]) {
			exponent = min(exponent*10+int(c-'0'), maxExponent+1)
		}
	}
	if p.at-start > maxNumber || exponent > maxExponent {
		p.at = start
		return nil, p.fault("number with more than %d characters or an exponent beyond %d", maxNumber, maxExponent)
	}
	return json.Number(p.text[start:p.at]), nil
}

func (p *parser) digits() int {
	start := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - start
}

// string reads a string whose opening quote is next.
func (p *parser) string() (string, error) {
	p.at++
	start, escaped := p.at, false
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			raw := p.text[start:p.at]
			if escaped {
				return p.unescape(raw, start)
			}
			p.at++
			return raw, nil
		case c == '\\':
			escaped = true
			p.at++ // whatever follows, it does not end the string
		case c < ' ':
			return "", p.fault("control character %#02x in a string, want an escape", c)
		}
	}
	p.at = len(p.text)
	return "", p.fault("string without an end")
}

// unescape gives the text of raw, which starts at offset; p.at is at the
// closing quote and moves past it.
func (p *parser) unescape(raw string, offset int) (string, error) {
	var out strings.Builder
	out.Grow(len(raw))
	for i := 0; ; {
		plain := strings.IndexByte(raw[i:], '\\')
		if plain < 0 {
			out.WriteString(raw[i:])
			p.at++
			return out.String(), nil
		}
		out.WriteString(raw[i : i+plain])
		i += plain
		r, n := escape(raw[i:])
		if n == 0 {
			p.at = offset + i
			return "", p.fault("bad escape %q", clip(raw[i:min(i+6, len(raw))]))
		}
		out.WriteRune(r)
		i += n
	}
}

// escape decodes the escape at the start of s and gives its length, 0 when it
// is none or half of a surrogate pair.
func escape(s string) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(s[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 reads \uXXXX.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// clip keeps a name in a message short.
func clip(s string) string {
	const limit = 64
	for i := range s {
		if i >= limit {
			return s[:i] + "…"
		}
	}
	return s
}
