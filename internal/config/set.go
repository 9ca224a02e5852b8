package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Set puts the value of a command-line flag in the place of a key of strings,
// such as "workspace.mode". It accepts the values that the file may have, and
// expands nothing: a shell has done that.
func (c *Config) Set(path, value string) error {
	sh, v := shaper{}.of(reflect.TypeFor[Config](), ""), reflect.ValueOf(c).Elem()
	for name := range strings.SplitSeq(path, ".") {
		i, ok := sh.index[name]
		if !ok {
			return fmt.Errorf("set %s: there is no such key", path)
		}
		v, sh = v.FieldByIndex(sh.keys[i].field), sh.keys[i].shape
	}
	if sh.kind != text {
		return fmt.Errorf("set %s: the key takes %s", path, sh.expected())
	}
	if sh.or == "" && sh.oneof != nil && !slices.Contains(sh.oneof, value) {
		return fmt.Errorf("set %s: %s", path, notOneOf(value, sh.oneof))
	}
	v.SetString(value)
	return nil
}

// notOneOf names what a closed list accepts.
func notOneOf(value string, accepted []string) string {
	const most = 12
	what := quote(value) + " is not one of " + strings.Join(accepted[:min(most, len(accepted))], ", ")
	if len(accepted) > most {
		what += ", …"
	}
	if near := nearest(value, accepted); near != "" {
		what += "; did you mean " + quote(near) + "?"
	}
	return what
}
