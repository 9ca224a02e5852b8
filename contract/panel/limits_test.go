package panel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"raw/contract/value"
)

// withBlock is a document of one block.
func withBlock(kind string, fields object) object {
	block := object{"id": "b", "kind": kind}
	for name, part := range fields {
		block[name] = part
	}
	return object{"blocks": []any{block}}
}

// of is n items with ids and the fields.
func of(n int, key string, fields object) []any {
	return many(n, func(i int) any {
		item := object{key: fmt.Sprint("n", i)}
		for name, part := range fields {
			item[name] = part
		}
		return item
	})
}

// nestedItems is a chain of levels.
func nestedItems(levels int) []any {
	item := object{"id": fmt.Sprint("l", levels), "label": "x"}
	if levels > 1 {
		item["children"] = nestedItems(levels - 1)
	}
	return []any{item}
}

// TestLimits has for each limit of a document what is just within and just
// beyond. Characters are ü and 🙂, so that bytes in their place are found out.
func TestLimits(t *testing.T) {
	labelled := object{"label": "x"}
	s := schemaOf(t, "document")
	for _, c := range []struct {
		name string
		with func(n int) object
		most int
		at   string // of the fault beyond
		none bool   // 0 is beyond too
	}{
		{name: "title", most: 80, at: "/title", with: func(n int) object { return object{"title": long(n), "blocks": []any{}} }},
		{name: "subtitle", most: 120, at: "/subtitle", with: func(n int) object { return object{"subtitle": long(n), "blocks": []any{}} }},
		{name: "summary", most: 120, at: "/summary", with: func(n int) object { return object{"summary": long(n), "blocks": []any{}} }},
		{name: "context_summary", most: 2048, at: "/context_summary", with: func(n int) object { return object{"context_summary": bytesOf(n), "blocks": []any{}} }},
		{name: "done of 7", most: 7, at: "/progress/done", with: func(n int) object {
			return object{"progress": object{"done": n, "total": 7}, "blocks": []any{}}
		}},
		{name: "blocks", most: 20, at: "/blocks", with: func(n int) object { return object{"blocks": of(n, "id", object{"kind": "x"})} }},
		{name: "block id", most: 32, at: "/blocks/0/id", none: true, with: func(n int) object {
			return object{"blocks": []any{object{"id": strings.Repeat("x", n), "kind": "x"}}}
		}},
		{name: "kind", most: 64, at: "/blocks/0/kind", none: true, with: func(n int) object {
			return object{"blocks": []any{object{"id": "b", "kind": long(n)}}}
		}},
		{name: "block title", most: 80, at: "/blocks/0/title", with: func(n int) object { return withBlock("x", object{"title": long(n)}) }},
		{name: "fallback", most: 4096, at: "/blocks/0/fallback", with: func(n int) object { return withBlock("x", object{"fallback": bytesOf(n)}) }},
		{name: "nesting of an unknown kind", most: 32, at: "/blocks/0/data" + strings.Repeat("/0", 32), with: func(n int) object {
			return withBlock("x", object{"data": nested(n)})
		}},

		{name: "checklist items", most: 200, at: "/blocks/0/items", with: func(n int) object {
			return withBlock("checklist", object{"items": of(n, "id", labelled)})
		}},
		{name: "checklist items with children", most: 198, at: "/blocks/0/items", with: func(n int) object {
			return withBlock("checklist", object{"items": []any{object{"id": "a", "label": "x", "children": []any{
				object{"id": "b", "label": "x", "children": of(n, "id", labelled)},
			}}}})
		}},
		{name: "checklist levels", most: 3, at: "/blocks/0/items/0/children/0/children/0/children", with: func(n int) object {
			return withBlock("checklist", object{"items": nestedItems(max(n, 1))})
		}},
		{name: "item id", most: 64, at: "/blocks/0/items/0/id", none: true, with: func(n int) object {
			return withBlock("checklist", object{"items": []any{object{"id": strings.Repeat(".", n), "label": "x"}}})
		}},
		{name: "item label", most: 200, at: "/blocks/0/items/0/label", none: true, with: func(n int) object {
			return withBlock("checklist", object{"items": of(1, "id", object{"label": long(n)})})
		}},
		{name: "note", most: 500, at: "/blocks/0/items/0/note", with: func(n int) object {
			return withBlock("checklist", object{"items": of(1, "id", object{"label": "x", "note": long(n)})})
		}},
		{name: "ref path", most: 500, at: "/blocks/0/items/0/ref/path", none: true, with: func(n int) object {
			return withBlock("checklist", object{"items": of(1, "id", object{"label": "x", "ref": object{"path": long(n)}})})
		}},

		{name: "steps", most: 30, at: "/blocks/0/items", with: func(n int) object { return withBlock("steps", object{"items": of(n, "id", labelled)}) }},
		{name: "step detail", most: 200, at: "/blocks/0/items/0/detail", with: func(n int) object {
			return withBlock("steps", object{"items": of(1, "id", object{"label": "x", "detail": long(n)})})
		}},

		{name: "progress label", most: 200, at: "/blocks/0/label", with: func(n int) object {
			return withBlock("progress", object{"label": long(n), "indeterminate": true})
		}},
		{name: "value of max 7", most: 7, at: "/blocks/0/value", with: func(n int) object {
			return withBlock("progress", object{"value": n, "max": 7})
		}},

		{name: "entries", most: 50, at: "/blocks/0/entries", with: func(n int) object {
			return withBlock("key_value", object{"entries": of(n, "key", object{"value": ""})})
		}},
		{name: "key", most: 60, at: "/blocks/0/entries/0/key", none: true, with: func(n int) object {
			return withBlock("key_value", object{"entries": []any{object{"key": long(n), "value": ""}}})
		}},
		{name: "entry value", most: 500, at: "/blocks/0/entries/0/value", with: func(n int) object {
			return withBlock("key_value", object{"entries": of(1, "key", object{"value": long(n)})})
		}},

		{name: "columns", most: 8, at: "/blocks/0/columns", none: true, with: func(n int) object {
			return withBlock("table", object{"columns": of(n, "id", nil), "rows": []any{}})
		}},
		{name: "column label", most: 60, at: "/blocks/0/columns/0/label", with: func(n int) object {
			return withBlock("table", object{"columns": of(1, "id", object{"label": long(n)}), "rows": []any{}})
		}},
		{name: "rows", most: 200, at: "/blocks/0/rows", with: func(n int) object {
			return withBlock("table", object{"columns": of(1, "id", nil), "rows": of(n, "id", nil)})
		}},
		{name: "cell", most: 300, at: "/blocks/0/rows/0/cells/n0", with: func(n int) object {
			return withBlock("table", object{"columns": of(1, "id", nil), "rows": of(1, "id", object{"cells": object{"n0": long(n)}})})
		}},

		{name: "markdown", most: 16384, at: "/blocks/0/text", with: func(n int) object { return withBlock("markdown", object{"text": bytesOf(n)}) }},
		{name: "mermaid", most: 16384, at: "/blocks/0/source", none: true, with: func(n int) object { return withBlock("mermaid", object{"source": bytesOf(n)}) }},

		{name: "timeline max", most: 200, at: "/blocks/0/max", none: true, with: func(n int) object {
			return withBlock("timeline", object{"max": n, "events": []any{}})
		}},
		{name: "events without max", most: 100, at: "/blocks/0/events", with: func(n int) object {
			return withBlock("timeline", object{"events": of(n, "id", labelled)})
		}},
		{name: "events of max 200", most: 200, at: "/blocks/0/events", with: func(n int) object {
			return withBlock("timeline", object{"max": 200, "events": of(n, "id", labelled)})
		}},
		{name: "events of max 3", most: 3, at: "/blocks/0/events", with: func(n int) object {
			return withBlock("timeline", object{"max": 3, "events": of(n, "id", labelled)})
		}},
		{name: "event detail", most: 1000, at: "/blocks/0/events/0/detail", with: func(n int) object {
			return withBlock("timeline", object{"events": of(1, "id", object{"label": "x", "detail": long(n)})})
		}},

		{name: "files", most: 200, at: "/blocks/0/entries", with: func(n int) object { return withBlock("files", object{"entries": of(n, "path", nil)}) }},
		{name: "file path", most: 500, at: "/blocks/0/entries/0/path", none: true, with: func(n int) object {
			return withBlock("files", object{"entries": []any{object{"path": long(n)}}})
		}},
		{name: "file label", most: 200, at: "/blocks/0/entries/0/label", with: func(n int) object {
			return withBlock("files", object{"entries": of(1, "path", object{"label": long(n)})})
		}},

		{name: "form fields", most: 8, at: "/blocks/0/fields", none: true, with: func(n int) object {
			return withBlock("form", object{"fields": of(n, "id", object{"label": "x", "kind": "text"})})
		}},
		{name: "description", most: 500, at: "/blocks/0/fields/0/description", with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "text", "description": long(n)})})
		}},
		{name: "max_bytes", most: 8192, at: "/blocks/0/fields/0/max_bytes", none: true, with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "text", "max_bytes": n})})
		}},
		{name: "options", most: 32, at: "/blocks/0/fields/0/options", none: true, with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "single_select", "options": of(n, "id", labelled)})})
		}},
		{name: "option label", most: 200, at: "/blocks/0/fields/0/options/0/label", none: true, with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "single_select", "options": of(1, "id", object{"label": long(n)})})})
		}},
		{name: "max_selected of 4 options", most: 4, at: "/blocks/0/fields/0/max_selected", none: true, with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "multi_select", "options": of(4, "id", labelled), "max_selected": n})})
		}},
		{name: "min_selected of 4 options", most: 4, at: "/blocks/0/fields/0/min_selected", with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "multi_select", "options": of(4, "id", labelled), "min_selected": n})})
		}},
		{name: "min_selected of max_selected 2", most: 2, at: "/blocks/0/fields/0/min_selected", with: func(n int) object {
			return withBlock("form", object{"fields": of(1, "id", object{"label": "x", "kind": "multi_select", "options": of(4, "id", labelled), "min_selected": n, "max_selected": 2})})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ParseDocument(valueOf(t, c.with(c.most))); err != nil {
				t.Errorf("%d: %v, want it accepted", c.most, err)
			}
			for _, n := range []int{1, c.most} {
				if at := seen(t, s, valueOf(t, c.with(n))); at != "" {
					t.Errorf("%d: the schema finds a fault at %q", n, at)
				}
			}
			_, err := ParseDocument(valueOf(t, c.with(c.most+1)))
			if got := pointerOf(err); got != c.at {
				t.Errorf("%d: fault at %q, want %q: %v", c.most+1, got, c.at, err)
			}
			_, err = ParseDocument(valueOf(t, c.with(0)))
			if refused := pointerOf(err) == c.at; refused != c.none || err != nil && !refused {
				t.Errorf("0: %v, want refused %t", err, c.none)
			}
		})
	}
}

// bytesOf is a text of n bytes with less characters.
func bytesOf(n int) string {
	return strings.Repeat("🙂", n/4) + strings.Repeat("x", n%4)
}

func TestDocumentSize(t *testing.T) {
	// sized is a document of n bytes, most of them in texts that are escaped.
	sized := func(n int) object {
		d := object{"blocks": many(5, func(i int) any {
			return object{"id": fmt.Sprint("b", i), "kind": "markdown", "text": strings.Repeat("\"\n", 3000)}
		})}
		last := d["blocks"].([]any)[4].(object)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		last["text"] = last["text"].(string) + bytesOf(n-len(text))
		return d
	}
	d, err := ParseDocument(valueOf(t, sized(65536)))
	if err != nil || len(d.JSON()) != 65536 {
		t.Errorf("65536 bytes: %d, %v, want it accepted", len(d.JSON()), err)
	}
	_, err = ParseDocument(valueOf(t, sized(65537)))
	want := Error{CodeTooLarge, "document is 65537 bytes; the limit is 65536"}
	if err == nil || *err != want {
		t.Errorf("65537 bytes: %v, want %v", err, want)
	}
	_, err = ParseUpdate(valueOf(t, object{"panel": "p", "op": "replace", "document": sized(65537)}))
	if err == nil || *err != want {
		t.Errorf("an update with 65537 bytes: %v, want %v", err, want)
	}
	// A patch that makes it one byte longer.
	u := updateOf(t, `{"panel":"p","op":"patch","patches":[{"op":"set","field":"title","value":""}]}`)
	grown := len(`"title":"",`)
	d, _ = ParseDocument(valueOf(t, sized(65536-grown)))
	if next, _, err := u.Apply(d, false); err != nil || len(next.JSON()) != 65536 {
		t.Errorf("patched to 65536 bytes: %d, %v, want it accepted", len(next.JSON()), err)
	}
	d, _ = ParseDocument(valueOf(t, sized(65537-grown)))
	if _, _, err := u.Apply(d, false); err == nil || *err != want {
		t.Errorf("patched to 65537 bytes: %v, want %v", err, want)
	}
}

func TestControlCharacters(t *testing.T) {
	for r := range rune(0xA0) {
		refused := r <= 8 || 0xB <= r && r <= 0x1F || r == 0x7F
		s := "a" + string(r) + "b"
		for _, d := range []object{
			{"title": s, "blocks": []any{}},
			withBlock("markdown", object{"text": s}),
			withBlock("x", object{"data": []any{object{"a": s}}}),
			withBlock("x", object{"data": object{s: 1}}),
			withBlock("x", object{s: 1}),
			withBlock("table", object{"columns": of(1, "id", nil), "rows": of(1, "id", object{"cells": object{"n0": s}})}),
		} {
			_, err := ParseDocument(valueOf(t, d))
			if (err != nil) != refused {
				t.Errorf("U+%04X: %v, want refused %t", r, err, refused)
			}
			if err != nil && (!utf8.ValidString(err.Message) || strings.ContainsRune(err.Message, r)) {
				t.Errorf("U+%04X: the message %q repeats it", r, err.Message)
			}
		}
	}
}

// TestForeignTrees shows that what package value would not read is refused too.
func TestForeignTrees(t *testing.T) {
	for _, c := range []struct {
		tree any
		want string
	}{
		{object{"title": "a\xffb", "blocks": []any{}}, "/title: is not valid UTF-8"},
		{object{"title": 1.5, "blocks": []any{}}, "/title: found a float64, want a string"},
		{withBlock("x", object{"data": []any{1.5}}), "/blocks/0/data/0: found a float64, want JSON"},
		{withBlock("x", object{"data": []any{"\xff"}}), "/blocks/0/data/0: is not valid UTF-8"},
		{
			withBlock("table", object{"columns": of(1, "id", nil), "rows": of(1, "id", object{"cells": object{"\x1b": "x"}})}),
			"/blocks/0/rows/0/cells/\uFFFD: has the control character U+001B at byte 0",
		},
		{deepObjects(40), "/blocks/0" + strings.Repeat("/a", 33) + ": is nested deeper than 32"},
		{nil, "/: found null, want an object"},
	} {
		_, err := ParseDocument(value.FromTree(c.tree))
		if err == nil || err.Message != c.want {
			t.Errorf("ParseDocument(%s): %v, want %s", show(c.tree), err, c.want)
		}
	}
	for what, err := range map[string]error{
		"document": checkDocument(value.Value{}), "update": checkUpdate(value.Value{}), "declarations": checkDeclarations(value.Value{}),
	} {
		if err, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(err.Message, "/: found nothing, want ") {
			t.Errorf("an absent %s: %v", what, err)
		}
	}
}

func deepObjects(n int) object {
	part := object{}
	for range n {
		part = object{"a": part}
	}
	return withBlock("x", part)
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"1", true},
		{"1.0", true},
		{"1e0", true},
		{"10e-1", true},
		{"9007199254740991", true},
		{"9007199254740991.0", true},
		{"0", false},
		{"-1", false},
		{"1.5", false},
		{"9007199254740992", false},
		{"1e300", false},
		{"-1e300", false},
		{"1e-300", false},
		{`"1"`, false},
		{"true", false},
		{"null", false},
	} {
		_, err := ParseDocument(jsonOf(t, `{"blocks":[{"id":"f","kind":"files","entries":[{"path":"x","line":`+c.line+`}]}]}`))
		if (err == nil) != c.ok {
			t.Errorf("line %s: %v, want accepted %t", c.line, err, c.ok)
		}
	}
	for _, c := range []struct {
		value, most, at string
	}{
		{"0", "0.001", ""},
		{"-0", "1", ""},
		{"1e-999", "1e-998", ""},
		{"0.1", "0.10", ""},
		{"9007199254740991", "9007199254740991", ""},
		{"0.30000000000000000001", "0.3", "/blocks/0/value"},
		{"0", "0", "/blocks/0/max"},
		{"0", "-1", "/blocks/0/max"},
		{"-1e-999", "1", "/blocks/0/value"},
		{"1", "9007199254740992", "/blocks/0/max"},
	} {
		_, err := ParseDocument(jsonOf(t, `{"blocks":[{"id":"p","kind":"progress","value":`+c.value+`,"max":`+c.most+`}]}`))
		if got := pointerOf(err); got != c.at {
			t.Errorf("%s of %s: fault at %q, want %q", c.value, c.most, got, c.at)
		}
	}
	// package value reads no such number; a tree from elsewhere may have one.
	for _, huge := range []json.Number{"1e999999999", "1e-999999999", "x"} {
		_, err := ParseDocument(value.FromTree(withBlock("progress", object{"value": huge, "max": json.Number("1")})))
		if got := pointerOf(err); got != "/blocks/0/value" {
			t.Errorf("value %s: fault at %q, want it refused: %v", huge, got, err)
		}
	}
}
