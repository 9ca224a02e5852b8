package panel

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"raw/contract/value"
)

func TestParseDeclarations(t *testing.T) {
	list, warnings, err := ParseDeclarations(jsonOf(t, `[
		{"id":"todo","title":"Plan","icon":"rocket","context":"summary","acp_plan":true,"open":"first_update","actions":[
			{"id":"done","label":"Done","scope":"item","kind":"tool","arguments":{"item":"{{item.id}}","n":1.50},"primary":true,"when":{"status":["pending","blocked"]}},
			{"id":"ask","label":"Ask","scope":"block","blocks":["b1","b2"],"kind":"prompt","text":"about {{block.id}}","send":true,"confirm":"sure?"},
			{"id":"ok","label":"OK","scope":"block","kind":"response","response":"submit"},
			{"id":"all","label":"All","scope":"panel","kind":"tool"}]},
		{"id":"ask","title":"Ask","placement":"chat","icon":"flag"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Declaration{
		{ID: "todo", Title: "Plan", Icon: "panel", Placement: PlacementSidebar, Open: "first_update", Context: "summary", ACPPlan: true, Actions: []Action{
			{ID: "done", Label: "Done", Scope: "item", Kind: "tool", Primary: true, When: []string{"pending", "blocked"}},
			{ID: "ask", Label: "Ask", Scope: "block", Blocks: []string{"b1", "b2"}, Kind: "prompt", Text: "about {{block.id}}", Send: true, Confirm: "sure?"},
			{ID: "ok", Label: "OK", Scope: "block", Kind: "response", Response: "submit"},
			{ID: "all", Label: "All", Scope: "panel", Kind: "tool"},
		}},
		{ID: "ask", Title: "Ask", Icon: "flag", Placement: PlacementChat, Open: "never", Context: "none"},
	}
	if diff := cmp.Diff(want, list, cmpopts.IgnoreFields(Action{}, "Arguments")); diff != "" {
		t.Errorf("ParseDeclarations: %s", diff)
	}
	if got := list[0].Actions[0].Arguments.Source(); got != `{"item":"{{item.id}}","n":1.50}` {
		t.Errorf("arguments are %s", got)
	}
	wantWarnings := []string{`/0/icon: "rocket" is none of list-checks, list-ordered, file-text, table, activity, gauge, folder-tree, flag, panel; panel is shown instead`}
	if diff := cmp.Diff(wantWarnings, warnings); diff != "" {
		t.Errorf("warnings: %s", diff)
	}
	wantJSON := `{"acp_plan":false,"actions":[],"context":"none","icon":"flag","id":"ask","open":"never","placement":"chat","title":"Ask"}`
	if got := string(list[1].JSON()); got != wantJSON {
		t.Errorf("JSON = %s, want %s", got, wantJSON)
	}
	if got := string((Declaration{ID: "a", Title: "A", Icon: "nope"}).JSON()); got != strings.NewReplacer("ask", "a", "Ask", "A", "flag", "panel", "chat", "sidebar").Replace(wantJSON) {
		t.Errorf("JSON with defaults = %s", got)
	}
}

// TestDeclarationRoundTrip shows that JSON loses nothing, and that what is read
// may be checked again.
func TestDeclarationRoundTrip(t *testing.T) {
	m := newMaker(5)
	for range 300 {
		list, _, err := ParseDeclarations(valueOf(t, m.declarations()))
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckDeclarations(list); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, d := range list {
			texts = append(texts, string(d.JSON()))
		}
		again, warnings, err := ParseDeclarations(jsonOf(t, "["+strings.Join(texts, ",")+"]"))
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		for i, d := range again {
			if string(d.JSON()) != texts[i] {
				t.Errorf("read again it is %s, want %s", d.JSON(), texts[i])
			}
		}
	}
}

func TestCheckDeclarations(t *testing.T) {
	arguments, err := value.ParseObject([]byte(`{"x":"{{item.name}}"}`))
	if err != nil {
		t.Fatal(err)
	}
	action := Action{ID: "a", Label: "A", Scope: "item", Kind: "tool"}
	for _, c := range []struct {
		name string
		list []Declaration
		want string
	}{
		{"nothing", nil, ""},
		{"least", []Declaration{{ID: "a", Title: "A", Actions: []Action{action}}}, ""},
		{"no id", []Declaration{{Title: "A"}}, `/0/id: "" does not match ^[a-z][a-z0-9_-]{0,31}$`},
		{"two of a name", []Declaration{{ID: "a", Title: "A"}, {ID: "a", Title: "B"}}, `/1/id: duplicate id "a"`},
		{"an icon", []Declaration{{ID: "a", Title: "A", Icon: "x"}}, `/0/icon: "x" is none of ` + strings.Join(icons, ", ") + `; panel is shown instead`},
		{"a prompt without text", []Declaration{{ID: "a", Title: "A", Actions: []Action{{ID: "a", Label: "A", Scope: "panel", Kind: "prompt"}}}}, `/0/actions/0/text: missing`},
		{
			"arguments of a prompt",
			[]Declaration{{ID: "a", Title: "A", Actions: []Action{{ID: "a", Label: "A", Scope: "panel", Kind: "prompt", Text: "x", Arguments: arguments}}}},
			`/0/actions/0/arguments: unknown field; accepted: blocks, confirm, id, kind, label, primary, scope, send, text, when`,
		},
		{
			"a name in arguments",
			[]Declaration{{ID: "a", Title: "A", Actions: []Action{{ID: "a", Label: "A", Scope: "panel", Kind: "tool", Arguments: arguments}}}},
			`/0/actions/0/arguments/x: {{item.name}} is none of panel.id, block.id, item.id, item.label`,
		},
	} {
		err := CheckDeclarations(c.list)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v, want it accepted", c.name, err)
			}
			continue
		}
		found, ok := errors.AsType[*Error](err)
		if !ok || found.Code != CodeInvalid || found.Message != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestFillText(t *testing.T) {
	fill := func(name string) (string, bool) {
		switch name {
		case "item.id":
			return "{{item.label}}", true
		case "panel.id":
			return "p", true
		}
		return "", false
	}
	for _, c := range []struct {
		text, want, refused string
	}{
		{"", "", ""},
		{"plain", "plain", ""},
		{"{{panel.id}}", "p", ""},
		{"a{{panel.id}}b{{panel.id}}", "apbp", ""},
		{"{{item.id}}", "{{item.label}}", ""}, // what was filled in is not read again
		{"{{", "{{", ""},
		{"}} {{panel.id", "}} {{panel.id", ""},
		{"{panel.id}", "{panel.id}", ""},
		{"{{{panel.id}}}", "", "{panel.id"},
		{"{{}}", "", ""},
		{"{{x}} {{panel.id}}", "", "x"},
	} {
		got, refused, ok := fillText(c.text, fill)
		if wantOK := c.refused == "" && c.text != "{{}}"; got != c.want || refused != c.refused || ok != wantOK {
			t.Errorf("fillText(%q) = %q, %q, %t; want %q, %q", c.text, got, refused, ok, c.want, c.refused)
		}
	}
}
