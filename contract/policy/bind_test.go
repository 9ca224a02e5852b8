package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct {
		layer Layer
		rule  Rule
		want  string
	}{
		{Rules, Rule{Effect: Deny}, "match of 0 characters"},
		{Rules, Rule{Match: strings.Repeat("é", 257), Effect: Deny}, "match of 257 characters"},
		{Rules, Rule{Match: "*"}, `effect ""`},
		{Rules, Rule{Match: "*", Effect: "block"}, `effect "block": want allow, ask or deny`},
		{Law, Rule{Match: "*", Effect: Allow}, "effect allow: law can only narrow"},
		{Managed, Rule{Match: "*", Effect: Allow}, "effect allow: managed policy can only narrow"},
		{Rules, Rule{Match: "*", Effect: Deny, When: when("effects", "a b", "x")}, `when: any "a b"`},
		{Rules, Rule{Match: "*", Effect: Deny, When: when("effects", "a", "(")}, "when: regex"},
	} {
		c.rule.Pos = Position{"config.toml", 7, 3}
		_, err := Compile(c.layer, []Rule{{Match: "*", Effect: Ask}, c.rule})
		var at *RuleError
		if !errors.As(err, &at) || at.Pos.Line != 7 || !strings.HasPrefix(err.Error(), "config.toml:7: "+c.want) {
			t.Errorf("Compile(%v, %+v) = %v, want config.toml:7: %s…", c.layer, c.rule, err, c.want)
		}
	}
	_, err := Compile(Rules, []Rule{{Pos: Position{"a", 1, 1}}, {Match: "*", Effect: Allow}, {Pos: Position{"a", 3, 1}}})
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != 4 {
		t.Errorf("Compile of two rules with two faults each tells %d faults, want 4:\n%v", n, err)
	}
	if _, err := Compile(Rules, []Rule{{Match: strings.Repeat("é", 256), Effect: Allow}}); err != nil {
		t.Errorf("Compile of the longest match: %v", err)
	}
}

func TestBindRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		rule Rule
		want string
	}{
		{"a path that is not there", Rule{Match: "builtin/bash", Effect: Deny, When: when("effects", "prgrams[*].name", "x")}, `rules.toml:1: when, on builtin/bash: predicate does not bind: "prgrams[*].name"`},
		{"a source that is not there", Rule{Match: "mcp/hub/search", Effect: Deny, When: file("x")}, "effects is not a condition source"},
		{"a glob that binds nowhere", Rule{Match: "builtin/*", Effect: Deny, When: when("arguments", "url", "x")}, "binds to none of the 5 tools"},
		{"a name that is not there", Rule{Match: "builtin/bsah", Effect: Deny, When: program("x")}, "no registered tool; nearest: builtin/bash"},
		{"a glob that matches nothing and never will", Rule{Match: "local/x*", Effect: Deny, When: program("x")}, "no registered tool"},
		{"an example that does not match", Rule{Match: "builtin/bash", Effect: Deny, When: program("^rm$"), MatchExamples: []any{"rm x", "echo rm"}}, `match_examples, number 2, "echo rm": the rule does not match it on builtin/bash`},
		{"an example that should not match", Rule{Match: "builtin/bash", Effect: Deny, When: program("rm"), NoMatchExamples: []any{"charm x"}}, `no_match_examples, number 1, "charm x": the rule matches it on builtin/bash`},
		{"an example of a rule without condition", Rule{Match: "builtin/bash", Effect: Deny, NoMatchExamples: []any{"ls"}}, "the rule matches it"},
		{"an example that nothing takes", Rule{Match: "builtin/bash", Effect: Deny, When: program("x"), MatchExamples: []any{map[string]any{"cmd": "x"}}}, "builtin/bash does not take it: /command: missing"},
		{"a text for a tool without a string", Rule{Match: "builtin/todo_write", Effect: Deny, MatchExamples: []any{"x"}}, "write an object of arguments"},
		{"an allow rule is judged as one", Rule{Match: "builtin/bash", Effect: Allow, When: program("^ls$"), MatchExamples: []any{"ls; rm x"}}, "does not match"},
		{"what is not known is a match", Rule{Match: "builtin/bash", Effect: Deny, When: program("^rm$"), NoMatchExamples: []any{"$X"}}, "the rule matches it"},
	} {
		p, err := Bind(tools(), set(t, Rules, c.rule))
		var at *RuleError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || p != nil {
			t.Errorf("%s: Bind = %v, want …%s…", c.name, err, c.want)
		}
	}
	_, err := Bind(tools(), set(t, Rules, Rule{Match: "builtin/bash", Effect: Deny, When: when("effects", "x", "x")}, Rule{Match: "builtin/read", Effect: Deny, When: program("x")}))
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != 2 || !errors.Is(err, ErrUnbound) {
		t.Errorf("Bind of two rules that do not bind tells %d faults, want 2 that are ErrUnbound:\n%v", n, err)
	}
}

func TestBindAccepts(t *testing.T) {
	for _, r := range []Rule{
		{Match: "mcp/later/tool", Effect: Deny, When: when("arguments", "anything", "x")},
		{Match: "mcp/later/*", Effect: Deny, When: when("arguments", "anything", "x")},
		{Match: "agent/*", Effect: Deny},
		{Match: "builtin/*", Effect: Deny, When: program("^rm$"), MatchExamples: []any{"rm -rf build", map[string]any{"command": "ls; rm x"}}, NoMatchExamples: []any{"echo rm"}},
		{Match: "builtin/*", Effect: Deny, When: file("^/etc/"), MatchExamples: []any{map[string]any{"path": "/etc/x"}}},
		{Match: "builtin/read", Effect: Deny, MatchExamples: []any{"/a", map[string]any{"path": "/b"}}},
		{Match: "builtin/bash", Effect: Allow, When: program("^ls$"), NoMatchExamples: []any{"ls; rm x", "ls; $X"}, MatchExamples: []any{"ls; ls -l"}},
		{Match: "builtin/bash", Effect: Deny, When: program("^rm$"), MatchExamples: []any{"$X"}},
	} {
		if _, err := Bind(tools(), set(t, Rules, r)); err != nil {
			t.Errorf("Bind(%+v) = %v", r, err)
		}
	}
}

// A tool that comes later is bound by binding all again; the policy from
// before stays as it is for the calls that still use it.
func TestBindAgain(t *testing.T) {
	rules := set(t, Rules, Rule{Match: "mcp/late/run", Effect: Deny, When: when("arguments", "query", "^x")})
	before := bind(t, rules)
	late := func(input string) []Tool { return append(tools(), tool("mcp/late/run", input, "", "query", nil)) }
	after, err := Bind(late(`{"type":"object","properties":{"query":{"type":"string"}}}`), rules)
	if err != nil {
		t.Fatal(err)
	}
	in, err := late("")[len(tools())].prepare("y")
	if err != nil {
		t.Fatal(err)
	}
	if got := after.Decide("mcp/late/run", in); got.Effect != Allow {
		t.Errorf("bound: %s, want allow", brief(got))
	}
	if got := before.Decide("mcp/late/run", in); got.Effect != Ask {
		t.Errorf("bound before the tool was there: %s, want ask", brief(got))
	}
	for _, input := range []string{`{"type":"object"}`, `{"type":"objekt"}`} {
		if _, err = Bind(late(input), rules); !errors.Is(err, ErrUnbound) {
			t.Errorf("Bind of a late tool with the schema %s = %v, want ErrUnbound", input, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	p := bind(t, set(
		t, Rules,
		Rule{Match: "builtin/bash", Effect: Deny, When: program("^rm$")},
		Rule{Match: "builtin/b*", Effect: Deny, When: program("^rm$")},
		Rule{Match: "builtin/*", Effect: Deny, When: program("^rm$")},
		Rule{Match: "builtin/write", Effect: Deny, When: file("^/etc/")},
		Rule{Match: "builtin/bash", Effect: Deny, When: when("arguments", "command", "x")},
		Rule{Match: "builtin/bahs", Effect: Deny},
		Rule{Match: "mcp/none/x", Effect: Deny},
	))
	var got []string
	for _, w := range p.Warnings() {
		got = append(got, w.String())
	}
	want := []string{
		`rules.toml:1: match "builtin/bash" leaves out others that declare programs: builtin/process`,
		`rules.toml:2: match "builtin/b*" leaves out others that declare programs: builtin/process`,
		`rules.toml:4: match "builtin/write" leaves out others that declare files: builtin/bash, builtin/process, builtin/read`,
		`rules.toml:6: match "builtin/bahs" is no registered tool; nearest: builtin/bash`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Warnings (-want +got):\n%s", diff)
	}
	var skipped []string
	for _, s := range p.Skipped() {
		skipped = append(skipped, s.Rule.Pos.String()+" "+strings.Join(s.Identities, " "))
	}
	if diff := cmp.Diff([]string{"rules.toml:3 builtin/read builtin/write builtin/todo_write"}, skipped); diff != "" {
		t.Errorf("Skipped (-want +got):\n%s", diff)
	}
}

// Schemas of tools that no conditional rule is about are not even asked for.
func TestBindIsLazy(t *testing.T) {
	all := tools()
	for i := range all {
		if identity := all[i].Identity; identity != "builtin/read" {
			all[i].Sources = nil
		}
	}
	if _, err := Bind(all, set(t, Rules, Rule{Match: "*", Effect: Ask}, Rule{Match: "builtin/read", Effect: Deny, When: when("arguments", "path", "x")})); err != nil {
		t.Errorf("Bind asked for more than the schemas of builtin/read: %v", err)
	}
}
