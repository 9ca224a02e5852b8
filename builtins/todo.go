package builtins

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"raw/contract"
	"raw/contract/panel"
	"raw/contract/schema"
	"raw/contract/value"
)

// todoStatus says what each status is on the panel.
var todoStatus = [...]struct{ todo, panel, glyph string }{
	{"pending", "pending", "[ ]"},
	{"in_progress", "in_progress", "[~]"},
	{"completed", "done", "[x]"},
	{"cancelled", "skipped", "[-]"},
}

type todoInput struct {
	Todos []todo `json:"todos"`

	// Of the panel's actions.
	Item  string `json:"item"`
	Set   string `json:"set"`
	Clear string `json:"clear"`
}

type todo struct {
	Content string `json:"content"`
	Status  string `json:"status"`
	id      string // on the panel
}

const (
	todoPanel = "todo"
	todoBlock = "list"
)

// todoTool keeps the list of what the model means to do, where a person sees it.
func todoTool() contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/todo_write",
		Name:     "todo_write",
		Title:    "Write the todo list",
		Description: "Replace the todo list that the person sees with todos, the complete list in order: at most 100 items, each with content (1-200 characters) and status. " +
			"At most one may be in_progress. Optional, for work of several steps only. Answers with the list. After an error the list is as it was.",
		Snippet:    "keep a visible list of steps in work of several steps",
		Guidelines: []string{"Update the todo list when a step begins or ends."},
		Class:      contract.ClassSession,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["todos"],
			"properties": {"todos": {
				"type": "array", "maxItems": 100,
				"items": {
					"type": "object", "additionalProperties": false, "required": ["content", "status"],
					"properties": {
						"content": {"type": "string", "minLength": 1, "maxLength": 200},
						"status": {"enum": ["pending", "in_progress", "completed", "cancelled"]}
					}
				}
			}}
		}`,
		ActionInput: `{
			"type": "object", "additionalProperties": false,
			"properties": {
				"item": {"type": "string"},
				"set": {"enum": ["pending", "completed", "cancelled"]},
				"clear": {"const": "done"}
			},
			"oneOf": [{"required": ["item", "set"]}, {"required": ["clear"]}]
		}`,
		Panels:     []panel.Declaration{todoDeclaration()},
		Idempotent: true,
		Validate:   validateTodos,
	}, nil, runTodos)
}

func todoDeclaration() panel.Declaration {
	set := func(id, label, status string, when ...string) panel.Action {
		return panel.Action{
			ID: id, Label: label, Scope: panel.ScopeItem, Blocks: []string{todoBlock}, Kind: panel.ActionTool,
			Arguments: object(map[string]string{"item": "{{item.id}}", "set": status}), When: when, Primary: id == "complete",
		}
	}
	return panel.Declaration{
		ID: todoPanel, Title: "Todo", Icon: "list-checks", Context: panel.ContextSummary, ACPPlan: true,
		Actions: []panel.Action{
			set("complete", "Complete", "completed", "pending", "in_progress"),
			set("reopen", "Reopen", "pending", "done", "skipped"),
			set("skip", "Skip", "cancelled", "pending", "in_progress"),
			{
				ID: "clear-done", Label: "Clear done", Scope: panel.ScopePanel, Kind: panel.ActionTool,
				Arguments: object(map[string]string{"clear": "done"}),
			},
			{ID: "continue", Label: "Continue", Scope: panel.ScopePanel, Kind: panel.ActionPrompt, Text: "Go on with the next open item of the todo list."},
		},
	}
}

// object is a value that is known to encode as an object.
func object(of any) value.Object {
	o, err := value.Of(of)
	if err != nil {
		panic("builtins: " + err.Error())
	}
	return o
}

func validateTodos(args value.Object) (faults []schema.Fault) {
	current := -1
	list := args.Field("todos")
	for i := range list.Len() {
		at := fmt.Sprintf("/todos/%d", i)
		if content, _ := list.At(i).Field("content").Str(); strings.ContainsFunc(content, unshowable) {
			faults = append(faults, schema.Fault{Pointer: at + "/content", Message: "a control character; want plain text"})
		}
		if status, _ := list.At(i).Field("status").Str(); status == "in_progress" {
			if current >= 0 {
				faults = append(faults, schema.Fault{Pointer: at + "/status", Message: fmt.Sprintf("a second item in_progress, beside /todos/%d; at most one may be", current)})
				continue
			}
			current = i
		}
	}
	return faults
}

// unshowable reports whether a panel refuses r.
func unshowable(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

func runTodos(_ context.Context, c *contract.Call, in todoInput) contract.Result {
	before := shownTodos(c)
	switch {
	case in.Clear != "":
		return todosResult(slices.DeleteFunc(before, func(t todo) bool { return t.Status == "completed" || t.Status == "cancelled" }))
	case in.Item != "":
		i := slices.IndexFunc(before, func(t todo) bool { return t.id == in.Item })
		if i < 0 {
			return contract.FailedAs(contract.KindPrecondition, fmt.Sprintf("there is no item %q on the todo list any more; nothing was changed", in.Item))
		}
		before[i].Status = in.Set
		return todosResult(before)
	}
	return todosResult(named(in.Todos, before))
}

// shownTodos is the list as the panel shows it.
func shownTodos(c *contract.Call) []todo {
	state, err := c.Panel(todoPanel)
	if err != nil {
		return nil
	}
	block, _ := state.Document.Block(todoBlock)
	items := block.Field("items")
	list := make([]todo, items.Len())
	for i := range list {
		list[i].id, _ = items.At(i).Field("id").Str()
		list[i].Content, _ = items.At(i).Field("label").Str()
		shown, _ := items.At(i).Field("status").Str()
		for _, s := range todoStatus {
			if s.panel == shown {
				list[i].Status = s.todo
			}
		}
	}
	return list
}

// named gives each item the id that an item of the same content had before, and
// a new one to the others.
func named(list, before []todo) []todo {
	free, last := map[string][]string{}, 0
	for _, t := range before {
		free[t.Content] = append(free[t.Content], t.id)
		var n int
		if _, err := fmt.Sscanf(t.id, "t%d", &n); err == nil {
			last = max(last, n)
		}
	}
	list = slices.Clone(list)
	for i, t := range list {
		if ids := free[t.Content]; len(ids) > 0 {
			list[i].id, free[t.Content] = ids[0], ids[1:]
			continue
		}
		last++
		list[i].id = fmt.Sprintf("t%d", last)
	}
	return list
}

// todosResult shows the list to the person and to the model.
func todosResult(list []todo) contract.Result {
	items, open := make([]map[string]string, len(list)), 0
	var text strings.Builder
	for i, t := range list {
		for _, s := range todoStatus {
			if s.todo == t.Status {
				items[i] = map[string]string{"id": t.id, "label": t.Content, "status": s.panel}
				fmt.Fprintf(&text, "%s %s\n", s.glyph, t.Content)
			}
		}
		if t.Status == "pending" || t.Status == "in_progress" {
			open++
		}
	}
	status := "active"
	switch {
	case len(list) == 0:
		status = "idle"
		text.WriteString("[the todo list is empty]")
	case open == 0:
		status = "done"
	}
	return contract.Result{Content: []contract.Block{
		contract.Text(strings.TrimSuffix(text.String(), "\n")),
		contract.PanelUpdate(map[string]any{
			"panel": todoPanel, "op": panel.OpReplace,
			"document": map[string]any{
				"title": "Todo", "status": status,
				"blocks": []any{map[string]any{"id": todoBlock, "kind": "checklist", "items": items}},
			},
		}),
	}}
}
