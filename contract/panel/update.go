package panel

import (
	"raw/contract/value"
)

// Op is what an update does to a panel.
type Op string

// The operations.
const (
	OpReplace Op = "replace" // gives a new document and opens the panel
	OpPatch   Op = "patch"   // changes parts of the document
	OpClose   Op = "close"   // keeps the document; only OpReplace opens again
)

// Update is one update that its owner has sent. It is immutable and may be
// applied by many at once.
type Update struct {
	Panel        string // as the owner spelled it: the panel's id or full id
	Op           Op
	BaseRevision int // the revision that it was made for; 0 means any

	document Document         // of OpReplace
	patches  []map[string]any // of OpPatch
}

// ParseUpdate reads one update and checks all of it that can be checked without
// the document it changes. The error is CodeInvalid, or CodeTooLarge for
// a document. Its pointer leads into the update, but from within a document
// into that: /patches/0/op and /blocks/0/id.
func ParseUpdate(v value.Value) (Update, *Error) {
	if v.Kind() == value.Absent {
		return Update{}, fail(CodeInvalid, "/: found nothing, want an object")
	}
	var w walk
	if err := w.check(&updateRule, v.Tree()); err != nil {
		return Update{}, err
	}
	base, _ := integer(v.Field("base_revision").Tree())
	u := Update{
		Panel:        textOf(v.Tree(), "panel"),
		Op:           Op(textOf(v.Tree(), "op")),
		BaseRevision: int(base),
	}
	patches := v.Field("patches")
	for i := range patches.Len() {
		p, _ := patches.At(i).Tree().(map[string]any)
		u.patches = append(u.patches, p)
	}
	if u.Op != OpReplace {
		return u, nil
	}
	document := v.Field("document")
	if document.Kind() != value.ObjectKind {
		return Update{}, fail(CodeInvalid, "/document: found %s, want an object", show(document.Tree()))
	}
	var err *Error
	u.document, err = ParseDocument(document)
	return u, err
}

// Apply gives what u makes of d, and whether the panel is closed then: after
// OpClose it is, after OpReplace it is not, after OpPatch it is as it was.
// Neither u nor d change; the result shares with both what is the same. A patch
// that does not fit d is CodeInvalid with a pointer into the update; what only
// the whole result shows points into that. A zero d has nothing to patch or
// close: CodeUnknown.
func (u Update) Apply(d Document, closed bool) (Document, bool, *Error) {
	if u.Op == OpReplace {
		return u.document, false, nil
	}
	if d.IsZero() {
		return Document{}, false, fail(CodeUnknown, "panel %s has no document yet", show(u.Panel))
	}
	if u.Op == OpClose {
		return d, true, nil
	}
	next, err := u.patch(d)
	if err != nil {
		return Document{}, false, err
	}
	return next, closed, nil
}

// Bounds of one update, so that a hostile one costs no more than its length
// lets expect.
const (
	maxPatches   = 200
	maxPatchList = 200  // items, ids, keys, paths or events of one patch
	maxDraft     = 1000 // items of a block between two patches
)

var looseItem = rule{shape: shapeObject, open: true} // its block has the rule

var patchRule = rule{
	shape:  shapeObject,
	tag:    "op",
	fields: []field{{name: "op", need: true}},
	cases: []variant{
		{word: patchSet, also: extraSet, fields: []field{
			{name: "field", need: true, rule: rule{words: []string{
				"title", "subtitle", "status", "summary", "context_summary", "progress",
			}}},
			{name: "value", need: true, rule: rule{shape: shapeAny}},
		}},
		{word: patchSetBlock, fields: []field{
			{name: "block", need: true, rule: blockRule},
			{name: "before", rule: rule{grammar: grammarBlock}},
		}},
		{word: patchRemoveBlock, fields: []field{
			{name: "id", need: true, rule: rule{grammar: grammarBlock}},
		}},
		{word: patchUpsertItems, fields: []field{
			{name: "block", need: true, rule: rule{grammar: grammarBlock}},
			{name: "items", need: true, rule: listOf(&looseItem, maxPatchList, "")},
			{name: "parent", rule: idRule},
		}},
		{word: patchRemoveItems, also: extraSelector, fields: []field{
			{name: "block", need: true, rule: rule{grammar: grammarBlock}},
			{name: "ids", rule: listOf(&idRule, maxPatchList, itself)},
			{name: "keys", rule: listOf(&rule{min: 1, max: 60}, maxPatchList, itself)},
			{name: "paths", rule: listOf(&pathRule, maxPatchList, itself)},
		}},
		{word: patchAppendEvents, fields: []field{
			{name: "block", need: true, rule: rule{grammar: grammarBlock}},
			{name: "events", need: true, rule: listOf(&eventRule, maxPatchList, "id")},
		}},
	},
}

var updateRule = rule{
	shape: shapeObject,
	tag:   "op",
	fields: []field{
		{name: "panel", need: true, rule: rule{min: 1}},
		{name: "op", need: true},
		{name: "base_revision", rule: rule{shape: shapeWhole, min: 1, max: 1<<31 - 1}},
	},
	cases: []variant{
		{word: string(OpReplace), fields: []field{
			{name: "document", need: true, rule: rule{shape: shapeAny}},
		}},
		{word: string(OpPatch), fields: []field{
			{name: "patches", need: true, rule: rule{shape: shapeList, min: 1, max: maxPatches, items: &patchRule}},
		}},
		{word: string(OpClose)},
	},
}

// set checks the value of a set patch; null takes the field away.
func (w *walk) set(fields map[string]any) *Error {
	if fields["value"] == nil {
		return nil
	}
	w.into("value")
	if err := w.check(known(documentRule.fields, textOf(fields, "field")), fields["value"]); err != nil {
		return err
	}
	w.out()
	return nil
}

// selectors say which field of a remove_items patch names items by what.
var selectors = [...]struct{ field, key string }{{"ids", "id"}, {"keys", "key"}, {"paths", "path"}}

func (w *walk) selector(fields map[string]any) *Error {
	n := 0
	for _, s := range selectors {
		if _, has := fields[s.field]; has {
			n++
		}
	}
	if n != 1 {
		return w.fail("has %d of ids, keys and paths, want exactly one", n)
	}
	return nil
}
