package shellparse

import (
	"strings"
	"unicode/utf8"
)

// simpleEscapes are the one-letter escapes of $'…', letter and byte in turn.
const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\''\"\"??"

// unquoteANSI decodes the inside of $'…'. It reports false for escapes that
// depend on the locale or end the string.
func unquoteANSI(s string) (string, bool) {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		c := s[i]
		if k := strings.IndexByte(simpleEscapes, c); k >= 0 && k%2 == 0 {
			out = append(out, simpleEscapes[k+1])
			continue
		}
		digits, base, most := s[i:], 8, 3
		switch c {
		case 'x':
			digits, base, most = s[i+1:], 16, 2
		case 'u':
			digits, base, most = s[i+1:], 16, 4
		case 'U':
			digits, base, most = s[i+1:], 16, 8
		}
		n, r := number(digits, base, most)
		switch {
		case n == 0 && (c == 'c' || base == 16):
			return "", false
		case n == 0:
			out = append(out, '\\', c)
			continue
		case r == 0 || r > utf8.MaxRune:
			return "", false
		case c == 'u' || c == 'U':
			out = utf8.AppendRune(out, rune(r))
		default:
			out = append(out, byte(r))
		}
		i += n - 1
		if base == 16 {
			i++
		}
	}
	return string(out), true
}

// number reads at most most digits and says how many there were.
func number(s string, base, most int) (n int, value uint64) {
	for n < len(s) && n < most {
		d := strings.Index("0123456789abcdef", strings.ToLower(s[n:n+1]))
		if d < 0 || d >= base {
			break
		}
		value = value*uint64(base) + uint64(d)
		n++
	}
	return n, value
}
