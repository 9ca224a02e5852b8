package panel

// collection is where the items of a kind of block stand, and what names one.
// Only a checklist has items within items.
type collection struct {
	kind, list, key string
	item            *rule
}

var collections = [...]collection{
	{"checklist", "items", "id", &checklistRule},
	{"steps", "items", "id", &stepRule},
	{"table", "rows", "id", &rowRule},
	{"key_value", "entries", "key", &entryRule},
	{"files", "entries", "path", &fileRule},
	{"timeline", "events", "id", &eventRule},
}

// collectionOf is the collection of a kind, nil for a kind without items.
func collectionOf(kind string) *collection {
	for i := range collections {
		if collections[i].kind == kind {
			return &collections[i]
		}
	}
	return nil
}

// takes reports whether a patch on items is for c.
func (c *collection) takes(op string) bool {
	switch op {
	case patchUpsertItems:
		return c.kind != "timeline"
	case patchAppendEvents:
		return c.kind == "timeline"
	default:
		return true
	}
}
