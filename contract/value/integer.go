package value

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxInteger is how many digits an integer of 64 bits has at most. Longer ones
// fit nothing and stay as written, so that 1e1000 does not become a text of
// a thousand digits.
const maxInteger = 20

// plainIntegers is a copy of a tree in which 2.0 and 2e0 are written 2.
func plainIntegers(tree any) any {
	switch t := tree.(type) {
	case json.Number:
		return plainInteger(t)
	case []any:
		items := make([]any, len(t))
		for i, item := range t {
			items[i] = plainIntegers(item)
		}
		return items
	case map[string]any:
		fields := make(map[string]any, len(t))
		for name, field := range t {
			fields[name] = plainIntegers(field)
		}
		return fields
	}
	return tree
}

// plainInteger is n without fraction and exponent, or n itself when it has
// a fraction or is too long.
func plainInteger(n json.Number) json.Number {
	mantissa, power := strings.ToLower(string(n)), ""
	mantissa, power, _ = strings.Cut(mantissa, "e")
	exponent, _ := strconv.Atoi(power) // the parser has bounded it
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	zeros := len(digits) - len(significant) + exponent - len(fraction)
	switch {
	case significant == "":
		return "0"
	case zeros < 0 || len(significant)+zeros > maxInteger:
		return n
	}
	plain := significant + strings.Repeat("0", zeros)
	if negative {
		plain = "-" + plain
	}
	return json.Number(plain)
}
