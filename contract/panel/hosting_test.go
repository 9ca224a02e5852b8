package panel

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"raw/contract/value"
)

// Owner and updates as the tests of the host need them. A document is told by
// its title.

func owns(identity string, panels ...string) Owner {
	o := Owner{Identity: identity}
	for _, id := range panels {
		o.Declared = append(o.Declared, Declaration{ID: id, Title: "Panel " + id})
	}
	return o
}

func inChat(o Owner) Owner {
	for i := range o.Declared {
		o.Declared[i].Placement = PlacementChat
	}
	return o
}

func updateTree(panel, op string, more object) value.Value {
	tree := object{"panel": panel, "op": op}
	for name, v := range more {
		tree[name] = v
	}
	return value.FromTree(copied(tree))
}

func replaces(panel, title string) value.Value {
	return updateTree(panel, "replace", object{"document": object{"title": title, "blocks": []any{}}})
}

func retitles(panel, title string) value.Value {
	return updateTree(panel, "patch", object{"patches": []any{object{"op": "set", "field": "title", "value": title}}})
}

func closes(panel string) value.Value { return updateTree(panel, "close", nil) }

// basedOn gives an update a base_revision.
func basedOn(revision int, v value.Value) value.Value {
	tree := object{"base_revision": revision}
	for name, field := range v.Fields() {
		tree[name] = field.Tree()
	}
	return value.FromTree(copied(tree))
}

// accepted applies updates that have to be accepted, and returns the last
// revision.
func accepted(tb testing.TB, c *Call, updates ...value.Value) (revision int) {
	tb.Helper()
	for _, u := range updates {
		var err *Error
		if revision, err = c.Update(u); err != nil {
			tb.Fatalf("Update(%s): %v", clip(u.JSON()), err)
		}
	}
	return revision
}

// refused applies an update that has to be refused.
func refused(tb testing.TB, c *Call, u value.Value, code Code, message string) {
	tb.Helper()
	revision, err := c.Update(u)
	if err == nil || err.Code != code || !strings.Contains(err.Message, message) || revision != 0 {
		tb.Errorf("Update(%s) = %d, %v, want %s with %q", clip(u.JSON()), revision, err, code, message)
	}
}

// made is a call that makes its updates and settles.
func made(tb testing.TB, h *Host, o Owner, updates ...value.Value) Settled {
	tb.Helper()
	c := h.Begin(o, "call")
	accepted(tb, c, updates...)
	s := c.Settle()
	if len(s.Rejected) > 0 {
		tb.Fatalf("Settle: %v", s.Rejected[0].Err)
	}
	return s
}

// glance is a state in short.
func glance(s State) string {
	text := fmt.Sprintf("%s %d %s", s.Panel, s.Revision, s.Document.Title())
	if s.Closed {
		text += " closed"
	}
	return text
}

func glances(list []State) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, glance(s))
	}
	return strings.Join(texts, ", ")
}

// codesOf are the rejections of a call in short.
func codesOf(s Settled) string {
	var texts []string
	for _, r := range s.Rejected {
		texts = append(texts, r.Panel+" "+string(r.Err.Code))
	}
	return strings.Join(texts, ", ")
}

// ticking is a clock that moves a second each time that it is asked.
func ticking() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}
