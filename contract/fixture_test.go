package contract_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"raw/contract"
	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/value"
)

const effectsSchema = `{
	"type": "object", "additionalProperties": false, "required": ["files"],
	"properties": {
		"files": {"type": "array", "items": {"type": "object", "required": ["path"], "properties": {
			"path": {"type": "string", "format": "path"}, "operation": {"type": "string"}}}},
		"programs": {"type": "array", "items": {"type": "object", "properties": {
			"name": {"type": "string"}, "command": {"type": "string"}}}},
		"unknown": {"type": "array", "items": {"type": "string"}}
	}
}`

// pathTool declares that it opens args.path and records what its handler saw.
func pathTool(name string, class contract.Class, seen *[]*contract.Call) contract.Tool {
	return contract.Tool{
		Identity: contract.Identity("builtin/" + name), Name: name, Description: "A fixture.", Class: class,
		Input:         `{"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string","minLength":1}}}`,
		EffectsSource: effectsSchema,
		Effects: func(args value.Object, cwd string) (value.Object, error) {
			p, _ := args.Field("path").Str()
			switch p {
			case "panic":
				panic("a descriptor's panic")
			case "relative":
				return value.Of(map[string]any{"files": []any{map[string]any{"path": "relative"}}})
			case "wrong":
				return value.Of(map[string]any{"files": "none"})
			case "big":
				return value.Of(map[string]any{"files": []any{map[string]any{"path": "/" + strings.Repeat("x", 70_000)}}})
			}
			if !path.IsAbs(p) {
				p = path.Join(cwd, p)
			}
			return value.Of(map[string]any{"files": []any{map[string]any{"path": path.Clean(p), "operation": "write"}}})
		},
		Run: func(_ context.Context, c *contract.Call) contract.Result {
			if seen != nil {
				*seen = append(*seen, c)
			}
			return contract.Succeeded("done")
		},
	}
}

// plainTool has no effects and runs run.
func plainTool(name string, class contract.Class, run func(context.Context, *contract.Call) contract.Result) contract.Tool {
	if run == nil {
		run = func(context.Context, *contract.Call) contract.Result { return contract.Succeeded("done") }
	}
	return contract.Tool{
		Identity: contract.Identity("builtin/" + name), Name: name, Description: "A fixture.", Class: class,
		Input: `{"type":"object"}`, Run: run,
	}
}

// world is a workspace of names only: /w is the root, /w/link leads to
// /out/file, and /w/loop cannot be resolved.
type world struct {
	workspace *contract.Workspace
	asked     int
}

func newWorld(law ...*policy.Set) *world {
	return &world{workspace: &contract.Workspace{
		Cwd: "/w", Roots: []string{"/w"}, Spelled: []string{"/w"}, Law: law,
		Resolve: func(p string) (contract.Path, error) {
			if p == "/w/loop" {
				return contract.Path{}, errLoop
			}
			r := contract.Path{Lexical: p, Real: p, Exists: true, Inode: 1}
			if p == "/w/link" {
				r.Real = "/out/file"
			}
			if strings.HasPrefix(r.Real, "/w/") || r.Real == "/w" {
				r.Root = "/w"
			}
			return r, nil
		},
	}}
}

func (w *world) Workspace(context.Context) (*contract.Workspace, error) {
	w.asked++
	if w.workspace == nil {
		return nil, errNoWorkspace
	}
	return w.workspace, nil
}

func (w *world) RootsChanged() {}

func rules(t *testing.T, layer policy.Layer, list ...policy.Rule) *policy.Set {
	t.Helper()
	for i := range list {
		list[i].Pos = policy.Position{File: layer.String() + ".toml", Line: i + 1, Column: 1}
	}
	s, err := policy.Compile(layer, list)
	if err != nil {
		t.Fatalf("compile rules: %v", err)
	}
	return s
}

func when(any, regex string) *predicate.Predicate {
	return &predicate.Predicate{Source: "effects", Any: any, Regex: regex}
}
