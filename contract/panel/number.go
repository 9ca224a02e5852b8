package panel

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// maxNumber is the largest number that every surface can hold exactly, a float
// of 64 bits included.
const maxNumber = 1<<53 - 1

// whole checks a whole number, however it is written: 2.0 and 2e0 are 2.
func (w *walk) whole(r *rule, tree any) *Error {
	n, ok := integer(tree)
	switch {
	case !ok:
		return w.fail("found %s, want a whole number from %d to %d", show(tree), r.min, r.max)
	case n < r.min:
		return w.fail("%d is less than the minimum %d", n, r.min)
	case n > r.max:
		return w.fail("%d is more than the maximum %d", n, r.max)
	}
	return nil
}

func (w *walk) number(r *rule, tree any) *Error {
	n, ok := rational(tree)
	switch {
	case !ok:
		return w.fail("found %s, want a number", show(tree))
	case n.Cmp(new(big.Rat).SetInt64(r.min)) < 0:
		return w.fail("%s is less than the minimum %d", show(tree), r.min)
	case n.Cmp(new(big.Rat).SetInt64(r.max)) > 0:
		return w.fail("%s is more than the maximum %d", show(tree), r.max)
	}
	return nil
}

// integer is a tree as a whole number of at most 64 bits.
func integer(tree any) (int64, bool) {
	text, ok := tree.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, true
	}
	exact, ok := rational(tree)
	if !ok || !exact.IsInt() || !exact.Num().IsInt64() {
		return 0, false
	}
	return exact.Num().Int64(), true
}

// rational is a tree as an exact number. An exponent that package value would
// not read is no number here either: its exact form could fill the memory.
func rational(tree any) (*big.Rat, bool) {
	text, ok := tree.(json.Number)
	if !ok {
		return nil, false
	}
	if _, power, has := strings.Cut(strings.ToLower(string(text)), "e"); has {
		if n, err := strconv.Atoi(power); err != nil || n > 1000 || n < -1000 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(text))
}
