package config

import (
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// ref is a value that may name a table of the file.
type ref struct {
	node   *node
	name   string
	value  string
	shape  *shape
	offset int
}

// value checks what stands under name. offset is the key's, for values that
// the parser gives no place for.
func (c *checker) value(n *node, s *slot, sh *shape, name string, v *unstable.Node, offset int) {
	if v.Raw.Length > 0 {
		offset = int(v.Raw.Offset)
	}
	switch {
	case (sh.kind == table || sh.kind == named) && v.Kind == unstable.InlineTable:
		s.sub = c.open(sh, n, name, offset)
		for it := v.Children(); it.Next(); {
			c.keyValue(s.sub, it.Node())
		}
	case sh.kind == list && v.Kind == unstable.Array:
		for it := v.Children(); it.Next(); {
			c.value(n, s, sh.elem, name, it.Node(), offset)
		}
	case sh.kind == free && v.Kind == unstable.InlineTable:
		c.checkDepth(v, 0, offset)
	case sh.kind == example && v.Kind == unstable.String:
		if n.draft != nil {
			n.draft.take(n.shape.typ, name, string(v.Data))
		}
	case sh.kind == example && v.Kind == unstable.InlineTable:
		c.checkDepth(v, 0, offset)
		if n.draft != nil {
			n.draft.decoded = true
		}
	case sh.kind == flag && v.Kind == unstable.Bool:
	case sh.kind == number && v.Kind == unstable.Integer:
		if i, err := strconv.ParseInt(string(v.Data), 0, 64); err != nil || i < sh.min || i > sh.max {
			c.add(offset, "%s: %s is out of range; it can be %d to %d", n.path(name), clip(string(v.Data)), sh.min, sh.max)
		}
	case sh.kind == duration && v.Kind == unstable.String:
		c.checkDuration(n, sh, name, string(v.Data), offset)
	case sh.kind == text && v.Kind == unstable.String:
		c.checkText(n, sh, name, v.Data, offset)
	case sh.kind == classList && (v.Kind == unstable.Array || v.Kind == unstable.String):
		c.checkBaseline(n, name, v, offset)
	default:
		c.mismatch(n, name, sh, v.Kind, offset)
	}
}

// maxDepth bounds what may be nested freely: the time that BurntSushi/toml
// takes grows with the square of the depth.
const maxDepth = 64

// checkDepth reports whether v, of any form, is nested at most maxDepth deep.
func (c *checker) checkDepth(v *unstable.Node, depth, offset int) bool {
	if v.Kind == unstable.KeyValue || v.Kind == unstable.Table || v.Kind == unstable.ArrayTable {
		for it := v.Key(); it.Next(); {
			depth++
		}
	}
	if depth > maxDepth {
		c.add(offset, "tables and arrays are nested more than %d deep", maxDepth)
		return false
	}
	switch v.Kind {
	case unstable.KeyValue:
		return c.checkDepth(v.Value(), depth, offset)
	case unstable.InlineTable, unstable.Array:
		for it := v.Children(); it.Next(); {
			if !c.checkDepth(it.Node(), depth+1, offset) {
				return false
			}
		}
	}
	return true
}

func (c *checker) checkDuration(n *node, sh *shape, name, value string, offset int) {
	d, err := ParseDuration(value)
	switch {
	case err != nil:
		c.add(offset, "%s: %v", n.path(name), err)
	case int64(d) < sh.min:
		c.add(offset, "%s: %v is too short; the least is %v", n.path(name), d, Duration(sh.min))
	case int64(d) > sh.max:
		c.add(offset, "%s: %v is too long; the most is %v", n.path(name), d, Duration(sh.max))
	}
}

func (c *checker) checkText(n *node, sh *shape, name string, value []byte, offset int) {
	if n.draft != nil {
		n.draft.take(n.shape.typ, name, string(value))
	}
	switch {
	case sh.or != "":
		c.refs = append(c.refs, ref{n, name, string(value), sh, offset})
	case c.law && n.shape.typ == ruleType && name == "effect" && string(value) == "allow":
		c.add(offset, "%s: a rule of this file can ask or deny, never allow", n.path(name))
	case sh.oneof != nil:
		if !slices.Contains(sh.oneof, string(value)) {
			c.add(offset, "%s: %s", n.path(name), notOneOf(string(value), sh.oneof))
		}
	case sh.env || sh.path != "":
		if _, err := c.expand(sh, string(value)); err != nil {
			c.add(offset, "%s: %v", n.path(name), err)
		}
	}
}

func (c *checker) checkBaseline(n *node, name string, v *unstable.Node, offset int) {
	if v.Kind == unstable.String {
		if string(v.Data) != "auto" {
			c.add(offset, `%s: expected "auto" or an array of classes, found %s`, n.path(name), quote(string(v.Data)))
		}
		return
	}
	network := false
	for it := v.Children(); it.Next(); {
		e := it.Node()
		at := offset
		if e.Raw.Length > 0 {
			at = int(e.Raw.Offset)
		}
		switch {
		case e.Kind != unstable.String:
			c.add(at, "%s: expected a class, found %s", n.path(name), found(e.Kind))
		case !slices.Contains(Classes(), string(e.Data)):
			c.add(at, "%s: %s", n.path(name), notOneOf(string(e.Data), Classes()))
		}
		network = network || string(e.Data) == "network"
	}
	if !network {
		c.add(offset, `%s: "network" cannot be left out`, n.path(name))
	}
}

func (c *checker) checkRef(r ref) {
	accepted := slices.Clone(r.shape.oneof)
	if s := c.root.at(r.shape.or); s != nil && s.sub != nil {
		for name := range s.sub.named {
			accepted = append(accepted, name)
		}
		slices.Sort(accepted[len(r.shape.oneof):])
	}
	if !slices.Contains(accepted, r.value) {
		c.add(r.offset, "%s: %s", r.node.path(r.name), notOneOf(r.value, accepted))
	}
}

func (c *checker) mismatch(n *node, name string, sh *shape, k unstable.Kind, offset int) {
	c.add(offset, "%s: expected %s, found %s", n.path(name), sh.expected(), found(k))
}
