package panelbridge

import (
	"encoding/json"
	"fmt"
	"strings"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/value"
)

// Elicitation is a question as the parameters of elicitation/create, in MCP and
// in ACP (PANELS.md §8). fault, when not empty, is put first: it says why the
// answer before was not accepted. Clients that know no titled choices and no
// lists get, with titled false, names beside the choices, and a switch for each
// option of a list.
func Elicitation(v interaction.View, fault string, titled bool) map[string]any {
	var properties properties
	required := []string{}
	keys := switchKeys(v.Form)
	for _, f := range v.Form.Fields {
		if f.Kind == interaction.MultiSelect && !titled {
			for i, o := range f.Options {
				properties.add(keys[f.ID][i], map[string]any{"type": "boolean", "title": contract.Visible(f.Label + ": " + o.Label), "default": false})
			}
			continue
		}
		properties.add(f.ID, property(f, titled))
		if f.Required {
			required = append(required, f.ID)
		}
	}
	message := contract.Visible(v.Title)
	if fault != "" {
		message = "The answer was not accepted: " + contract.Visible(fault) + "\n\n" + message
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return map[string]any{"mode": "form", "message": message, "requestedSchema": schema}
}

// switchKeys are the keys of lists that are shown as switches, by field and in the
// order of the options. None is that of another property.
func switchKeys(form interaction.Form) map[string][]string {
	taken := map[string]bool{}
	for _, f := range form.Fields {
		taken[f.ID] = true
	}
	keys := map[string][]string{}
	for _, f := range form.Fields {
		if f.Kind != interaction.MultiSelect {
			continue
		}
		for _, o := range f.Options {
			key := f.ID + "." + o.ID
			for taken[key] {
				key += "."
			}
			taken[key] = true
			keys[f.ID] = append(keys[f.ID], key)
		}
	}
	return keys
}

// property is a field as a property of the requested schema.
func property(f interaction.Field, titled bool) map[string]any {
	p := map[string]any{"title": contract.Visible(f.Label)}
	if f.Description != "" {
		p["description"] = contract.Visible(f.Description)
	}
	switch f.Kind {
	case interaction.SingleSelect:
		p["type"] = "string"
		if titled {
			p["oneOf"] = choices(f.Options)
			break
		}
		var ids, labels []string
		for _, o := range f.Options {
			ids, labels = append(ids, o.ID), append(labels, contract.Visible(o.Label))
		}
		p["enum"], p["enumNames"] = ids, labels
	case interaction.MultiSelect:
		p["type"], p["items"] = "array", map[string]any{"anyOf": choices(f.Options)}
		least := f.MinSelected
		if f.Required {
			least = max(least, 1)
		}
		if least > 0 {
			p["minItems"] = least
		}
		if f.MaxSelected > 0 {
			p["maxItems"] = f.MaxSelected
		}
	default:
		p["type"], p["maxLength"] = "string", f.Limit()
		if f.Required {
			p["minLength"] = 1
		}
	}
	return p
}

func choices(options []interaction.Option) []map[string]string {
	var list []map[string]string
	for _, o := range options {
		list = append(list, map[string]string{"const": o.ID, "title": contract.Visible(o.Label)})
	}
	return list
}

// properties are the properties of a schema in the order of the form, in which
// clients show them.
type properties struct {
	keys   []string
	values []map[string]any
}

func (p *properties) add(key string, v map[string]any) {
	p.keys, p.values = append(p.keys, key), append(p.values, v)
}

// MarshalJSON writes an object with its members in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range p.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(p.values[i])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", name, body)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// Elicited reads the answer to an elicitation of v. Declined and dismissed are
// both cancelled. What the form does not accept is for the question to say.
func Elicited(v interaction.View, body json.RawMessage) (interaction.Reply, error) {
	answer, err := value.ParseObject(body)
	if err != nil {
		return interaction.Reply{}, fmt.Errorf("read the answer to the question: %w", err)
	}
	action, _ := answer.Field("action").Str()
	switch action {
	case "accept":
		content := answer.Field("content")
		if content.Kind() != value.ObjectKind {
			content = value.FromTree(map[string]any{})
		}
		return interaction.Reply{Answers: answers(v.Form, content), By: "elicitation"}, nil
	case "decline":
		return interaction.Reply{Cancel: true, Reason: "the person declined to answer", By: "elicitation"}, nil
	case "cancel":
		return interaction.Reply{Cancel: true, Reason: "the question was dismissed without an answer", By: "elicitation"}, nil
	}
	return interaction.Reply{}, fmt.Errorf("read the answer to the question: unknown action %q", action)
}

// answers turns switches into lists again. An empty text and an empty list of a
// field that may be left out count as left out: clients send them for what
// nobody filled in.
func answers(form interaction.Form, content value.Value) value.Value {
	tree := map[string]any{}
	for name, v := range content.Fields() {
		tree[name] = v.Tree()
	}
	keys := switchKeys(form)
	for _, f := range form.Fields {
		var chosen []any
		switches := false
		for i, key := range keys[f.ID] {
			on, ok := tree[key].(bool)
			if !ok {
				continue
			}
			switches = true
			delete(tree, key)
			if on {
				chosen = append(chosen, f.Options[i].ID)
			}
		}
		if switches {
			tree[f.ID] = chosen
		}
		if !f.Required && empty(tree[f.ID]) {
			delete(tree, f.ID)
		}
	}
	return value.FromTree(tree)
}

func empty(tree any) bool {
	switch t := tree.(type) {
	case string:
		return t == ""
	case []any:
		return len(t) == 0
	}
	return tree == nil
}
