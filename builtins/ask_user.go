package builtins

import (
	"context"
	"fmt"
	"strings"
	"time"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/panel"
	"raw/contract/schema"
	"raw/contract/value"
)

const (
	askPanel = "questions"
	askBlock = "form"
)

// askUserTool asks the person behind the call.
func askUserTool() contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/ask_user",
		Name:     "ask_user",
		Title:    "Ask the person",
		Description: "Ask the person 1 to 3 questions in one form and wait for the answer. A question has a label and a kind: text (max_bytes at most 8192), or single_select and multi_select with 1 to 32 options. " +
			"Each must be answered unless required is false. timeout_ms is how long to wait (default 30 minutes, at most 24 hours). " +
			`Answers {"status":"answered","answers":{id: text, option id, or list of option ids}}, or the status cancelled or expired. An answer permits nothing. ` +
			"Error interaction_unavailable: nobody can be asked here.",
		Snippet: "ask the person a question with a form",
		Class:   contract.ClassSession,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["questions"],
			"properties": {
				"title": {"type": "string", "minLength": 1, "maxLength": 80},
				"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 86400000},
				"questions": {
					"type": "array", "minItems": 1, "maxItems": 3,
					"items": {
						"type": "object", "additionalProperties": false, "required": ["id", "label", "kind"],
						"properties": {
							"id": {"type": "string"},
							"label": {"type": "string"},
							"description": {"type": "string"},
							"required": {"type": "boolean"},
							"kind": {"enum": ["text", "single_select", "multi_select"]},
							"multiline": {"type": "boolean"},
							"max_bytes": {"type": "integer"},
							"options": {
								"type": "array",
								"items": {
									"type": "object", "additionalProperties": false, "required": ["id", "label"],
									"properties": {"id": {"type": "string"}, "label": {"type": "string"}}
								}
							},
							"min_selected": {"type": "integer"},
							"max_selected": {"type": "integer"}
						}
					}
				}
			}
		}`,
		Panels: []panel.Declaration{{
			ID: askPanel, Title: "Questions", Icon: "flag", Placement: panel.PlacementChat, Open: panel.OpenFirstUpdate,
			Actions: []panel.Action{
				{ID: "submit", Label: "Submit", Scope: panel.ScopeBlock, Blocks: []string{askBlock}, Kind: panel.ActionResponse, Response: panel.ResponseSubmit},
				{ID: "cancel", Label: "Cancel", Scope: panel.ScopeBlock, Blocks: []string{askBlock}, Kind: panel.ActionResponse, Response: panel.ResponseCancel},
			},
		}},
		Deferred: true,
		Validate: validateQuestions,
	}, nil, runAskUser)
}

// askDocument is the panel that asks: the questions are fields as they stand,
// but required unless they say otherwise.
func askDocument(args value.Object) map[string]any {
	questions := args.Field("questions")
	fields := make([]map[string]value.Value, questions.Len())
	for i := range fields {
		fields[i] = map[string]value.Value{"required": value.FromTree(true)}
		for name, v := range questions.At(i).Fields() {
			fields[i][name] = v
		}
	}
	title, ok := args.Field("title").Str()
	if !ok {
		title = "A question"
	}
	return map[string]any{"title": title, "blocks": []any{map[string]any{"id": askBlock, "kind": "form", "fields": fields}}}
}

// validateQuestions has the panel check the fields: its limits are the form's.
func validateQuestions(args value.Object) []schema.Fault {
	_, err := panel.ParseDocument(object(askDocument(args)).Value)
	if err == nil {
		return nil
	}
	pointer, message, _ := strings.Cut(err.Message, ": ")
	if rest, ok := strings.CutPrefix(pointer, "/blocks/0/fields"); ok {
		pointer = "/questions" + rest
	}
	return []schema.Fault{{Pointer: pointer, Message: message}}
}

type askUserInput struct {
	TimeoutMS int64 `json:"timeout_ms"`
}

func runAskUser(ctx context.Context, c *contract.Call, in askUserInput) contract.Result {
	document := askDocument(c.Args)
	outcome, err := c.Ask(ctx, contract.Question{
		Panel: askPanel, Document: object(document).Value, Timeout: time.Duration(in.TimeoutMS) * time.Millisecond,
	})
	if err != nil {
		res := contract.Unasked(err)
		if p, shown := c.Panel(askPanel); shown == nil && p.Revision > 0 { // nobody can answer what it shows
			res.Content = append(res.Content, contract.PanelUpdate(map[string]any{"panel": askPanel, "op": panel.OpClose}))
		}
		return res
	}
	document["status"], document["subtitle"] = "done", string(outcome.State)
	if outcome.State == interaction.StateAnswered {
		document["blocks"] = []any{answersBlock(c.Args.Field("questions"), outcome.Answers)}
	}
	return contract.Result{Content: []contract.Block{
		contract.Text(outcome.JSON()),
		contract.PanelUpdate(map[string]any{"panel": askPanel, "op": panel.OpReplace, "document": document}),
		contract.PanelUpdate(map[string]any{"panel": askPanel, "op": panel.OpClose}),
	}}
}

// answersBlock shows what was answered, option ids by their labels.
func answersBlock(questions, answers value.Value) map[string]any {
	blocks := map[string]any{"id": askBlock, "kind": "key_value"}
	var entries []map[string]string
	for i := range questions.Len() {
		q := questions.At(i)
		id, _ := q.Field("id").Str()
		label, _ := q.Field("label").Str()
		entries = append(entries, map[string]string{
			"key": fmt.Sprintf("%d %s", i+1, cut(label, 57)), "value": cut(answerText(q.Field("options"), answers.Field(id)), 500),
		})
	}
	blocks["entries"] = entries
	return blocks
}

func answerText(options, answer value.Value) string {
	named := func(id string) string {
		for i := range options.Len() {
			if have, _ := options.At(i).Field("id").Str(); have == id {
				id, _ = options.At(i).Field("label").Str()
			}
		}
		return id
	}
	if text, ok := answer.Str(); ok {
		return named(text)
	}
	var chosen []string
	for i := range answer.Len() {
		id, _ := answer.At(i).Str()
		chosen = append(chosen, named(id))
	}
	return strings.Join(chosen, ", ")
}

// cut bounds text to n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
