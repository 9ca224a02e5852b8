package panel

// The words that mean the same everywhere.
const (
	statusPending    = "pending"
	statusInProgress = "in_progress"
	statusDone       = "done"
	statusSkipped    = "skipped"
	statusBlocked    = "blocked"
	statusFailed     = "failed"
)

var itemStatuses = []string{
	statusPending, statusInProgress, statusDone, statusSkipped, statusBlocked, statusFailed,
}

// Limits of the blocks (PANELS.md §4, §8).
const (
	maxItems        = 200 // of a checklist, with all levels
	maxEvents       = 200
	defaultEvents   = 100 // max of a timeline that names none
	checklistLevels = 3
	maxKind         = 64 // characters of a kind, known or not
)

var (
	idRule    = rule{grammar: grammarItem}
	labelRule = rule{min: 1, max: 200}
	pathRule  = rule{min: 1, max: 500}
	timeRule  = rule{shape: shapeWhole, max: maxNumber} // ms since 1970

	statusRule = rule{words: itemStatuses}

	refRule = rule{shape: shapeObject, fields: []field{
		{name: "path", need: true, rule: pathRule},
		{name: "line", rule: rule{shape: shapeWhole, min: 1, max: maxNumber}},
	}}
)

// checklistItem is the rule of an item that has that many levels below it.
func checklistItem(below int) rule {
	children := rule{shape: shapeList, items: &rule{shape: shapeObject}}
	if below > 0 {
		item := checklistItem(below - 1)
		children = rule{shape: shapeList, max: maxItems, items: &item}
	}
	return rule{shape: shapeObject, fields: []field{
		{name: "id", need: true, rule: idRule},
		{name: "label", need: true, rule: labelRule},
		{name: "status", rule: statusRule},
		{name: "priority", rule: rule{words: []string{"high", "medium", "low"}}},
		{name: "note", rule: rule{max: 500}},
		{name: "ref", rule: refRule},
		{name: "children", rule: children},
	}}
}

var checklistRule = checklistItem(checklistLevels - 1)

var stepRule = rule{shape: shapeObject, fields: []field{
	{name: "id", need: true, rule: idRule},
	{name: "label", need: true, rule: labelRule},
	{name: "status", rule: statusRule},
	{name: "detail", rule: rule{max: 200}},
	{name: "started_at", rule: timeRule},
	{name: "ended_at", rule: timeRule},
}}

var entryRule = rule{shape: shapeObject, fields: []field{
	{name: "key", need: true, rule: rule{min: 1, max: 60}},
	{name: "value", need: true, rule: rule{max: 500}},
	{name: "ref", rule: refRule},
}}

var columnRule = rule{shape: shapeObject, fields: []field{
	{name: "id", need: true, rule: idRule},
	{name: "label", rule: rule{max: 60}},
	{name: "align", rule: rule{words: []string{"start", "end", "center"}}},
}}

var rowRule = rule{shape: shapeObject, fields: []field{
	{name: "id", need: true, rule: idRule},
	{name: "status", rule: statusRule},
	{name: "ref", rule: refRule},
	{name: "cells", rule: rule{shape: shapeMap, items: &rule{max: 300}}},
}}

var eventRule = rule{shape: shapeObject, fields: []field{
	{name: "id", need: true, rule: idRule},
	{name: "at", rule: timeRule},
	{name: "level", rule: rule{words: []string{"info", "success", "warning", "error"}}},
	{name: "label", need: true, rule: labelRule},
	{name: "detail", rule: rule{max: 1000}},
}}

var fileRule = rule{shape: shapeObject, fields: []field{
	{name: "path", need: true, rule: pathRule},
	{name: "status", rule: rule{words: []string{"added", "modified", "deleted", "referenced"}}},
	{name: "line", rule: rule{shape: shapeWhole, min: 1, max: maxNumber}},
	{name: "label", rule: rule{max: 200}},
}}

var optionsRule = rule{shape: shapeList, min: 1, max: 32, unique: "id", items: &rule{shape: shapeObject, fields: []field{
	{name: "id", need: true, rule: idRule},
	{name: "label", need: true, rule: labelRule},
}}}

var formFieldRule = rule{
	shape: shapeObject,
	tag:   "kind",
	fields: []field{
		{name: "id", need: true, rule: idRule},
		{name: "label", need: true, rule: labelRule},
		{name: "description", rule: rule{max: 500}},
		{name: "required", rule: rule{shape: shapeFlag}},
		{name: "kind", need: true},
	},
	cases: []variant{
		{word: "text", fields: []field{
			{name: "multiline", rule: rule{shape: shapeFlag}},
			{name: "max_bytes", rule: rule{shape: shapeWhole, min: 1, max: 8192}},
		}},
		{word: "single_select", fields: []field{
			{name: "options", need: true, rule: optionsRule},
		}},
		{word: "multi_select", also: extraChoice, fields: []field{
			{name: "options", need: true, rule: optionsRule},
			{name: "min_selected", rule: rule{shape: shapeWhole, max: 32}},
			{name: "max_selected", rule: rule{shape: shapeWhole, min: 1, max: 32}},
		}},
	},
}

func listOf(item *rule, most int64, unique string) rule {
	return rule{shape: shapeList, max: most, items: item, unique: unique}
}

var blockRule = rule{
	shape: shapeObject,
	tag:   "kind",
	open:  true,
	fields: []field{
		{name: "id", need: true, rule: rule{grammar: grammarBlock}},
		{name: "kind", need: true, rule: rule{min: 1, max: maxKind}},
		{name: "title", rule: rule{max: 80}},
		{name: "fallback", rule: rule{bytes: 4096}},
	},
	cases: []variant{
		{word: "checklist", also: extraChecklist, fields: []field{
			{name: "items", need: true, rule: listOf(&checklistRule, maxItems, "")},
		}},
		{word: "steps", fields: []field{
			{name: "items", need: true, rule: listOf(&stepRule, 30, "id")},
		}},
		{word: "progress", also: extraMeasure, fields: []field{
			{name: "label", rule: rule{max: 200}},
			{name: "value", rule: rule{shape: shapeNumber, max: maxNumber}},
			{name: "max", rule: rule{shape: shapeNumber, max: maxNumber}},
			{name: "indeterminate", rule: rule{shape: shapeFlag}},
		}},
		{word: "key_value", fields: []field{
			{name: "entries", need: true, rule: listOf(&entryRule, 50, "key")},
		}},
		{word: "table", also: extraTable, fields: []field{
			{name: "columns", need: true, rule: rule{shape: shapeList, min: 1, max: 8, items: &columnRule, unique: "id"}},
			{name: "rows", need: true, rule: listOf(&rowRule, 200, "id")},
		}},
		{word: "markdown", fields: []field{
			{name: "text", need: true, rule: rule{bytes: 16384}},
		}},
		{word: "timeline", also: extraTimeline, fields: []field{
			{name: "max", rule: rule{shape: shapeWhole, min: 1, max: maxEvents}},
			{name: "events", need: true, rule: listOf(&eventRule, maxEvents, "id")},
		}},
		{word: "files", fields: []field{
			{name: "entries", need: true, rule: listOf(&fileRule, 200, "path")},
		}},
		{word: "form", fields: []field{
			{name: "fields", need: true, rule: rule{shape: shapeList, min: 1, max: 8, items: &formFieldRule, unique: "id"}},
		}},
		{word: "mermaid", fields: []field{
			{name: "source", need: true, rule: rule{min: 1, bytes: 16384}},
		}},
	},
}

var documentRule = rule{shape: shapeObject, fields: []field{
	{name: "title", rule: rule{max: 80}},
	{name: "subtitle", rule: rule{max: 120}},
	{name: "status", rule: rule{words: []string{"idle", "active", "done", "failed"}}},
	{name: "progress", rule: rule{shape: shapeObject, also: extraTotal, fields: []field{
		{name: "done", need: true, rule: rule{shape: shapeWhole, max: maxNumber}},
		{name: "total", need: true, rule: rule{shape: shapeWhole, max: maxNumber}},
	}}},
	{name: "summary", rule: rule{max: 120}},
	{name: "context_summary", rule: rule{bytes: 2048}},
	{name: "blocks", need: true, rule: rule{shape: shapeList, max: 20, items: &blockRule, unique: "id"}},
}}
