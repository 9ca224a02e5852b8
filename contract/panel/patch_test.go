package panel

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// board has every kind of block that patches on items are for, and one that
// they are not for.
const board = `{
	"title": "T", "subtitle": "S", "progress": {"done": 1, "total": 2},
	"blocks": [
		{"id": "c", "kind": "checklist", "items": [
			{"id": "a", "label": "A", "status": "done", "note": "n", "children": [
				{"id": "a1", "label": "A1", "children": [{"id": "a11", "label": "A11"}]},
				{"id": "a2", "label": "A2"}
			]},
			{"id": "b", "label": "B"}
		]},
		{"id": "s", "kind": "steps", "items": [{"id": "s1", "label": "S1"}]},
		{"id": "t", "kind": "table", "columns": [{"id": "x"}, {"id": "y"}], "rows": [{"id": "r1", "cells": {"x": "1", "y": "2"}}]},
		{"id": "k", "kind": "key_value", "entries": [{"key": "host", "value": "h"}, {"key": "port", "value": "1"}]},
		{"id": "f", "kind": "files", "entries": [{"path": "a.go", "status": "added", "line": 3}]},
		{"id": "e", "kind": "timeline", "max": 3, "events": [{"id": "e1", "label": "1"}, {"id": "e2", "label": "2"}]},
		{"id": "m", "kind": "markdown", "text": "hi"}
	]
}`

// patched is what an update with these patches makes of board.
func patched(t *testing.T, patches string) (before, after Document, err *Error) {
	t.Helper()
	before = documentOf(t, board)
	u := updateOf(t, `{"panel": "p", "op": "patch", "patches": [`+patches+`]}`)
	after, _, err = u.Apply(before, false)
	return before, after, err
}

func TestPatch(t *testing.T) {
	for _, c := range []struct {
		name, patches string
		at            string // of the result: a block, a block/item, or a field
		want          string // "" is absent
	}{
		{"set", `{"op":"set","field":"title","value":"N"}`, "title", `"N"`},
		{"set an empty text", `{"op":"set","field":"subtitle","value":""}`, "subtitle", `""`},
		{"set an object", `{"op":"set","field":"progress","value":{"done":2,"total":2}}`, "progress", `{"done":2,"total":2}`},
		{"set null", `{"op":"set","field":"progress","value":null}`, "progress", ``},
		{"set null of none", `{"op":"set","field":"summary","value":null}`, "summary", ``},
		{"the last of two", `{"op":"set","field":"title","value":"1"},{"op":"set","field":"title","value":"2"}`, "title", `"2"`},

		{"set_block in place", `{"op":"set_block","block":{"id":"m","kind":"x"},"before":"nowhere"}`, "ids", `c s t k f e m`},
		{"set_block replaces whole", `{"op":"set_block","block":{"id":"m","kind":"x"}}`, "m", `{"id":"m","kind":"x"}`},
		{"set_block at the end", `{"op":"set_block","block":{"id":"n","kind":"x"}}`, "ids", `c s t k f e m n`},
		{"set_block before", `{"op":"set_block","block":{"id":"n","kind":"x"},"before":"c"}`, "ids", `n c s t k f e m`},
		{"set_block before a new one", `{"op":"set_block","block":{"id":"n","kind":"x"}},{"op":"set_block","block":{"id":"o","kind":"x"},"before":"n"}`, "ids", `c s t k f e m o n`},
		{"remove_block", `{"op":"remove_block","id":"t"}`, "ids", `c s k f e m`},
		{"remove and set again", `{"op":"remove_block","id":"c"},{"op":"set_block","block":{"id":"c","kind":"x"}}`, "ids", `s t k f e m c`},

		{
			"upsert keeps what is not given", `{"op":"upsert_items","block":"c","items":[{"id":"b","status":"in_progress"}]}`,
			"c/b", `{"id":"b","label":"B","status":"in_progress"}`,
		},
		{"upsert below", `{"op":"upsert_items","block":"c","items":[{"id":"a11","label":"N"}]}`, "c/a11", `{"id":"a11","label":"N"}`},
		{
			"upsert replaces children", `{"op":"upsert_items","block":"c","items":[{"id":"a","children":[]}]}`,
			"c/a", `{"children":[],"id":"a","label":"A","note":"n","status":"done"}`,
		},
		{"upsert appends", `{"op":"upsert_items","block":"c","items":[{"id":"z","label":"Z"}]}`, "c ids", `a a1 a11 a2 b z`},
		{"upsert under a parent", `{"op":"upsert_items","block":"c","items":[{"id":"z","label":"Z"}],"parent":"a1"}`, "c ids", `a a1 a11 z a2 b`},
		{"upsert under one without children", `{"op":"upsert_items","block":"c","items":[{"id":"z","label":"Z"}],"parent":"b"}`, "c ids", `a a1 a11 a2 b z`},
		{"upsert with a parent leaves the others", `{"op":"upsert_items","block":"c","items":[{"id":"b","label":"N"}],"parent":"a"}`, "c ids", `a a1 a11 a2 b`},
		{"upsert twice", `{"op":"upsert_items","block":"c","items":[{"id":"z","label":"Z"},{"id":"z","note":"n"}]}`, "c/z", `{"id":"z","label":"Z","note":"n"}`},
		{
			"upsert into children of before", `{"op":"upsert_items","block":"c","items":[{"id":"b","children":[{"id":"b1","label":"B1"}]},{"id":"b1","note":"n"}]}`,
			"c/b1", `{"id":"b1","label":"B1","note":"n"}`,
		},
		{"upsert nothing", `{"op":"upsert_items","block":"c","items":[]}`, "c ids", `a a1 a11 a2 b`},
		{"upsert a step", `{"op":"upsert_items","block":"s","items":[{"id":"s1","detail":"d"},{"id":"s2","label":"S2"}]}`, "s ids", `s1 s2`},
		{"upsert a row", `{"op":"upsert_items","block":"t","items":[{"id":"r1","cells":{"x":"9"}}]}`, "t/r1", `{"cells":{"x":"9"},"id":"r1"}`},
		{
			"upsert an entry", `{"op":"upsert_items","block":"k","items":[{"key":"port","value":"2"},{"key":"new","value":"3"}]}`,
			"k", `{"entries":[{"key":"host","value":"h"},{"key":"port","value":"2"},{"key":"new","value":"3"}],"id":"k","kind":"key_value"}`,
		},
		{
			"upsert a file", `{"op":"upsert_items","block":"f","items":[{"path":"a.go","status":"deleted"}]}`,
			"f", `{"entries":[{"line":3,"path":"a.go","status":"deleted"}],"id":"f","kind":"files"}`,
		},

		{"remove with children", `{"op":"remove_items","block":"c","ids":["a"]}`, "c ids", `b`},
		{"remove parent and child", `{"op":"remove_items","block":"c","ids":["a","a11"]}`, "c ids", `b`},
		{"remove below", `{"op":"remove_items","block":"c","ids":["a11","a2"]}`, "c ids", `a a1 b`},
		{"remove the last child", `{"op":"remove_items","block":"c","ids":["a11"]}`, "c/a1", `{"children":[],"id":"a1","label":"A1"}`},
		{"remove keys", `{"op":"remove_items","block":"k","keys":["host"]}`, "k", `{"entries":[{"key":"port","value":"1"}],"id":"k","kind":"key_value"}`},
		{"remove paths", `{"op":"remove_items","block":"f","paths":["a.go"]}`, "f", `{"entries":[],"id":"f","kind":"files"}`},
		{"remove an event", `{"op":"remove_items","block":"e","ids":["e1"]}`, "e ids", `e2`},
		{"remove nothing", `{"op":"remove_items","block":"c","ids":[]}`, "c ids", `a a1 a11 a2 b`},

		{"append", `{"op":"append_events","block":"e","events":[{"id":"e3","label":"3"}]}`, "e ids", `e1 e2 e3`},
		{"append beyond max", `{"op":"append_events","block":"e","events":[{"id":"e3","label":"3"},{"id":"e4","label":"4"}]}`, "e ids", `e2 e3 e4`},
		{
			"append more than max", `{"op":"append_events","block":"e","events":[{"id":"3","label":"3"},{"id":"4","label":"4"},{"id":"5","label":"5"},{"id":"6","label":"6"}]}`,
			"e ids", `4 5 6`,
		},
		{"append an id that has fallen out", `{"op":"append_events","block":"e","events":[{"id":"e3","label":"3"},{"id":"e1","label":"again"}]}`, "e ids", `e2 e3 e1`},

		{"too much in between", `{"op":"upsert_items","block":"s","items":[` + steps(40) + `]},{"op":"remove_items","block":"s","ids":[` + names(40) + `]}`, "s ids", `s1`},
		{
			"a name twice in between", `{"op":"upsert_items","block":"c","items":[{"id":"b","children":[{"id":"a2","label":"x"}]}]},{"op":"remove_items","block":"c","ids":["a"]}`,
			"c ids", `b a2`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, err := patched(t, c.patches)
			if err != nil {
				t.Fatal(err)
			}
			if got := lookAt(after, c.at); got != c.want {
				t.Errorf("%s = %s, want %s", c.at, got, c.want)
			}
			if diff := cmp.Diff(documentOf(t, board).Value().Tree(), before.Value().Tree()); diff != "" {
				t.Errorf("the patch changed the document before: %s", diff)
			}
			if again := documentOf(t, after.JSON()); again.JSON() != after.JSON() {
				t.Errorf("read again it is %s, want %s", again.JSON(), after.JSON())
			}
		})
	}
}

// steps are n items for a block of steps, names their ids.
func steps(n int) string {
	return strings.Join(numbered(n, `{"id":"n#","label":"x"}`), ",")
}

func names(n int) string { return strings.Join(numbered(n, `"n#"`), ",") }

func numbered(n int, form string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(form, "#", strconv.Itoa(i))
	}
	return list
}

// lookAt is a field, "ids" of the blocks, a block, the ids in a block, or
// block/item, as text.
func lookAt(d Document, at string) string {
	if at == "ids" {
		return strings.Join(idsIn(d.blocks(), nil), " ")
	}
	if block, ok := strings.CutSuffix(at, " ids"); ok {
		b := d.block(block)
		items, _ := b[collectionOf(textOf(b, "kind")).list].([]any)
		return strings.Join(idsIn(items, nil), " ")
	}
	if block, item, ok := strings.Cut(at, "/"); ok {
		v, _ := d.Item(block, item)
		return v.JSON()
	}
	if b, ok := d.Block(at); ok {
		return b.JSON()
	}
	return d.Value().Field(at).JSON()
}

func idsIn(items []any, to []string) []string {
	for _, item := range items {
		to = idsIn(childrenOf(item), append(to, textOf(item, "id")))
	}
	return to
}

func TestPatchFaults(t *testing.T) {
	item := `{"id":"z","label":"Z"}`
	for _, c := range []struct{ name, patches, want string }{
		{"set_block before none", `{"op":"set_block","block":{"id":"n","kind":"x"},"before":"q"}`, `/patches/0/before: no block has the id "q"`},
		{"set_block before one that is gone", `{"op":"remove_block","id":"c"},{"op":"set_block","block":{"id":"n","kind":"x"},"before":"c"}`, `/patches/1/before: no block has the id "c"`},
		{"remove_block of none", `{"op":"remove_block","id":"q"}`, `/patches/0/id: no block has the id "q"`},
		{"remove_block twice", `{"op":"remove_block","id":"c"},{"op":"remove_block","id":"c"}`, `/patches/1/id: no block has the id "c"`},

		{"upsert into none", `{"op":"upsert_items","block":"q","items":[` + item + `]}`, `/patches/0/block: no block has the id "q"`},
		{"upsert into markdown", `{"op":"upsert_items","block":"m","items":[` + item + `]}`, `/patches/0/block: upsert_items is not for a block of kind "markdown"`},
		{"upsert into a timeline", `{"op":"upsert_items","block":"e","items":[` + item + `]}`, `/patches/0/block: upsert_items is not for a block of kind "timeline"`},
		{"upsert a new one without label", `{"op":"upsert_items","block":"c","items":[` + item + `,{"id":"y"}]}`, `/patches/0/items/1/label: missing`},
		{"upsert without id", `{"op":"upsert_items","block":"c","items":[{"label":"x"}]}`, `/patches/0/items/0/id: missing`},
		{"upsert by path into key_value", `{"op":"upsert_items","block":"k","items":[{"path":"x"}]}`, `/patches/0/items/0/path: unknown field; accepted: key, ref, value`},
		{
			"upsert a bad status", `{"op":"upsert_items","block":"c","items":[{"id":"b","status":"x"}]}`,
			`/patches/0/items/0/status: "x" is not one of pending, in_progress, done, skipped, blocked, failed`,
		},
		{"upsert null", `{"op":"upsert_items","block":"c","items":[{"id":"a","note":null}]}`, `/patches/0/items/0/note: found null, want a string`},
		{
			"upsert an unknown field", `{"op":"upsert_items","block":"c","items":[{"id":"b","lable":"x"}]}`,
			`/patches/0/items/0/lable: unknown field; accepted: children, id, label, note, priority, ref, status; nearest: label`,
		},
		{"upsert under none", `{"op":"upsert_items","block":"c","items":[` + item + `],"parent":"q"}`, `/patches/0/parent: no item has the id "q"`},
		{"upsert under a step", `{"op":"upsert_items","block":"s","items":[` + item + `],"parent":"s1"}`, `/patches/0/parent: only items of a checklist have children, not those of steps`},
		{"upsert under one that is gone", `{"op":"upsert_items","block":"c","items":[{"id":"a","children":[]},` + item + `],"parent":"a1"}`, `/patches/0/parent: no item has the id "a1" any more`},
		{"upsert to a fourth level", `{"op":"upsert_items","block":"c","items":[` + item + `],"parent":"a11"}`, `/blocks/0/items/0/children/0/children/0/children: has 1 items, more than the maximum 0`},
		{"upsert 31 steps", `{"op":"upsert_items","block":"s","items":[` + steps(30) + `]}`, `/blocks/1/items: has 31 items, more than the maximum 30`},
		{
			"1001 items in between", strings.Join(numbered(5, `{"op":"upsert_items","block":"c","items":[{"id":"q#","label":"q","children":[`+steps(200)+`]}]}`), ","),
			`/patches/4/items: would make 1010 items of the block, more than 1000`,
		},
		{"upsert an id twice", `{"op":"upsert_items","block":"c","items":[{"id":"b","children":[{"id":"a2","label":"x"}]}]}`, `/blocks/0/items/1/children/0/id: duplicate id "a2"`},
		{"upsert a cell of no column", `{"op":"upsert_items","block":"t","items":[{"id":"r1","cells":{"z":"9"}}]}`, `/blocks/2/rows/0/cells/z: the table has no such column`},

		{"remove from none", `{"op":"remove_items","block":"q","ids":["a"]}`, `/patches/0/block: no block has the id "q"`},
		{"remove from markdown", `{"op":"remove_items","block":"m","ids":["a"]}`, `/patches/0/block: remove_items is not for a block of kind "markdown"`},
		{"remove what is not there", `{"op":"remove_items","block":"c","ids":["b","q"]}`, `/patches/0/ids/1: no item has the id "q"`},
		{"remove keys of a checklist", `{"op":"remove_items","block":"c","keys":["a"]}`, `/patches/0/keys: items of checklist are named by id`},
		{"remove ids of files", `{"op":"remove_items","block":"f","ids":["a"]}`, `/patches/0/ids: items of files are named by path`},
		{"remove paths of key_value", `{"op":"remove_items","block":"k","paths":["a"]}`, `/patches/0/paths: items of key_value are named by key`},

		{"append to none", `{"op":"append_events","block":"q","events":[]}`, `/patches/0/block: no block has the id "q"`},
		{"append to steps", `{"op":"append_events","block":"s","events":[]}`, `/patches/0/block: append_events is not for a block of kind "steps"`},
		{"append an id twice", `{"op":"append_events","block":"e","events":[{"id":"e2","label":"x"}]}`, `/blocks/5/events/2/id: duplicate id "e2"`},
		{"21 blocks", strings.Join(numbered(14, `{"op":"set_block","block":{"id":"n#","kind":"x"}}`), ","), `/blocks: has 21 items, more than the maximum 20`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, err := patched(t, c.patches)
			if err == nil {
				t.Fatalf("accepted: %s", after.JSON())
			}
			if err.Code != CodeInvalid || err.Message != c.want {
				t.Errorf("fault is %s, want %s", err, c.want)
			}
			if !after.IsZero() {
				t.Errorf("a rejected update gives %s", after.JSON())
			}
			same := documentOf(t, board)
			if before.JSON() != same.JSON() || before.Value().JSON() != same.JSON() {
				t.Errorf("the rejected update changed the document to %s", before.Value().JSON())
			}
		})
	}
}
