package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/value"
)

// TestDiscardIsTold has a call of which nothing holds after updates of it were
// rejected: the model and the record hear of that before all.
func TestDiscardIsTold(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	made(t, h, o, replaces("p", "old"))
	c := h.Begin(o, "")
	for range 2 * maxRejections {
		refused(t, c, retitles("p", strings.Repeat("x", 81)), CodeInvalid, "")
	}
	accepted(t, c, basedOn(1, replaces("p", "new")), replaces("q", "new"))
	made(t, h, o, replaces("p", "between"))
	s := c.Settle()
	want := []string{
		`panel p update rejected: panel_revision_conflict panel "p" is at revision 2, as another call has changed it meanwhile`,
		`panel q update rejected: panel_revision_conflict not committed, as panel "p" was not: panel "p" is at revision 2, as another call has changed it meanwhile`,
	}
	lines := s.RejectionLines()
	if len(lines) != 5 || !slices.Equal(lines[:2], want) || !strings.Contains(lines[2], "panel_invalid") {
		t.Errorf("the model hears %q, want 5 lines that begin with %q", lines, want)
	}
	var codes []string
	for _, r := range s.Receipts() {
		codes = append(codes, r.Panel+" "+string(r.Code))
	}
	if diff := cmp.Diff([]string{"p panel_revision_conflict", "q panel_revision_conflict"}, codes); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
}

// TestDiscardIsNoUpdate takes live states back at a clock that stands still: of
// two closed panels the one makes room that was closed first.
func TestDiscardIsNoUpdate(t *testing.T) {
	h := NewHost(Options{Now: func() time.Time { return time.Unix(1, 0) }})
	for i := range maxPanels - 1 {
		made(t, h, lodger(i), replaces("x", "T"))
	}
	made(t, h, lodger(3), replaces("y", "T"), closes("x"))
	made(t, h, lodger(5), closes("x"))
	c := h.Begin(lodger(3), "")
	accepted(t, c, basedOn(1, retitles("y", "U")), retitles("x", "U"))
	made(t, h, lodger(3), retitles("y", "V"))
	_, _, cursor := h.Since(0)
	if got := codesOf(c.Settle()); got != "y panel_revision_conflict, x panel_revision_conflict" {
		t.Fatalf("rejected: %s", got)
	}
	if changed, removed, _ := h.Since(cursor); glances(changed) != "x 2 T closed" || len(removed) > 0 {
		t.Errorf("surfaces hear of %s and that %v are gone, want the one that was live", glances(changed), removed)
	}
	made(t, h, lodger(15), replaces("x", "T"))
	if got := missingOf(h, 16); !slices.Equal(got, []int{3}) {
		t.Errorf("%v made room, want 3", got)
	}
}

// TestTakenBackKeepsItsPlace: what a discarded call had shown does not make the
// panel a recent one.
func TestTakenBackKeepsItsPlace(t *testing.T) {
	h := NewHost(Options{Now: func() time.Time { return time.Unix(1, 0) }})
	o := owns("local/spec", "p", "q", "r")
	made(t, h, o, replaces("p", "P"), replaces("r", "R"))
	made(t, h, o, replaces("q", "Q"))
	c := h.Begin(o, "")
	accepted(t, c, basedOn(1, retitles("r", "live")))
	made(t, h, o, retitles("r", "moved"))
	accepted(t, c, retitles("p", "live"))
	if got := glances(h.States()); got != "p 2 live, r 2 moved, q 1 Q" {
		t.Errorf("before: %s", got)
	}
	c.Settle()
	if got := glances(h.States()); got != "r 2 moved, q 1 Q, p 1 P" {
		t.Errorf("after: %s", got)
	}
}

// TestDiscardNames the panel that found no room, not a view that needs none.
func TestDiscardNames(t *testing.T) {
	h := crowded(t, 15)
	o := owns("local/spec", "p")
	o.Declared = append(o.Declared, inChat(owns("", "v")).Declared...)
	c := h.Begin(o, "")
	accepted(t, c, replaces("v", "V"), replaces("p", "P"))
	made(t, h, lodger(15), replaces("x", "T"))
	s := c.Settle()
	if got := codesOf(s); got != "v panel_limit, p panel_limit" || !strings.HasPrefix(s.Rejected[0].Err.Message, `not committed, as panel "p" was not: `) {
		t.Errorf("rejected: %s, the first with %q", got, s.Rejected[0].Err.Message)
	}
	if n := len(h.Views()); n != 0 {
		t.Errorf("%d views are left of it", n)
	}
}

// TestPlacementMoves declares a panel for the chat that was in the sidebar: its
// views are their own.
func TestPlacementMoves(t *testing.T) {
	h := NewHost(Options{})
	made(t, h, owns("local/spec", "p"), replaces("p", "one"), retitles("p", "two"))
	if got := glances(made(t, h, inChat(owns("local/spec", "p")), replaces("p", "view")).Committed); got != "p 1 view" {
		t.Errorf("the view is %s", got)
	}
	if got := glances(h.States()); got != "p 2 two" {
		t.Errorf("the panel is %s", got)
	}
}

// TestRemovedOnce tells of a panel that made room more than once.
func TestRemovedOnce(t *testing.T) {
	h := crowded(t, 15)
	o := lodger(15)
	made(t, h, o, replaces("x", "T"))
	_, _, cursor := h.Since(0)
	for range 3 {
		made(t, h, o, closes("x"))
		made(t, h, lodger(16), replaces("x", "T"), closes("x"))
		made(t, h, o, replaces("x", "T"))
	}
	if _, removed, _ := h.Since(cursor); !slices.Equal(removed, []string{"local/o16#x"}) {
		t.Errorf("removed: %v, want the one that is gone, once", removed)
	}
}

// TestUntouched settles a call that has done nothing, in a session that is full.
func TestUntouched(t *testing.T) {
	h := crowded(t, 16, 3)
	_, _, before := h.Since(0)
	c := h.Begin(lodger(0), "")
	if _, err := c.Get("x"); err != nil {
		t.Error(err)
	}
	if s := c.Settle(); len(s.Committed)+len(s.Rejected)+len(s.Lines())+len(s.RejectionLines())+len(s.Receipts()) > 0 {
		t.Errorf("Settle = %+v, want nothing", s)
	}
	if _, _, after := h.Since(0); after != before || missingOf(h, 16) != nil {
		t.Errorf("an untouched call has changed the session: %d changes, gone %v", after-before, missingOf(h, 16))
	}
}

// TestRejectedNames keeps ids of panels whole, whoever they belong to, and cuts
// what only looks like one.
func TestRejectedNames(t *testing.T) {
	for _, tc := range []struct {
		name  string
		whole bool
	}{
		{"mcp/" + strings.Repeat("s", 250) + "/" + strings.Repeat("t", 250) + "#p", true},
		{"mcp/" + strings.Repeat("s", 600) + "/t#p", false},
		{strings.Repeat("<", 400) + "#p", false},
		{strings.Repeat("a b", 100) + "#p", false},
		{"mcp/" + strings.Repeat("s", 100) + "#P", false},
		{strings.Repeat("p", 80), false},
		{"undeclared-but-of-the-right-form", true},
		{"\xff\xfe" + strings.Repeat("\x80", 500), false},
	} {
		c := NewHost(Options{}).Begin(owns("local/spec", "p"), "")
		if _, err := c.Update(value.FromTree(object{"panel": tc.name, "op": "close"})); err == nil {
			t.Fatalf("Update of %q is accepted", tc.name)
		}
		s := c.Settle()
		r := s.Receipts()[0]
		if (r.Panel == tc.name) != tc.whole || len(r.JSON()) > 1024 || len(s.RejectionLines()[0]) > 240 {
			t.Errorf("%q is recorded as %q, in %d bytes", clip(tc.name), r.Panel, len(r.JSON()))
		}
	}
}

// TestHostLimits pins the numbers of PANELS.md §6, which other tests take as
// they are.
func TestHostLimits(t *testing.T) {
	got := fmt.Sprint(maxPanels, maxViews, maxUpdates, maxReceipt, maxRejectedLines, maxLine, maxReminder, maxReminders, frameEvery)
	if want := "16 64 200 1024 5 240 2048 8192 250ms"; got != want {
		t.Errorf("limits: %s, want %s", got, want)
	}
}
