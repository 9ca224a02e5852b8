package builtins

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"raw/contract"
)

type toolSearchInput struct {
	Query      string `json:"query"`
	Match      string `json:"match"`
	MaxResults int    `json:"max_results"`
}

// toolSearchTool finds the tools that no list holds.
func toolSearchTool() contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/tool_search",
		Name:     "tool_search",
		Title:    "Find more tools",
		Description: "Find tools beyond this list by what they do, such as finding files, patching many, asking the person. " +
			"query is task words, or with match regex an RE2 pattern on names and descriptions. " +
			"Returns up to max_results (1-8, default 8) with description and schema; they can then be called.",
		Snippet:    "find tools for anything these do not do",
		Guidelines: []string{"Search before you say that something cannot be done here."},
		Class:      contract.ClassSession,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["query"],
			"properties": {
				"query": {"type": "string", "minLength": 1, "maxLength": 500},
				"match": {"enum": ["bm25", "regex"]},
				"max_results": {"type": "integer", "minimum": 1, "maximum": 8}
			}
		}`,
		Idempotent: true,
		Undeniable: true,
	}, nil, runToolSearch)
}

func runToolSearch(_ context.Context, c *contract.Call, in toolSearchInput) contract.Result {
	found, names, err := c.Find(contract.Query{Text: in.Query, Regex: in.Match == "regex", Max: in.MaxResults})
	if err != nil {
		return contract.Failed(contract.CodeInvalidArguments, "/query: "+err.Error())
	}
	if len(found) == 0 {
		return contract.Succeeded(nothingFound(in.Query, names))
	}
	var b strings.Builder
	for _, f := range found {
		describeFound(&b, c, f)
	}
	fmt.Fprintf(&b, "[%d of %d tools beyond the list]", len(found), len(names))
	if note := c.FindNote(); note != "" {
		b.WriteString("\n[" + note + "]")
	}
	return contract.Succeeded(b.String())
}

// maxNamed is how many names an empty result lists.
const maxNamed = 40

func nothingFound(query string, names []string) string {
	if len(names) == 0 {
		return "[there are no tools beyond the list, or a rule denies them]"
	}
	shown := names[:min(len(names), maxNamed)]
	text := fmt.Sprintf("[nothing fits %s among %d tools beyond the list; there are: %s", visibleName(query), len(names), strings.Join(shown, ", "))
	if left := len(names) - len(shown); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text + "]"
}

// describeFound writes all that a model needs to call a tool.
func describeFound(b *strings.Builder, c *contract.Call, f contract.Found) {
	fmt.Fprintf(b, "%s", f.Name)
	if f.Snippet != "" {
		fmt.Fprintf(b, ": %s", f.Snippet)
	}
	fmt.Fprintf(b, "\n%s\n", f.Description)
	for _, g := range f.Guidelines {
		fmt.Fprintf(b, "- %s\n", g)
	}
	var input bytes.Buffer
	if json.Compact(&input, []byte(f.Input)) != nil {
		input.WriteString(string(f.Input))
	}
	fmt.Fprintf(b, "input schema: %s\n", input.String())
	if f.Left != "" {
		fmt.Fprintf(b, "not active: %s\n", f.Left)
	}
	fmt.Fprintf(b, "call it: %s\n\n", c.Written(f.Name, "{…}"))
}
