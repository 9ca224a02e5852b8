// Package contracttest holds the checks that every tool and every surface must
// pass. It is for tests only.
package contracttest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"raw/contract"
	"raw/contract/schema"
	"raw/contract/value"
)

// Example is a call of a tool that its schema accepts.
type Example struct {
	Tool      string
	Arguments string
}

var wireName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,47}$`)

// CheckTools checks the declarations of tools and runs each example as far as
// the descriptor of effects: twice, in dir, whose content must not change. Each
// tool needs an example.
func CheckTools(t *testing.T, tools []contract.Tool, dir string, examples []Example) {
	t.Helper()
	if _, err := contract.Open(contract.Options{Tools: tools}); err != nil {
		t.Fatalf("open a session with the tools: %v", err)
	}
	for _, tool := range tools {
		t.Run(tool.Name, func(t *testing.T) {
			checkDeclaration(t, tool)
			n := 0
			for _, e := range examples {
				if e.Tool == tool.Name {
					n++
					checkEffects(t, tool, dir, e.Arguments)
				}
			}
			if n == 0 {
				t.Errorf("no example")
			}
		})
	}
}

func checkDeclaration(t *testing.T, tool contract.Tool) {
	t.Helper()
	if !wireName.MatchString(tool.Name) {
		t.Errorf("name %q does not match %s", tool.Name, wireName)
	}
	if n := utf8.RuneCountInString(tool.Description); n > 4000 {
		t.Errorf("description of %d characters; hosts cut at 4,000", n)
	}
	if strings.Contains(tool.Snippet, "\n") {
		t.Errorf("snippet %q has more than one line", tool.Snippet)
	}
	if strings.TrimSpace(tool.Snippet) == "" {
		t.Errorf("no snippet")
	}
	if _, err := schema.Compile(tool.Input); err != nil {
		t.Errorf("input schema: %v", err)
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal([]byte(tool.Input), &root); err != nil {
		t.Fatalf("input schema: %v", err)
	}
	if string(root["type"]) != `"object"` || string(root["additionalProperties"]) != "false" {
		t.Errorf("input schema: the root must be a closed object")
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "not", "if", "$ref"} {
		if root[keyword] != nil {
			t.Errorf("input schema: %s at the root; hosts drop such tools", keyword)
		}
	}
	if strings.Contains(string(tool.Input), "$ref") {
		t.Errorf("input schema: $ref; hosts do not resolve it")
	}
	if tool.EffectsSource != "" {
		if _, err := schema.Compile(tool.EffectsSource); err != nil {
			t.Errorf("effects schema: %v", err)
		}
	}
}

func checkEffects(t *testing.T, tool contract.Tool, dir, arguments string) {
	t.Helper()
	args, err := value.ParseObject([]byte(arguments))
	if err != nil {
		t.Fatalf("example %s: %v", arguments, err)
	}
	in, err := schema.Compile(tool.Input)
	if err != nil {
		t.Fatal(err)
	}
	if faults := in.Validate(args.Value); len(faults) > 0 {
		t.Fatalf("example %s is not valid: %v", arguments, faults)
	}
	if tool.Effects == nil {
		return
	}
	before := listing(t, dir)
	first, err := tool.Effects(args, dir)
	if err != nil {
		t.Fatalf("effects of %s: %v", arguments, err)
	}
	second, err := tool.Effects(args, dir)
	if err != nil {
		t.Fatalf("effects of %s, again: %v", arguments, err)
	}
	if first.JSON() != second.JSON() {
		t.Errorf("effects of %s differ from call to call:\n%s\n%s", arguments, first.JSON(), second.JSON())
	}
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("effects of %s changed the folder: %q, before %q", arguments, after, before)
	}
	out, err := schema.Compile(tool.EffectsSource)
	if err != nil {
		t.Fatal(err)
	}
	if faults := out.Validate(first.Value); len(faults) > 0 {
		t.Errorf("effects of %s are not valid: %v", arguments, faults)
	}
	for _, p := range out.Paths(first.Value) {
		if !filepath.IsAbs(p.Text) || filepath.Clean(p.Text) != p.Text {
			t.Errorf("effects of %s: %s is %q, want an absolute, cleaned path", arguments, p.Pointer, p.Text)
		}
	}
}

// listing is every path below dir with its size and time.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out = append(out, path+" "+info.Mode().String()+" "+info.ModTime().String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Client is the far side of a surface: it makes a call over the wire and tells
// what came back.
type Client interface {
	// Call returns when the answer is there or ctx has ended; in that case
	// the call was cancelled the way the protocol has it.
	Call(ctx context.Context, tool, arguments string) (Answer, error)
}

// Answer is a result as it came over the wire.
type Answer struct {
	Text    string // all text, blocks joined by a newline
	Blocks  []string
	IsError bool
	Code    string // as told beside the text
	Kind    string
}
