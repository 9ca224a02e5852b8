package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract/value"
)

// TestOwnership spells a panel in each way.
func TestOwnership(t *testing.T) {
	declared := owns("local/spec", "p", "q")
	implicit := Owner{Identity: "mcp/s/t", Implicit: true, Declared: declared.Declared}
	for _, tc := range []struct {
		name  string
		owner Owner
		panel any
		code  Code // "" is accepted
		id    string
	}{
		{"own", declared, "p", "", "local/spec#p"},
		{"own, in full", declared, "local/spec#p", "", "local/spec#p"},
		{"another's", declared, "mcp/s/t#p", CodeNotOwned, ""},
		{"nobody's", declared, "#p", CodeNotOwned, ""},
		{"the beginning of its name", declared, "local/spe#p", CodeNotOwned, ""},
		{"another letter case", declared, "Local/spec#p", CodeNotOwned, ""},
		{"undeclared", declared, "r", CodeUndeclared, ""},
		{"undeclared, in full", declared, "local/spec#r", CodeUndeclared, ""},
		{"a full id twice", declared, "local/spec#local/spec#p", CodeUndeclared, ""},
		{"empty", declared, "", CodeUndeclared, ""},
		{"no text", declared, 7, CodeInvalid, ""},
		{"absent", declared, nil, CodeInvalid, ""},
		{"implicit", implicit, "r", "", "mcp/s/t#r"},
		{"implicit, in full", implicit, "mcp/s/t#r", "", "mcp/s/t#r"},
		{"declared by who need not", implicit, "p", "", "mcp/s/t#p"},
		{"implicit, another's", implicit, "local/spec#r", CodeNotOwned, ""},
		{"implicit without form", implicit, "R r", CodeInvalid, ""},
		{"implicit and empty", implicit, "", CodeInvalid, ""},
		{"implicit and long", implicit, "a" + strings.Repeat("b", 32), CodeInvalid, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := NewHost(Options{})
			c := h.Begin(tc.owner, "")
			tree := object{"panel": tc.panel, "op": "replace", "document": object{"title": "T", "blocks": []any{}}}
			if tc.panel == nil {
				delete(tree, "panel")
			}
			revision, err := c.Update(valueOf(t, tree))
			if tc.code != "" {
				if err == nil || err.Code != tc.code || revision != 0 {
					t.Errorf("Update = %d, %v, want %s", revision, err, tc.code)
				}
				if s := c.Settle(); len(s.Committed) > 0 || len(s.Rejected) != 1 {
					t.Errorf("Settle = %+v, want nothing but a rejection", s)
				}
				return
			}
			if err != nil || revision != 1 {
				t.Fatalf("Update = %d, %v, want revision 1", revision, err)
			}
			s := c.Settle()
			if len(s.Committed) != 1 || s.Committed[0].ID != tc.id || s.Committed[0].Owner != tc.owner.Identity {
				t.Errorf("committed %+v, want %s", s.Committed, tc.id)
			}
		})
	}
}

// TestImplicitDeclaration comes from the first update, and is kept.
func TestImplicitDeclaration(t *testing.T) {
	h := NewHost(Options{})
	o := Owner{Identity: "mcp/s/t", Implicit: true}
	long := strings.Repeat("ü", 80)
	made(t, h, o, replaces("a", "Build"), replaces("a", "Rebuild"), updateTree("b", "replace", object{"document": object{"blocks": []any{}}}), replaces("c", long))
	made(t, h, o, replaces("a", "Again"))
	for id, title := range map[string]string{"a": "Build", "b": "b", "c": strings.Repeat("ü", 39) + "…"} {
		s, _ := h.Lookup("mcp/s/t#" + id)
		if diff := cmp.Diff(Declaration{ID: id, Title: title}, s.Declaration, cmp.AllowUnexported(value.Object{}, value.Value{})); diff != "" {
			t.Errorf("panel %s (-want +got):\n%s", id, diff)
		}
		if err := CheckDeclarations([]Declaration{s.Declaration}); err != nil {
			t.Errorf("panel %s has a declaration that is not valid: %v", id, err)
		}
	}
}

// TestCheckOrder gives an update several faults: the first of the order of
// PANELS.md §6 is told.
func TestCheckOrder(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	for i := range maxPanels - 1 {
		made(t, h, owns(fmt.Sprint("local/o", i), "x"), replaces("x", "T"))
	}
	made(t, h, o, replaces("p", "T"))
	full := h.Begin(o, "")
	for range maxUpdates {
		accepted(t, full, replaces("p", "T"))
	}
	bad := object{"document": object{"blocks": []any{}, "colour": "red"}}
	for _, tc := range []struct {
		call    *Call
		update  value.Value
		code    Code
		message string
	}{
		{h.Begin(o, ""), updateTree("mcp/s/t#zz", "no op", nil), CodeNotOwned, ""},
		{h.Begin(o, ""), updateTree("zz", "no op", nil), CodeUndeclared, `tool local/spec did not declare panel "zz"`},
		{h.Begin(o, ""), basedOn(9, updateTree("q", "no op", nil)), CodeInvalid, "/op: "},
		{h.Begin(o, ""), basedOn(9, updateTree("q", "patch", object{"patches": "none"})), CodeInvalid, "/patches: "},
		{h.Begin(o, ""), basedOn(9, retitles("q", "T")), CodeUnknown, `panel "q" has no document yet`},
		{h.Begin(o, ""), basedOn(9, closes("q")), CodeUnknown, `panel "q" has no document yet`},
		{h.Begin(o, ""), basedOn(9, updateTree("p", "replace", bad)), CodeInvalid, "/colour: "},
		{full, basedOn(9, updateTree("p", "replace", bad)), CodeInvalid, "/colour: "},
		{full, basedOn(9, replaces("p", "T")), CodeRevisionConflict, `panel "p" is at revision 201, not 9`},
		{h.Begin(o, ""), basedOn(9, replaces("q", "T")), CodeRevisionConflict, `panel "q" is at revision 0, not 9`},
		{full, replaces("p", "T"), CodeRateLimited, `more than 200 updates to "p" in one tool call`},
		{h.Begin(o, ""), replaces("q", "T"), CodeLimit, "this session already has 16 panels and none is closed"},
	} {
		refused(t, tc.call, tc.update, tc.code, tc.message)
	}
}

// TestRate counts what was accepted, of each panel in each call.
func TestRate(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	c := h.Begin(o, "")
	for i := range maxUpdates {
		refused(t, c, basedOn(1000, replaces("p", "wrong")), CodeRevisionConflict, "") // does not count
		if n := accepted(t, c, replaces([]string{"p", "local/spec#p"}[i%2], fmt.Sprint("T", i+1))); n != i+1 {
			t.Fatalf("update %d has revision %d", i+1, n)
		}
	}
	refused(t, c, replaces("p", "T201"), CodeRateLimited, "")
	refused(t, c, closes("local/spec#p"), CodeRateLimited, "")
	accepted(t, c, replaces("q", "Q"))
	if got := glances(c.Settle().Committed); got != "p 200 T200, q 1 Q" {
		t.Errorf("committed %s", got)
	}
	if n := accepted(t, h.Begin(o, ""), replaces("p", "next")); n != 201 {
		t.Errorf("the next call's update has revision %d, want 201", n)
	}
}

// TestRevisions counts accepted updates, over calls and of each panel alone.
func TestRevisions(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	c := h.Begin(o, "")
	for _, step := range []struct {
		update value.Value
		want   int // zero: refused
	}{
		{retitles("p", "early"), 0},
		{replaces("p", "one"), 1},
		{replaces("q", "other"), 1},
		{basedOn(1, retitles("p", "two")), 2},
		{basedOn(1, retitles("p", "stale")), 0},
		{updateTree("p", "replace", nil), 0},
		{basedOn(2, closes("p")), 3},
		{retitles("p", "four"), 4}, // stays closed
	} {
		if n, err := c.Update(step.update); n != step.want || (err == nil) != (step.want > 0) {
			t.Errorf("Update(%s) = %d, %v, want %d", step.update.JSON(), n, err, step.want)
		}
	}
	if got := glances(c.Settle().Committed); got != "p 4 four closed, q 1 other" {
		t.Errorf("committed %s", got)
	}
	c = h.Begin(o, "")
	if n := accepted(t, c, basedOn(4, replaces("p", "five"))); n != 5 {
		t.Errorf("the next call's update has revision %d, want 5", n)
	}
	c.Settle()
	if got := glances(h.States()); got != "p 5 five, q 1 other" {
		t.Errorf("the session has %s", got)
	}
}

// TestBlocksOfResults takes updates with the type that a result block has.
func TestBlocksOfResults(t *testing.T) {
	c := NewHost(Options{}).Begin(owns("local/spec", "p"), "")
	typed := func(kind any) value.Value {
		return updateTree("p", "replace", object{"type": kind, "document": object{"blocks": []any{}}})
	}
	accepted(t, c, typed("panel"))
	refused(t, c, typed("text"), CodeInvalid, "/type: ")
	refused(t, c, typed(1), CodeInvalid, "/type: ")
}

// TestRejectedLeavesAll refuses updates in each way, and nobody sees any of it
// but the call.
func TestRejectedLeavesAll(t *testing.T) {
	var frames int
	h := NewHost(Options{Frame: func(Frame) { frames++ }})
	defer h.Close()
	o := owns("local/spec", "p", "q", "r")
	made(t, h, o, replaces("p", "kept"), replaces("q", "closed"), closes("q"))
	running := h.Begin(o, "")
	accepted(t, running, retitles("p", "live"))
	_, _, before := h.Since(0)
	frames = 0

	c := h.Begin(o, "")
	for _, u := range []value.Value{
		value.FromTree(nil), value.FromTree([]any{}), jsonOf(t, `{"panel":"p"}`), jsonOf(t, `{"panel":"p","op":"close","x":1}`),
		replaces("mcp/s/t#p", "foreign"), replaces("zz", "undeclared"), retitles("r", "unknown"), closes("r"),
		basedOn(7, replaces("p", "stale")), retitles("p", strings.Repeat("x", 81)),
		updateTree("p", "replace", object{"document": object{"blocks": []any{object{"id": "a", "kind": "later", "text": strings.Repeat("x", 70_000)}}}}),
	} {
		if n, err := c.Update(u); err == nil || n != 0 {
			t.Errorf("Update(%s) = %d, %v, want it refused", clip(u.JSON()), n, err)
		}
	}
	for panel, want := range map[string]string{"p": "p 1 kept", "q": "q 2 closed closed", "r": "r 0 "} {
		if s, err := c.Get(panel); err != nil || glance(s) != want {
			t.Errorf("Get(%s) = %s, %v, want %s", panel, glance(s), err, want)
		}
	}
	s := c.Settle()
	if len(s.Committed) > 0 || len(s.Lines()) > 0 || len(s.RejectionLines()) != maxRejectedLines {
		t.Errorf("Settle = %+v, want nothing but rejections", s)
	}
	if changed, removed, after := h.Since(before); after != before || len(changed)+len(removed) > 0 || frames > 0 {
		t.Errorf("rejected updates changed %s, removed %v, sent %d frames", glances(changed), removed, frames)
	}
	if got := glances(h.States()); got != "p 2 live, q 2 closed closed" {
		t.Errorf("the session has %s", got)
	}
}

// TestAfterSettle goes on reading, and stops writing.
func TestAfterSettle(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p")
	c := h.Begin(o, "")
	accepted(t, c, replaces("p", "mine"))
	first := c.Settle()
	if got := glances(first.Committed); got != "p 1 mine" {
		t.Fatalf("committed %s", got)
	}
	for _, u := range []value.Value{replaces("p", "late"), replaces("mcp/s/t#p", "late"), value.FromTree(nil)} {
		refused(t, c, u, CodeClosedContext, "called after the handler settled")
	}
	if s, err := c.Get("local/spec#p"); err != nil || glance(s) != "p 1 mine" {
		t.Errorf("Get = %s, %v, want what the call had made", glance(s), err)
	}
	if _, err := c.Get("mcp/s/t#p"); err == nil || err.Code != CodeNotOwned {
		t.Errorf("Get of another's panel: %v, want %s", err, CodeNotOwned)
	}
	if again := c.Settle(); len(again.Committed)+len(again.Rejected) > 0 {
		t.Errorf("the second Settle = %+v, want nothing", again)
	}
	if got := glances(h.States()); got != "p 1 mine" {
		t.Errorf("the session has %s", got)
	}
}

// TestGet shows a call what it has made over what is committed, and not what
// others make.
func TestGet(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	made(t, h, o, replaces("p", "old"))
	a, b := h.Begin(o, ""), h.Begin(o, "")
	accepted(t, a, replaces("p", "new"))
	for _, tc := range []struct {
		call        *Call
		panel, want string
	}{
		{a, "p", "p 2 new"},
		{a, "local/spec#p", "p 2 new"},
		{b, "p", "p 1 old"},
		{a, "q", "q 0 "},
	} {
		if s, err := tc.call.Get(tc.panel); err != nil || glance(s) != tc.want {
			t.Errorf("Get(%s) = %s, %v, want %s", tc.panel, glance(s), err, tc.want)
		}
	}
	if _, err := a.Get("zz"); err == nil || err.Code != CodeUndeclared {
		t.Errorf("Get of an undeclared panel: %v", err)
	}
	made(t, h, o, replaces("q", "by another"))
	if s, err := b.Get("q"); err != nil || glance(s) != "q 1 by another" {
		t.Errorf("Get before the first update = %s, %v, want what is committed now", glance(s), err)
	}
}

// TestPlanHolder gives the plan to the first that asks for it, until it goes.
func TestPlanHolder(t *testing.T) {
	h := NewHost(Options{})
	planner := func(name string) Owner {
		o := owns(name, "p")
		o.Declared[0].ACPPlan = true
		return o
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, ""},
		{func() { made(t, h, owns("local/other", "p"), replaces("p", "T")) }, ""},
		{func() { h.Begin(planner("local/a"), "") }, ""},
		{func() { made(t, h, planner("local/a"), replaces("p", "T")) }, "local/a#p"},
		{func() { made(t, h, planner("local/b"), replaces("p", "T")) }, "local/a#p"},
		{func() { made(t, h, planner("local/a"), closes("p")) }, "local/a#p"},
		{func() {
			for i := range maxPanels - 2 {
				made(t, h, owns(fmt.Sprint("local/o", i), "x"), replaces("x", "T"))
			}
		}, ""}, // it made room
		{func() { made(t, h, planner("local/b"), retitles("p", "U")) }, "local/b#p"},
	} {
		step.do()
		if got := h.PlanHolder(); got != step.want {
			t.Errorf("PlanHolder() = %q, want %q", got, step.want)
		}
	}
}

// TestSince follows the changes with a cursor.
func TestSince(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	cursor := uint64(0)
	follow := func(want string, gone ...string) {
		t.Helper()
		changed, removed, next := h.Since(cursor)
		if got := glances(changed); got != want || !slices.Equal(removed, gone) {
			t.Errorf("Since(%d) = %s, %v, want %s, %v", cursor, got, removed, want, gone)
		}
		cursor = next
	}
	follow("")
	made(t, h, o, replaces("p", "one"), replaces("q", "two"))
	follow("p 1 one, q 1 two")
	follow("")
	c := h.Begin(o, "")
	accepted(t, c, retitles("p", "live"))
	follow("p 2 live")
	accepted(t, c, retitles("q", "live"), retitles("p", "more"))
	follow("q 2 live, p 3 more")
	made(t, h, o, basedOn(1, retitles("q", "other")))
	follow("q 2 other")
	c.Settle() // its patches are made again
	follow("p 3 more, q 3 live")
	made(t, h, o, closes("p"))
	for i := range maxPanels - 2 {
		made(t, h, owns(fmt.Sprint("local/o", i), "x"), replaces("x", "T"))
	}
	_, _, cursor = h.Since(cursor)
	made(t, h, owns("local/last", "x"), replaces("x", "last"))
	follow("x 1 last", "local/spec#p")
	old := cursor
	made(t, h, owns("local/last", "x"), closes("x"))
	made(t, h, o, replaces("p", "back")) // in the place of x
	follow("p 1 back", "local/last#x")
	made(t, h, o, closes("p"))
	made(t, h, owns("local/last", "x"), replaces("x", "back"))
	cursor = old
	follow("x 1 back", "local/spec#p")
	cursor = 0
	if _, removed, _ := h.Since(0); len(removed) > 0 {
		t.Errorf("Since(0) tells of %v, which nobody knew", removed)
	}
}
