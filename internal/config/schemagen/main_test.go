package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/jsonschema-go/jsonschema"
)

func schema(t *testing.T) []byte {
	t.Helper()
	text, err := generate("../config.go")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCommittedSchemaIsCurrent(t *testing.T) {
	committed, err := os.ReadFile("../../../docs/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, schema(t)) {
		t.Error("docs/config.schema.json is not what the types say; run go generate ./internal/config")
	}
}

func TestSchemaJudges(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema(t), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("Resolve of the schema: %v", err)
	}
	example, err := os.ReadFile("../../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"example", string(example), true},
		{"whole example", regexp.MustCompile(`(?m)^#([^ :\n])`).ReplaceAllString(string(example), "$1"), true},
		{"unknown key", "limits.runing = 1", false},
		{"closed list", `workspace.mode = "yolo"`, false},
		{"range", "agent_limits.running = 129", false},
		{"type", `limits.barrier = "yes"`, false},
		{"duration", `approval.timeout = "soon"`, false},
		{"baseline without network", `approval.baseline = ["write"]`, false},
		{"baseline", `approval.baseline = ["network", "write"]`, true},
		{"named agent", `acp.agent = "mine"`, true},
		{"missing key", `tools.rules = [{ match = "x" }]`, false},
	} {
		var v map[string]any
		if err := toml.Unmarshal([]byte(c.text), &v); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var instance any
		if err := json.Unmarshal(text, &instance); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(instance); (err == nil) != c.ok {
			t.Errorf("%s: Validate = %v, want ok %v", c.name, err, c.ok)
		}
	}
}

func TestProgramsDoNotCarryTheGenerator(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", "raw/internal/config").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(deps, []byte("\ngithub.com/BurntSushi/toml\n")) {
		t.Fatalf("go list names no decoder: %s", deps)
	}
	if bytes.Contains(deps, []byte("jsonschema-go")) {
		t.Error("internal/config imports jsonschema-go; only schemagen may")
	}
}

func TestEveryKeyIsDescribed(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema(t), &s); err != nil {
		t.Fatal(err)
	}
	n := 0
	var walk func(path string, s *jsonschema.Schema)
	walk = func(path string, s *jsonschema.Schema) {
		for name, p := range s.Properties {
			n++
			if p.Description == "" {
				t.Errorf("%s%s has no description: comment its field", path, name)
			}
			walk(path+name+".", p)
		}
		for _, below := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
			if below != nil {
				walk(path, below)
			}
		}
	}
	walk("", &s)
	if n < 90 {
		t.Errorf("the schema has %d keys, want at least 90", n)
	}
}
