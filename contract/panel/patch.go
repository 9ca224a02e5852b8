package panel

import (
	"maps"
	"slices"
)

// What a patch does.
const (
	patchSet          = "set"
	patchSetBlock     = "set_block"
	patchRemoveBlock  = "remove_block"
	patchUpsertItems  = "upsert_items"
	patchRemoveItems  = "remove_items"
	patchAppendEvents = "append_events"
)

// draft is the private copy that patches are applied to. It owns its fields and
// the list of blocks; what is in the blocks it shares and copies before it
// changes anything.
type draft struct {
	walk
	fields map[string]any
	blocks []any
}

// patch applies all patches in order and checks the whole.
func (u Update) patch(d Document) (Document, *Error) {
	fields, _ := d.root.Tree().(map[string]any)
	to := draft{fields: maps.Clone(fields), blocks: slices.Clone(d.blocks())}
	to.into("patches")
	to.intoItem(0)
	for i, p := range u.patches {
		to.next(i)
		if err := to.apply(p); err != nil {
			return Document{}, err
		}
	}
	to.fields["blocks"] = to.blocks
	return accept(to.fields)
}

func (d *draft) apply(p map[string]any) *Error {
	switch textOf(p, "op") {
	case patchSet:
		if p["value"] == nil {
			delete(d.fields, textOf(p, "field"))
		} else {
			d.fields[textOf(p, "field")] = p["value"]
		}
		return nil
	case patchSetBlock:
		return d.setBlock(p)
	case patchRemoveBlock:
		return d.removeBlock(p)
	case patchUpsertItems:
		return d.upsertItems(p)
	case patchRemoveItems:
		return d.removeItems(p)
	default:
		return d.appendEvents(p)
	}
}

// find is the place of a block, negative when there is none.
func (d *draft) find(id string) int {
	return slices.IndexFunc(d.blocks, func(b any) bool { return textOf(b, "id") == id })
}

func (d *draft) setBlock(p map[string]any) *Error {
	if at := d.find(textOf(p["block"], "id")); at >= 0 {
		d.blocks[at] = p["block"]
		return nil
	}
	before, given := p["before"].(string)
	at := len(d.blocks)
	if given {
		at = d.find(before)
	}
	if at < 0 {
		return d.failAt("before", "no block has the id %s", show(before))
	}
	d.blocks = slices.Insert(d.blocks, at, p["block"])
	return nil
}

func (d *draft) removeBlock(p map[string]any) *Error {
	at := d.find(textOf(p, "id"))
	if at < 0 {
		return d.failAt("id", "no block has the id %s", show(p["id"]))
	}
	d.blocks = slices.Delete(d.blocks, at, at+1)
	return nil
}

// opened is a block that a patch changes: a copy of its fields, and its list as
// it was.
type opened struct {
	*collection
	at     int
	fields map[string]any
	items  []any
}

// open finds the block of a patch on items.
func (d *draft) open(p map[string]any) (opened, *Error) {
	at := d.find(textOf(p, "block"))
	if at < 0 {
		return opened{}, d.failAt("block", "no block has the id %s", show(p["block"]))
	}
	kind := textOf(d.blocks[at], "kind")
	c := collectionOf(kind)
	if c == nil || !c.takes(textOf(p, "op")) {
		return opened{}, d.failAt("block", "%s is not for a block of kind %s", textOf(p, "op"), show(kind))
	}
	fields, _ := d.blocks[at].(map[string]any)
	items, _ := fields[c.list].([]any)
	return opened{c, at, maps.Clone(fields), items}, nil
}

func (d *draft) close(b opened, items []any) {
	b.fields[b.list] = items
	d.blocks[b.at] = b.fields
}

func (d *draft) upsertItems(p map[string]any) *Error {
	b, err := d.open(p)
	if err != nil {
		return err
	}
	given, _ := p["items"].([]any)
	parent, under := p["parent"].(string)
	switch {
	case under && b.item != &checklistRule:
		return d.failAt("parent", "only items of a checklist have children, not those of %s", b.kind)
	case under && findItem(b.items, b.key, parent) == nil:
		return d.failAt("parent", "no item has the id %s", show(parent))
	}
	items := make([]any, len(b.items), len(b.items)+len(given))
	copy(items, b.items)
	d.into("items")
	d.intoItem(0)
	for i, item := range given {
		d.next(i)
		id := textOf(item, b.key)
		fields, _ := item.(map[string]any)
		if findItem(items, b.key, id) != nil {
			if err := d.object(b.item, item, true); err != nil {
				return err
			}
			items, _ = changed(items, b.key, id, true, func(old map[string]any) {
				maps.Copy(old, fields)
			})
			continue
		}
		if err := d.object(b.item, item, false); err != nil {
			return err
		}
		if !under {
			items = append(items, item)
			continue
		}
		var found bool
		items, found = changed(items, b.key, parent, true, func(old map[string]any) {
			children, _ := old["children"].([]any)
			old["children"] = append(slices.Clip(children), item)
		})
		if !found { // an earlier item of this patch has new children
			d.out()
			d.out()
			return d.failAt("parent", "no item has the id %s any more", show(parent))
		}
	}
	d.out()
	if n := countItems(items); n > maxDraft {
		return d.fail("would make %d items of the block, more than %d", n, maxDraft)
	}
	d.out()
	d.close(b, items)
	return nil
}

// changed gives items with a change to the copy of one of them, at whatever
// level. Every list and item on the way to it is copied, but the list itself
// when it is the caller's own. Without that item nothing is copied.
func changed(items []any, key, id string, own bool, change func(map[string]any)) ([]any, bool) {
	for i, item := range items {
		fields, _ := item.(map[string]any)
		if textOf(item, key) == id {
			fields = maps.Clone(fields)
			change(fields)
		} else {
			children, found := changed(childrenOf(item), key, id, false, change)
			if !found {
				continue
			}
			fields = maps.Clone(fields)
			fields["children"] = children
		}
		if !own {
			items = slices.Clone(items)
		}
		items[i] = fields
		return items, true
	}
	return items, false
}

func (d *draft) removeItems(p map[string]any) *Error {
	b, err := d.open(p)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, s := range selectors {
		ids, given := p[s.field].([]any)
		if !given {
			continue
		}
		d.into(s.field)
		if s.key != b.key {
			return d.fail("items of %s are named by %s", b.kind, b.key)
		}
		d.intoItem(0)
		for i, id := range ids {
			d.next(i)
			id, _ := id.(string)
			if findItem(b.items, b.key, id) == nil {
				return d.fail("no item has the %s %s", b.key, show(id))
			}
			gone[id] = true
		}
		d.out()
		d.out()
	}
	items, _ := without(b.items, b.key, gone)
	d.close(b, items)
	return nil
}

// without gives items without those of the names, at every level, and whether
// there were any; if not, nothing is copied.
func without(items []any, key string, gone map[string]bool) ([]any, bool) {
	var left []any
	copied := false
	for i, item := range items {
		drop := gone[textOf(item, key)]
		children, fewer := without(childrenOf(item), key, gone)
		if !copied && (drop || fewer) {
			left, copied = slices.Clone(items[:i]), true
		}
		if !copied || drop {
			continue
		}
		if fewer {
			fields, _ := item.(map[string]any)
			fields = maps.Clone(fields)
			fields["children"] = children
			item = fields
		}
		left = append(left, item)
	}
	if !copied {
		return items, false
	}
	return left, true
}

func (d *draft) appendEvents(p map[string]any) *Error {
	b, err := d.open(p)
	if err != nil {
		return err
	}
	given, _ := p["events"].([]any)
	events := slices.Concat(b.items, given)
	d.close(b, events[max(len(events)-eventLimit(b.fields), 0):])
	return nil
}
