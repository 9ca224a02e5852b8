package panel

import (
	"fmt"
	"reflect"
	"testing"

	"raw/contract/schema"
)

// The ids are few, so that updates often meet what is there.
func (m *maker) few(prefix string) string { return fmt.Sprint(prefix, m.IntN(6)) }

func (m *maker) fewItems(kind string, below int) []any {
	var list []any
	n := 1 + m.IntN(3)
	if m.IntN(12) == 0 {
		n = 30 + m.IntN(60)
	}
	order := m.Perm(6)
	for i := range n {
		id := m.few("i")
		if n < 9 && m.IntN(12) > 0 {
			id = fmt.Sprint("i", order[i])
		}
		if n > 9 {
			id = fmt.Sprint("n", i+m.IntN(2))
		}
		switch kind {
		case "checklist":
			o := object{"id": id}
			if m.IntN(6) > 0 {
				o["label"] = m.words(20)
			}
			m.maybe(o, "status", m.status())
			if below > 0 && m.IntN(4) == 0 {
				o["children"] = m.fewItems(kind, below-1)
			}
			list = append(list, o)
		case "table":
			o := object{"id": id}
			m.maybe(o, "cells", object{pick(m, "x", "x", "y", "z"): m.words(9)})
			list = append(list, o)
		case "key_value":
			list = append(list, object{"key": id, "value": m.words(9)})
		case "files":
			list = append(list, object{"path": id, "line": 1 + m.IntN(9)})
		default:
			list = append(list, object{"id": id, "label": m.words(9)})
		}
	}
	return list
}

func (m *maker) fewBlock() object {
	kind := pick(m, "checklist", "checklist", "steps", "table", "key_value", "files", "timeline", "markdown")
	o := object{"id": m.few("b"), "kind": kind}
	items := m.fewItems(kind, 2)
	if len(items) > 9 || m.IntN(2) > 0 { // mostly valid: without repeats and with labels
		items = items[:1]
		if kind == "checklist" {
			items[0] = object{"id": m.few("i"), "label": m.words(9), "children": []any{}}
		}
	}
	switch kind {
	case "checklist", "steps":
		o["items"] = items
	case "table":
		o["columns"], o["rows"] = []any{object{"id": "x"}, object{"id": "y"}}, items
	case "key_value", "files":
		o["entries"] = items
	case "timeline":
		o["events"] = items
		m.maybe(o, "max", 1+m.IntN(6))
	case "markdown":
		o["text"] = m.words(9)
		if m.IntN(8) == 0 {
			o["text"] = bytesOf(15000)
		}
	}
	return o
}

func (m *maker) fewUpdate(d object) object {
	u := object{"panel": "p", "op": pick(m, "patch", "patch", "patch", "patch", "patch", "patch", "patch", "patch", "replace", "close")}
	if d == nil && m.IntN(3) > 0 {
		u["op"] = "replace"
	}
	switch u["op"] {
	case "replace":
		d = object{"title": m.words(9), "blocks": []any{}}
		for i := range m.IntN(6) {
			b := m.fewBlock()
			if m.IntN(12) > 0 {
				b["id"] = fmt.Sprint("b", i)
			}
			d["blocks"] = append(d["blocks"].([]any), b)
		}
		u["document"] = d
	case "patch":
		var patches []any
		for range 1 + m.IntN(2) {
			patches = append(patches, m.fewPatch(d))
		}
		u["patches"] = patches
	}
	return u
}

// target is a block of d for a patch, mostly one that it is for.
func (m *maker) target(d object, op string) (id, kind string) {
	blocks, _ := d["blocks"].([]any)
	for range 4 {
		if len(blocks) == 0 {
			break
		}
		b := pick(m, blocks...).(object)
		id, kind = b["id"].(string), b["kind"].(string)
		if c := collectionOf(kind); c != nil && c.takes(op) {
			return id, kind
		}
	}
	return m.few("b"), pick(m, "checklist", "steps", "table", "key_value", "files")
}

// present is the name of an item of a block, mostly one that is there.
func (m *maker) present(d object, block, kind string) string {
	blocks, _ := d["blocks"].([]any)
	for _, b := range blocks {
		c := collectionOf(kind)
		if b := b.(object); b["id"] == block && c != nil && m.IntN(5) > 0 {
			names := namesIn(b[c.list], c.key, nil)
			if len(names) > 0 {
				return pick(m, names...)
			}
		}
	}
	return m.few("i")
}

func namesIn(items any, key string, to []string) []string {
	list, _ := items.([]any)
	for _, item := range list {
		o := item.(object)
		if name, ok := o[key].(string); ok {
			to = append(to, name)
		}
		to = namesIn(o["children"], key, to)
	}
	return to
}

func (m *maker) fewPatch(d object) object {
	op := pick(m, "upsert_items", "upsert_items", "remove_items", "append_events", "set", "set_block", "remove_block")
	block, kind := m.target(d, op)
	if m.IntN(8) == 0 {
		kind = "checklist"
	}
	o := object{"op": op, "block": block}
	switch op {
	case "set":
		return m.patch("set")
	case "set_block":
		o["block"] = m.fewBlock()
		if m.IntN(3) == 0 {
			o["before"] = m.few("b")
		}
	case "remove_block":
		return object{"op": op, "id": block}
	case "upsert_items":
		o["items"] = m.fewItems(kind, 1)
		if m.IntN(3) == 0 && (kind == "checklist" || m.IntN(9) == 0) {
			o["parent"] = m.present(d, block, kind)
		}
	case "remove_items":
		key := pick(m, "ids", "keys", "paths")
		if c := collectionOf(kind); c != nil && m.IntN(8) > 0 {
			key = c.key + "s"
		}
		o[key] = []any{m.present(d, block, kind)}
		if m.IntN(3) == 0 {
			o[key] = append(o[key].([]any), m.present(d, block, kind))
		}
	case "append_events":
		o["events"] = []any{object{"id": m.id("e"), "label": "x"}}
		if m.IntN(4) == 0 {
			o["events"] = append(o["events"].([]any), object{"id": m.few("i"), "label": "x"})
		}
	}
	return o
}

func TestRandomSequencesAgainstModel(t *testing.T) {
	s := schemaOf(t, "document")
	items := map[any]*schema.Schema{
		"checklist": schemaOf(t, "checklist_item"), "steps": schemaOf(t, "step"), "table": schemaOf(t, "row"),
		"key_value": schemaOf(t, "entry"), "files": schemaOf(t, "file"),
	}
	accepted, refused := map[any]int{}, map[string]int{}
	for seed := range uint64(300) {
		m := newMaker(1000 + seed)
		simple := model{schema: s, items: items}
		var d Document
		closed := false
		for step := range 30 {
			update := m.fewUpdate(simple.document)
			before, was := d.JSON(), copied(d.Value().Tree())
			next, nextClosed, err := applyTo(t, update, d, closed)
			ok := simple.apply(t, update)
			if ok != (err == nil) {
				t.Fatalf("seed %d step %d: %v, the model accepts: %t\n%s\nof %s", seed, step, err, ok, valueOf(t, update).JSON(), before)
			}
			if d.JSON() != before || !reflect.DeepEqual(copied(d.Value().Tree()), was) {
				t.Fatalf("seed %d step %d: the update changed what was before", seed, step)
			}
			if err != nil {
				refused[string(err.Code)]++
				continue
			}
			accepted[update["op"]]++
			patches, _ := update["patches"].([]any)
			for _, p := range patches {
				accepted[p.(object)["op"]]++
			}
			d, closed = next, nextClosed
			if got, want := d.JSON(), valueOf(t, simple.document).JSON(); got != want {
				t.Fatalf("seed %d step %d: %s, want %s", seed, step, got, want)
			}
			if got := d.Value().JSON(); got != d.JSON() {
				t.Fatalf("seed %d step %d: kept %s, encodes %s", seed, step, d.JSON(), got)
			}
			if closed != simple.closed {
				t.Fatalf("seed %d step %d: closed %t, want %t", seed, step, closed, simple.closed)
			}
		}
	}
	t.Logf("accepted %v, refused %v", accepted, refused)
	for _, op := range append([]string{"replace", "patch", "close"}, patchOps...) {
		if accepted[op] < 200 {
			t.Errorf("%s was accepted %d times, want 200", op, accepted[op])
		}
	}
	if refused[string(CodeInvalid)] < 1000 {
		t.Errorf("refused %v, want 1000", refused)
	}
}

// applyTo parses an update and applies it.
func applyTo(t *testing.T, update object, d Document, closed bool) (Document, bool, *Error) {
	u, err := ParseUpdate(valueOf(t, update))
	if err != nil {
		return Document{}, false, err
	}
	return u.Apply(d, closed)
}
