package panel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"raw/contract/value"
)

// Placement says where a panel is shown.
type Placement string

// The placements. The zero Placement means PlacementSidebar.
const (
	PlacementSidebar Placement = "sidebar" // state of the session
	PlacementChat    Placement = "chat"    // a view of one call
)

// Declaration is what is known of a panel before any handler runs.
type Declaration struct {
	ID, Title string
	Icon      string    // "" means panel
	Placement Placement // "" means PlacementSidebar
	Open      string    // never or first_update; "" means never
	Context   string    // none or summary; "" means none
	ACPPlan   bool      // its first checklist is the session's plan
	Actions   []Action
}

// Action is one thing that a person can do on a panel. Text, Confirm and the
// string values of Arguments may hold {{panel.id}}, {{block.id}}, {{item.id}}
// and {{item.label}}.
type Action struct {
	ID, Label string
	Scope     string   // panel, block or item
	Blocks    []string // ids of the blocks it is for; none means all; never with scope panel
	Kind      string   // prompt, tool or response

	Text string // of a prompt
	Send bool   // the client sends the prompt itself

	Arguments value.Object // of a tool; zero means {}

	Response string // submit or cancel

	Primary bool     // of scope item, once in a panel
	Confirm string   // asked before it runs; "" means nothing is asked
	When    []string // item statuses it is offered for; none means all
}

// ParseDeclarations reads the panels of one tool, an array. The error is an
// *Error with CodeInvalid that points into the array. An icon that nobody
// knows becomes the default with a warning, which starts with a pointer too.
// Defaults are filled in.
func ParseDeclarations(v value.Value) (list []Declaration, warnings []string, err error) {
	if v.Kind() == value.Absent {
		return nil, nil, fail(CodeInvalid, "/: found nothing, want an array")
	}
	var w walk
	if err := w.check(&declarationsRule, v.Tree()); err != nil {
		return nil, nil, err
	}
	for i := range v.Len() {
		d, err := declaration(v.At(i))
		if err != nil {
			return nil, nil, err
		}
		if icon, given := v.At(i).Field("icon").Str(); given && icon != d.Icon {
			warnings = append(warnings, fmt.Sprintf("/%d/icon: %s is none of %s; %s is shown instead",
				i, show(icon), strings.Join(icons, ", "), iconDefault))
		}
		list = append(list, d)
	}
	return list, warnings, nil
}

// declaration reads one that has passed the rules.
func declaration(v value.Value) (Declaration, error) {
	d := Declaration{
		ID:        textOf(v.Tree(), "id"),
		Title:     textOf(v.Tree(), "title"),
		Icon:      iconOr(textOf(v.Tree(), "icon")),
		Placement: cmp.Or(Placement(textOf(v.Tree(), "placement")), PlacementSidebar),
		Open:      cmp.Or(textOf(v.Tree(), "open"), openNever),
		Context:   cmp.Or(textOf(v.Tree(), "context"), contextNone),
		ACPPlan:   flagOf(v.Tree(), "acp_plan"),
	}
	actions := v.Field("actions")
	for i := range actions.Len() {
		a, err := action(actions.At(i))
		if err != nil {
			return Declaration{}, fmt.Errorf("read action %d of panel %s: %w", i, d.ID, err)
		}
		d.Actions = append(d.Actions, a)
	}
	return d, nil
}

func action(v value.Value) (Action, error) {
	a := Action{
		ID:       textOf(v.Tree(), "id"),
		Label:    textOf(v.Tree(), "label"),
		Scope:    textOf(v.Tree(), "scope"),
		Blocks:   textsOf(v.Field("blocks")),
		Kind:     textOf(v.Tree(), "kind"),
		Text:     textOf(v.Tree(), "text"),
		Send:     flagOf(v.Tree(), "send"),
		Response: textOf(v.Tree(), "response"),
		Primary:  flagOf(v.Tree(), "primary"),
		Confirm:  textOf(v.Tree(), "confirm"),
		When:     textsOf(v.Field("when").Field("status")),
	}
	var err error
	if arguments := v.Field("arguments"); arguments.Kind() != value.Absent {
		a.Arguments, err = value.ParseObject([]byte(arguments.JSON()))
	}
	return a, err
}

func textsOf(v value.Value) []string {
	var texts []string
	for i := range v.Len() {
		s, _ := v.At(i).Str()
		texts = append(texts, s)
	}
	return texts
}

// CheckDeclarations applies the rules of ParseDeclarations to declarations that
// were written in Go. Here an icon that nobody knows is a fault, as nobody
// would see a warning.
func CheckDeclarations(list []Declaration) error {
	tree := make([]any, len(list))
	for i, d := range list {
		tree[i] = d.tree()
	}
	_, warnings, err := ParseDeclarations(value.FromTree(tree))
	if err != nil {
		return err
	}
	if len(warnings) > 0 {
		return fail(CodeInvalid, "%s", warnings[0])
	}
	return nil
}

// JSON is d as in tool.json, with every default filled in.
func (d Declaration) JSON() json.RawMessage {
	tree := d.tree()
	tree["icon"] = iconOr(d.Icon)
	tree["placement"] = string(cmp.Or(d.Placement, PlacementSidebar))
	tree["open"] = cmp.Or(d.Open, openNever)
	tree["context"] = cmp.Or(d.Context, contextNone)
	tree["acp_plan"] = d.ACPPlan
	if d.Actions == nil {
		tree["actions"] = []any{}
	}
	return json.RawMessage(value.FromTree(tree).JSON())
}

// tree is d with the fields that are not zero.
func (d Declaration) tree() map[string]any {
	tree := map[string]any{"id": d.ID, "title": d.Title}
	for name, text := range map[string]string{
		"icon": d.Icon, "placement": string(d.Placement), "open": d.Open, "context": d.Context,
	} {
		putText(tree, name, text)
	}
	putFlag(tree, "acp_plan", d.ACPPlan)
	if d.Actions != nil {
		actions := make([]any, len(d.Actions))
		for i, a := range d.Actions {
			actions[i] = a.tree()
		}
		tree["actions"] = actions
	}
	return tree
}

func (a Action) tree() map[string]any {
	tree := map[string]any{"id": a.ID, "label": a.Label, "scope": a.Scope, "kind": a.Kind}
	for name, text := range map[string]string{
		"text": a.Text, "response": a.Response, "confirm": a.Confirm,
	} {
		putText(tree, name, text)
	}
	putFlag(tree, "send", a.Send)
	putFlag(tree, "primary", a.Primary)
	if len(a.Blocks) > 0 {
		tree["blocks"] = anyOf(a.Blocks)
	}
	if len(a.When) > 0 {
		tree["when"] = map[string]any{"status": anyOf(a.When)}
	}
	switch {
	case a.Arguments.Kind() != value.Absent:
		tree["arguments"] = a.Arguments.Tree()
	case a.Kind == ActionTool:
		tree["arguments"] = map[string]any{}
	}
	return tree
}

func putText(tree map[string]any, name, text string) {
	if text != "" {
		tree[name] = text
	}
}

func putFlag(tree map[string]any, name string, set bool) {
	if set {
		tree[name] = true
	}
}

func anyOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}
