package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestReadmeSnippets shows that each host's snippet is well formed and starts
// the server with flags that it has.
func TestReadmeSnippets(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```(json|toml|sh)\n(.*?)```")
	found := map[string]int{}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		kind, body := m[1], m[2]
		var args []string
		switch {
		case kind == "json":
			var config any
			if err := json.Unmarshal([]byte(body), &config); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			args = commandLine(config)
		case kind == "sh":
			_, line, _ := strings.Cut(body, " -- ")
			args = strings.Fields(line)
		case strings.Contains(body, "mcp_servers"):
			var config map[string]any
			if err := toml.Unmarshal([]byte(body), &config); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			args = commandLine(config)
		default:
			continue
		}
		found[kind]++
		if len(args) < 2 || args[0] != "/path/to/raw-mcp" || args[1] != "serve" {
			t.Errorf("%s starts %q", body, args)
			continue
		}
		root := (&program{}).command()
		c, rest, err := root.Find(args[1:])
		if err != nil || c.Name() != "serve" {
			t.Errorf("%q: no such command: %v", args, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if found["json"] != 6 || found["toml"] != 1 || found["sh"] != 1 {
		t.Errorf("snippets found: %v", found)
	}
}

// commandLine finds command and args in a host's configuration.
func commandLine(v any) []string {
	switch v := v.(type) {
	case map[string]any:
		if command, ok := v["command"].(string); ok {
			line := []string{command}
			list, _ := v["args"].([]any)
			for _, a := range list {
				line = append(line, a.(string))
			}
			return line
		}
		for _, inner := range v {
			if line := commandLine(inner); line != nil {
				return line
			}
		}
	}
	return nil
}
