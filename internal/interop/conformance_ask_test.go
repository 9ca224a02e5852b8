//go:build interop

package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
	"raw/contract/panel"
	"raw/contract/value"
)

// askingTools are the fixtures that ask: by our core where our forms have the
// fields that the suite wants, else by mcp-go.
func askingTools() []contract.Tool {
	return []contract.Tool{
		handledTool("test_elicitation_sep1034_defaults", elicits(`{
			"name": {"type": "string", "default": "John Doe"},
			"age": {"type": "integer", "default": 30},
			"score": {"type": "number", "default": 95.5},
			"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
			"verified": {"type": "boolean", "default": true}
		}`)),
		handledTool("test_elicitation_sep1330_enums", elicits(`{
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
			"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}
		}`)),
		askingTool("test_elicitation", []string{"username", "email"}),
		askingTool("test_input_required_result_elicitation", []string{"name"}),
		askingTool("test_input_required_result_multi_round", []string{"name"}, []string{"color"}),
		askingTool("test_input_required_result_request_state", []string{"ok"}),
		askingTool("test_input_required_result_tampered_state", []string{"ok"}),
	}
}

// askingTool asks by our core: a form of text fields after the other.
func askingTool(name string, forms ...[]string) contract.Tool {
	tool := handledTool(name, func(ctx context.Context, c *contract.Call) contract.Result {
		var answers []string
		for _, fields := range forms {
			outcome, err := c.Ask(ctx, contract.Question{Panel: "ask", Document: formOf(name, fields)})
			if err != nil {
				return contract.Unasked(err)
			}
			answers = append(answers, outcome.JSON())
		}
		return contract.Succeeded(strings.Join(answers, "\n"))
	})
	tool.Class = contract.ClassSession
	tool.Input = `{"type":"object","additionalProperties":false,"properties":{"message":{"type":"string"}}}`
	tool.Panels = []panel.Declaration{{
		ID: "ask", Title: "Question", Placement: panel.PlacementChat, Open: panel.OpenFirstUpdate,
		Actions: []panel.Action{
			{ID: "submit", Label: "Submit", Scope: panel.ScopeBlock, Blocks: []string{"form"}, Kind: panel.ActionResponse, Response: panel.ResponseSubmit},
			{ID: "cancel", Label: "Cancel", Scope: panel.ScopeBlock, Blocks: []string{"form"}, Kind: panel.ActionResponse, Response: panel.ResponseCancel},
		},
	}}
	return tool
}

func formOf(title string, ids []string) value.Value {
	var fields []any
	for _, id := range ids {
		fields = append(fields, map[string]any{"id": id, "label": id, "kind": "text", "required": true})
	}
	return value.FromTree(map[string]any{"title": title, "blocks": []any{map[string]any{"id": "form", "kind": "form", "fields": fields}}})
}

// elicits asks by mcp-go, for properties that our forms do not have.
func elicits(properties string) func(context.Context, *contract.Call) contract.Result {
	return func(ctx context.Context, _ *contract.Call) contract.Result {
		reply, err := server.ServerFromContext(ctx).RequestElicitation(ctx, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
			Params: mcp.ElicitationParams{
				Message: "A fixture asks", RequestedSchema: map[string]any{"type": "object", "properties": json.RawMessage(properties)},
			},
		})
		if err != nil {
			return contract.Failed(contract.CodeToolError, err.Error())
		}
		return contract.Succeeded(fmt.Sprintf("Elicitation completed: action=%s, content=%v", reply.Action, reply.Content))
	}
}
