package value

import (
	"encoding/json"
	"maps"
	"slices"
)

// JSON is the canonical encoding: keys by code point, no blanks, numbers as
// written, and in strings nothing escaped but quotes, backslashes and control
// characters. An absent value is the empty string.
func (v Value) JSON() string {
	if v.kind == Absent {
		return ""
	}
	return string(appendTree(nil, v.tree))
}

// MarshalJSON gives the canonical encoding, and null for an absent value.
func (v Value) MarshalJSON() ([]byte, error) {
	return appendTree(nil, v.tree), nil
}

func appendTree(to []byte, tree any) []byte {
	switch t := tree.(type) {
	case nil:
		return append(to, "null"...)
	case bool:
		if t {
			return append(to, "true"...)
		}
		return append(to, "false"...)
	case json.Number:
		return append(to, t...)
	case string:
		return appendString(to, t)
	case []any:
		to = append(to, '[')
		for i, item := range t {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendTree(to, item)
		}
		return append(to, ']')
	case map[string]any:
		to = append(to, '{')
		for i, name := range slices.Sorted(maps.Keys(t)) {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendString(to, name), ':')
			to = appendTree(to, t[name])
		}
		return append(to, '}')
	default:
		panic("value: a tree of foreign type") // Parse makes no other
	}
}

func appendString(to []byte, s string) []byte {
	to = append(to, '"')
	plain := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, s[plain:i]...)
		plain = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\b':
			to = append(to, '\\', 'b')
		case '\f':
			to = append(to, '\\', 'f')
		case '\n':
			to = append(to, '\\', 'n')
		case '\r':
			to = append(to, '\\', 'r')
		case '\t':
			to = append(to, '\\', 't')
		default:
			const digits = "0123456789abcdef"
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(to, s[plain:]...), '"')
}
