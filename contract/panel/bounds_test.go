package panel

import (
	"strconv"
	"strings"
	"testing"

	"raw/contract/value"
)

// TestBounds has what is just within and just beyond limits that TestLimits
// does not reach: of updates, of declarations, of numbers. Code and schema have
// to say the same.
func TestBounds(t *testing.T) {
	patch := func(patches ...any) any { return object{"panel": "p", "op": "patch", "patches": patches} }
	ids := func(n int) []any { return many(n, func(i int) any { return "n" + strconv.Itoa(i) }) }
	action := func(fields object) any {
		a := object{"id": "a", "label": "x", "scope": "block", "kind": "prompt", "text": "x"}
		for name, part := range fields {
			a[name] = part
		}
		return []any{object{"id": "p", "title": "x", "actions": []any{a}}}
	}
	const big = uint64(1<<53 - 1)
	for _, c := range []struct {
		name, def string
		with      func(n uint64) any
		least     uint64
		most      uint64 // 0 is no limit
		at        string // of the fault below and beyond
	}{
		{"panel", "update", func(n uint64) any { return object{"panel": strings.Repeat("x", int(n)), "op": "close"} }, 1, 0, "/panel"},
		{"base_revision", "update", func(n uint64) any { return object{"panel": "p", "op": "close", "base_revision": n} }, 1, 1<<31 - 1, "/base_revision"},
		{"patches", "update", func(n uint64) any {
			return patch(many(int(n), func(int) any { return object{"op": "remove_block", "id": "b"} })...)
		}, 1, 200, "/patches"},
		{"items", "update", func(n uint64) any {
			return patch(object{"op": "upsert_items", "block": "b", "items": of(int(n), "id", nil)})
		}, 0, 200, "/patches/0/items"},
		{"ids", "update", func(n uint64) any { return patch(object{"op": "remove_items", "block": "b", "ids": ids(int(n))}) }, 0, 200, "/patches/0/ids"},
		{"keys", "update", func(n uint64) any { return patch(object{"op": "remove_items", "block": "b", "keys": ids(int(n))}) }, 0, 200, "/patches/0/keys"},
		{"paths", "update", func(n uint64) any { return patch(object{"op": "remove_items", "block": "b", "paths": ids(int(n))}) }, 0, 200, "/patches/0/paths"},
		{"a key", "update", func(n uint64) any {
			return patch(object{"op": "remove_items", "block": "b", "keys": []any{long(int(n))}})
		}, 1, 60, "/patches/0/keys/0"},
		{"a path", "update", func(n uint64) any {
			return patch(object{"op": "remove_items", "block": "b", "paths": []any{long(int(n))}})
		}, 1, 500, "/patches/0/paths/0"},
		{"events", "update", func(n uint64) any {
			return patch(object{"op": "append_events", "block": "b", "events": of(int(n), "id", object{"label": "x"})})
		}, 0, 200, "/patches/0/events"},

		{"done", "document", func(n uint64) any { return object{"progress": object{"done": n, "total": big}, "blocks": []any{}} }, 0, big, "/progress/done"},
		{"total", "document", func(n uint64) any { return object{"progress": object{"done": 0, "total": n}, "blocks": []any{}} }, 0, big, "/progress/total"},
		{"a time", "document", func(n uint64) any {
			return withBlock("steps", object{"items": of(1, "id", object{"label": "x", "ended_at": n})})
		}, 0, big, "/blocks/0/items/0/ended_at"},
		{"a line", "document", func(n uint64) any { return withBlock("files", object{"entries": of(1, "path", object{"line": n})}) }, 1, big, "/blocks/0/entries/0/line"},
		{"value", "document", func(n uint64) any { return withBlock("progress", object{"value": n, "max": big}) }, 0, big, "/blocks/0/value"},
		{"max", "document", func(n uint64) any { return withBlock("progress", object{"value": 0, "max": n}) }, 1, big, "/blocks/0/max"},
		{"context_summary in bytes", "document", func(n uint64) any {
			return object{"context_summary": strings.Repeat("x", int(n)), "blocks": []any{}}
		}, 0, 2048, "/context_summary"},
		{"fallback in bytes", "document", func(n uint64) any { return withBlock("x", object{"fallback": strings.Repeat("x", int(n))}) }, 0, 4096, "/blocks/0/fallback"},
		{"markdown in bytes", "document", func(n uint64) any { return withBlock("markdown", object{"text": strings.Repeat("x", int(n))}) }, 0, 16384, "/blocks/0/text"},
		{"mermaid in bytes", "document", func(n uint64) any {
			return withBlock("mermaid", object{"source": strings.Repeat("x", int(n))})
		}, 1, 16384, "/blocks/0/source"},
		{"children", "document", func(n uint64) any {
			return withBlock("checklist", object{"items": []any{object{"id": "a", "label": "x", "children": of(int(n), "id", object{"label": "x"})}}})
		}, 0, 199, "/blocks/0/items"},
		{"max_selected of 32", "document", func(n uint64) any {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "multi_select", "options": of(32, "id", object{"label": "x"}), "max_selected": n})})
		}, 1, 32, "/blocks/0/fields/0/max_selected"},
		{"min_selected of 32", "document", func(n uint64) any {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "multi_select", "options": of(32, "id", object{"label": "x"}), "min_selected": n})})
		}, 0, 32, "/blocks/0/fields/0/min_selected"},

		{"panels", "declarations", func(n uint64) any { return of(int(n), "id", object{"title": "x"}) }, 0, 4, "/"},
		{"title", "declarations", func(n uint64) any { return of(1, "id", object{"title": long(int(n))}) }, 1, 40, "/0/title"},
		{"panel id", "declarations", func(n uint64) any { return []any{object{"id": strings.Repeat("x", int(n)), "title": "x"}} }, 1, 32, "/0/id"},
		{"actions", "declarations", func(n uint64) any {
			return of(1, "id", object{"title": "x", "actions": of(int(n), "id", object{"label": "x", "scope": "panel", "kind": "tool"})})
		}, 0, 8, "/0/actions"},
		{"label", "declarations", func(n uint64) any { return action(object{"label": long(int(n))}) }, 1, 32, "/0/actions/0/label"},
		{"text", "declarations", func(n uint64) any { return action(object{"text": long(int(n))}) }, 1, 2000, "/0/actions/0/text"},
		{"confirm", "declarations", func(n uint64) any { return action(object{"confirm": long(int(n))}) }, 0, 200, "/0/actions/0/confirm"},
		{"blocks", "declarations", func(n uint64) any { return action(object{"blocks": ids(int(n))}) }, 0, 20, "/0/actions/0/blocks"},
		{"when", "declarations", func(n uint64) any {
			return action(object{"when": object{"status": many(int(n), func(int) any { return "done" })}})
		}, 1, 6, "/0/actions/0/when/status"},
	} {
		t.Run(c.def+" "+c.name, func(t *testing.T) {
			s := schemaOf(t, c.def)
			check := map[string]func(value.Value) *Error{
				"document": checkDocument, "update": checkUpdate, "declarations": checkDeclarations,
			}[c.def]
			agree(t, s, check, c.with(c.least), fault{name: "the least"}, "")
			if c.least > 0 {
				agree(t, s, check, c.with(c.least-1), fault{name: "less"}, c.at)
			}
			if c.most == 0 {
				return
			}
			agree(t, s, check, c.with(c.most), fault{name: "the most"}, "")
			// The schema does not add up the items of all levels.
			agree(t, s, check, c.with(c.most+1), fault{name: "more", unseen: c.name == "children"}, c.at)
		})
	}
}
