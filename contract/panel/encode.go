package panel

import (
	"encoding/json"
	"slices"
	"strings"
)

// encoder writes a tree as value.Value.JSON does, but into one allocation of
// the exact size. A document is encoded for every update, so that what an
// update costs is about what it holds.
type encoder struct {
	out   strings.Builder
	names []string // of the objects that are open, a stack
}

// encode is the canonical text of a tree of which encodedSize has said the size.
func encode(tree any, size int) string {
	e := encoder{names: make([]string, 0, 32)}
	e.out.Grow(size)
	e.put(tree)
	return e.out.String()
}

func (e *encoder) put(tree any) {
	switch t := tree.(type) {
	case bool:
		if t {
			e.out.WriteString("true")
		} else {
			e.out.WriteString("false")
		}
	case json.Number:
		e.out.WriteString(string(t))
	case string:
		e.text(t)
	case []any:
		e.out.WriteByte('[')
		for i, item := range t {
			if i > 0 {
				e.out.WriteByte(',')
			}
			e.put(item)
		}
		e.out.WriteByte(']')
	case map[string]any:
		e.object(t)
	default: // nil: walk lets nothing else pass
		e.out.WriteString("null")
	}
}

func (e *encoder) object(fields map[string]any) {
	first := len(e.names)
	for name := range fields {
		e.names = append(e.names, name)
	}
	slices.Sort(e.names[first:])
	e.out.WriteByte('{')
	for i := range len(fields) {
		if i > 0 {
			e.out.WriteByte(',')
		}
		name := e.names[first+i]
		e.text(name)
		e.out.WriteByte(':')
		e.put(fields[name])
	}
	e.out.WriteByte('}')
	e.names = e.names[:first]
}

func (e *encoder) text(s string) {
	e.out.WriteByte('"')
	plain := 0
	for i := range len(s) {
		c := s[i]
		if escapeLen(c) == 1 {
			continue
		}
		e.out.WriteString(s[plain:i])
		plain = i + 1
		e.out.WriteByte('\\')
		switch c {
		case '"', '\\':
			e.out.WriteByte(c)
		case '\b':
			e.out.WriteByte('b')
		case '\f':
			e.out.WriteByte('f')
		case '\n':
			e.out.WriteByte('n')
		case '\r':
			e.out.WriteByte('r')
		case '\t':
			e.out.WriteByte('t')
		default:
			const digits = "0123456789abcdef"
			e.out.WriteString("u00")
			e.out.WriteByte(digits[c>>4])
			e.out.WriteByte(digits[c&15])
		}
	}
	e.out.WriteString(s[plain:])
	e.out.WriteByte('"')
}

// escapeLen is how many bytes c takes in a JSON string.
func escapeLen(c byte) int {
	switch {
	case c == '"', c == '\\', c == '\b', c == '\f', c == '\n', c == '\r', c == '\t':
		return 2
	case c < ' ':
		return 6
	default:
		return 1
	}
}

// encodedSize is the number of bytes of the canonical encoding.
func encodedSize(tree any) int {
	switch t := tree.(type) {
	case bool:
		if t {
			return len("true")
		}
		return len("false")
	case json.Number:
		return len(t)
	case string:
		return textSize(t)
	case []any:
		n := 2 + max(len(t)-1, 0)
		for _, item := range t {
			n += encodedSize(item)
		}
		return n
	case map[string]any:
		n := 2 + max(len(t)-1, 0) + len(t)
		for name, part := range t {
			n += textSize(name) + encodedSize(part)
		}
		return n
	default:
		return len("null")
	}
}

func textSize(s string) int {
	n := 2 + len(s)
	for i := range len(s) {
		n += escapeLen(s[i]) - 1
	}
	return n
}
