package panel

import "slices"

// Defaults of a declaration.
const (
	iconDefault = "panel"
	openNever   = "never"
	contextNone = "none"
)

var icons = []string{
	"list-checks", "list-ordered", "file-text", "table", "activity", "gauge", "folder-tree", "flag", iconDefault,
}

var actionRule = rule{
	shape: shapeObject,
	tag:   "kind",
	fields: []field{
		{name: "id", need: true, rule: rule{grammar: grammarPanel}},
		{name: "label", need: true, rule: rule{min: 1, max: 32}},
		{name: "scope", need: true, rule: rule{words: []string{ScopePanel, ScopeBlock, ScopeItem}}},
		{name: "blocks", rule: rule{shape: shapeList, max: 20, items: &rule{grammar: grammarBlock}}},
		{name: "kind", need: true},
		{name: "primary", rule: rule{shape: shapeFlag}},
		{name: "confirm", rule: rule{max: 200}},
		{name: "when", rule: rule{shape: shapeObject, fields: []field{
			{name: "status", need: true, rule: rule{shape: shapeList, min: 1, max: 6, items: &statusRule}},
		}}},
	},
	cases: []variant{
		{word: ActionPrompt, also: extraAction, fields: []field{
			{name: "text", need: true, rule: rule{min: 1, max: 2000}},
			{name: "send", rule: rule{shape: shapeFlag}},
		}},
		{word: ActionTool, also: extraAction, fields: []field{
			{name: "arguments", rule: rule{shape: shapeObject, open: true}},
		}},
		{word: ActionResponse, also: extraAction, fields: []field{
			{name: "response", need: true, rule: rule{words: []string{ResponseSubmit, ResponseCancel}}},
		}},
	},
}

var declarationRule = rule{shape: shapeObject, also: extraPrimary, fields: []field{
	{name: "id", need: true, rule: rule{grammar: grammarPanel}},
	{name: "title", need: true, rule: rule{min: 1, max: 40}},
	{name: "icon"}, // any text: an unknown one is a warning
	{name: "placement", rule: rule{words: []string{string(PlacementSidebar), string(PlacementChat)}}},
	{name: "open", rule: rule{words: []string{openNever, OpenFirstUpdate}}},
	{name: "context", rule: rule{words: []string{contextNone, ContextSummary}}},
	{name: "acp_plan", rule: rule{shape: shapeFlag}},
	{name: "actions", rule: rule{shape: shapeList, max: 8, items: &actionRule, unique: "id"}},
}}

var declarationsRule = rule{shape: shapeList, max: 4, items: &declarationRule, unique: "id"}

// primary refuses a second primary action.
func (w *walk) primary(fields map[string]any) *Error {
	actions, _ := fields["actions"].([]any)
	first := -1
	for i, action := range actions {
		if !flagOf(action, "primary") {
			continue
		}
		if first >= 0 {
			w.into("actions")
			w.intoItem(i)
			return w.failAt("primary", "action %d is primary already", first)
		}
		first = i
	}
	return nil
}

// flagOf is a boolean field of an object, false when there is none.
func flagOf(tree any, name string) bool {
	fields, _ := tree.(map[string]any)
	b, _ := fields[name].(bool)
	return b
}

func (w *walk) action(fields map[string]any) *Error {
	scope := textOf(fields, "scope")
	switch {
	case scope == ScopePanel && fields["blocks"] != nil:
		return w.failAt("blocks", "an action of scope panel has no blocks")
	case fields["kind"] == ActionResponse && scope != ScopeBlock:
		return w.failAt("scope", "%s is not block, which a response action needs", show(scope))
	case flagOf(fields, "primary") && scope != ScopeItem:
		return w.failAt("primary", "only an action of scope item may be primary")
	}
	for _, name := range [...]string{"text", "confirm", "arguments"} {
		part, has := fields[name]
		if !has {
			continue
		}
		w.into(name)
		if err := w.placeholders(part); err != nil {
			return err
		}
		w.out()
	}
	return nil
}

// iconOr is an icon that surfaces know.
func iconOr(icon string) string {
	if slices.Contains(icons, icon) {
		return icon
	}
	return iconDefault
}
