package builtins

import (
	"fmt"
	"strings"
	"unicode"

	"raw/contract"
)

var lineEscapes = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// visibleName is a file name as a message shows it: on one line, whatever
// bytes it is made of. Names without control characters come back unchanged.
func visibleName(name string) string { return lineEscapes.Replace(contract.Visible(name)) }

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
