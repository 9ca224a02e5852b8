package main

import (
	"strings"
	"testing"
)

func TestOnlyStartsUs(t *testing.T) {
	for _, tc := range []struct {
		line string // arguments, split by |
		want bool
	}{
		{"sh|-c|raw-mcp serve", true},
		{"/bin/bash|-lc|/opt/raw-mcp serve --root .", true},
		{"node|/usr/lib/node_modules/npm/bin/npx-cli.js|raw-mcp|serve", true},
		{"npx|-y|raw-mcp@1", true},
		{"node|/usr/bin/inspector|--cli|./raw-mcp", false},
		{"claude|--mcp-config|{raw-mcp}", false},
		{"bash", false},
		{"bash|-c|claude --with raw-mcp", false},
		{"bash|start-raw-mcp.sh", false},
	} {
		if got := onlyStartsUs(strings.Split(tc.line, "|")); got != tc.want {
			t.Errorf("onlyStartsUs(%s) = %v, want %v", tc.line, got, tc.want)
		}
	}
}
