package predicate

import (
	"slices"
	"strconv"
	"strings"

	"raw/contract/value"
)

// readUnknown takes in what the effects say is not fixed. An entry with [*],
// or one that names a whole part, leaves nothing under the path certain:
// programs[*].name. One with indexes is about a single value, and a number of
// bytes after a colon is how much of its start is certain: programs[3].command:12.
// What is not of these forms counts as everything, as does an index that leads
// to no value: an entry that is misread must not make a call look certain.
func (r *Reading) readUnknown(entries value.Value) {
	for i := range entries.Len() {
		entry, ok := entries.At(i).Str()
		if !ok {
			continue
		}
		at, covers := r.parseEntry(entry)
		if !covers {
			continue
		}
		if o, ok := r.openAt(entry, at); ok {
			r.open = append(r.open, o)
		} else if r.unread == nil {
			r.unread = &open{entry: entry}
			if len(r.values) > 0 {
				r.unread.text = r.values[0]
			}
		}
	}
}

// parseEntry says whether an entry speaks of the path that was read, and with
// which indexes; nil when it names no single value.
func (r *Reading) parseEntry(entry string) (at []int, covers bool) {
	path, _, _ := strings.Cut(entry, ":")
	parts := strings.Split(path, ".")
	at = []int{}
	for i, part := range parts {
		name, index, bracketed := strings.Cut(part, "[")
		if !isName(name) || bracketed && !strings.HasSuffix(index, "]") {
			return nil, true
		}
		if i >= len(r.steps) || name != r.steps[i].name {
			return nil, false
		}
		n, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if bracketed && err == nil {
			at = append(at, n)
		}
	}
	if len(parts) < len(r.steps) {
		return nil, true
	}
	return at, true
}

// openAt finds the value that an entry with indexes is about.
func (r *Reading) openAt(entry string, at []int) (open, bool) {
	if at == nil {
		return open{}, false
	}
	o, found := open{entry: entry}, false
	walk(r.spellings[0], r.steps, func(here []int, text string) bool {
		found = slices.Equal(here, at)
		o.text = text
		return !found
	})
	if !found {
		return open{}, false
	}
	if _, count, ok := strings.Cut(entry, ":"); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 {
			return open{}, false
		}
		o.fixed = o.text[:min(n, len(o.text))]
	}
	return o, true
}
