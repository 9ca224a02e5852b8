package panel

import (
	"fmt"
	"testing"

	"raw/contract/value"
)

// crowded is a session with n panels: 0 to n-1 of one owner each, updated in that
// order; the named ones are closed afterwards, in that order.
func crowded(t *testing.T, n int, closed ...int) *Host {
	t.Helper()
	h := NewHost(Options{Now: ticking()})
	for i := range n {
		made(t, h, lodger(i), replaces("x", "T"))
	}
	for _, i := range closed {
		made(t, h, lodger(i), closes("x"))
	}
	return h
}

func lodger(i int) Owner { return owns(fmt.Sprint("local/o", i), "x", "y", "z") }

// missingOf are the numbers of the lodgers whose first panel is gone.
func missingOf(h *Host, n int) (gone []int) {
	for i := range n {
		if _, ok := h.Lookup(fmt.Sprintf("local/o%d#x", i)); !ok {
			gone = append(gone, i)
		}
	}
	return gone
}

// TestRoom fills the session to its 16 panels, and beyond.
func TestRoom(t *testing.T) {
	for _, tc := range []struct {
		name    string
		panels  int
		closed  []int
		owner   int
		updates []value.Value
		reject  bool // the last of updates
		gone    []int
	}{
		{"the 16th", 15, nil, 15, []value.Value{replaces("x", "T")}, false, nil},
		{"the 16th evicts nothing", 15, []int{3}, 15, []value.Value{replaces("x", "T")}, false, nil},
		{"the 17th", 16, nil, 16, []value.Value{replaces("x", "T")}, true, nil},
		{"the 17th of an old owner", 16, nil, 0, []value.Value{replaces("y", "T")}, true, nil},
		{"one that is there", 16, nil, 4, []value.Value{replaces("x", "T"), closes("x"), replaces("x", "U")}, false, nil},
		{"in place of the closed one", 16, []int{7}, 16, []value.Value{replaces("x", "T")}, false, []int{7}},
		{"in place of the one that was closed first", 16, []int{7, 2, 9}, 16, []value.Value{replaces("x", "T")}, false, []int{7}},
		{"in place of two", 16, []int{7, 2, 9}, 16, []value.Value{replaces("x", "T"), replaces("y", "T")}, false, []int{2, 7}},
		{"of one that the call reopens", 16, []int{7}, 7, []value.Value{replaces("x", "T"), replaces("y", "T")}, true, nil},
		{"of one that the call only touches", 16, []int{7}, 7, []value.Value{retitles("x", "T"), replaces("y", "T")}, true, nil},
		{"of one that the call closes", 16, nil, 7, []value.Value{closes("x"), replaces("y", "T")}, true, nil},
		{"of another one than the call closes", 16, []int{3}, 7, []value.Value{closes("x"), replaces("y", "T")}, false, []int{3}},
		{"two for one that can go", 16, []int{7}, 16, []value.Value{replaces("x", "T"), replaces("y", "T")}, true, []int{7}}, // for the first
		{"three panels of 14", 14, nil, 16, []value.Value{replaces("x", "T"), replaces("y", "T"), replaces("z", "T")}, true, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := crowded(t, tc.panels, tc.closed...)
			c := h.Begin(lodger(tc.owner), "")
			last := len(tc.updates) - 1
			if !tc.reject {
				last++
			}
			accepted(t, c, tc.updates[:last]...)
			if tc.reject {
				refused(t, c, tc.updates[last], CodeLimit, fmt.Sprintf("this session already has %d panels and ", tc.panels))
			}
			if got := missingOf(h, tc.panels); got != nil {
				t.Errorf("before the call has settled %v are gone", got)
			}
			s := c.Settle()
			if !tc.reject && len(s.Rejected) > 0 {
				t.Errorf("rejected: %s", codesOf(s))
			}
			if got := fmt.Sprint(missingOf(h, tc.panels)); got != fmt.Sprint(tc.gone) {
				t.Errorf("gone: %s, want %v", got, tc.gone)
			}
			if n := len(h.States()); n > maxPanels {
				t.Errorf("the session has %d panels", n)
			}
		})
	}
}

// TestRoomAtSettle lets two calls run into the same last places: the second one
// is refused as a whole, and nobody loses a panel for it.
func TestRoomAtSettle(t *testing.T) {
	h := crowded(t, 16, 3, 5)
	old := lodger(8)
	a, b := h.Begin(lodger(16), ""), h.Begin(old, "")
	accepted(t, a, replaces("x", "A"))
	accepted(t, b, retitles("x", "B"), replaces("y", "B"), replaces("z", "B"))
	if s := a.Settle(); len(s.Committed) != 1 || fmt.Sprint(missingOf(h, 16)) != "[3]" {
		t.Fatalf("the first call: %+v, gone %v", s, missingOf(h, 16))
	}
	_, _, cursor := h.Since(0)
	s := b.Settle()
	if got := codesOf(s); got != "x panel_limit, y panel_limit, z panel_limit" || len(s.Committed) > 0 {
		t.Errorf("the second call: %s, committed %s", got, glances(s.Committed))
	}
	if got, want := s.Rejected[1].Err.Message, "this session already has 16 panels and only 1 can go"; got != want {
		t.Errorf("the new panel is rejected with %q, want %q", got, want)
	}
	if got, want := s.Rejected[0].Err.Message, `not committed, as panel "y" was not: this session already has 16 panels and only 1 can go`; got != want {
		t.Errorf("the old panel is rejected with %q, want %q", got, want)
	}
	if got := missingOf(h, 16); fmt.Sprint(got) != "[3]" {
		t.Errorf("after the refusal %v are gone", got)
	}
	if st, _ := h.Lookup("local/o8#x"); glance(st) != "x 1 T" {
		t.Errorf("the old panel is %s, want it as it was", glance(st))
	}
	changed, removed, _ := h.Since(cursor)
	if got := glances(changed); got != "x 1 T" || fmt.Sprint(removed) != "[local/o8#y local/o8#z]" {
		t.Errorf("surfaces hear of %s and that %v are gone, want what was live taken back", got, removed)
	}
	for panel, want := range map[string]string{"x": "x 1 T", "y": "y 0 ", "z": "z 0 "} {
		if st, err := b.Get(panel); err != nil || glance(st) != want {
			t.Errorf("Get(%s) of the refused call = %s, %v, want %s", panel, glance(st), err, want)
		}
	}
}

// TestChatViews gives each call a view of its own, and keeps the last 64.
func TestChatViews(t *testing.T) {
	h := crowded(t, 16)
	o := inChat(owns("local/spec", "v"))
	var keys []string
	instances := map[string]bool{}
	for i := range 64 + 1 {
		c := h.Begin(o, fmt.Sprint("call-", i))
		before, err := c.Get("v")
		if err != nil || before.Revision != 0 {
			t.Fatalf("Get = %+v, %v", before, err)
		}
		refused(t, c, retitles("v", "early"), CodeUnknown, "")
		if n := accepted(t, c, replaces("v", "T"), retitles("local/spec#v", "U")); n != 2 {
			t.Errorf("view %d is at revision %d, want 2", i, n)
		}
		s := c.Settle()
		if len(s.Committed) != 1 {
			t.Fatalf("view %d: %s", i, codesOf(s))
		}
		v := s.Committed[0].View
		if v == nil || v.InstanceID == "" || v.InstanceID != before.View.InstanceID || v.ToolCallID != fmt.Sprint("call-", i) || v.Owner != o.Identity || v.Panel != "v" {
			t.Fatalf("view %d is %+v, and was %+v", i, v, before.View)
		}
		instances[v.InstanceID] = true
		keys = append(keys, "local/spec#v@"+v.InstanceID)
		if n := len(h.Views()); n != min(i+1, 64) {
			t.Errorf("after %d calls %d views are held", i+1, n)
		}
	}
	if len(instances) != 64+1 {
		t.Errorf("%d calls have %d instances", 64+1, len(instances))
	}
	for i, key := range keys {
		if s, ok := h.Lookup(key); ok != (i > 0) || ok && glance(s) != "v 2 U" {
			t.Errorf("Lookup of view %d = %s, %t", i, glance(s), ok)
		}
	}
	if _, ok := h.Lookup("local/spec#v"); ok {
		t.Error("a view is found without its instance")
	}
	if n := len(h.States()); n != maxPanels {
		t.Errorf("beside the views there are %d panels, want %d", n, maxPanels)
	}
	if _, removed, _ := h.Since(1); len(removed) != 1 || removed[0] != keys[0] {
		t.Errorf("removed: %v, want the view of the first call", removed)
	}
}

// TestChatViewsBySettlement lets the view go whose call settled first, not the
// one that began first.
func TestChatViewsBySettlement(t *testing.T) {
	h := NewHost(Options{})
	o := inChat(owns("local/spec", "v"))
	slow := h.Begin(o, "slow")
	accepted(t, slow, replaces("v", "slow"))
	for i := range maxViews {
		made(t, h, o, replaces("v", fmt.Sprint("T", i)))
	}
	if n := len(h.Views()); n != maxViews+1 {
		t.Errorf("with a live one there are %d views, want %d", n, maxViews+1)
	}
	slow.Settle()
	var slowHeld, firstHeld bool
	for _, s := range h.Views() {
		slowHeld = slowHeld || s.Document.Title() == "slow"
		firstHeld = firstHeld || s.Document.Title() == "T0"
	}
	if !slowHeld || firstHeld {
		t.Errorf("the view that settled last is held: %t; the one that settled first: %t", slowHeld, firstHeld)
	}
}
