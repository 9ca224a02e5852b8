package panel

import (
	"encoding/json"
	"strings"
	"testing"

	"raw/contract/value"
)

// TestEncode compares with the canonical encoding of package value, for every
// byte that a string may have, whether documents may have it or not.
func TestEncode(t *testing.T) {
	var every strings.Builder
	for r := range rune(0x100) {
		every.WriteRune(r)
	}
	for _, tree := range []any{
		nil, true, false, json.Number("-1.50e+3"), "", every.String(), "🙂\u2028",
		[]any{},
		object{},
		[]any{nil, []any{"a", object{"b": json.Number("1"), "a": []any{}, every.String(): "x", "ab": nil}}, false},
	} {
		want := value.FromTree(tree).JSON()
		size := encodedSize(tree)
		if got := encode(tree, size); got != want || size != len(want) {
			t.Errorf("encode = %s, size %d; want %s, size %d", got, size, want, len(want))
		}
	}
}
