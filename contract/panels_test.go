package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/panel"
	"raw/contract/value"
)

// painter is a tool that keeps two panels, one of them with actions.
func painter(run func(context.Context, *contract.Call) contract.Result) contract.Tool {
	tool := plainTool("paint", contract.ClassSession, run)
	tool.Input = `{"type":"object","not":{"required":["item"]}}`
	tool.ActionInput = `{"type":"object","additionalProperties":false,"required":["item"],"properties":{"item":{"type":"string"}}}`
	tool.Panels = []panel.Declaration{
		{ID: "p", Title: "Panel", Actions: []panel.Action{
			{ID: "tick", Label: "Tick", Scope: panel.ScopeItem, Kind: panel.ActionTool, Arguments: objectOf(map[string]string{"item": "{{item.id}}"})},
			{ID: "say", Label: "Say", Scope: panel.ScopePanel, Kind: panel.ActionPrompt, Text: "go on"},
		}},
		{ID: "other", Title: "Other"},
	}
	return tool
}

func objectOf(of any) value.Object {
	o, err := value.Of(of)
	if err != nil {
		panic(err)
	}
	return o
}

func checklist(panelID string, items ...string) contract.Panel {
	list := []any{}
	for _, item := range items {
		list = append(list, map[string]string{"id": item, "label": item, "status": "pending"})
	}
	return contract.PanelUpdate(map[string]any{"type": "panel", "panel": panelID, "op": "replace", "document": map[string]any{
		"blocks": []any{map[string]any{"id": "b", "kind": "checklist", "items": list}},
	}})
}

// bad is an update that no panel accepts.
func bad(panelID string) contract.Panel {
	return contract.PanelUpdate(map[string]any{"panel": panelID, "op": "replace", "document": map[string]any{"blocks": []any{}, "colour": "red"}})
}

// TestPanelBlocks shows what becomes of panel blocks in a result: they are in no
// content that anybody sees, what was accepted is beside the result and in its
// receipt, and a rejection is a line and nothing worse.
func TestPanelBlocks(t *testing.T) {
	line := "panel p updated (revision 1): 0/2"
	rejected := "panel p update rejected: panel_invalid /colour: "
	for _, tc := range []struct {
		name     string
		result   contract.Result
		text     string // of the result; … at the end is a prefix
		fails    bool
		panels   string // id revision
		recorded int
	}{
		{"beside text", contract.Result{Content: []contract.Block{contract.Text("done"), checklist("p", "1", "2")}}, "done", false, "builtin/paint#p 1", 1},
		{"alone", contract.Result{Content: []contract.Block{checklist("p", "1", "2")}}, line, false, "builtin/paint#p 1", 1},
		{"in order", contract.Result{Content: []contract.Block{checklist("p", "1"), contract.Text("done"), checklist("p", "1", "2")}}, "done", false, "builtin/paint#p 2", 1},
		{"two", contract.Result{Content: []contract.Block{checklist("other", "1"), checklist("p", "1", "2")}}, "panel other updated (revision 1): 0/1\n" + line, false, "builtin/paint#other 1, builtin/paint#p 1", 2},
		{"rejected beside text", contract.Result{Content: []contract.Block{contract.Text("done"), bad("p")}}, "done\n" + rejected + "…", false, "", 1},
		{"rejected alone", contract.Result{Content: []contract.Block{bad("p")}}, rejected + "…", false, "", 1},
		{"rejected beside accepted", contract.Result{Content: []contract.Block{checklist("p", "1", "2"), bad("p")}}, line + "\n" + rejected + "…", false, "builtin/paint#p 1", 2},
		{"with an error", contract.Result{Content: []contract.Block{contract.Text("it broke"), checklist("p", "1", "2")}, Failure: &contract.Failure{Kind: contract.KindPrecondition}}, "it broke", true, "builtin/paint#p 1", 1},
		{"undeclared", contract.Result{Content: []contract.Block{contract.Text("done"), checklist("q", "1")}}, "done\npanel q update rejected: panel_undeclared …", false, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j, hooks := &journal{}, &fakeHooks{}
			s, err := contract.Open(contract.Options{
				Tools: []contract.Tool{painter(func(context.Context, *contract.Call) contract.Result { return tc.result })}, Workspace: newWorld(),
				Journal: j, Hooks: loadHooks(t, `{"name":"PostToolUse"}`, `{"name":"PostToolUseFailure"}`), HookRunner: hooks,
			})
			if err != nil {
				t.Fatal(err)
			}
			res := s.Call(t.Context(), contract.Request{Name: "paint"})
			if res.IsError() != tc.fails {
				t.Errorf("the result fails: %t, want %t", res.IsError(), tc.fails)
			}
			if got, prefix := textOf(res), strings.TrimSuffix(tc.text, "…"); got != tc.text && (prefix == tc.text || !strings.HasPrefix(got, prefix)) {
				t.Errorf("text = %q, want %q", got, tc.text)
			}
			var panels []string
			for _, p := range res.Panels {
				panels = append(panels, fmt.Sprintf("%s %d", p.ID, p.Revision))
			}
			if got := strings.Join(panels, ", "); got != tc.panels {
				t.Errorf("panels = %q, want %q", got, tc.panels)
			}
			receipt := j.settled[len(j.settled)-1]
			if len(receipt.Panels) != tc.recorded {
				t.Errorf("%d panels are recorded, want %d", len(receipt.Panels), tc.recorded)
			}
			for _, b := range receipt.Content {
				if b.Type != "text" {
					t.Errorf("a block of type %s is recorded", b.Type)
				}
			}
			for _, p := range receipt.Panels {
				var r panel.Receipt
				if err := json.Unmarshal(p.Receipt, &r); err != nil || (r.Code == "") != (p.State != nil) {
					t.Errorf("recorded %s with state %s, %v; want a state where nothing was rejected", p.Receipt, p.State, err)
				}
			}
			if told := strings.Join(hooks.seen, "\n"); strings.Contains(told, "checklist") || strings.Contains(told, `"colour"`) {
				t.Errorf("hooks were told of a panel: %s", told)
			}
		})
	}
}

// TestPanelsOfAPanic commits what a handler had made before it broke.
func TestPanelsOfAPanic(t *testing.T) {
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{painter(func(_ context.Context, c *contract.Call) contract.Result {
		if n, err := c.UpdatePanel(checklist("p", "1").Update); n != 1 || err != nil {
			t.Errorf("UpdatePanel = %d, %v", n, err)
		}
		panic("in the middle")
	})}})
	if err != nil {
		t.Fatal(err)
	}
	res := s.Call(t.Context(), contract.Request{Name: "paint"})
	if res.Code() != contract.CodeToolError || len(res.Panels) != 1 {
		t.Errorf("code %s with %d panels, want %s with 1", res.Code(), len(res.Panels), contract.CodeToolError)
	}
	if got := s.Panels().States(); len(got) != 1 || got[0].Revision != 1 {
		t.Errorf("the session has %+v, want the panel at revision 1", got)
	}
}

// TestPanelWhileItRuns reads a panel in the handler, and after it.
func TestPanelWhileItRuns(t *testing.T) {
	var kept *contract.Call
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{painter(func(_ context.Context, c *contract.Call) contract.Result {
		kept = c
		if p, err := c.Panel("p"); err != nil || p.Revision != 0 {
			t.Errorf("before the first update: %+v, %v, want revision 0", p, err)
		}
		if _, err := c.UpdatePanel(checklist("builtin/paint#p", "1").Update); err != nil {
			t.Error(err)
		}
		if p, err := c.Panel("p"); err != nil || p.Revision != 1 {
			t.Errorf("after the first update: %+v, %v, want revision 1", p, err)
		}
		if _, err := c.Panel("builtin/else#p"); err == nil || !strings.Contains(err.Error(), string(panel.CodeNotOwned)) {
			t.Errorf("another tool's panel: %v, want %s", err, panel.CodeNotOwned)
		}
		return contract.Succeeded("done")
	})}})
	if err != nil {
		t.Fatal(err)
	}
	if res := s.Call(t.Context(), contract.Request{Name: "paint"}); textOf(res) != "done" {
		t.Errorf("text = %q, want done alone", textOf(res))
	}
	if _, err := kept.UpdatePanel(checklist("p", "2").Update); err == nil || !strings.Contains(err.Error(), string(panel.CodeClosedContext)) {
		t.Errorf("an update after the handler: %v, want %s", err, panel.CodeClosedContext)
	}
	if p, err := kept.Panel("p"); err != nil || p.Revision != 1 {
		t.Errorf("after the handler: %+v, %v, want revision 1", p, err)
	}
}

// TestPanelAction runs a person's action: its own schema, every step, and a line
// for the model.
func TestPanelAction(t *testing.T) {
	var calls []string
	tool := painter(func(_ context.Context, c *contract.Call) contract.Result {
		calls = append(calls, fmt.Sprintf("%s %s", c.Source, c.Args.JSON()))
		return contract.Result{Content: []contract.Block{contract.Text("well\n done"), checklist("p", "1", "2")}}
	})
	asked := 0
	s, err := contract.Open(contract.Options{
		Tools: []contract.Tool{tool}, Baseline: []string{string(contract.ClassSession)},
		Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) {
			asked++
			return contract.AllowOnce, nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res := s.Call(t.Context(), contract.Request{Name: "paint", Arguments: json.RawMessage(`{"any":1}`)}); res.IsError() {
		t.Fatal(textOf(res))
	}
	r, err := s.Act(panel.Click{Panel: "builtin/paint#p", Action: "tick", Block: "b", Item: "2"})
	if err != nil {
		t.Fatal(err)
	}
	if res := s.Call(t.Context(), r); res.IsError() || asked != 2 {
		t.Errorf("the action: %s, and a person was asked %d times in all, want 2: a click approves nothing", textOf(res), asked)
	}
	if diff := cmp.Diff([]string{`model {"any":1}`, `user_action {"item":"2"}`}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	want := []string{`The user ran "Tick" on Panel; builtin/paint returned: well done`}
	if diff := cmp.Diff(want, s.TakeNotices()); diff != "" {
		t.Errorf("the model hears (-want +got):\n%s", diff)
	}
	if again := s.TakeNotices(); again != nil {
		t.Errorf("the model hears again: %q", again)
	}
	for _, c := range []panel.Click{
		{Panel: "builtin/paint#p", Action: "say"},
		{Panel: "builtin/paint#p", Action: "tick", Block: "b", Item: "9"},
		{Panel: "builtin/paint#q", Action: "tick", Block: "b", Item: "1"},
	} {
		if _, err := s.Act(c); err == nil {
			t.Errorf("Act(%+v) runs something", c)
		}
	}
}

// TestActionReturned bounds what the model hears of an action.
func TestActionReturned(t *testing.T) {
	tool := painter(func(_ context.Context, c *contract.Call) contract.Result {
		return contract.Result{Content: []contract.Block{contract.Text(strings.Repeat("é", 2000)), checklist("p", "1")}}
	})
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	s.Call(t.Context(), contract.Request{Name: "paint"})
	for range 20 {
		r, err := s.Act(panel.Click{Panel: "builtin/paint#p", Action: "tick", Block: "b", Item: "1"})
		if err != nil {
			t.Fatal(err)
		}
		s.Call(t.Context(), r)
	}
	lines := s.TakeNotices()
	_, text, _ := strings.Cut(lines[0], "returned: ")
	if len(lines) != 16 || len(text) > 1024 || !strings.HasSuffix(text, "é…") {
		t.Errorf("%d lines, the first with %d bytes of text that end in %q; want 16, at most 1024, and a whole character", len(lines), len(text), text[max(0, len(text)-5):])
	}
}
