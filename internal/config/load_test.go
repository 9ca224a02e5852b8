package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func env(pairs ...string) Env {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	home := t.TempDir()
	path := write(t, `
workspace = { roots = ["~/src", "~", "`+filepath.ToSlash(home)+`/x"], mode = "plan" }
approval.baseline = ["network", "write"]
approval.reviewer = ["~/bin/review", "--strict"]
ledger = { folder = "$XDG_STATE_HOME/raw2", retention = "1d12h" }
hooks.folders = ["$XDG_CONFIG_HOME/raw/hooks"]
[mcp.servers.a]
command = "~/bin/a"
args = ["env:ARG", "plain", "~/x"]
env = { TOKEN = "env:A_TOKEN", EMPTY = "env:EMPTY", PLAIN = "~/kept" }
[[mcp.servers.a.panels]]
tool = "t"
id = "i"
title = "T"
[mcp.servers.b]
url = "env:B_URL"
headers.Authorization = "env:B_AUTH"
enabled = false
timeout = "3s"
tools.allow = []
[agents.c]
command = "c"
[acp]
agent = "c"
`)
	got, err := Load(path, env("HOME", home, "USERPROFILE", home, "XDG_CONFIG_HOME", filepath.Join(home, "conf"), "XDG_STATE_HOME", "relative/is/ignored",
		"LOCALAPPDATA", filepath.Join(home, ".local", "state"),
		"ARG", "from env", "A_TOKEN", "secret", "EMPTY", "", "B_URL", "https://b", "B_AUTH", "Bearer x"))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Workspace.Roots = []string{filepath.Join(home, "src"), home, filepath.ToSlash(home) + "/x"}
	want.Workspace.Mode = "plan"
	want.Approval.Baseline = Baseline{"network", "write"}
	want.Approval.Reviewer = []string{filepath.Join(home, "bin", "review"), "--strict"}
	want.Ledger.Folder = filepath.Join(home, ".local", "state", "raw2")
	want.Ledger.Retention = Duration(36 * 3600e9)
	want.Hooks.Folders = []string{filepath.Join(home, "conf", "raw", "hooks")}
	want.MCP.Servers = map[string]Server{
		"a": {
			Command: filepath.Join(home, "bin", "a"), Args: []string{"from env", "plain", filepath.Join(home, "x")},
			Env:     map[string]string{"TOKEN": "secret", "EMPTY": "", "PLAIN": "~/kept"},
			Enabled: true, Timeout: Duration(60e9), Tools: ServerTools{Allow: []string{"*"}},
			Panels: []Panel{{Tool: "t", ID: "i", Title: "T", Icon: "panel", Placement: "sidebar", Open: "never", Context: "none"}},
		},
		"b": {
			URL: "https://b", Headers: map[string]string{"Authorization": "Bearer x"},
			Timeout: Duration(3e9), Tools: ServerTools{Allow: []string{}},
		},
	}
	want.Agents = map[string]Agent{"c": {Command: "c"}}
	want.ACP.Agent = "c"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

const manyForms = `[workspace]
[[tools.rules]]
match = "a"
effect = "allow"
match_examples = ["x", "y"]
no_match_examples = [{ command = "ls" }]

  [[ tools . rules ]] # plain
match = "b"
effect = "ask"
reason = 'why'
match_examples = ["x"]
when = { source = "effects", any = "programs[*].name", regex = "^\\w+\\$" }
[log]
level = "warn"
[[tools.rules]]
match = "c"
effect = "deny"
[bash]
shell = "zsh"
[tools.rules.when]
source = "arguments"
any = "path"
regex = "x"
[[tools.rules]]
match = "d"
effect = "deny"
when.source = "arguments"
when.any = "path"
when.regex = "x"
[[tools.rules]]
match = "e"
effect = "deny"
[[tools.rules.match_examples]]
command = "ls"
`

func TestRulesHaveTheirPlaces(t *testing.T) {
	path := write(t, manyForms)
	cfg, err := Load(path, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	when := &When{Source: "arguments", Any: "path", Regex: "x"}
	want := []Rule{
		{Match: "a", Effect: "allow", MatchExamples: []any{"x", "y"}, NoMatchExamples: []any{map[string]any{"command": "ls"}}, Line: 2, Column: 1},
		{Match: "b", Effect: "ask", Reason: "why", MatchExamples: []any{"x"}, When: &When{Source: "effects", Any: "programs[*].name", Regex: `^\w+\$`}, Line: 8, Column: 3},
		{Match: "c", Effect: "deny", When: when, Line: 16, Column: 1},
		{Match: "d", Effect: "deny", When: when, Line: 25, Column: 1},
		{Match: "e", Effect: "deny", MatchExamples: []any{map[string]any{"command": "ls"}}, Line: 31, Column: 1},
	}
	for i := range want {
		want[i].File = path
	}
	if diff := cmp.Diff(want, cfg.Tools.Rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if cfg.Log.Level != "warn" || cfg.Bash.Shell != "zsh" {
		t.Errorf("log.level, bash.shell between rules = %q, %q, want warn, zsh", cfg.Log.Level, cfg.Bash.Shell)
	}
}

func TestRulesInline(t *testing.T) {
	rules, err := parseRules("law.toml", []byte("tools.rules = [ { match = \"a\", effect = \"ask\" },\n  { match = \"b\", effect = \"deny\" } ]"))
	want := []Rule{
		{Match: "a", Effect: "ask", File: "law.toml", Line: 1, Column: 17},
		{Match: "b", Effect: "deny", File: "law.toml", Line: 2, Column: 3},
	}
	if diff := cmp.Diff(want, rules); err != nil || diff != "" {
		t.Errorf("parseRules: %v (-want +got):\n%s", err, diff)
	}
}

func TestLoadRules(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, ".raw", "law.toml")
	if rules, err := LoadRules(missing); rules != nil || err != nil {
		t.Errorf("LoadRules of a missing file = %v, %v, want no rules", rules, err)
	}
	path := write(t, "[[tools.rules]]\nmatch = \"*\"\neffect = \"deny\"\n")
	rules, err := LoadRules(path)
	if want := []Rule{{Match: "*", Effect: "deny", File: path, Line: 1, Column: 1}}; err != nil || !cmp.Equal(want, rules) {
		t.Errorf("LoadRules = %v, %v, want %v", rules, err, want)
	}
	dangling := filepath.Join(folder, "law.toml")
	if err := os.Symlink(filepath.Join(folder, "gone"), dangling); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if rules, err := LoadRules(dangling); err == nil {
		t.Errorf("LoadRules of a dangling link = %v, want an error: law that cannot be read is not no law", rules)
	}
}

func TestLoadRefusesTheFile(t *testing.T) {
	folder := t.TempDir()
	if _, err := Load(filepath.Join(folder, "none.toml"), noEnv); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a missing file = %v, want ErrNotExist", err)
	}
	if _, err := Load(folder, noEnv); err == nil || !strings.HasSuffix(err.Error(), "it is a folder; name the file in it") {
		t.Errorf("Load of a folder = %v", err)
	}
	big := write(t, strings.Repeat("#\n", maxFile/2)+"#")
	if _, err := Load(big, noEnv); err == nil || err.Error() != big+":1:1: the file is larger than 4 MiB" {
		t.Errorf("Load of a large file = %v", err)
	}
	fits := write(t, strings.Repeat("#\n", maxFile/2))
	if _, err := Load(fits, noEnv); err != nil {
		t.Errorf("Load of a file of 4 MiB = %v", err)
	}
}

func TestSet(t *testing.T) {
	cfg := Default()
	for path, value := range map[string]string{"workspace.mode": "plan", "mcp.catalog": "call", "log.file": "/x"} {
		if err := cfg.Set(path, value); err != nil {
			t.Errorf("Set(%q, %q) = %v", path, value, err)
		}
	}
	want := Default()
	want.Workspace.Mode, want.MCP.Catalog, want.Log.File = "plan", "call", "/x"
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Errorf("after Set (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ path, value, want string }{
		{"workspace.mode", "paln", `set workspace.mode: "paln" is not one of plan, work, operate; did you mean "plan"?`},
		{"workspace.mod", "plan", "set workspace.mod: there is no such key"},
		{"limits.running", "3", "set limits.running: the key takes an integer"},
		{"log.level.x", "3", "set log.level.x: there is no such key"},
	} {
		if err := cfg.Set(c.path, c.value); err == nil || err.Error() != c.want {
			t.Errorf("Set(%q, %q) = %v, want %s", c.path, c.value, err, c.want)
		}
	}
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Errorf("a refused Set changed something (-want +got):\n%s", diff)
	}
}

func TestDuration(t *testing.T) {
	for s, want := range map[string]string{
		"90s": "1m30s", "5m": "5m", "60m": "1h", "30d": "30d", "1d12h": "36h", "0s": "0s", "0d": "0s", "1.5h": "1h30m", "24h": "1d", "10ms": "10ms",
	} {
		d, err := ParseDuration(s)
		if err != nil || d.String() != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %s", s, d, err, want)
		}
		if again, err := ParseDuration(d.String()); again != d || err != nil {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v again", d.String(), again, err, d)
		}
	}
	for _, s := range []string{"", "d", "5", "-5m", "-1d", "1d-2h", "1d5", "1.5d", "12h1d", "110000d", "106751d24h", "1dd", "1 d", "infd"} {
		if d, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", s, d)
		}
	}
}

// emptyIsNil compares what differs only in how an empty list is kept.
var emptyIsNil = cmpopts.EquateEmpty()
