package config

import "strings"

// node is a table of the text.
type node struct {
	shape  *shape
	parent *node
	name   string
	offset int              // of its header or brace
	slots  []slot           // of fixed keys, as in shape.keys
	named  map[string]*slot // of free names
	draft  *draft           // the rule that the table is, or is a part of
}

// slot is what a table has under a key.
type slot struct {
	at     int   // 1 + the offset of the key; 0: not given, or only by a deeper key
	closed bool  // given by key = value: nothing can be added
	sub    *node // the table, or the last one of an array of tables
}

// given reports whether the text has the key at all.
func (s *slot) given() bool { return s != nil && (s.at != 0 || s.sub != nil) }

// offset is where the key stands first.
func (s *slot) offset() int {
	if s.at == 0 {
		return s.sub.offset
	}
	return s.at - 1
}

// at finds the slot under a path of keys; nil when a part of it is not given.
func (n *node) at(path ...string) *slot {
	var s *slot
	for _, name := range path {
		if n == nil {
			return nil
		}
		if i, ok := n.shape.index[name]; ok {
			s = &n.slots[i]
		} else if s = n.named[name]; s == nil {
			return nil
		}
		n = s.sub
	}
	return s
}

// path is the dotted path of a key of n, written as in the file.
func (n *node) path(name string) string {
	path := keyText(name)
	for ; n.parent != nil; n = n.parent {
		path = keyText(n.name) + "." + path
	}
	return path
}

// self is the dotted path of n, which is not the root.
func (n *node) self() string { return n.parent.path(n.name) }

func keyText(name string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	if name == "" || len(name) > maxShown || strings.Trim(name, bare) != "" {
		return quote(name)
	}
	return name
}
