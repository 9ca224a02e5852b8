package panel

import "math/big"

// together checks how the fields of an object fit together. Each field has
// passed its own rule.
func (w *walk) together(x extra, fields map[string]any) *Error {
	switch x {
	case extraTotal:
		return w.total(fields)
	case extraChecklist:
		return w.checklist(fields)
	case extraMeasure:
		return w.measure(fields)
	case extraTable:
		return w.table(fields)
	case extraTimeline:
		return w.timeline(fields)
	case extraChoice:
		return w.choice(fields)
	case extraPrimary:
		return w.primary(fields)
	case extraAction:
		return w.action(fields)
	case extraSet:
		return w.set(fields)
	case extraSelector:
		return w.selector(fields)
	default:
		return nil
	}
}

func (w *walk) total(fields map[string]any) *Error {
	done, _ := integer(fields["done"])
	total, _ := integer(fields["total"])
	if done > total {
		return w.failAt("done", "%d is more than the total %d", done, total)
	}
	return nil
}

func (w *walk) checklist(fields map[string]any) *Error {
	items, _ := fields["items"].([]any)
	w.into("items")
	if n := countItems(items); n > maxItems {
		return w.fail("has %d items with children, more than the maximum %d", n, maxItems)
	}
	w.forget()
	if err := w.uniqueItems(items); err != nil {
		return err
	}
	w.out()
	return nil
}

func countItems(items []any) int {
	n := len(items)
	for _, item := range items {
		n += countItems(childrenOf(item))
	}
	return n
}

// childrenOf are the children of an item of a checklist.
func childrenOf(item any) []any {
	fields, _ := item.(map[string]any)
	children, _ := fields["children"].([]any)
	return children
}

func (w *walk) uniqueItems(items []any) *Error {
	w.intoItem(0)
	for i, item := range items {
		w.next(i)
		if id := textOf(item, "id"); w.met(id) {
			return w.failAt("id", "duplicate id %s", show(id))
		}
		if children := childrenOf(item); len(children) > 0 {
			w.into("children")
			if err := w.uniqueItems(children); err != nil {
				return err
			}
			w.out()
		}
	}
	w.out()
	return nil
}

// textOf is a text field of an object, "" when there is none.
func textOf(tree any, name string) string {
	fields, _ := tree.(map[string]any)
	s, _ := fields[name].(string)
	return s
}

func (w *walk) measure(fields map[string]any) *Error {
	endless, _ := fields["indeterminate"].(bool)
	for _, name := range [...]string{"value", "max"} {
		switch _, has := fields[name]; {
		case has && endless:
			return w.failAt(name, "does not go with indeterminate")
		case !has && !endless:
			return w.failAt(name, "missing")
		}
	}
	if endless {
		return nil
	}
	value, _ := rational(fields["value"])
	most, _ := rational(fields["max"])
	switch {
	case most.Cmp(new(big.Rat)) <= 0:
		return w.failAt("max", "%s is not more than 0", show(fields["max"]))
	case value.Cmp(most) > 0:
		return w.failAt("value", "%s is more than the max %s", show(fields["value"]), show(fields["max"]))
	}
	return nil
}

func (w *walk) table(fields map[string]any) *Error {
	columns, _ := fields["columns"].([]any)
	rows, _ := fields["rows"].([]any)
	for i, row := range rows {
		cells, _ := row.(map[string]any)["cells"].(map[string]any)
		met := 0
		for _, column := range columns {
			if _, has := cells[textOf(column, "id")]; has {
				met++
			}
		}
		if met < len(cells) {
			w.into("rows")
			w.intoItem(i)
			w.into("cells")
			return w.strayCell(cells, columns)
		}
	}
	return nil
}

func (w *walk) strayCell(cells map[string]any, columns []any) *Error {
	ids := map[string]bool{}
	for _, column := range columns {
		ids[textOf(column, "id")] = true
	}
	for _, name := range sortedNames(cells) {
		if !ids[name] {
			return w.failAt(name, "the table has no such column")
		}
	}
	return w.fail("has a cell of an unknown column")
}

func (w *walk) timeline(fields map[string]any) *Error {
	events, _ := fields["events"].([]any)
	if most := eventLimit(fields); len(events) > most {
		return w.failAt("events", "has %d items, more than the max %d of this timeline", len(events), most)
	}
	return nil
}

// eventLimit is how many events a timeline keeps.
func eventLimit(fields map[string]any) int {
	if n, ok := integer(fields["max"]); ok {
		return int(n)
	}
	return defaultEvents
}

func (w *walk) choice(fields map[string]any) *Error {
	options, _ := fields["options"].([]any)
	least, _ := integer(fields["min_selected"])
	most, given := integer(fields["max_selected"])
	n := int64(len(options))
	switch {
	case given && most > n:
		return w.failAt("max_selected", "%d is more than the %d options", most, n)
	case given && least > most:
		return w.failAt("min_selected", "%d is more than the max_selected %d", least, most)
	case least > n:
		return w.failAt("min_selected", "%d is more than the %d options", least, n)
	}
	return nil
}
