package panel

import (
	"strings"
	"testing"

	"raw/contract/value"
)

const actionPanel = `[{"id":"p","title":"Panel","actions":[
	{"id":"panel","label":"P","scope":"panel","kind":"tool","arguments":{"of":"{{panel.id}}","{{panel.id}}":[1,true,null,"x{{panel.id}}y{{panel.id}}",{"deep":"{{panel.id}}"}]},"confirm":"All of {{panel.id}}?"},
	{"id":"bare","label":"B","scope":"panel","kind":"tool"},
	{"id":"block","label":"B","scope":"block","kind":"prompt","text":"{{panel.id}}/{{block.id}}","send":true},
	{"id":"only","label":"O","scope":"block","blocks":["list","form"],"kind":"response","response":"submit"},
	{"id":"item","label":"I","scope":"item","blocks":["list","table"],"kind":"tool","arguments":{"id":"{{item.id}}","in":"{{block.id}}"}},
	{"id":"label","label":"L","scope":"item","kind":"tool","arguments":{"label":"{{item.label}}"},"confirm":"Drop {{item.label}}?"},
	{"id":"when","label":"W","scope":"item","kind":"tool","when":{"status":["failed","blocked"]}},
	{"id":"todo","label":"T","scope":"item","kind":"tool","when":{"status":["pending"]}}
]}]`

const actionDocument = `{"blocks":[
	{"id":"list","kind":"checklist","items":[
		{"id":"a","label":"Plain","status":"done","children":[{"id":"a.1","label":"Deep {{panel.id}}","status":"failed"}]},
		{"id":"b","label":"No status"}]},
	{"id":"table","kind":"table","columns":[{"id":"c"}],"rows":[{"id":"r","cells":{"c":"x"}}]},
	{"id":"steps","kind":"steps","items":[{"id":"s","label":"Step","status":"blocked"}]},
	{"id":"form","kind":"form","fields":[{"id":"f","label":"F","kind":"text"}]}
]}`

// acting is a session with the panel of actions.
func acting(t *testing.T) *Host {
	t.Helper()
	declared, _, err := ParseDeclarations(jsonOf(t, actionPanel))
	if err != nil {
		t.Fatal(err)
	}
	h := NewHost(Options{})
	made(t, h, Owner{Identity: "local/spec", Declared: declared}, updateTree("p", "replace", object{"document": jsonOf(t, actionDocument).Tree()}))
	return h
}

// TestPrepare clicks on everything.
func TestPrepare(t *testing.T) {
	h := acting(t)
	for _, tc := range []struct {
		name, action, block, item string
		want                      string // arguments or text, and what to confirm; with ! the end of the error
	}{
		{"panel", "panel", "", "", `{"of":"p","{{panel.id}}":[1,true,null,"xpyp",{"deep":"p"}]} All of p?`},
		{"panel, whatever was clicked", "panel", "list", "a", `{"of":"p","{{panel.id}}":[1,true,null,"xpyp",{"deep":"p"}]} All of p?`},
		{"no arguments", "bare", "", "", `{}`},
		{"block", "block", "table", "", `{} p/table`},
		{"block, whatever item was clicked", "block", "table", "gone", `{} p/table`},
		{"one of its blocks", "only", "form", "", `{}`},
		{"item", "item", "list", "a", `{"id":"a","in":"list"}`},
		{"item of a table", "item", "table", "r", `{"id":"r","in":"table"}`},
		{"nested item", "item", "list", "a.1", `{"id":"a.1","in":"list"}`},
		{"label", "label", "list", "b", `{"label":"No status"} Drop No status?`},
		{"label that looks like a name", "label", "list", "a.1", `{"label":"Deep {{panel.id}}"} Drop Deep {{panel.id}}?`},
		{"label of a step", "label", "steps", "s", `{"label":"Step"} Drop Step?`},
		{"when", "when", "list", "a.1", `{}`},
		{"when, of a step", "when", "steps", "s", `{}`},
		{"unknown action", "gone", "list", "a", `!run action "gone" on panel "local/spec#p": the panel has no such action`},
		{"no block", "block", "", "", `!: there is no block ""`},
		{"unknown block", "block", "gone", "", `!: there is no block "gone"`},
		{"another block", "only", "list2", "", `!: there is no block "list2"`},
		{"a block that it is not for", "only", "table", "", `!: it is not for block "table"`},
		{"item of a block that it is not for", "item", "steps", "s", `!: it is not for block "steps"`},
		{"unknown item", "item", "list", "z", `!: there is no item "z"`},
		{"no item", "item", "list", "", `!: there is no item ""`},
		{"item of another block", "item", "table", "a", `!: there is no item "a"`},
		{"item of a block without", "label", "form", "f", `!: there is no item "f"`},
		{"label of a row", "label", "table", "r", `!: nothing here stands for {{item.label}}`},
		{"another status", "when", "list", "a", `!: it is for items that are failed or blocked, and "a" is done`},
		{"no status is pending", "todo", "list", "b", `{}`},
		{"a row has no status", "todo", "table", "r", `!: it is for items that are pending, and "r" is in none`},
		{"no status", "when", "list", "b", `!: it is for items that are failed or blocked, and "b" is pending`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := h.Prepare(Click{Panel: "local/spec#p", Action: tc.action, Block: tc.block, Item: tc.item})
			if end, wrong := strings.CutPrefix(tc.want, "!"); wrong {
				if err == nil || !strings.HasSuffix(err.Error(), end) || p.Action.ID != "" {
					t.Errorf("Prepare = %+v, %v, want an error that ends in %q", p, err, end)
				}
				return
			}
			got := p.Arguments.Source()
			for _, text := range []string{p.Text, p.Confirm} {
				if text != "" {
					got += " " + text
				}
			}
			if err != nil || got != tc.want || p.Action.ID != tc.action || glance(p.State) != "p 1 " {
				t.Errorf("Prepare = %s of %s on %s, %v, want %s", got, p.Action.ID, glance(p.State), err, tc.want)
			}
		})
	}
}

// TestPrepareWhere finds panels wherever they are.
func TestPrepareWhere(t *testing.T) {
	h := acting(t)
	chat := Owner{Identity: "local/talk", Declared: []Declaration{{
		ID: "v", Title: "View", Placement: PlacementChat,
		Actions: []Action{{ID: "go", Label: "Go", Scope: ScopePanel, Kind: ActionPrompt, Text: "Go on with {{panel.id}}"}},
	}}}
	call := h.Begin(chat, "7")
	accepted(t, call, replaces("v", "T"))
	live, _ := call.Get("v")
	for panel, found := range map[string]bool{
		"local/spec#p": true, "p": false, "local/spec#q": false, "local/talk#v": false, "": false,
		"local/talk#v@" + live.View.InstanceID: true, "local/talk#v@" + live.View.InstanceID + "x": false,
	} {
		action := "bare"
		if strings.HasPrefix(panel, "local/talk") {
			action = "go"
		}
		p, err := h.Prepare(Click{Panel: panel, Action: action})
		if (err == nil) != found {
			t.Errorf("Prepare on %q: %v", panel, err)
		}
		if err != nil && !strings.Contains(err.Error(), "there is no such panel") {
			t.Errorf("Prepare on %q: %v, want that there is no such panel", panel, err)
		}
		if action == "go" && found && (p.Text != "Go on with v" || p.State.View == nil) {
			t.Errorf("Prepare on %q: text %q of %s", panel, p.Text, glance(p.State))
		}
	}
}

// TestResponds looks for the buttons of a form.
func TestResponds(t *testing.T) {
	d := Declaration{Actions: []Action{
		{ID: "a", Scope: ScopeBlock, Kind: ActionResponse, Response: ResponseSubmit, Blocks: []string{"f"}},
		{ID: "b", Scope: ScopeBlock, Kind: ActionResponse, Response: ResponseCancel},
		{ID: "c", Scope: ScopeBlock, Kind: ActionPrompt, Response: ResponseSubmit},
	}}
	for _, tc := range []struct {
		block, response string
		want            bool
	}{
		{"f", ResponseSubmit, true},
		{"g", ResponseSubmit, false},
		{"f", ResponseCancel, true},
		{"g", ResponseCancel, true},
		{"f", "later", false},
	} {
		if got := d.Responds(tc.block, tc.response); got != tc.want {
			t.Errorf("Responds(%s, %s) = %t, want %t", tc.block, tc.response, got, tc.want)
		}
	}
	if (Declaration{}).Responds("f", ResponseSubmit) {
		t.Error("a panel without actions responds")
	}
}

// TestPrepareChangesNothing leaves the declaration as it was.
func TestPrepareChangesNothing(t *testing.T) {
	h := acting(t)
	state, _ := h.Lookup("local/spec#p")
	before := string(state.Declaration.JSON())
	for range 3 {
		p, err := h.Prepare(Click{Panel: "local/spec#p", Action: "panel"})
		if err != nil || p.Arguments.Kind() != value.ObjectKind {
			t.Fatal(p, err)
		}
	}
	if after := string(state.Declaration.JSON()); after != before {
		t.Errorf("the declaration became %s, and was %s", after, before)
	}
}
