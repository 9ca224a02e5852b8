package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines is the text of err, which must be nil or a *FaultError.
func lines(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var faults *FaultError
	if !errors.As(err, &faults) {
		t.Fatalf("error is a %T, want a *FaultError: %v", err, err)
	}
	return strings.Split(err.Error(), "\n")
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"byte order mark", "\ufeffworkspace.mode = \"plan\"\n", nil},
		{"column after a byte order mark", "\ufeffx = 1\n", []string{
			`f:1:1: unknown key x; known here: workspace, tools, approval, hooks, bash, commitment, web, limits, ledger, mcp, acp, agents, agent_limits, log`,
		}},
		{"nearest key", "[limits]\nruning = 3\n", []string{
			`f:2:1: unknown key limits.runing; did you mean limits.running?`,
		}},
		{"key of another table", "mode = \"plan\"\n", []string{
			`f:1:1: unknown key mode; did you mean workspace.mode?`,
		}},
		{"wrong case", "[LIMITS]\nrunning = 3\nanything = 4\n", []string{
			`f:1:2: unknown key LIMITS; did you mean limits?`,
		}},
		{"several at once", "[workspace]\nmode = \"wrk\"\nroots = \"~/src\"\n\n[agent_limits]\nrunning = 129\ndepth = 2.5\n\n[log]\nlevel = \"loud\"\ncolour = true\n", []string{
			`f:2:8: workspace.mode: "wrk" is not one of plan, work, operate; did you mean "work"?`,
			`f:3:9: workspace.roots: expected an array, found a string`,
			`f:6:11: agent_limits.running: 129 is out of range; it can be 1 to 128`,
			`f:7:9: agent_limits.depth: expected an integer, found a float`,
			`f:10:9: log.level: "loud" is not one of debug, info, warn, error`,
			`f:11:1: unknown key log.colour; known here: level, format, file`,
		}},
		{"closed lists", "mcp.catalog = \"list\"\nmcp.protocol = \"new\"\nacp.write_through = \"\"\nlog.format = \"jsn\"\nworkspace.posture = \"yolo\"\n", []string{
			`f:1:15: mcp.catalog: "list" is not one of auto, native, listed, call; did you mean "listed"?`,
			`f:2:16: mcp.protocol: "new" is not one of auto, legacy`,
			`f:3:21: acp.write_through: "" is not one of disk, editor`,
			`f:4:14: log.format: "jsn" is not one of text, json; did you mean "json"?`,
			`f:5:21: workspace.posture: "yolo" is not one of ask, auto-review, full-access`,
		}},
		{"ranges", "[limits]\nrunning = 0\noutput_chars = 999\nhost_call_seconds = -1\nline_mib = 99999999999999999999\n", []string{
			`f:2:11: limits.running: 0 is out of range; it can be 1 to 1024`,
			`f:3:16: limits.output_chars: 999 is out of range; it can be 1000 to 10000000`,
			`f:4:21: limits.host_call_seconds: -1 is out of range; it can be 0 to 86400`,
			`f:5:12: limits.line_mib: 99999999999999999999 is out of range; it can be 1 to 1024`,
		}},
		{"durations", "approval.timeout = \"soon\"\nbash.timeout = 120\nledger.retention = \"5m\"\nagent_limits.deadline = \"2d\"\n", []string{
			`f:1:20: approval.timeout: "soon" is no duration; write one like "90s", "5m" or "30d"`,
			`f:2:16: bash.timeout: expected a duration such as "90s", found an integer`,
			`f:3:20: ledger.retention: 5m is too short; the least is 1h`,
			`f:4:25: agent_limits.deadline: 2d is too long; the most is 1d`,
		}},
		{"inside arrays and inline tables", "[[tools.rules]]\nmatch = \"*\"\neffect = \"ask\"\nwhen = { source = \"arguments\", any = \"x\", regx = \"y\" }\n[mcp.servers.\"a b\"]\ncommand = \"x\"\ntools = { allow = [1, \"b\"], denny = [] }\n", []string{
			`f:4:8: tools.rules.when.regex is missing`,
			`f:4:43: unknown key tools.rules.when.regx; did you mean tools.rules.when.regex?`,
			`f:7:20: mcp.servers."a b".tools.allow: expected a string, found an integer`,
			`f:7:29: unknown key mcp.servers."a b".tools.denny; did you mean mcp.servers."a b".tools.deny?`,
		}},
		{"missing keys", "  [[tools.rules]]\nmatch = \"*\"\n[agents.a]\n", []string{
			`f:1:3: tools.rules.effect is missing`,
			`f:3:1: agents.a.command is missing`,
		}},
		{"tables of the wrong form", "[tools.rules]\n[[limits]]\n[log.level]\nbash = 1\n[hooks]\nuse.x = 1\n", []string{
			`f:1:1: tools.rules: expected an array of tables, found a table`,
			`f:2:1: limits: expected a table, found an array of tables`,
			`f:3:1: log.level: expected a string, found a table`,
			`f:6:1: hooks.use: expected an array, found a table`,
		}},
		{"duplicates", "[log]\nlevel = \"info\"\nlevel = \"warn\"\n[limits]\n[log]\nformat = \"text\"\nformat = \"json\"\n", []string{
			`f:3:1: log.level is already set in line 2`,
			`f:5:1: log is already set in line 1`,
			`f:7:1: log.format is already set in line 6`,
		}},
		{"added to an inline table", "acp = { agent = \"none\" }\n[acp.x]\n", []string{
			`f:2:2: acp is already set in line 1`,
		}},
		{"rules in two forms", "[tools]\nrules = []\n[[tools.rules]]\nmatch = \"*\"\neffect = \"ask\"\n", []string{
			`f:3:1: tools.rules is already set in line 2`,
		}},
		{"examples of the wrong form", "[[tools.rules]]\nmatch = \"*\"\neffect = \"ask\"\nmatch_examples.x = 1\nno_match_examples = [1]\n[tools.rules.when]\n[tools.rules.no_match_examples.x]\n", []string{
			`f:4:1: tools.rules.match_examples: expected an array, found a table`,
			`f:5:22: tools.rules.no_match_examples: expected a string or a table of arguments, found an integer`,
			`f:6:1: tools.rules.when.source is missing`,
			`f:6:1: tools.rules.when.any is missing`,
			`f:6:1: tools.rules.when.regex is missing`,
			`f:7:14: tools.rules.no_match_examples is already set in line 5`,
		}},
		{"below cut rules, found by the decoder", "[log]\n[[tools.rules]]\nmatch = \"a\"\neffect = \"ask\"\n[[tools.rules]]\nmatch = \"b\"\neffect = \"ask\"\nmatch_examples = [{ x = 1, x = 2 }]\n", []string{
			`f:8:28: Key 'tools.rules.match_examples.x' has already been defined.`,
		}},
		{"syntax", "[log]\nlevel = \"inf\"\nformat = \"text\n", []string{
			`f:2:9: log.level: "inf" is not one of debug, info, warn, error; did you mean "info"?`,
			`f:3:15: basic strings cannot have new lines`,
		}},
		{"unquoted duration", "bash.timeout = 20s\n", []string{`f:1:18: strings must be quoted`}},
		{"columns are characters", "bash.env = [\"ä\", 1]\n", []string{`f:1:18: bash.env: expected a string, found an integer`}},
		{"baseline", "approval.baseline = [\"write\", \"exek\", 1]\n", []string{
			`f:1:10: approval.baseline: "network" cannot be left out`,
			`f:1:31: approval.baseline: "exek" is not one of network, outside, write, exec, agent, external; did you mean "exec"?`,
			`f:1:39: approval.baseline: expected a class, found an integer`,
		}},
		{"baseline word", "approval.baseline = \"all\"\n", []string{`f:1:21: approval.baseline: expected "auto" or an array of classes, found "all"`}},
		{"agent that is not there", "acp.agent = \"claud\"\n[agents.claude]\ncommand = \"c\"\n", []string{
			`f:1:13: acp.agent: "claud" is not one of auto, none, claude; did you mean "claude"?`,
		}},
		{"two default agents", "[agents.a]\ncommand = \"a\"\ndefault = true\n[agents.b]\ncommand = \"b\"\ndefault = true\n", []string{
			`f:6:1: a second agent with default = true; keep one`,
		}},
		{"server without a way", "[mcp.servers.a]\nenabled = false\n[mcp.servers.b]\ncommand = \"b\"\nurl = \"http://b\"\n", []string{
			`f:1:1: mcp.servers.a has neither command nor url`,
			`f:3:1: mcp.servers.b has both command and url; keep one`,
		}},
		{"relative folders", "workspace.roots = [\"src\", \"\"]\nledger.folder = \"state\"\n", []string{
			`f:1:20: workspace.roots: "src" is not absolute; write the whole path or begin it with ~/`,
			`f:1:27: workspace.roots: "" is not absolute; write the whole path or begin it with ~/`,
			`f:2:17: ledger.folder: "state" is not absolute; write the whole path or begin it with ~/`,
		}},
		{"no home", "workspace.roots = [\"~/src\"]\n", []string{
			`f:1:20: workspace.roots: no home folder is known for ~; set HOME or write the whole path`,
		}},
		{"missing variables", "[mcp.servers.a]\ncommand = \"a\"\nenv = { T = \"env:A_TOKEN\" }\n[agents.b]\ncommand = \"b\"\nenv.K = \"env:B_KEY\"\n", []string{
			`f:3:13: mcp.servers.a.env.T: the environment has no variable "A_TOKEN"; set it or remove the key`,
			`f:6:9: agents.b.env.K: the environment has no variable "B_KEY"; set it or remove the key`,
		}},
		{"control characters stay on the line", "\"a\\n\\u001b[31m\" = 1\n", []string{
			`f:1:1: unknown key "a\n\x1b[31m"; known here: workspace, tools, approval, hooks, bash, commitment, web, limits, ledger, mcp, acp, agents, agent_limits, log`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f", []byte(c.text), noEnv)
			if diff := cmp.Diff(c.want, lines(t, err)); diff != "" {
				t.Errorf("faults of %q (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestFaultsOfLaw(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"rules", "[[tools.rules]]\nmatch = \"*\"\neffect = \"ask\"\n", nil},
		{"allow", "[[tools.rules]]\nmatch = \"*\"\neffect = \"allow\"\n", []string{
			`f:3:10: tools.rules.effect: a rule of this file can ask or deny, never allow`,
		}},
		{"allow in an inline rule", "tools.rules = [{ match = \"*\", effect = \"allow\" }]\n", []string{
			`f:1:40: tools.rules.effect: a rule of this file can ask or deny, never allow`,
		}},
		{"other keys", "[workspace]\nmode = \"plan\"\n[tools]\ndisable = []\n", []string{
			`f:1:2: unknown key workspace; this file holds [[tools.rules]] and nothing else`,
			`f:4:1: unknown key tools.disable; this file holds [[tools.rules]] and nothing else`,
		}},
		{"misspelt", "[[tool.rules]]\n[[tool.rules]]\n[[tools.rules]]\nmatch = \"*\"\neffect = \"deny\"\nreasn = \"r\"\n", []string{
			`f:1:3: unknown key tool; did you mean tools?`,
			`f:6:1: unknown key tools.rules.reasn; did you mean tools.rules.reason?`,
		}},
		{"syntax", "[[tools.rules]]\nmatch = *\n", []string{`f:2:9: unexpected character U+002A '*' at start of value`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseRules("f", []byte(c.text))
			if diff := cmp.Diff(c.want, lines(t, err)); diff != "" {
				t.Errorf("faults of %q (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

// A law file comes with a repository, so no text may cost much: the decoder
// takes seconds for the first of these when it gets to see it.
func TestHostileText(t *testing.T) {
	rule := "[[tools.rules]]\nmatch = \"*\"\neffect = \"ask\"\n"
	tooDeep := "tables and arrays are nested more than 64 deep"
	for _, c := range []struct{ name, text, want string }{
		{"dotted key", rule + "match_examples = [{" + strings.Repeat("a.", 20_000) + "a = 1}]", "f:4:19: " + tooDeep},
		{"dotted key below a header", rule + "[[tools.rules.match_examples]]\n" + strings.Repeat("a.", 20_000) + "a = 1", "f:5:1: " + tooDeep},
		{"header", rule + "[[tools.rules.match_examples" + strings.Repeat(".a", 20_000) + "]]", "f:4:1: " + tooDeep},
		{"inline tables", rule + "match_examples = [" + strings.Repeat("{a = ", 5000) + "1" + strings.Repeat("}", 5000) + "]", "f:4:19: " + tooDeep},
		{"arrays", "a = " + strings.Repeat("[", 100_000), "f:1:10005: arrays and inline tables are nested more than the maximum of 10000 levels deep"},
		{"unknown keys", strings.Repeat("a = 1\n", 20_000), "f:1:1: unknown key a; this file holds [[tools.rules]] and nothing else"},
		{"long key", strings.Repeat("k", 100_000) + " = 1", fmt.Sprintf("f:1:1: unknown key %q; this file holds [[tools.rules]] and nothing else", strings.Repeat("k", 64)+"…")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseRules("f", []byte(c.text))
			got := lines(t, err)
			if len(got) == 0 || got[0] != c.want {
				t.Errorf("first fault = %.200q, want %q", got, c.want)
			}
			if len(got) > 100 {
				t.Errorf("%d faults, want at most 100", len(got))
			}
		})
	}
}
