package panel

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// fullBoard is a document of nearly 64 KiB: checklists of 200 items.
func fullBoard(tb testing.TB) Document {
	blocks := many(4, func(b int) any {
		return object{"id": fmt.Sprint("b", b), "kind": "checklist", "items": many(200, func(i int) any {
			return object{"id": fmt.Sprint("i", i), "label": strings.Repeat("x", 28), "status": "pending"}
		})}
	})
	document := object{"title": "T", "blocks": blocks}
	d, err := ParseDocument(valueOf(tb, document))
	if err != nil {
		tb.Fatal(err)
	}
	rest := maxDocument - len(d.JSON()) - 100
	document["blocks"] = append(blocks, object{"id": "m", "kind": "markdown", "text": strings.Repeat("y", min(rest-100, 16000))})
	if d, err = ParseDocument(valueOf(tb, document)); err != nil {
		tb.Fatal(err)
	}
	return d
}

// oneItem are updates that change one item each.
func oneItem(tb testing.TB, n int) []Update {
	list := make([]Update, n)
	for i := range list {
		list[i] = updateOf(tb, fmt.Sprintf(
			`{"panel":"p","op":"patch","patches":[{"op":"upsert_items","block":"b%d","items":[{"id":"i%d","status":"done"}]}]}`, i%4, i%200))
	}
	return list
}

// bytesPer is how many bytes one run of f allocates.
func bytesPer(runs int, f func()) float64 {
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(runs)
}

func TestPatchCost(t *testing.T) {
	d := fullBoard(t)
	if size := len(d.JSON()); size < 60<<10 {
		t.Fatalf("the document has %d bytes only", size)
	}
	updates := oneItem(t, 200)
	i := 0
	got := bytesPer(200, func() {
		next, _, err := updates[i%len(updates)].Apply(d, false)
		if err != nil {
			t.Fatal(err)
		}
		d, i = next, i+1
	})
	copies := got / float64(len(d.JSON()))
	t.Logf("%.0f bytes of %d: %.2f copies", got, len(d.JSON()), copies)
	if copies > 1.5 {
		t.Errorf("one item costs %.2f copies of the document, want 1.5 at most", copies)
	}
}

func BenchmarkPatch200(b *testing.B) {
	full := fullBoard(b)
	updates := oneItem(b, 200)
	b.SetBytes(int64(200 * len(full.JSON())))
	b.ReportAllocs()
	for b.Loop() {
		d := full
		for _, u := range updates {
			next, _, err := u.Apply(d, false)
			if err != nil {
				b.Fatal(err)
			}
			d = next
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	full := fullBoard(b)
	v := jsonOf(b, `{"panel":"p","op":"replace","document":`+full.JSON()+`}`)
	b.SetBytes(int64(len(full.JSON())))
	b.ReportAllocs()
	for b.Loop() {
		u, err := ParseUpdate(v)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := u.Apply(Document{}, false); err != nil {
			b.Fatal(err)
		}
	}
}
