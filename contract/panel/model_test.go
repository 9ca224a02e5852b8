package panel

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"raw/contract/schema"
	"raw/contract/value"
)

// model is a panel as simple as can be: plain maps, copied whole for each
// update. Of validity it asks the schema and counts the rest itself.
type model struct {
	schema   *schema.Schema
	items    map[any]*schema.Schema // of one item, by kind of block
	document object                 // nil is none
	closed   bool
}

// copied is a copy of a tree with numbers as the wire has them.
func copied(tree any) any {
	switch t := tree.(type) {
	case object:
		next := object{}
		for name, part := range t {
			next[name] = copied(part)
		}
		return next
	case []any:
		next := []any{}
		for _, item := range t {
			next = append(next, copied(item))
		}
		return next
	case int:
		return json.Number(fmt.Sprint(t))
	}
	return tree
}

// apply changes m when the update is accepted.
func (m *model) apply(t *testing.T, update object) bool {
	u := copied(update).(object)
	switch u["op"] {
	case "close":
		if m.document == nil {
			return false
		}
		m.closed = true
		return true
	case "replace":
		d := u["document"].(object)
		if !m.valid(t, d) {
			return false
		}
		m.document, m.closed = d, false
		return true
	}
	if m.document == nil {
		return false
	}
	d := copied(m.document).(object)
	for _, p := range u["patches"].([]any) {
		if !m.patch(t, d, p.(object)) {
			return false
		}
	}
	if !m.valid(t, d) {
		return false
	}
	m.document = d
	return true
}

func (m *model) patch(t *testing.T, d, p object) bool {
	blocks := d["blocks"].([]any)
	at := func(id any) int {
		for i, b := range blocks {
			if b.(object)["id"] == id {
				return i
			}
		}
		return -1
	}
	switch p["op"] {
	case "set":
		if p["value"] == nil {
			delete(d, p["field"].(string))
		} else {
			d[p["field"].(string)] = p["value"]
		}
		return true
	case "set_block":
		if !m.valid(t, object{"blocks": []any{p["block"]}}) {
			return false
		}
		if i := at(p["block"].(object)["id"]); i >= 0 {
			blocks[i] = p["block"]
			return true
		}
		i := len(blocks)
		if p["before"] != nil {
			i = at(p["before"])
		}
		if i < 0 {
			return false
		}
		var next []any
		next = append(next, blocks[:i]...)
		next = append(next, p["block"])
		d["blocks"] = append(next, blocks[i:]...)
		return true
	case "remove_block":
		i := at(p["id"])
		if i < 0 {
			return false
		}
		next := []any{}
		next = append(next, blocks[:i]...)
		d["blocks"] = append(next, blocks[i+1:]...)
		return true
	}
	i := at(p["block"])
	if i < 0 {
		return false
	}
	return m.inBlock(t, blocks[i].(object), p)
}

// inBlock applies a patch on the items of a block.
func (m *model) inBlock(t *testing.T, b, p object) bool {
	list, key := map[any]string{
		"checklist": "items", "steps": "items", "table": "rows", "key_value": "entries", "files": "entries", "timeline": "events",
	}[b["kind"]], "id"
	switch b["kind"] {
	case "key_value":
		key = "key"
	case "files":
		key = "path"
	}
	if list == "" {
		return false
	}
	switch p["op"] {
	case "append_events":
		if b["kind"] != "timeline" {
			return false
		}
		most := maxOf(b)
		events := append(b["events"].([]any), p["events"].([]any)...)
		for len(events) > most {
			events = events[1:]
		}
		b["events"] = events
		return true
	case "remove_items":
		names, ok := p[key+"s"].([]any)
		if !ok {
			return false
		}
		for i, name := range names {
			if lookup(b[list], key, name) == nil {
				return false
			}
			for _, other := range names[:i] {
				if other == name {
					return false
				}
			}
		}
		for _, name := range names {
			b[list] = dropped(b[list], key, name)
		}
		return true
	}
	if b["kind"] == "timeline" || p["parent"] != nil && b["kind"] != "checklist" {
		return false
	}
	if p["parent"] != nil && lookup(b[list], key, p["parent"]) == nil {
		return false
	}
	for _, item := range p["items"].([]any) {
		given := item.(object)
		if given[key] == nil {
			return false
		}
		if old := lookup(b[list], key, given[key]); old != nil {
			for name, part := range given {
				old[name] = part
			}
			if !m.validItem(b["kind"], old) {
				return false
			}
			continue
		}
		if !m.validItem(b["kind"], given) {
			return false
		}
		if p["parent"] == nil {
			b[list] = append(b[list].([]any), item)
			continue
		}
		parent := lookup(b[list], key, p["parent"])
		if parent == nil {
			return false
		}
		children, _ := parent["children"].([]any)
		parent["children"] = append(children, item)
	}
	return true
}

func maxOf(timeline object) int {
	most := 100
	if n, ok := timeline["max"].(json.Number); ok {
		fmt.Sscan(string(n), &most)
	}
	return most
}

func lookup(items any, key string, name any) object {
	list, _ := items.([]any)
	for _, item := range list {
		o := item.(object)
		if o[key] == name {
			return o
		}
		if found := lookup(o["children"], key, name); found != nil {
			return found
		}
	}
	return nil
}

func dropped(items any, key string, name any) any {
	next := []any{}
	for _, item := range items.([]any) {
		o := item.(object)
		if o[key] == name {
			continue
		}
		if o["children"] != nil {
			o["children"] = dropped(o["children"], key, name)
		}
		next = append(next, o)
	}
	return next
}

func (m *model) validItem(kind any, item object) bool {
	return len(m.items[kind].Validate(value.FromTree(object{"v": item}))) == 0
}

// valid asks the schema, and counts what that cannot.
func (m *model) valid(t *testing.T, d object) bool {
	if len(m.schema.Validate(value.FromTree(object{"v": d}))) > 0 {
		return false
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 65536 {
		return false
	}
	blocks := map[any]bool{}
	for _, b := range d["blocks"].([]any) {
		b := b.(object)
		if blocks[b["id"]] {
			return false
		}
		blocks[b["id"]] = true
		for _, list := range []string{"items", "rows", "entries", "events"} {
			met := map[any]bool{}
			if !unique(b[list], met) || len(met) > 200 {
				return false
			}
		}
		if events, ok := b["events"].([]any); ok && len(events) > maxOf(b) {
			return false
		}
		columns := map[string]bool{}
		list, _ := b["columns"].([]any)
		for _, c := range list {
			columns[c.(object)["id"].(string)] = true
		}
		rows, _ := b["rows"].([]any)
		for _, r := range rows {
			cells, _ := r.(object)["cells"].(object)
			for name := range cells {
				if !columns[name] {
					return false
				}
			}
		}
	}
	return true
}

func unique(items any, met map[any]bool) bool {
	list, _ := items.([]any)
	for _, item := range list {
		o := item.(object)
		for _, key := range []string{"id", "key", "path"} {
			if o[key] == nil {
				continue
			}
			if met[o[key]] {
				return false
			}
			met[o[key]] = true
		}
		if !unique(o["children"], met) {
			return false
		}
	}
	return true
}

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
