package builtins

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visibleName is a file name as a message shows it: on one line, whatever
// bytes it is made of. Names without control characters come back unchanged.
func visibleName(name string) string {
	if utf8.ValidString(name) && strings.IndexFunc(name, hiddenRune) < 0 {
		return name
	}
	var b strings.Builder
	for rest := name; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if hiddenRune(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.Quote(rest[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// hiddenRune reports whether r acts on the text around it instead of being
// seen in it: controls, line separators, direction marks.
func hiddenRune(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// nearName shows a name and says what in it looks like something else: blanks
// that are no plain blank, and marks that join the letter before them.
func nearName(name string) string {
	var odd []string
	for _, r := range name {
		if r > unicode.MaxASCII && unicode.In(r, unicode.Zs, unicode.Mn) && len(odd) < 3 {
			odd = append(odd, fmt.Sprintf("%U", r))
		}
	}
	if len(odd) == 0 {
		return visibleName(name)
	}
	return visibleName(name) + " (with " + strings.Join(odd, ", ") + ")"
}
