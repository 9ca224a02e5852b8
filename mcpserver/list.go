package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
	"raw/contract/schema"
)

// maxText bounds descriptions and instructions: hosts cut at about 4,096
// characters.
const maxText = 4000

// list is the catalog as this request's client gets it.
func list(ctx context.Context, session *contract.Session, configured Catalog) []mcp.Tool {
	name, modern := clientOf(ctx)
	catalog := catalogFor(configured, name, modern)
	var active []string
	if catalog == CatalogListed {
		active = session.Active("") // these clients have one conversation
	}
	specs := served(session.Specs(), catalog, active)
	apps := hasApps(declared(ctx))
	if apps {
		specs = append(specs, appSpecs()...)
	}
	tools := make([]mcp.Tool, 0, len(specs))
	for _, s := range specs {
		t := describe(s, catalog)
		if ui := uiMeta(s); apps && ui != nil {
			t.Meta = withUI(t.Meta, ui)
		}
		tools = append(tools, t)
	}
	return tools
}

// Listed is a tool of a catalog, and its definition as in tools/list.
type Listed struct {
	contract.Spec
	Definition json.RawMessage
}

// List is the catalog as a new client gets it. CatalogAuto is that of an
// unknown client.
func List(session *contract.Session, catalog Catalog) ([]Listed, error) {
	catalog = catalogFor(catalog, "", false)
	var list []Listed
	for _, s := range served(session.Specs(), catalog, nil) {
		body, err := encode(describe(s, catalog))
		if err != nil {
			return nil, fmt.Errorf("encode tool %s: %w", s.Name, err)
		}
		list = append(list, Listed{s, body})
	}
	return list, nil
}

// describe is a tool as MCP shows it.
func describe(s contract.Spec, catalog Catalog) mcp.Tool {
	t := mcp.Tool{
		Name:           s.Name,
		Title:          s.Title,
		Description:    clip(s.Description, maxText),
		RawInputSchema: compact(s.Input),
		Annotations:    annotations(s),
	}
	if catalog == CatalogNative {
		if !s.Deferred {
			t.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
		} else {
			t.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/searchHint": s.Snippet})
		}
	}
	return t
}

// annotations are all four hints, true to the class.
func annotations(s contract.Spec) mcp.ToolAnnotation {
	readOnly, destructive, open := false, true, true
	switch s.Class {
	case contract.ClassRead:
		readOnly, destructive, open = true, false, false
	case contract.ClassWrite:
		open = false
	case contract.ClassSession:
		destructive, open = false, false
	case contract.ClassNetwork:
		destructive = false
	}
	idempotent := s.Idempotent
	return mcp.ToolAnnotation{ReadOnlyHint: &readOnly, DestructiveHint: &destructive, IdempotentHint: &idempotent, OpenWorldHint: &open}
}

// instructions tell the model about the tools that are active at first, once
// each, most important first.
func instructions(specs []contract.Spec, notes []string) string {
	var lines []string
	seen := map[string]bool{}
	add := func(line string) {
		if line != "" && !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	for _, s := range specs {
		if s.Snippet != "" {
			add("- " + s.Name + ": " + s.Snippet)
		}
	}
	for _, s := range specs {
		for _, g := range s.Guidelines {
			add("- " + g)
		}
	}
	for _, n := range notes {
		add(n)
	}
	return clip(strings.Join(lines, "\n"), maxText)
}

// clip cuts s to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// compact is a schema without the blanks it is written with.
func compact(s schema.Source) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return json.RawMessage(s)
	}
	return b.Bytes()
}
