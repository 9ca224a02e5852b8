package panel

import "slices"

// The words of declarations and of their actions.
const (
	OpenFirstUpdate = "first_update"
	ContextSummary  = "summary"

	ScopePanel = "panel"
	ScopeBlock = "block"
	ScopeItem  = "item"

	ActionPrompt   = "prompt"   // drafts a message of the person
	ActionTool     = "tool"     // runs the declaring tool
	ActionResponse = "response" // submits or cancels a question

	ResponseSubmit = "submit"
	ResponseCancel = "cancel"
)

// Responds reports whether the panel has an action with which a person submits
// or cancels the form of a block.
func (d Declaration) Responds(block, response string) bool {
	return slices.ContainsFunc(d.Actions, func(a Action) bool {
		return a.Kind == ActionResponse && a.Response == response && (len(a.Blocks) == 0 || slices.Contains(a.Blocks, block))
	})
}
