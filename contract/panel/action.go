package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"raw/contract/value"
)

// Click is an action that a person chose. Panel is a full id.
type Click struct{ Panel, Action, Block, Item string }

// Prepared is an action with its names filled in.
type Prepared struct {
	State     State
	Action    Action
	Arguments value.Object // of a tool action
	Text      string       // of a prompt
	Confirm   string
}

// Prepare finds the action that was chosen and fills in its names. The error
// says why it is not available: a click may be about what is no longer there.
func (h *Host) Prepare(c Click) (p Prepared, err error) {
	fault := func(format string, a ...any) (Prepared, error) {
		return Prepared{}, fmt.Errorf("run action %q on panel %q: "+format, append([]any{clip(c.Action), clip(c.Panel)}, a...)...)
	}
	state, ok := h.Lookup(c.Panel)
	if !ok {
		return fault("there is no such panel any more")
	}
	at := slices.IndexFunc(state.Declaration.Actions, func(a Action) bool { return a.ID == c.Action })
	if at < 0 {
		return fault("the panel has no such action")
	}
	action := state.Declaration.Actions[at]
	names, err := state.names(action, c)
	if err != nil {
		return fault("%w", err)
	}
	p = Prepared{State: state, Action: action}
	if p.Text, err = filled(action.Text, names); err != nil {
		return fault("%w", err)
	}
	if p.Confirm, err = filled(action.Confirm, names); err != nil {
		return fault("%w", err)
	}
	tree, err := filledTree(action.Arguments.Tree(), names)
	if err != nil {
		return fault("%w", err)
	}
	if tree == nil {
		tree = map[string]any{}
	}
	if p.Arguments, err = value.Of(value.FromTree(tree)); err != nil {
		return fault("%w", err)
	}
	return p, nil
}

// names are what the placeholders stand for, where the click fits the action.
func (s State) names(a Action, c Click) (map[string]string, error) {
	names := map[string]string{"panel.id": s.Panel}
	if a.Scope == ScopePanel {
		return names, nil
	}
	block, ok := s.Document.Block(c.Block)
	if !ok {
		return nil, fmt.Errorf("there is no block %q", clip(c.Block))
	}
	if len(a.Blocks) > 0 && !slices.Contains(a.Blocks, c.Block) {
		return nil, fmt.Errorf("it is not for block %q", clip(c.Block))
	}
	names["block.id"] = c.Block
	if a.Scope == ScopeBlock {
		return names, nil
	}
	item, ok := s.Document.Item(c.Block, c.Item)
	if !ok {
		return nil, fmt.Errorf("there is no item %q", clip(c.Item))
	}
	if status := statusOf(block, item); len(a.When) > 0 && !slices.Contains(a.When, status) {
		return nil, fmt.Errorf("it is for items that are %s, and %q is %s", strings.Join(a.When, " or "), clip(c.Item), cmp.Or(status, "in none"))
	}
	names["item.id"] = c.Item
	if label, ok := item.Field("label").Str(); ok {
		names["item.label"] = label
	}
	return names, nil
}

// statusOf is the status of an item. Without one, what is to be done is pending;
// a row or an event has none.
func statusOf(block, item value.Value) string {
	status := textOf(item.Tree(), "status")
	if kind := textOf(block.Tree(), "kind"); status == "" && (kind == "checklist" || kind == "steps") {
		return statusPending
	}
	return status
}

// filledTree fills in the string values of a tree; names of members stay.
func filledTree(tree any, names map[string]string) (any, error) {
	switch t := tree.(type) {
	case string:
		return filled(t, names)
	case []any:
		list := make([]any, len(t))
		for i, item := range t {
			var err error
			if list[i], err = filledTree(item, names); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := map[string]any{}
		for name, item := range t {
			var err error
			if object[name], err = filledTree(item, names); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return tree, nil
}

// filled replaces each {{name}}.
func filled(text string, names map[string]string) (string, error) {
	text, unknown, ok := fillText(text, func(name string) (string, bool) { with, ok := names[name]; return with, ok })
	if !ok {
		return "", fmt.Errorf("nothing here stands for {{%s}}", clip(unknown))
	}
	return text, nil
}
