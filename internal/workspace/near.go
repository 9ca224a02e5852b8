package workspace

import (
	"cmp"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Near returns up to n names in the folder of path that look like its last
// name, the nearest first: those that differ only in case, composition or the
// kind of blank, then those a few letters away. They are for a message that
// says a file is missing; none of them is ever opened instead. Path is
// absolute. A folder that cannot be read has none.
func Near(path string, n int) []string {
	names, err := readNames(filepath.Dir(path))
	if err != nil {
		return nil
	}
	want := filepath.Base(path)
	wantKey := key(want)
	letters := utf8.RuneCountInString(wantKey)
	limit := max(1, letters/3)
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, name := range names {
		k := key(name)
		if d := utf8.RuneCountInString(k) - letters; name == want || d > limit || -d > limit {
			continue
		}
		if d := levenshtein.ComputeDistance(wantKey, k); d <= limit {
			found = append(found, near{name, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	out := make([]string, 0, n)
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.name)
	}
	return out
}
