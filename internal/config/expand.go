package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// Env looks a variable up, as os.LookupEnv does.
type Env = func(name string) (value string, ok bool)

// expander resolves what a value stands for. The same function checks a value
// where it stands in the text and later replaces it in the decoded Config.
type expander struct{ env Env }

func (x expander) expand(sh *shape, value string) (string, error) {
	if name, ok := strings.CutPrefix(value, "env:"); ok && sh.env {
		v, ok := x.env(name)
		if !ok {
			return "", fmt.Errorf("the environment has no variable %s; set it or remove the key", quote(name))
		}
		return v, nil
	}
	if sh.path == "" {
		return value, nil
	}
	path, err := x.folder(value)
	if err != nil {
		return "", err
	}
	if sh.path == "absolute" && (path != "" || sh.filled) && !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s is not absolute; write the whole path or begin it with ~/", quote(value))
	}
	return path, nil
}

// folder expands the beginnings that stand for folders of the person.
func (x expander) folder(path string) (string, error) {
	head, rest, _ := strings.Cut(path, "/")
	var base string
	switch head {
	case "~":
		base = home(x.env)
	case "$XDG_CONFIG_HOME":
		base = configBase(runtime.GOOS, x.env, home(x.env))
	case "$XDG_STATE_HOME":
		base = stateBase(runtime.GOOS, x.env, home(x.env))
	default:
		return path, nil
	}
	if base == "" {
		return "", errors.New("no home folder is known for " + head + "; set HOME or write the whole path")
	}
	return filepath.Join(base, rest), nil
}

// replace puts the expanded values into v, which has the shape sh. Only values
// that the check has passed come here, so there is nothing to report.
func (x expander) replace(v reflect.Value, sh *shape) {
	switch sh.kind {
	case table:
		for _, k := range sh.keys {
			if k.shape.expands {
				x.replace(v.FieldByIndex(k.field), k.shape)
			}
		}
	case list:
		for i := range v.Len() {
			x.replace(v.Index(i), sh.elem)
		}
	case named:
		for it := v.MapRange(); it.Next(); {
			e := reflect.New(sh.elem.typ).Elem()
			e.Set(it.Value())
			x.replace(e, sh.elem)
			v.SetMapIndex(it.Key(), e)
		}
	case text:
		if s, err := x.expand(sh, v.String()); err == nil {
			v.SetString(s)
		}
	}
}
