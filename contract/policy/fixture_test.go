package policy

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"raw/contract/predicate"
	"raw/contract/schema"
	"raw/contract/value"
)

const (
	commandSchema = `{"type":"object","additionalProperties":false,"required":["command"],"properties":{"command":{"type":"string"}}}`
	pathSchema    = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{"path":{"type":"string"}}}`

	commandEffects = `{"type":"object","properties":{
		"programs":{"items":{"properties":{"name":{"type":"string"},"command":{"type":"string"}}}},
		"files":{"items":{"properties":{"path":{"type":"string"}}}},
		"unknown":{"items":{"type":"string"}}}}`
	fileEffects = `{"type":"object","properties":{"files":{"items":{"properties":{"path":{"type":"string"}}}}}}`
)

// commands stands for what a shell tool declares: the programs of a chain, and
// a program that a variable names is not known.
func commands(args value.Object) (predicate.Input, error) {
	text, ok := args.Field("command").Str()
	if !ok {
		return predicate.Input{}, fmt.Errorf("/command: missing")
	}
	var programs []map[string]string
	var unknown []string
	for command := range strings.SplitSeq(text, ";") {
		command = strings.TrimSpace(command)
		name, _, _ := strings.Cut(command, " ")
		if strings.HasPrefix(name, "$") {
			unknown = []string{"programs[*].name", "programs[*].command"}
			continue
		}
		if fixed, _, cut := strings.Cut(command, "$"); cut {
			unknown = append(unknown, fmt.Sprintf("programs[%d].command:%d", len(programs), len(fixed)))
		}
		programs = append(programs, map[string]string{"name": name, "command": command})
	}
	effects, err := value.Of(map[string]any{"programs": programs, "unknown": unknown})
	return predicate.Input{Arguments: args, Effects: []value.Object{effects}}, err
}

func files(args value.Object) (predicate.Input, error) {
	path, ok := args.Field("path").Str()
	if !ok {
		return predicate.Input{}, fmt.Errorf("/path: missing")
	}
	effects, err := value.Of(map[string]any{"files": []map[string]string{{"path": path}}})
	return predicate.Input{Arguments: args, Effects: []value.Object{effects}}, err
}

// schemas remembers, since thousands of policies are bound to the same tools.
var schemas sync.Map

func compiled(src string) (*schema.Schema, error) {
	if s, ok := schemas.Load(src); ok {
		return s.(*schema.Schema), nil
	}
	s, err := schema.Compile(schema.Source(src))
	if err == nil {
		schemas.Store(src, s)
	}
	return s, err
}

func tool(identity, input, effects, only string, prepare func(value.Object) (predicate.Input, error)) Tool {
	return Tool{
		Identity: identity,
		Sources: func() (s predicate.Sources, err error) {
			if s.Arguments, err = compiled(input); err != nil || effects == "" {
				return s, err
			}
			s.Effects, err = compiled(effects)
			return s, err
		},
		OnlyString: func() string { return only },
		Prepare:    prepare,
	}
}

func tools() []Tool {
	return []Tool{
		tool("builtin/bash", commandSchema, commandEffects, "command", commands),
		tool("builtin/process", commandSchema, commandEffects, "command", commands),
		tool("builtin/read", pathSchema, fileEffects, "path", files),
		tool("builtin/write", pathSchema, fileEffects, "path", files),
		tool("builtin/todo_write", `{"type":"object"}`, "", "", nil),
		tool("mcp/hub/search", `{"type":"object","properties":{"query":{"type":"string"}}}`, "", "", nil),
	}
}

func when(source, path, regex string) *predicate.Predicate {
	return &predicate.Predicate{Source: source, Any: path, Regex: regex}
}

func program(regex string) *predicate.Predicate { return when("effects", "programs[*].name", regex) }

func command(regex string) *predicate.Predicate { return when("effects", "programs[*].command", regex) }
func file(regex string) *predicate.Predicate    { return when("effects", "files[*].path", regex) }

// set compiles rules and gives the nth the line n.
func set(t testing.TB, layer Layer, rules ...Rule) *Set {
	t.Helper()
	for i := range rules {
		rules[i].Pos = Position{strings.ReplaceAll(layer.String(), " ", "-") + ".toml", i + 1, 1}
	}
	s, err := Compile(layer, rules)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func bind(t testing.TB, sets ...*Set) *Policy {
	t.Helper()
	p, err := Bind(tools(), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func call(t testing.TB, identity, text string) predicate.Input {
	t.Helper()
	for _, tl := range tools() {
		if tl.Identity == identity && tl.OnlyString() != "" {
			in, err := tl.prepare(text)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
	}
	return predicate.Input{}
}

// brief is a decision in one line: effect, position of the rule, what decided.
func brief(d Decision) string {
	text := string(d.Effect)
	if d.Explicit {
		text += " explicitly"
	}
	if d.Rule != nil {
		text += " " + d.Rule.Pos.String()
	}
	if d.Path != "" && d.Unknown == "" {
		text += fmt.Sprintf(" %s=%s", d.Path, d.Value)
	}
	if d.Unknown != "" {
		text += fmt.Sprintf(" unknown %s=%s", d.Unknown, d.Value)
	}
	return text
}
