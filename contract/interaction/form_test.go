package interaction

import (
	"fmt"
	"strings"
	"testing"

	"raw/contract/value"
)

// TestCheckBounds has answers that somebody made up to be expensive.
func TestCheckBounds(t *testing.T) {
	form := formOf(t, `{"id":"a","label":"A","kind":"multi_select","options":[{"id":"p","label":"P"}]}`)
	many, long := map[string]any{}, map[string]any{strings.Repeat("ü", 50_000): nil}
	list := make([]any, 100_000)
	for i := range list {
		many[fmt.Sprint("field ", i)] = nil
		list[i] = strings.Repeat("x", 500)
	}
	few := map[string]any{"a": list}
	for i := range maxFaults - 1 {
		few[fmt.Sprint("field ", i)] = nil
	}
	for _, c := range []struct {
		name    string
		answers any
		want    int
	}{
		{"fields", many, maxFaults}, {"items", map[string]any{"a": list}, maxFaults}, {"both", few, maxFaults}, {"a long name", long, 1},
	} {
		faults := form.Check(value.FromTree(c.answers))
		if size := len(invalid(faults).Message); len(faults) != c.want || size > 4<<10 {
			t.Errorf("%s: %d faults of %d bytes in all, want %d of at most 4 KiB", c.name, len(faults), size, c.want)
		}
	}
}

// TestOrdered gives lists in the order of the form, and changes nothing else.
func TestOrdered(t *testing.T) {
	form := formOf(t, `
		{"id":"t","label":"T","kind":"text"},
		{"id":"m","label":"M","kind":"multi_select","options":[{"id":"c","label":"C"},{"id":"a","label":"A"},{"id":"b","label":"B"}]}
	`)
	for given, want := range map[string]string{
		`{"m":["a","b","c"],"t":"x"}`: `{"m":["c","a","b"],"t":"x"}`,
		`{"m":["b"]}`:                 `{"m":["b"]}`,
		`{"m":[]}`:                    `{"m":[]}`,
		`{}`:                          `{}`,
	} {
		answers := valueOf(t, given)
		if got := form.ordered(answers).JSON(); got != want || answers.JSON() != valueOf(t, given).JSON() {
			t.Errorf("ordered(%s) = %s, want %s and the answers as they were", given, got, want)
		}
	}
}
