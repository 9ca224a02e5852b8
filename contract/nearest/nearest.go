// Package nearest finds the names that somebody probably meant. It only
// suggests: nothing that decides about a call may use it.
package nearest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Names returns up to n of the candidates that are close to name, nearest
// first, ties in the order of the alphabet. A candidate is close when a third
// of its letters at most (and always two) differ, upper and lower case being
// the same, or when one of the two contains the other.
func Names(name string, candidates []string, n int) []string {
	type near struct {
		name     string
		distance int
	}
	wanted := strings.ToLower(name)
	var found []near
	for _, c := range candidates {
		have := strings.ToLower(c)
		d := levenshtein.ComputeDistance(wanted, have)
		contained := len(wanted) > 2 && len(have) > 2 && (strings.Contains(have, wanted) || strings.Contains(wanted, have))
		if d <= max(2, len(have)/3) && d < len(have) || contained {
			found = append(found, near{c, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found[:min(n, len(found))] {
		names = append(names, f.name)
	}
	return names
}
