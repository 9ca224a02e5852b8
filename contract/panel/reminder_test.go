package panel

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func remembered(o Owner) Owner {
	for i := range o.Declared {
		o.Declared[i].Context = ContextSummary
	}
	return o
}

func summed(panel, title, summary string) object {
	return object{"document": object{"title": title, "context_summary": summary, "blocks": []any{}}}
}

// TestReminders tells of the open panels that ask for it, as they are committed.
func TestReminders(t *testing.T) {
	h := NewHost(Options{Now: ticking()})
	if got := h.Reminders(); len(got) > 0 {
		t.Errorf("without panels: %q", got)
	}
	o := remembered(owns("local/spec", "given", "derived", "empty", "closed", "reopened", "untitled"))
	o.Declared = append(o.Declared, owns("", "silent").Declared...)
	o.Declared = append(o.Declared, inChat(remembered(owns("", "view"))).Declared...)
	set := func(panel, title, summary string) {
		made(t, h, o, updateTree(panel, "replace", summed(panel, title, summary)))
	}
	set("given", "Given", "Two of three are done.\nThe last one waits.")
	made(t, h, o, updateTree("derived", "replace", object{"document": object{"title": "Derived", "blocks": []any{
		object{"id": "b", "kind": "checklist", "items": []any{object{"id": "1", "label": "One", "status": "done"}}},
	}}}))
	set("empty", "Empty", "")
	set("closed", "Closed", "over")
	set("reopened", "Reopened", "again")
	made(t, h, o, closes("closed"), closes("reopened"))
	set("reopened", "Reo\npened", "again")
	set("silent", "Silent", "nothing")
	set("view", "View", "nothing")
	set("untitled", "", "no title")
	running := h.Begin(o, "")
	accepted(t, running, updateTree("given", "replace", summed("given", "Live", "not committed")))

	want := []string{
		"Current state of Panel untitled (local/spec) at revision 1:\nno title",
		"Current state of Reo pened (local/spec) at revision 3:\nagain",
		"Current state of Empty (local/spec) at revision 1:\nEmpty",
		"Current state of Derived (local/spec) at revision 1:\nDerived (1/1)\n[x] One",
		"Current state of Given (local/spec) at revision 1:\nTwo of three are done.\nThe last one waits.",
	}
	if diff := cmp.Diff(want, h.Reminders()); diff != "" {
		t.Errorf("reminders (-want +got):\n%s", diff)
	}
	running.Settle()
	if got := h.Reminders()[0]; got != "Current state of Live (local/spec) at revision 2:\nnot committed" {
		t.Errorf("after the commit the first is %q", got)
	}
}

// TestReminderSizes bounds each one and all of them.
func TestReminderSizes(t *testing.T) {
	for _, tc := range []struct {
		name  string
		sizes []int // of context summaries, the oldest panel first
		want  []int // bytes of reminders, the newest first; -1 is cut to 2 KiB
	}{
		{"short", []int{10, 20}, []int{20, 10}},
		{"four long", []int{2048, 2048, 2048, 2048}, []int{-1, -1, -1, -1}},
		{"a fifth does not fit", []int{2048, 2048, 2048, 2048, 2048}, []int{-1, -1, -1, -1}},
		{"a short one behind four", []int{5, 2048, 2048, 2048, 2048}, []int{-1, -1, -1, -1}},
		{"the newest first", []int{2048, 2048, 2048, 2048, 100}, []int{100, -1, -1, -1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := NewHost(Options{Now: ticking()})
			o := remembered(owns("local/spec", "a", "b", "c", "d", "e"))
			for i, size := range tc.sizes {
				text := strings.Repeat("日", size/3) + strings.Repeat("x", size%3)
				made(t, h, o, updateTree(o.Declared[i].ID, "replace", summed("", "T", text)))
			}
			got, total := h.Reminders(), 0
			if len(got) != len(tc.want) {
				t.Fatalf("%d reminders, want %d", len(got), len(tc.want))
			}
			for i, text := range got {
				total += len(text)
				head, body, _ := strings.Cut(text, "\n")
				if len(text) > 2048 || !utf8.ValidString(text) || !strings.HasPrefix(head, "Current state of T (local/spec) at revision 1:") {
					t.Errorf("reminder %d has %d bytes: %q", i, len(text), clip(text))
				}
				if tc.want[i] >= 0 && len(body) != tc.want[i] || tc.want[i] < 0 && !strings.HasSuffix(text, "…") {
					t.Errorf("reminder %d has a text of %d bytes that ends in %q", i, len(body), text[len(text)-3:])
				}
			}
			if total > 8192 {
				t.Errorf("together they have %d bytes", total)
			}
		})
	}
	h := NewHost(Options{})
	made(t, h, remembered(owns("local/spec", "p")), updateTree("p", "replace", summed("", "T", strings.Repeat("x", 2048))))
	if got := h.Reminders()[0]; len(got) != 2048 {
		t.Errorf("the longest one has %d bytes, want 2048", len(got))
	}
}
