package panel

import (
	"encoding/json"
	"fmt"
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
