package panel

import (
	"fmt"
	"strings"
	"testing"

	"raw/contract/value"
)

// bigDocument is a replacement by a document of almost 64 KiB, and patches that
// change one item each.
func bigDocument(tb testing.TB) (replace value.Value, patches []value.Value) {
	tb.Helper()
	var items []any
	for i := range 100 {
		items = append(items, object{"id": fmt.Sprint("i", i), "label": strings.Repeat("l", 190), "note": strings.Repeat("n", 405), "status": "pending"})
	}
	replace = updateTree("p", "replace", object{"document": object{"title": "Big", "blocks": []any{object{"id": "b", "kind": "checklist", "items": items}}}})
	if size := len(replace.Field("document").JSON()); size < 60<<10 || size > maxDocument {
		tb.Fatalf("the document has %d bytes", size)
	}
	for i := range maxUpdates {
		patches = append(patches, updateTree("p", "patch", object{"patches": []any{object{
			"op": "upsert_items", "block": "b", "items": []any{object{"id": fmt.Sprint("i", i%100), "status": itemStatuses[i%len(itemStatuses)]}},
		}}}))
	}
	return replace, patches
}

// BenchmarkUpdateToFrame is one small update until a surface has the frame.
func BenchmarkUpdateToFrame(b *testing.B) {
	frames := 0
	h := NewHost(Options{Frame: func(Frame) { frames++ }})
	defer h.Close()
	o := owns("local/spec", "p")
	u := replaces("p", "T")
	b.ReportAllocs()
	for b.Loop() {
		c := h.Begin(o, "")
		_, _ = c.Update(u)
		c.Settle()
	}
	if frames < b.N {
		b.Errorf("%d frames for %d updates", frames, b.N)
	}
}

// BenchmarkCall200 is a call that changes one item of a document of 64 KiB
// 200 times.
func BenchmarkCall200(b *testing.B) {
	h := NewHost(Options{Frame: func(Frame) {}})
	defer h.Close()
	o := owns("local/spec", "p")
	replace, patches := bigDocument(b)
	made(b, h, o, replace)
	b.ReportAllocs()
	for b.Loop() {
		c := h.Begin(o, "")
		accepted(b, c, patches...)
		c.Settle()
	}
}

// BenchmarkSettleAgain is the same where another call has committed meanwhile, so
// that all 200 updates are made again.
func BenchmarkSettleAgain(b *testing.B) {
	h := NewHost(Options{Frame: func(Frame) {}})
	defer h.Close()
	o := owns("local/spec", "p")
	replace, patches := bigDocument(b)
	made(b, h, o, replace)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		c := h.Begin(o, "")
		accepted(b, c, patches...)
		made(b, h, o, retitles("p", fmt.Sprint(b.N)), retitles("p", "T"))
		b.StartTimer()
		c.Settle()
	}
}

// Benchmark16Panels is a session that is full: an update of one panel, and what
// a surface reads then.
func Benchmark16Panels(b *testing.B) {
	h := NewHost(Options{Frame: func(Frame) {}})
	defer h.Close()
	replace, patches := bigDocument(b)
	for i := range maxPanels {
		made(b, h, owns(fmt.Sprint("local/o", i), "p"), replace)
	}
	o := owns("local/o7", "p")
	_, _, cursor := h.Since(0)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		made(b, h, o, patches[i%len(patches)])
		i++
		changed, _, next := h.Since(cursor)
		cursor = next
		if len(changed) != 1 || len(h.States()) != maxPanels {
			b.Fatalf("%d panels changed of %d", len(changed), len(h.States()))
		}
	}
}
