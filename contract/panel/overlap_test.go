package panel

import (
	"fmt"
	"testing"

	"raw/contract/value"
)

func upserts(panel, key, text string) value.Value {
	return updateTree(panel, "patch", object{"patches": []any{object{"op": "upsert_items", "block": "b", "items": []any{object{"key": key, "value": text}}}}})
}

func removes(panel, key string) value.Value {
	return updateTree(panel, "patch", object{"patches": []any{object{"op": "remove_items", "block": "b", "keys": []any{key}}}})
}

// holds replaces the document by one that holds keys.
func holds(panel string, keys ...string) value.Value {
	entries := []any{}
	for _, key := range keys {
		entries = append(entries, object{"key": key, "value": "old"})
	}
	return updateTree(panel, "replace", object{"document": object{"blocks": []any{object{"id": "b", "kind": "key_value", "entries": entries}}}})
}

// held are the entries of a panel of local/spec, with its revision.
func held(h *Host, panel string) string {
	s, _ := h.Lookup("local/spec#" + panel)
	text := fmt.Sprint(s.Revision)
	b, _ := s.Document.Block("b")
	for i := range b.Field("entries").Len() {
		e := b.Field("entries").At(i)
		key, _ := e.Field("key").Str()
		v, _ := e.Field("value").Str()
		text += " " + key + ":" + v
	}
	if s.Closed {
		text += " closed"
	}
	return text
}

// TestOverlap has two calls change the same panels. The one that settles second
// makes its updates again on what the first has left, all of them or none.
func TestOverlap(t *testing.T) {
	for _, tc := range []struct {
		name          string
		first, second []value.Value
		p, q          string // what is left
		rejected      string // of the second
	}{
		{
			"apart",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{upserts("q", "a", "2")},
			"2 a:1 b:old", "2 a:2 b:old", "",
		},
		{
			"patches of different entries",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{upserts("p", "b", "2"), upserts("p", "c", "2")},
			"4 a:1 b:2 c:2", "1 a:old b:old", "",
		},
		{
			"patches of the same entry",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{upserts("p", "a", "2")},
			"3 a:2 b:old", "1 a:old b:old", "",
		},
		{
			"a replacement over patches",
			[]value.Value{upserts("p", "a", "1"), upserts("p", "b", "1")},
			[]value.Value{holds("p", "z")},
			"4 z:old", "1 a:old b:old", "",
		},
		{
			"a patch over a replacement",
			[]value.Value{holds("p", "z")},
			[]value.Value{upserts("p", "a", "2")},
			"3 z:old a:2", "1 a:old b:old", "",
		},
		{
			"a patch that does not fit",
			[]value.Value{removes("p", "a")},
			[]value.Value{upserts("p", "c", "2"), removes("p", "a")},
			"2 b:old", "1 a:old b:old", "p panel_revision_conflict",
		},
		{
			"a base that has moved",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{basedOn(1, upserts("p", "b", "2"))},
			"2 a:1 b:old", "1 a:old b:old", "p panel_revision_conflict",
		},
		{
			"a base within the call",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{upserts("p", "b", "2"), basedOn(2, upserts("p", "c", "2"))},
			"2 a:1 b:old", "1 a:old b:old", "p panel_revision_conflict",
		},
		{
			"a base that has not moved",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{basedOn(1, upserts("q", "b", "2"))},
			"2 a:1 b:old", "2 a:old b:2", "",
		},
		{
			"one of two panels",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{upserts("q", "a", "2"), basedOn(1, upserts("p", "b", "2"))},
			"2 a:1 b:old", "1 a:old b:old", "q panel_revision_conflict, p panel_revision_conflict",
		},
		{
			"close over a patch",
			[]value.Value{upserts("p", "a", "1")},
			[]value.Value{closes("p")},
			"3 a:1 b:old closed", "1 a:old b:old", "",
		},
		{
			"a patch over close",
			[]value.Value{closes("p")},
			[]value.Value{upserts("p", "a", "2")},
			"3 a:2 b:old closed", "1 a:old b:old", "",
		},
		{
			"a replacement over close",
			[]value.Value{closes("p")},
			[]value.Value{holds("p", "z")},
			"3 z:old", "1 a:old b:old", "",
		},
		{
			"nothing accepted by the first",
			[]value.Value{},
			[]value.Value{basedOn(1, upserts("p", "b", "2"))},
			"2 a:old b:2", "1 a:old b:old", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := NewHost(Options{})
			o := owns("local/spec", "p", "q")
			made(t, h, o, holds("p", "a", "b"), holds("q", "a", "b"))
			a, b := h.Begin(o, "a"), h.Begin(o, "b")
			for i := range max(len(tc.first), len(tc.second)) { // interleaved
				if i < len(tc.second) {
					accepted(t, b, tc.second[i])
				}
				if i < len(tc.first) {
					accepted(t, a, tc.first[i])
				}
			}
			if s := a.Settle(); len(s.Rejected) > 0 {
				t.Errorf("the first call: %s", codesOf(s))
			}
			s := b.Settle()
			if got := codesOf(s); got != tc.rejected || (len(s.Committed) == 0) != (tc.rejected != "") {
				t.Errorf("the second call: rejected %q, committed %s, want %q", got, glances(s.Committed), tc.rejected)
			}
			if got := held(h, "p"); got != tc.p {
				t.Errorf("p = %s, want %s", got, tc.p)
			}
			if got := held(h, "q"); got != tc.q {
				t.Errorf("q = %s, want %s", got, tc.q)
			}
			for _, panel := range []string{"p", "q"} { // the call reads on what holds
				state, err := b.Get(panel)
				if want, _ := h.Lookup("local/spec#" + panel); err != nil || glance(state) != glance(want) {
					t.Errorf("Get(%s) = %s, %v, want %s", panel, glance(state), err, glance(want))
				}
			}
		})
	}
}

// TestOverlapOfNew lets two calls make the same panel.
func TestOverlapOfNew(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p")
	a, b := h.Begin(o, ""), h.Begin(o, "")
	for i, c := range []*Call{a, b} {
		if n := accepted(t, c, replaces("p", fmt.Sprint("T", i))); n != 1 {
			t.Errorf("revision %d in call %d, want 1", n, i)
		}
	}
	a.Settle()
	if got := glances(b.Settle().Committed); got != "p 2 T1" {
		t.Errorf("the second call committed %s", got)
	}
}

// TestOverlapOfEvicted lets a panel make room while a call works on it, and come
// back at the same revision: the call's patch is made on what is there now.
func TestOverlapOfEvicted(t *testing.T) {
	evicted := func(t *testing.T, u value.Value, back ...value.Value) (*Host, Settled) {
		h := NewHost(Options{})
		o := owns("local/spec", "p")
		made(t, h, o, holds("p", "a"), closes("p"))
		c := h.Begin(o, "")
		accepted(t, c, u)
		for i := range maxPanels {
			made(t, h, lodger(i), replaces("x", "T"))
		}
		if s, ok := h.committed("local/spec#p"); ok {
			t.Fatalf("the panel is still there: %s", glance(s))
		}
		made(t, h, lodger(0), closes("x"))
		if len(back) > 0 {
			made(t, h, o, back...)
			made(t, h, lodger(1), closes("x"))
		}
		return h, c.Settle()
	}
	for _, tc := range []struct {
		name           string
		update         value.Value
		back           []value.Value
		want, rejected string
	}{
		{"gone, and patched", upserts("p", "b", "2"), nil, "0", "p panel_revision_conflict"},
		{"gone, and replaced", holds("p", "z"), nil, "1 z:old", ""},
		{"back, and patched", upserts("p", "b", "2"), []value.Value{holds("p", "k"), closes("p")}, "3 k:old b:2 closed", ""},
		{"back, and based", basedOn(2, upserts("p", "b", "2")), []value.Value{holds("p", "k"), closes("p")}, "2 k:old closed", "p panel_revision_conflict"},
		{"back open, and patched", upserts("p", "b", "2"), []value.Value{holds("p", "k"), holds("p", "a")}, "3 a:old b:2", ""},
		{"back as it was", basedOn(2, upserts("p", "b", "2")), []value.Value{holds("p", "a"), closes("p")}, "3 a:old b:2 closed", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h, s := evicted(t, tc.update, tc.back...)
			if got := codesOf(s); got != tc.rejected {
				t.Errorf("rejected %q, want %q", got, tc.rejected)
			}
			if got := held(h, "p"); got != tc.want {
				t.Errorf("p = %s, want %s", got, tc.want)
			}
		})
	}
}

// TestOverlapShown has surfaces show, of two calls, the one that changed the
// panel last, and what is committed when that is taken back.
func TestOverlapShown(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p")
	made(t, h, o, replaces("p", "old"))
	show := func(want string) {
		t.Helper()
		if got := glances(h.States()); got != want {
			t.Errorf("shown: %s, want %s", got, want)
		}
	}
	a, b, c := h.Begin(o, ""), h.Begin(o, ""), h.Begin(o, "")
	accepted(t, a, basedOn(1, retitles("p", "A")))
	show("p 2 A")
	accepted(t, b, basedOn(1, retitles("p", "B")))
	show("p 2 B")
	accepted(t, a, retitles("p", "AA"))
	show("p 3 AA")
	accepted(t, c, retitles("p", "C"))
	show("p 2 C")
	a.Settle()
	show("p 3 AA")
	accepted(t, c, retitles("p", "CC"))
	show("p 3 CC")
	b.Settle() // refused, and not shown any more
	show("p 3 CC")
	c.Settle()
	show("p 5 CC")
}

// TestOverlapAfterFlood has the line that matters first, however many others
// there are.
func TestOverlapAfterFlood(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p")
	c := h.Begin(o, "")
	for i := range 200 {
		_, _ = c.Update(closes(fmt.Sprint("n", i)))
	}
	accepted(t, c, holds("p", "a"), basedOn(1, upserts("p", "b", "1")))
	made(t, h, o, holds("p", "z"))
	s := c.Settle()
	const want = `panel p update rejected: panel_revision_conflict panel "p" is at revision 1, as another call has changed it meanwhile`
	if lines := s.RejectionLines(); len(lines) != maxRejectedLines || lines[0] != want {
		t.Errorf("lines: %q, want %q first", lines, want)
	}
	if r := s.Receipts()[0]; r.Panel != "p" || r.Code != CodeRevisionConflict {
		t.Errorf("the first receipt is %s", r.JSON())
	}
}
