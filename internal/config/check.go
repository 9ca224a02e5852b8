package config

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// checker passes once over a text and compares every key and value with the
// shape of the type that the text is decoded into afterwards. BurntSushi/toml
// stops at its first error and has no place for an unknown key; hence this.
type checker struct {
	faults
	expander
	shapes  shaper
	shape   *shape // of the whole text
	law     bool   // rules may not allow
	root    *node
	drafts  []*draft        // every rule, in order
	needy   []*node         // tables with required keys
	refs    []ref           // values that may name a table of the file
	unknown map[string]bool // unknown tables already named
}

// check reports whether the text is well-formed; its faults are in c.faults.
func (c *checker) check() bool {
	c.root = c.open(c.shape, nil, "", 0)
	var p unstable.Parser
	p.Reset(c.text)
	cur := c.root
	for len(c.list) < maxFaults && p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			at := c.bracket(int(e.Child().Raw.Offset))
			if cur != nil && cur.draft != nil {
				cur.draft.end = at
			}
			if c.checkDepth(e, 0, at) {
				cur = c.header(e, at)
			} else {
				cur = nil
			}
		case unstable.KeyValue:
			if cur != nil {
				c.keyValue(cur, e)
			} else {
				c.checkDepth(e, 0, int(e.Raw.Offset))
			}
		}
	}
	if cur != nil && cur.draft != nil {
		cur.draft.end = len(c.text)
	}
	if err := p.Error(); err != nil {
		offset := 0
		var at *unstable.ParserError
		if errors.As(err, &at) {
			offset = int(p.Range(at.Highlight).Offset)
		}
		c.add(offset, "%v", err)
		return false
	}
	for _, n := range c.needy {
		for i, k := range n.shape.keys {
			if k.required && !n.slots[i].given() {
				c.add(n.offset, "%s is missing", n.path(k.name))
			}
		}
	}
	for _, r := range c.refs {
		c.checkRef(r)
	}
	return true
}

func (c *checker) open(s *shape, parent *node, name string, offset int) *node {
	n := &node{shape: s, parent: parent, name: name, offset: offset}
	if s.kind == table {
		n.slots = make([]slot, len(s.keys))
	} else {
		n.named = map[string]*slot{}
	}
	if s.required {
		c.needy = append(c.needy, n)
	}
	c.draftOf(n)
	return n
}

// header checks [a.b] or [[a.b]] and returns the table that the lines below
// belong to; nil means that nothing is known about them.
func (c *checker) header(e *unstable.Node, offset int) *node {
	n := c.root
	for it := e.Key(); it.Next(); {
		k := it.Node()
		s, sh, name := c.slot(n, k, true)
		if s == nil {
			return nil
		}
		if !it.IsLast() {
			if n = c.into(n, s, sh, name, k); n == nil {
				return nil
			}
			continue
		}
		if n.draft != nil {
			n.draft.decoded = true
		}
		switch {
		case s.closed:
			c.duplicate(n, name, s, offset)
			return nil
		case e.Kind == unstable.ArrayTable && sh.kind == list && sh.elem.kind == table:
			s.at, s.sub = 1+offset, c.open(sh.elem, n, name, offset)
		case e.Kind == unstable.Table && (sh.kind == table || sh.kind == named):
			if s.at != 0 {
				c.duplicate(n, name, s, offset)
			} else if s.sub == nil {
				s.sub = c.open(sh, n, name, offset)
			}
			s.at = 1 + offset
		case e.Kind == unstable.Table && sh.kind == free, e.Kind == unstable.ArrayTable && sh.loose():
			s.at = 1 + offset
		default:
			c.mismatch(n, name, sh, e.Kind, offset)
			return nil
		}
		return s.sub
	}
	return nil
}

// bracket is where the header begins that the key at offset is part of.
func (c *checker) bracket(offset int) int {
	start := bytes.LastIndexByte(c.text[:offset], '\n') + 1
	for c.text[start] != '[' {
		start++
	}
	return start
}

// keyValue checks one line or one member of an inline table.
func (c *checker) keyValue(n *node, kv *unstable.Node) {
	for it := kv.Key(); it.Next(); {
		k := it.Node()
		s, sh, name := c.slot(n, k, false)
		if s == nil {
			return
		}
		if !it.IsLast() {
			if n = c.into(n, s, sh, name, k); n == nil {
				return
			}
			continue
		}
		offset := int(k.Raw.Offset)
		if s.given() {
			c.duplicate(n, name, s, offset)
			return
		}
		s.at, s.closed = 1+offset, true
		c.value(n, s, sh, name, kv.Value(), offset)
	}
}

// slot finds the key k of n. A nil slot means that the key is unknown; the
// fault is then recorded, for a header only the first time.
func (c *checker) slot(n *node, k *unstable.Node, header bool) (*slot, *shape, string) {
	if n.shape.kind == table {
		i, ok := n.shape.index[string(k.Data)]
		if !ok {
			c.unknownKey(n, string(k.Data), int(k.Raw.Offset), header)
			return nil, nil, ""
		}
		return &n.slots[i], n.shape.keys[i].shape, n.shape.keys[i].name
	}
	name := string(k.Data)
	s := n.named[name]
	if s == nil {
		s = &slot{}
		n.named[name] = s
	}
	return s, n.shape.elem, name
}

// into steps into the table under a key that is not the last of its path.
func (c *checker) into(n *node, s *slot, sh *shape, name string, k *unstable.Node) *node {
	switch {
	case s.closed:
		c.duplicate(n, name, s, int(k.Raw.Offset))
		return nil
	case s.sub != nil:
	case sh.kind == table || sh.kind == named:
		s.sub = c.open(sh, n, name, int(k.Raw.Offset))
	case !sh.loose() || sh.kind == list && s.at == 0:
		c.mismatch(n, name, sh, unstable.Table, int(k.Raw.Offset))
	}
	return s.sub
}

func (c *checker) duplicate(n *node, name string, s *slot, offset int) {
	at := places{text: c.text}
	line, _ := at.place(s.offset())
	c.add(offset, "%s is already set in line %d", n.path(name), line)
}

func (c *checker) unknownKey(n *node, name string, offset int, header bool) {
	path := n.path(name)
	if header {
		if c.unknown[path] {
			return
		}
		if c.unknown == nil {
			c.unknown = map[string]bool{}
		}
		c.unknown[path] = true
	}
	hint := "; known here: " + strings.Join(n.shape.names(), ", ")
	if c.law {
		hint = "; this file holds [[tools.rules]] and nothing else"
	}
	if near := nearest(name, n.shape.names()); near != "" {
		hint = "; did you mean " + n.path(near) + "?"
	} else if others := c.shape.paths(name, ""); len(others) == 1 {
		hint = "; did you mean " + others[0] + "?"
	}
	c.add(offset, "unknown key %s%s", path, hint)
}
