package repotest

import (
	"slices"
	"strings"
	"testing"
)

// rule says what the packages that match may import beside the standard
// library. A pattern is a path below the module; a last element * is any one
// element, a last element ... is any number of them, none included.
type rule struct {
	packages []string
	ours     []string // packages of this module
	others   []string // packages of other modules
	exec     bool     // os/exec; everybody else starts processes by internal/proc
}

// anything is for packages that may use whatever library is best.
var anything = []string{"..."}

// leaves import nothing of ours, so that everybody may import them.
var leaves = []string{
	"internal/workspace/...", "internal/proc/...", "internal/atomicfile/...", "internal/lineindex/...",
	"internal/shellparse/...", "internal/patch/...", "internal/ignore/...", "internal/pathglob/...", "internal/walk/...",
	"internal/grepengine/...",
}

// core is what everything but the core and those leaves stands on.
var core = slices.Concat([]string{"contract", "contract/*"}, leaves)

// rules is the direction of imports, from the top down. The first match holds.
var rules = []rule{
	{packages: []string{"cmd/*"}, ours: []string{"..."}, others: anything, exec: true},

	{packages: []string{"mcpserver", "acp"}, ours: slices.Concat(core, []string{"panelbridge"}), others: anything},
	{packages: []string{"panelbridge"}, ours: core},
	{packages: []string{"builtins"}, ours: core, others: []string{
		"github.com/agnivade/levenshtein", "github.com/aymanbagabas/go-udiff",
		"golang.org/x/image/...", "golang.org/x/text/...", "mvdan.cc/sh/v3/syntax",
	}},

	{packages: []string{"contract"}, ours: []string{"contract/*"}},
	{packages: []string{"contract/contracttest"}, ours: []string{"contract", "contract/*"}, others: anything},
	{packages: []string{"contract/*"}, ours: []string{"contract/*"}, others: anything},

	{packages: []string{"internal/cli"}, ours: slices.Concat(core, []string{"internal/*"}), others: anything},
	{packages: []string{"internal/app"}, ours: slices.Concat(core, []string{"builtins", "internal/*"}), others: anything},
	{packages: []string{"internal/proc"}, ours: []string{"internal/proc/*"}, others: anything, exec: true},
	{packages: []string{"internal/walk"}, ours: []string{"internal/ignore", "internal/pathglob"}, others: anything},
	{packages: leaves, others: anything},
	{packages: []string{"internal/config/schemagen"}, ours: []string{"internal/config"}, others: anything},
	{packages: []string{"internal/wiretest"}, others: anything, exec: true},
	{packages: []string{"internal/repotest", "internal/interop"}},
	{packages: []string{"internal/*"}, ours: core, others: anything},
}

func TestImportDirection(t *testing.T) {
	module := module(t)
	for _, p := range load(t) {
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.packages, p.path) })
		if i < 0 {
			t.Errorf("package %s has no rule: say in rules what it may import", p.path)
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, path := range f.imports() {
				if !rules[i].allows(module, path) {
					t.Errorf("%s: package %s may not import %s", f.name, p.path, path)
				}
			}
		}
	}
}

func (r rule) allows(module, path string) bool {
	if ours, ok := strings.CutPrefix(path, module+"/"); ok {
		return matches(r.ours, ours)
	}
	first, _, _ := strings.Cut(path, "/")
	switch {
	case strings.Contains(first, "."): // a host: not the standard library
		return matches(r.others, path)
	case path == "os/exec":
		return r.exec
	}
	return true
}

func TestRules(t *testing.T) {
	cases := []struct {
		pattern, path string
		want          bool
	}{
		{"contract", "contract", true},
		{"contract", "contract/value", false},
		{"contract/*", "contract", false},
		{"contract/*", "contract/value", true},
		{"contract/*", "contract/value/x", false},
		{"internal/proc/...", "internal/proc", true},
		{"internal/proc/...", "internal/proc/termtext", true},
		{"internal/proc/...", "internal/process", false},
		{"...", "builtins", true},
	}
	for _, tc := range cases {
		if got := matches([]string{tc.pattern}, tc.path); got != tc.want {
			t.Errorf("matches(%q, %q) = %v, want %v", tc.pattern, tc.path, got, tc.want)
		}
	}
	allows := []struct {
		packages, path string
		want           bool
	}{
		{"contract", "fmt", true},
		{"contract", "raw/contract/value", true},
		{"contract", "raw/internal/workspace", false},
		{"contract", "raw/mcpserver", false},
		{"contract", "golang.org/x/sync/errgroup", false},
		{"contract/policy", "raw/contract", false},
		{"contract/policy", "raw/contract/predicate", true},
		{"contract/schema", "github.com/santhosh-tekuri/jsonschema/v6", true},
		{"builtins", "raw/mcpserver", false},
		{"builtins", "raw/internal/app", false},
		{"builtins", "os/exec", false},
		{"builtins", "golang.org/x/image/draw", true},
		{"builtins", "github.com/mark3labs/mcp-go/mcp", false},
		{"mcpserver", "raw/builtins", false},
		{"mcpserver", "raw/acp", false},
		{"internal/workspace", "raw/internal/atomicfile", false},
		{"internal/app", "raw/mcpserver", false},
		{"internal/app", "raw/builtins", true},
		{"cmd/raw-mcp", "raw/mcpserver", true},
	}
	for _, tc := range allows {
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.packages, tc.packages) })
		if got := rules[i].allows("raw", tc.path); got != tc.want {
			t.Errorf("%s may import %s: %v, want %v", tc.packages, tc.path, got, tc.want)
		}
	}
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		parent, last := "", pattern
		if i := strings.LastIndex(pattern, "/"); i >= 0 {
			parent, last = pattern[:i], pattern[i+1:]
		}
		below, ok := strings.CutPrefix(path, parent+"/")
		switch last {
		case "*":
			return ok && below != "" && !strings.Contains(below, "/")
		case "...":
			return parent == "" || ok || path == parent
		}
		return path == pattern
	})
}
