package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

const exampleFile = "../../config.example.toml"

// commentedOut finds the examples: lines that begin with # and no blank.
var commentedOut = regexp.MustCompile(`(?m)^#([^ :\n])`)

func exampleTexts(t *testing.T) (plain, whole string) {
	t.Helper()
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), commentedOut.ReplaceAllString(string(text), "$1")
}

func TestExampleIsTheDefaults(t *testing.T) {
	got, err := Load(exampleFile, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got, emptyIsNil); diff != "" {
		t.Errorf("config.example.toml (-default +file):\n%s", diff)
	}
}

func TestExampleNamesEveryKey(t *testing.T) {
	plain, whole := exampleTexts(t)
	if !strings.HasPrefix(plain, "#:schema docs/config.schema.json\n") {
		t.Error("config.example.toml does not begin with its schema line")
	}
	var inPlain, inWhole map[string]any
	for text, v := range map[string]*map[string]any{plain: &inPlain, whole: &inWhole} {
		if err := toml.Unmarshal([]byte(text), v); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	var walk func(path string, s *shape, plain, whole any, optional bool)
	walk = func(path string, s *shape, plain, whole any, optional bool) {
		switch {
		case s.kind == table:
			p, _ := plain.(map[string]any)
			w := merged(whole)
			for _, k := range s.keys {
				n++
				optional := optional || k.shape.kind == named || k.shape.kind == list && k.shape.elem.kind == table
				if _, ok := w[k.name]; !ok {
					t.Errorf("config.example.toml does not name %s%s", path, k.name)
				} else if _, ok := p[k.name]; !ok && !optional {
					t.Errorf("config.example.toml has %s%s only as an example, want its default", path, k.name)
				}
				walk(path+k.name+".", k.shape, p[k.name], w[k.name], optional)
			}
		case s.kind == named && s.elem.kind == table:
			var all []map[string]any
			for _, v := range whole.(map[string]any) {
				all = append(all, v.(map[string]any))
			}
			walk(path, s.elem, nil, all, true)
		case s.kind == list && s.elem.kind == table:
			walk(path, s.elem, nil, whole, true)
		}
	}
	walk("", shaper{}.of(reflect.TypeFor[Config](), ""), inPlain, inWhole, false)
	if n < 90 {
		t.Errorf("%d keys were looked for, want at least 90", n)
	}
}

// merged joins the tables of an array: an example need not name each key twice.
func merged(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		return v
	case []map[string]any:
		all := map[string]any{}
		for _, m := range v {
			for k, e := range m {
				all[k] = e
			}
		}
		return all
	}
	return nil
}

func TestExampleLoadsWhole(t *testing.T) {
	_, whole := exampleTexts(t)
	got, err := Parse("whole", []byte(whole), env("GITHUB_TOKEN", "g", "REMOTE_TOKEN", "r"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Tools.Rules) != 1 || len(got.Tools.Rules[0].NoMatchExamples) != 2 || got.MCP.Servers["github"].Env["GITHUB_TOKEN"] != "g" {
		t.Errorf("the examples are not in the configuration: %+v", got)
	}
	// What an example shows as an option's value is the default, where there is one.
	bare, err := Parse("bare", []byte("[mcp.servers.github]\ncommand = \"x\"\n[[mcp.servers.github.panels]]\ntool = \"t\"\nid = \"i\"\ntitle = \"t\"\n"), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	shown, def := got.MCP.Servers["github"], bare.MCP.Servers["github"]
	for _, s := range []*Server{&shown, &def} {
		s.Command, s.Args, s.Env = "", nil, nil
		p := &s.Panels[0]
		p.Tool, p.ID, p.Title, p.Actions = "", "", "", nil
	}
	if diff := cmp.Diff(def, shown, emptyIsNil); diff != "" {
		t.Errorf("[mcp.servers.github] of config.example.toml (-default +file):\n%s", diff)
	}
}
