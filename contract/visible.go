package contract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is text that a person may see as it is: whatever a terminal would
// act on is escaped, only line ends and tabs stay. The paths and arguments in
// refusals and questions are made of any bytes that somebody chose. Any number of
// goroutines may call it.
func Visible(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if hidden(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.Quote(rest[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// hidden reports whether r acts on the text around it instead of being seen.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
