package panel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// show is a tree as a message may quote it: short.
func show(tree any) string {
	switch t := tree.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(t)
	case json.Number:
		return clip(string(t))
	case string:
		return strconv.Quote(clip(t))
	case []any:
		return fmt.Sprintf("an array of %d", len(t))
	case map[string]any:
		return fmt.Sprintf("an object of %d", len(t))
	default:
		return fmt.Sprintf("a %T", tree)
	}
}

// clip keeps what a message quotes short.
func clip(s string) string {
	const limit = 64
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func sortedNames(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
