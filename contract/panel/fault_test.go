package panel

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// fault is one way to break what is valid. at leads to the place: names, * for
// any item of a list, ^ for any but the first, =word for any item of that kind,
// op or scope. What stands there is replaced, and there the fault has to be
// found: below that place, or up as many steps, where it says so.
type fault struct {
	name, at string
	to       any  // missing, the value itself, or a func(spot) any of what must be there
	unseen   bool // the schema cannot tell
	below    string
	up       int
}

type missingField struct{}

var missing = missingField{}

// spot is where a fault goes: what stands there, and around it from the root.
type spot struct {
	old    any
	around []any
}

// list is the list around the item around the place.
func (p spot) list() []any { return p.around[len(p.around)-2].([]any) }

// parent is the object that has the place as a field.
func (p spot) parent() object { return p.around[len(p.around)-1].(object) }

func long(n int) string { return strings.Repeat("ü", n) }

func many(n int, one func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = one(i)
	}
	return list
}

// more is a list of n items like the first of what was there.
func more(n int, key string) func(spot) any {
	return func(p spot) any {
		first := p.old.([]any)[0].(object)
		return many(n, func(i int) any {
			item := maps.Clone(first)
			delete(item, "children")
			item[key] = "n" + strconv.Itoa(i)
			return item
		})
	}
}

// again is the name of the first item in the list.
func again(key string) func(spot) any {
	return func(p spot) any { return p.list()[0].(object)[key] }
}

// nested is n arrays in each other.
func nested(n int) any {
	var v any = "x"
	for range n {
		v = []any{v}
	}
	return v
}

var documentFaults = []fault{
	{name: "unknown field", at: "zzz", to: 1},
	{name: "long title", at: "title", to: long(81)},
	{name: "null title", at: "title", to: nil},
	{name: "control character in title", at: "title", to: "a\x7fb"},
	{name: "long subtitle", at: "subtitle", to: long(121)},
	{name: "unknown status", at: "status", to: "busy"},
	{name: "progress without total", at: "progress/total", to: missing},
	{name: "progress with a fraction", at: "progress/done", to: 0.5},
	{name: "negative progress", at: "progress/done", to: -1},
	{name: "huge progress", at: "progress/total", to: uint64(1 << 53)},
	{name: "progress beyond its total", at: "progress", to: object{"done": 3, "total": 2}, unseen: true, below: "/done"},
	{name: "unknown field of progress", at: "progress/percent", to: 3},
	{name: "long summary", at: "summary", to: long(121)},
	{name: "long context_summary", at: "context_summary", to: strings.Repeat("x", 2049)},
	{name: "context_summary of too many bytes", at: "context_summary", to: long(1025), unseen: true},
	{name: "no blocks", at: "blocks", to: missing},
	{name: "blocks that are no array", at: "blocks", to: object{}},
	{name: "too many blocks", at: "blocks", to: many(21, func(i int) any {
		return object{"id": fmt.Sprint("b", i), "kind": "x"}
	})},
	{name: "a block that is no object", at: "blocks/*", to: "x"},
	{name: "a block without id", at: "blocks/*/id", to: missing},
	{name: "a bad block id", at: "blocks/*/id", to: "a.b"},
	{name: "a long block id", at: "blocks/*/id", to: strings.Repeat("x", 33)},
	{name: "a repeated block id", at: "blocks/^/id", to: again("id"), unseen: true},
	{name: "a block without kind", at: "blocks/*/kind", to: missing},
	{name: "an empty kind", at: "blocks/=chart/kind", to: ""},
	{name: "a long kind", at: "blocks/=chart/kind", to: long(65)},
	{name: "a long block title", at: "blocks/*/title", to: long(81)},
	{name: "a long fallback", at: "blocks/*/fallback", to: strings.Repeat("x", 4097)},
	{name: "a fallback of too many bytes", at: "blocks/*/fallback", to: long(2049), unseen: true},
	{name: "a control character in an unknown block", at: "blocks/=chart/data/3/a", to: "\x00"},
	{name: "a control character in a name", at: "blocks/=chart/data", to: object{"a\x1bb": 1}, below: "/a\uFFFDb", unseen: true},
	{name: "deep nesting in an unknown block", at: "blocks/=chart/data", to: nested(33), below: strings.Repeat("/0", 32), unseen: true},

	{name: "a checklist without items", at: "blocks/=checklist/items", to: missing},
	{name: "an unknown field of a checklist", at: "blocks/=checklist/rows", to: []any{}},
	{name: "201 items", at: "blocks/=checklist/items", to: more(201, "id")},
	{name: "201 items with children", at: "blocks/=checklist/items", unseen: true, to: func(p spot) any {
		children := more(200, "id")(p)
		return []any{object{"id": "top", "label": "top", "children": children}}
	}},
	{name: "an item without id", at: "blocks/=checklist/items/*/id", to: missing},
	{name: "a bad item id", at: "blocks/=checklist/items/*/id", to: "a b"},
	{name: "a long item id", at: "blocks/=checklist/items/*/id", to: strings.Repeat("x", 65)},
	{name: "a repeated item id", at: "blocks/=checklist/items/^/id", to: again("id"), unseen: true},
	{name: "a child with the id of its parent", at: "blocks/=checklist/items/*/children/0/id", unseen: true, to: func(p spot) any {
		return p.around[len(p.around)-3].(object)["id"]
	}},
	{name: "an item without label", at: "blocks/=checklist/items/*/label", to: missing},
	{name: "an empty label", at: "blocks/=checklist/items/*/label", to: ""},
	{name: "a long label", at: "blocks/=checklist/items/*/label", to: long(201)},
	{name: "an unknown item status", at: "blocks/=checklist/items/*/status", to: "completed"},
	{name: "an unknown priority", at: "blocks/=checklist/items/*/priority", to: "urgent"},
	{name: "a long note", at: "blocks/=checklist/items/*/note", to: long(501)},
	{name: "an unknown field of an item", at: "blocks/=checklist/items/*/detail", to: "x"},
	{name: "a ref without path", at: "blocks/=checklist/items/*/ref/path", to: missing},
	{name: "a ref with an empty path", at: "blocks/=checklist/items/*/ref/path", to: ""},
	{name: "a ref with a long path", at: "blocks/=checklist/items/*/ref/path", to: long(501)},
	{name: "a ref to line 0", at: "blocks/=checklist/items/*/ref/line", to: 0},
	{name: "an unknown field of a ref", at: "blocks/=checklist/items/*/ref/column", to: 1},
	{name: "a fault in a child", at: "blocks/=checklist/items/*/children/*/label", to: 7},
	{name: "a fault in a grandchild", at: "blocks/=checklist/items/*/children/*/children/*/status", to: nil},
	{name: "a fourth level", at: "blocks/=checklist/items/*/children/*/children/*/children", to: []any{object{"id": "deep", "label": "x"}}},

	{name: "31 steps", at: "blocks/=steps/items", to: more(31, "id")},
	{name: "a step without label", at: "blocks/=steps/items/*/label", to: missing},
	{name: "a repeated step id", at: "blocks/=steps/items/^/id", to: again("id"), unseen: true},
	{name: "a long detail of a step", at: "blocks/=steps/items/*/detail", to: long(201)},
	{name: "a time with a fraction", at: "blocks/=steps/items/*/started_at", to: 1.5},
	{name: "a time before 1970", at: "blocks/=steps/items/*/ended_at", to: -1},
	{name: "a step with children", at: "blocks/=steps/items/*/children", to: []any{}},

	{name: "progress without value", at: "blocks/=progress/value", to: missing},
	{name: "progress without max", at: "blocks/=progress/max", to: missing},
	{name: "max 0", at: "blocks/=progress/max", to: func(p spot) any { p.parent()["value"] = 0; return 0 }},
	{name: "value beyond max", at: "blocks/=progress/value", to: func(spot) any { return 60.5 }, unseen: true},
	{name: "a negative value", at: "blocks/=progress/value", to: func(spot) any { return -0.5 }},
	{name: "value and indeterminate", at: "blocks/=progress/value", to: func(p spot) any {
		delete(p.parent(), "max")
		p.parent()["indeterminate"] = true
		return p.old
	}},
	{name: "indeterminate that is no boolean", at: "blocks/=progress/value", up: 1, below: "/indeterminate", to: func(p spot) any {
		p.parent()["indeterminate"] = "yes"
		return p.old
	}},
	{name: "a long label of progress", at: "blocks/=progress/label", to: long(201)},

	{name: "51 entries", at: "blocks/=key_value/entries", to: more(51, "key")},
	{name: "an entry without key", at: "blocks/=key_value/entries/*/key", to: missing},
	{name: "an empty key", at: "blocks/=key_value/entries/*/key", to: ""},
	{name: "a long key", at: "blocks/=key_value/entries/*/key", to: long(61)},
	{name: "a repeated key", at: "blocks/=key_value/entries/^/key", to: again("key"), unseen: true},
	{name: "an entry without value", at: "blocks/=key_value/entries/*/value", to: missing},
	{name: "a long value", at: "blocks/=key_value/entries/*/value", to: long(501)},

	{name: "no columns", at: "blocks/=table/columns", to: missing},
	{name: "0 columns", at: "blocks/=table/columns", to: []any{}},
	{name: "9 columns", at: "blocks/=table/columns", to: func(p spot) any {
		return append(slices.Clone(p.old.([]any)), more(9-len(p.old.([]any)), "id")(p).([]any)...)
	}},
	{name: "a bad column id", at: "blocks/=table/columns/*/id", to: ""},
	{name: "a repeated column id", at: "blocks/=table/columns", below: "/1/id", unseen: true, to: func(p spot) any {
		return slices.Insert(slices.Clone(p.old.([]any)), 1, p.old.([]any)[0])
	}},
	{name: "a long label of a column", at: "blocks/=table/columns/*/label", to: long(61)},
	{name: "an unknown align", at: "blocks/=table/columns/*/align", to: "left"},
	{name: "201 rows", at: "blocks/=table/rows", to: more(201, "id")},
	{name: "a row without id", at: "blocks/=table/rows/*/id", to: missing},
	{name: "a repeated row id", at: "blocks/=table/rows/^/id", to: again("id"), unseen: true},
	{name: "an unknown row status", at: "blocks/=table/rows/*/status", to: "ok"},
	{name: "cells that are no object", at: "blocks/=table/rows/*/cells", to: []any{}},
	{name: "a cell of an unknown column", at: "blocks/=table/rows/*/cells/zz", to: "x", unseen: true},
	{name: "a cell that is no text", at: "blocks/=table/rows/*/cells/zz", to: 3},
	{name: "a long cell", at: "blocks/=table/rows/*/cells/zz", to: long(301)},

	{name: "markdown without text", at: "blocks/=markdown/text", to: missing},
	{name: "a long text", at: "blocks/=markdown/text", to: strings.Repeat("x", 16385)},
	{name: "a text of too many bytes", at: "blocks/=markdown/text", to: long(8193), unseen: true},
	{name: "a carriage return", at: "blocks/=markdown/text", to: "a\r\nb"},

	{name: "a timeline of none", at: "blocks/=timeline/max", to: 0},
	{name: "a timeline of 201", at: "blocks/=timeline/max", to: 201},
	{name: "201 events", at: "blocks/=timeline/events", to: more(201, "id")},
	{name: "more events than max", at: "blocks/=timeline/events", unseen: true, to: func(p spot) any {
		p.parent()["max"] = 5
		return more(6, "id")(p)
	}},
	{name: "101 events without max", at: "blocks/=timeline/events", unseen: true, to: func(p spot) any {
		delete(p.parent(), "max")
		return more(101, "id")(p)
	}},
	{name: "a repeated event id", at: "blocks/=timeline/events/^/id", to: again("id"), unseen: true},
	{name: "an event without label", at: "blocks/=timeline/events/*/label", to: missing},
	{name: "an unknown level", at: "blocks/=timeline/events/*/level", to: "fatal"},
	{name: "a long detail of an event", at: "blocks/=timeline/events/*/detail", to: long(1001)},
	{name: "a time of an event as text", at: "blocks/=timeline/events/*/at", to: "12:00"},

	{name: "201 files", at: "blocks/=files/entries", to: more(201, "path")},
	{name: "a file without path", at: "blocks/=files/entries/*/path", to: missing},
	{name: "a file with an empty path", at: "blocks/=files/entries/*/path", to: ""},
	{name: "a file with a long path", at: "blocks/=files/entries/*/path", to: long(501)},
	{name: "a repeated path", at: "blocks/=files/entries/^/path", to: again("path"), unseen: true},
	{name: "an unknown file status", at: "blocks/=files/entries/*/status", to: "renamed"},
	{name: "a file at line 0", at: "blocks/=files/entries/*/line", to: 0},
	{name: "a long label of a file", at: "blocks/=files/entries/*/label", to: long(201)},

	{name: "a form without fields", at: "blocks/=form/fields", to: []any{}},
	{name: "9 form fields", at: "blocks/=form/fields", to: more(9, "id")},
	{name: "a field without id", at: "blocks/=form/fields/*/id", to: missing},
	{name: "a repeated field id", at: "blocks/=form/fields/^/id", to: again("id"), unseen: true},
	{name: "a field without label", at: "blocks/=form/fields/*/label", to: missing},
	{name: "a field without kind", at: "blocks/=form/fields/*/kind", to: missing},
	{name: "an unknown kind of field", at: "blocks/=form/fields/*/kind", to: "number"},
	{name: "a long description", at: "blocks/=form/fields/*/description", to: long(501)},
	{name: "required that is no boolean", at: "blocks/=form/fields/*/required", to: 1},
	{name: "options of a text field", at: "blocks/=form/fields/=text/options", to: []any{}},
	{name: "max_bytes 0", at: "blocks/=form/fields/=text/max_bytes", to: 0},
	{name: "max_bytes 8193", at: "blocks/=form/fields/=text/max_bytes", to: 8193},
	{name: "multiline of a select", at: "blocks/=form/fields/=single_select/multiline", to: true},
	{name: "a select without options", at: "blocks/=form/fields/=single_select/options", to: missing},
	{name: "33 options", at: "blocks/=form/fields/=single_select/options", to: more(33, "id")},
	{name: "an option without label", at: "blocks/=form/fields/=single_select/options/*/label", to: missing},
	{name: "a repeated option id", at: "blocks/=form/fields/=single_select/options/^/id", to: again("id"), unseen: true},
	{name: "min_selected of a single select", at: "blocks/=form/fields/=single_select/min_selected", to: 1},
	{name: "0 options", at: "blocks/=form/fields/=multi_select/options", to: []any{}},
	{name: "max_selected 0", at: "blocks/=form/fields/=multi_select/max_selected", to: 0},
	{name: "max_selected 33", at: "blocks/=form/fields/=multi_select/max_selected", to: 33},
	{name: "max_selected beyond the options", at: "blocks/=form/fields/=multi_select/max_selected", to: 5, unseen: true},
	{name: "min_selected beyond max_selected", at: "blocks/=form/fields/=multi_select/min_selected", unseen: true, to: func(p spot) any {
		p.parent()["max_selected"] = 1
		return 2
	}},
	{name: "min_selected beyond the options", at: "blocks/=form/fields/=multi_select/min_selected", unseen: true, to: func(p spot) any {
		delete(p.parent(), "max_selected")
		return 5
	}},

	{name: "an empty source", at: "blocks/=mermaid/source", to: ""},
	{name: "a long source", at: "blocks/=mermaid/source", to: strings.Repeat("x", 16385)},
	{name: "a source of too many bytes", at: "blocks/=mermaid/source", to: long(8193), unseen: true},
}

var updateFaults = []fault{
	{name: "an unknown field of an update", at: "revision", to: 1},
	{name: "an update without panel", at: "panel", to: missing},
	{name: "an empty panel", at: "panel", to: ""},
	{name: "an update without op", at: "op", to: missing},
	{name: "an unknown op", at: "op", to: "open"},
	{name: "base_revision 0", at: "base_revision", to: 0},
	{name: "base_revision as text", at: "base_revision", to: "1"},
	{name: "replace without document", at: "=replace/document", to: missing},
	{name: "replace with a document that is none", at: "=replace/document", to: "x"},
	{name: "replace with patches", at: "=replace/patches", to: []any{}},
	{name: "close with a document", at: "=close/document", to: object{"blocks": []any{}}},
	{name: "patch with a document", at: "=patch/document", to: object{"blocks": []any{}}},
	{name: "patch without patches", at: "=patch/patches", to: missing},
	{name: "0 patches", at: "=patch/patches", to: []any{}},
	{name: "201 patches", at: "=patch/patches", to: many(201, func(int) any {
		return object{"op": "remove_block", "id": "x"}
	})},
	{name: "a patch without op", at: "patches/*/op", to: missing},
	{name: "an unknown patch", at: "patches/*/op", to: "insert"},
	{name: "an unknown field of a patch", at: "patches/*/zzz", to: 1},

	{name: "set without field", at: "patches/=set/field", to: missing},
	{name: "set blocks", at: "patches/=set/field", to: "blocks"},
	{name: "set without value", at: "patches/=set/value", to: missing},
	{name: "set a long title", at: "patches/=set/field", to: setTo("title", long(81)), up: 1, below: "/value"},
	{name: "set a long subtitle", at: "patches/=set/field", to: setTo("subtitle", long(121)), up: 1, below: "/value"},
	{name: "set an unknown status", at: "patches/=set/field", to: setTo("status", "x"), up: 1, below: "/value"},
	{name: "set a summary that is no text", at: "patches/=set/field", to: setTo("summary", 1), up: 1, below: "/value"},
	{name: "set a long context_summary", at: "patches/=set/field", to: setTo("context_summary", strings.Repeat("x", 2049)), up: 1, below: "/value"},
	{name: "set a context_summary of too many bytes", at: "patches/=set/field", to: setTo("context_summary", long(1025)), up: 1, below: "/value", unseen: true},
	{name: "set progress without done", at: "patches/=set/field", to: setTo("progress", object{"total": 1}), up: 1, below: "/value/done"},
	{name: "set progress beyond its total", at: "patches/=set/field", to: setTo("progress", object{"done": 2, "total": 1}), up: 1, below: "/value/done", unseen: true},

	{name: "set_block without block", at: "patches/=set_block/block", to: missing},
	{name: "set_block with an id", at: "patches/=set_block/block", to: "b1"},
	{name: "set_block with a bad block", at: "patches/=set_block/block/id", to: 1},
	{name: "set_block with a bad item", at: "patches/=set_block/block", to: object{"id": "b", "kind": "steps", "items": []any{object{"id": "a"}}}, below: "/items/0/label"},
	{name: "set_block before a bad id", at: "patches/=set_block/before", to: "a.b"},
	{name: "remove_block without id", at: "patches/=remove_block/id", to: missing},

	{name: "upsert_items without block", at: "patches/=upsert_items/block", to: missing},
	{name: "upsert_items without items", at: "patches/=upsert_items/items", to: missing},
	{name: "upsert_items with 201 items", at: "patches/=upsert_items/items", to: more(201, "id")},
	{name: "upsert_items with a text", at: "patches/=upsert_items/items/*", to: "x"},
	{name: "upsert_items with a control character", at: "patches/=upsert_items/items/*/label", to: "\x01"},
	{name: "upsert_items with deep nesting", at: "patches/=upsert_items/items/*/children", to: nested(33), below: strings.Repeat("/0", 32), unseen: true},
	{name: "upsert_items under a bad id", at: "patches/=upsert_items/parent", to: "a b"},

	{name: "remove_items without block", at: "patches/=remove_items/block", to: missing},
	{name: "remove_items without names", at: "patches/=remove_items/ids", to: missing, up: 1},
	{name: "remove_items by two names", at: "patches/=remove_items/ids", up: 1, to: func(p spot) any {
		p.parent()["keys"] = []any{"a"}
		return p.old
	}},
	{name: "remove_items by a bad id", at: "patches/=remove_items/ids/*", to: "a b"},
	{name: "remove_items by a long key", at: "patches/=remove_items/keys/*", to: long(61)},
	{name: "remove_items by an empty path", at: "patches/=remove_items/paths/*", to: ""},
	{name: "remove_items by 201 ids", at: "patches/=remove_items/ids", to: func(spot) any {
		return many(201, func(i int) any { return strconv.Itoa(i) })
	}},
	{name: "remove_items by an id twice", at: "patches/=remove_items/ids/^", unseen: true, to: func(p spot) any {
		return p.around[len(p.around)-1].([]any)[0]
	}},

	{name: "append_events without events", at: "patches/=append_events/events", to: missing},
	{name: "append_events with 201", at: "patches/=append_events/events", to: more(201, "id")},
	{name: "append_events with a bad event", at: "patches/=append_events/events/*/level", to: "x"},
	{name: "append_events with an id twice", at: "patches/=append_events/events/^/id", to: again("id"), unseen: true},
}

// setTo makes a set patch of a field and a value.
func setTo(field string, value any) func(spot) any {
	return func(p spot) any {
		p.parent()["value"] = value
		return field
	}
}

var declarationFaults = []fault{
	{name: "5 panels", at: "", to: more(5, "id")},
	{name: "a panel that is no object", at: "*", to: []any{}},
	{name: "an unknown field of a panel", at: "*/colour", to: "red"},
	{name: "a panel without id", at: "*/id", to: missing},
	{name: "a bad panel id", at: "*/id", to: "Todo"},
	{name: "a panel id with a capital", at: "*/id", to: "toDo"},
	{name: "a panel id with a dot", at: "*/id", to: "to.do"},
	{name: "a long panel id", at: "*/id", to: strings.Repeat("x", 33)},
	{name: "a repeated panel id", at: "^/id", to: again("id"), unseen: true},
	{name: "a panel without title", at: "*/title", to: missing},
	{name: "an empty title of a panel", at: "*/title", to: ""},
	{name: "a long title of a panel", at: "*/title", to: long(41)},
	{name: "an icon that is no text", at: "*/icon", to: 5},
	{name: "an unknown placement", at: "*/placement", to: "top"},
	{name: "an unknown open", at: "*/open", to: "always"},
	{name: "an unknown context", at: "*/context", to: "full"},
	{name: "acp_plan that is no boolean", at: "*/acp_plan", to: "true"},
	{name: "9 actions", at: "*/actions", to: more(9, "id")},
	{name: "an action without id", at: "*/actions/*/id", to: missing},
	{name: "a bad action id", at: "*/actions/*/id", to: "9a"},
	{name: "a repeated action id", at: "*/actions/^/id", to: again("id"), unseen: true},
	{name: "an action without label", at: "*/actions/*/label", to: missing},
	{name: "a long label of an action", at: "*/actions/*/label", to: long(33)},
	{name: "an action without scope", at: "*/actions/=tool/scope", to: missing},
	{name: "an unknown scope", at: "*/actions/=tool/scope", to: func(p spot) any {
		delete(p.parent(), "primary")
		return "page"
	}},
	{name: "blocks of an action on the panel", at: "*/actions/=panel/blocks", to: []any{"a"}},
	{name: "a bad block of an action", at: "*/actions/=block/blocks/*", to: "a.b"},
	{name: "21 blocks of an action", at: "*/actions/=block/blocks", to: many(21, func(i int) any { return strconv.Itoa(i) })},
	{name: "an action without kind", at: "*/actions/*/kind", to: missing},
	{name: "an unknown kind of action", at: "*/actions/*/kind", to: "link"},
	{name: "a prompt without text", at: "*/actions/=prompt/text", to: missing},
	{name: "a prompt with a long text", at: "*/actions/=prompt/text", to: long(2001)},
	{name: "a prompt with arguments", at: "*/actions/=prompt/arguments", to: object{}},
	{name: "send that is no boolean", at: "*/actions/=prompt/send", to: 1},
	{name: "a tool action with a text", at: "*/actions/=tool/text", to: "x"},
	{name: "arguments that are no object", at: "*/actions/=tool/arguments", to: "x"},
	{name: "arguments nested too deep", at: "*/actions/=tool/arguments/deep", to: nested(33), below: strings.Repeat("/0", 32), unseen: true},
	{name: "a response without response", at: "*/actions/=response/response", to: missing},
	{name: "an unknown response", at: "*/actions/=response/response", to: "ok"},
	{name: "a response on an item", at: "*/actions/=response/scope", to: "item"},
	{name: "a primary action on a block", at: "*/actions/=block/primary", to: true},
	{name: "two primary actions", at: "*/actions", below: "/1/primary", unseen: true, to: func(spot) any {
		return many(2, func(i int) any {
			return object{"id": fmt.Sprint("a", i), "label": "x", "scope": "item", "kind": "tool", "primary": true}
		})
	}},
	{name: "a long confirm", at: "*/actions/*/confirm", to: long(201)},
	{name: "when without status", at: "*/actions/*/when", to: object{}, below: "/status"},
	{name: "when of no status", at: "*/actions/*/when/status", to: []any{}},
	{name: "when of an unknown status", at: "*/actions/*/when/status/*", to: "open"},
	{name: "an unknown name in a prompt", at: "*/actions/=prompt/text", to: "{{item.note}}", unseen: true},
	{name: "a name with blanks in a prompt", at: "*/actions/=prompt/text", to: "{{ item.id }}", unseen: true},
	{name: "an unknown name in confirm", at: "*/actions/*/confirm", to: "{{user}}?", unseen: true},
	{name: "an unknown name in arguments", at: "*/actions/=tool/arguments/deep/0/p", to: "x {{}}", unseen: true},
}
