package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// The operators: an object with one of these keys is not compared but says
// what to compare with.
const (
	opRegexp  = "$re"
	opAny     = "$any"
	opAbsent  = "$absent"
	opCapture = "$capture"
)

// errPattern marks a pattern that cannot be used, as against one that does not
// match.
var errPattern = errors.New("bad pattern")

// match compares got with want as the package comment says, and returns the
// first difference. What the pattern captures goes into captured.
func match(path string, want, got any, captured map[string]any) error {
	switch want := want.(type) {
	case map[string]any:
		if op, err := operator(want); err != nil {
			return fmt.Errorf("%s: %w: %w", path, errPattern, err)
		} else if op {
			return matchOperator(path, want, got, captured)
		}
		return matchObject(path, want, got, captured)
	case []any:
		return matchArray(path, want, got, captured)
	}
	if want != got {
		return fmt.Errorf("%s is %s, want %s", path, show(got), show(want))
	}
	return nil
}

func matchObject(path string, want map[string]any, got any, captured map[string]any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is %s, want an object", path, show(got))
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		value, there := object[key]
		at := path + "." + key
		switch absent := isAbsent(want[key]); {
		case absent && there:
			return fmt.Errorf("%s is %s, want it absent", at, show(value))
		case absent:
			continue
		case !there:
			return fmt.Errorf("%s is absent, want %s", at, show(want[key]))
		}
		if err := match(at, want[key], value, captured); err != nil {
			return err
		}
	}
	return nil
}

func matchArray(path string, want []any, got any, captured map[string]any) error {
	array, ok := got.([]any)
	if !ok {
		return fmt.Errorf("%s is %s, want an array", path, show(got))
	}
	open := len(want) > 0 && want[len(want)-1] == "..."
	if open {
		want = want[:len(want)-1]
	}
	if len(array) < len(want) || len(array) > len(want) && !open {
		return fmt.Errorf("%s has %d elements, want %d: %s", path, len(array), len(want), show(got))
	}
	for i := range want {
		if err := match(fmt.Sprintf("%s[%d]", path, i), want[i], array[i], captured); err != nil {
			return err
		}
	}
	return nil
}

func matchOperator(path string, want map[string]any, got any, captured map[string]any) error {
	if isAbsent(want) {
		return fmt.Errorf("%s: %w: %s stands only for the value of a key", path, errPattern, opAbsent)
	}
	if expr, ok := want[opRegexp]; ok {
		re, err := regexp.Compile(fmt.Sprintf(`\A(?s:%s)\z`, expr))
		if err != nil {
			return fmt.Errorf("%s: %w: %w", path, errPattern, err)
		}
		text, ok := got.(string)
		if !ok || !re.MatchString(text) {
			return fmt.Errorf("%s is %s, want a string matching %s", path, show(got), expr)
		}
	}
	if name, ok := want[opCapture]; ok {
		captured[name.(string)] = got
	}
	return nil
}

// operator reports whether object is an operator, and an error if it is a
// mixture or has an operand that makes no sense.
func operator(object map[string]any) (bool, error) {
	ops := 0
	for key, operand := range object {
		ok := false
		switch key {
		case opRegexp, opCapture:
			_, ok = operand.(string)
		case opAny, opAbsent:
			ok = operand == true
		default:
			continue
		}
		if !ok {
			return false, fmt.Errorf("%s cannot be %s", key, show(operand))
		}
		ops++
	}
	if ops > 0 && ops < len(object) {
		return false, fmt.Errorf("an operator among other keys: %s", show(object))
	}
	return ops > 0, nil
}

func isAbsent(want any) bool {
	object, ok := want.(map[string]any)
	return ok && len(object) == 1 && object[opAbsent] == true
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // it came out of a decoder, so it goes back in
		panic(err)
	}
	return clip(b)
}
