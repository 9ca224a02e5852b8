package panel

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// in breaks a copy of root, and says where the fault has to be found. It is
// false when root has no such place.
func (f fault) in(m *maker, root any) (broken any, pointer string, ok bool) {
	var steps []string
	if f.at != "" {
		steps = strings.Split(f.at, "/")
	}
	broken, at, ok := f.put(m, root, steps, nil)
	if !ok {
		return nil, "", false
	}
	pointer = "/" + strings.Join(at[:len(at)-f.up], "/") + f.below
	if pointer != "/" {
		pointer = strings.TrimSuffix(pointer, "/")
	}
	return broken, pointer, true
}

// put copies on the way down and changes the copy.
func (f fault) put(m *maker, tree any, steps []string, around []any) (any, []string, bool) {
	if len(steps) == 0 {
		if to, is := f.to.(func(spot) any); is {
			if tree == nil {
				return nil, nil, false
			}
			return to(spot{tree, around}), nil, true
		}
		return f.to, nil, true
	}
	if word, is := strings.CutPrefix(steps[0], "="); is {
		if o, isObject := tree.(object); isObject { // the object itself has to be of that kind
			if o["op"] != word {
				return nil, nil, false
			}
			return f.put(m, tree, steps[1:], around)
		}
	}
	switch t := tree.(type) {
	case object:
		name := steps[0]
		old, has := t[name]
		if !has && (len(steps) > 1 || f.to == missing) {
			return nil, nil, false
		}
		next := maps.Clone(t)
		if f.to == missing && len(steps) == 1 {
			delete(next, name)
			return next, []string{name}, true
		}
		part, at, ok := f.put(m, old, steps[1:], append(around, next))
		if !ok {
			return nil, nil, false
		}
		next[name] = part
		return next, append([]string{name}, at...), true
	case []any:
		i := f.index(m, t, steps[0])
		if i < 0 {
			return nil, nil, false
		}
		next := slices.Clone(t)
		part, at, ok := f.put(m, t[i], steps[1:], append(around, next))
		if !ok {
			return nil, nil, false
		}
		next[i] = part
		return next, append([]string{strconv.Itoa(i)}, at...), true
	}
	return nil, nil, false
}

// index picks an item, negative when none is meant.
func (f fault) index(m *maker, list []any, step string) int {
	first := 0
	var fits []int
	switch word, is := strings.CutPrefix(step, "="); {
	case is:
		for i, item := range list {
			o := item.(object)
			if slices.Contains([]any{o["kind"], o["op"], o["scope"]}, any(word)) {
				fits = append(fits, i)
			}
		}
	case step == "^":
		first = 1
		fallthrough
	case step == "*":
		for i := first; i < len(list); i++ {
			fits = append(fits, i)
		}
	default:
		if i, err := strconv.Atoi(step); err == nil && i < len(list) {
			fits = append(fits, i)
		}
	}
	if len(fits) == 0 {
		return -1
	}
	return pick(m, fits...)
}
