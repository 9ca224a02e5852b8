package panel

import "raw/contract/value"

// maxDocument is the most bytes of the canonical encoding of a document.
const maxDocument = 64 << 10

// Document is the state of a panel: valid and immutable, so that it may be read
// by many at once. The zero Document is none at all.
type Document struct {
	root value.Value
	json string
}

// ParseDocument checks v against every rule and limit. The error is CodeInvalid
// with a pointer into v, or CodeTooLarge. It keeps v's tree.
func ParseDocument(v value.Value) (Document, *Error) {
	if v.Kind() == value.Absent {
		return Document{}, fail(CodeInvalid, "/: found nothing, want an object")
	}
	return accept(v.Tree())
}

// accept makes a document of a tree that nobody changes any more.
func accept(tree any) (Document, *Error) {
	var w walk
	if err := w.check(&documentRule, tree); err != nil {
		return Document{}, err
	}
	size := encodedSize(tree)
	if size > maxDocument {
		return Document{}, fail(CodeTooLarge, "document is %d bytes; the limit is %d", size, maxDocument)
	}
	return Document{value.FromTree(tree), encode(tree, size)}, nil
}

// IsZero reports whether there is no document.
func (d Document) IsZero() bool { return d.root.Kind() == value.Absent }

// Value is the document as it was given; absent when there is none.
func (d Document) Value() value.Value { return d.root }

// JSON is the canonical encoding, made once when the document was accepted;
// "" when there is none.
func (d Document) JSON() string { return d.json }

// Title is the title as given, "" when there is none.
func (d Document) Title() string { return textOf(d.root.Tree(), "title") }

// blocks are the trees of the blocks.
func (d Document) blocks() []any {
	fields, _ := d.root.Tree().(map[string]any)
	list, _ := fields["blocks"].([]any)
	return list
}

// block is the tree of the block with an id, nil when there is none.
func (d Document) block(id string) map[string]any {
	for _, b := range d.blocks() {
		if textOf(b, "id") == id {
			fields, _ := b.(map[string]any)
			return fields
		}
	}
	return nil
}

// Block is the block with an id.
func (d Document) Block(id string) (value.Value, bool) {
	b := d.block(id)
	if b == nil {
		return value.Value{}, false
	}
	return value.FromTree(b), true
}

// Item is what has an id in a block: an item of a checklist at any level, of
// steps, a row of a table, an event of a timeline.
func (d Document) Item(block, item string) (value.Value, bool) {
	fields := d.block(block)
	c := collectionOf(textOf(fields, "kind"))
	if c == nil || c.key != "id" {
		return value.Value{}, false
	}
	list, _ := fields[c.list].([]any)
	found := findItem(list, c.key, item)
	if found == nil {
		return value.Value{}, false
	}
	return value.FromTree(found), true
}

// findItem looks for an item at every level; nil when there is none.
func findItem(items []any, key, id string) any {
	for _, item := range items {
		if textOf(item, key) == id {
			return item
		}
		if found := findItem(childrenOf(item), key, id); found != nil {
			return found
		}
	}
	return nil
}

// Forms are the blocks of kind form, in order.
func (d Document) Forms() []value.Value {
	var forms []value.Value
	for _, b := range d.blocks() {
		if textOf(b, "kind") == "form" {
			forms = append(forms, value.FromTree(b))
		}
	}
	return forms
}
