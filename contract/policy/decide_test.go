package policy

import (
	"sync"
	"testing"

	"raw/contract/predicate"
)

func TestDecide(t *testing.T) {
	const bash = "builtin/bash"
	for _, c := range []struct {
		name           string
		rules          []Rule
		identity, call string
		want           string
	}{
		{"no rules", nil, bash, "ls", "allow"},
		{"no match", []Rule{{Match: bash, Effect: Deny, When: program("^rm$")}}, bash, "ls", "allow"},
		{"match", []Rule{{Match: bash, Effect: Deny, When: program("^rm$")}}, bash, "rm x", "deny rules.toml:1 programs[0].name=rm"},
		{"an allow rule is explicit", []Rule{{Match: "builtin/*", Effect: Allow, When: program("^ls$")}}, bash, "ls", "allow explicitly rules.toml:1 programs[0].name=ls"},
		{"another tool", []Rule{{Match: "builtin/process", Effect: Ask}}, bash, "ls", "allow"},
		{"the last wins: ask", []Rule{{Match: "*", Effect: Deny, When: program("^rm$")}, {Match: bash, Effect: Ask, When: command("^rm x$")}}, bash, "rm x", "ask rules.toml:2 programs[0].command=rm x"},
		{"the last wins: deny", []Rule{{Match: bash, Effect: Allow, When: program(".")}, {Match: bash, Effect: Deny, When: program("^rm$")}}, bash, "rm x", "deny rules.toml:2 programs[0].name=rm"},
		{"the last that matches wins", []Rule{{Match: bash, Effect: Ask}, {Match: bash, Effect: Deny, When: program("^rm$")}}, bash, "ls", "ask rules.toml:1"},
		{"unconditional allow after ask", []Rule{{Match: "*", Effect: Ask}, {Match: bash, Effect: Allow}}, bash, "ls", "allow explicitly rules.toml:2"},
		{"a conditional allow lifts no standing deny", []Rule{{Match: bash, Effect: Deny}, {Match: bash, Effect: Allow, When: program("^ls$")}}, bash, "ls", "deny rules.toml:1"},
		{"an unconditional allow lifts it", []Rule{{Match: bash, Effect: Deny}, {Match: "builtin/ba?h", Effect: Allow}}, bash, "ls", "allow explicitly rules.toml:2"},
		{"arguments", []Rule{{Match: "builtin/read", Effect: Deny, When: when("arguments", "path", "key$")}}, "builtin/read", "/a/key", "deny rules.toml:1 path=/a/key"},
		{"a glob holds where it binds", []Rule{{Match: "*", Effect: Deny, When: file("^/etc/")}}, "builtin/write", "/etc/x", "deny rules.toml:1 files[0].path=/etc/x"},
		{"and not elsewhere", []Rule{{Match: "*", Effect: Deny, When: file("^/etc/")}}, "builtin/todo_write", "", "allow"},

		{"B59 deny sees the whole chain", []Rule{{Match: bash, Effect: Deny, When: command("^git clean")}}, bash, "git fetch; git clean -fd", "deny rules.toml:1 programs[1].command=git clean -fd"},
		{"B59 allow covers the whole chain", []Rule{{Match: bash, Effect: Ask}, {Match: bash, Effect: Allow, When: command("^git ")}}, bash, "git fetch; git pull", "allow explicitly rules.toml:2 programs[0].command=git fetch"},
		{"B59 allow does not allow the rest", []Rule{{Match: bash, Effect: Ask}, {Match: bash, Effect: Allow, When: command("^git ")}}, bash, "git fetch; rm -rf x", "ask rules.toml:1"},

		{"B61 unknown deny asks", []Rule{{Match: bash, Effect: Deny, When: program("^sudo$")}}, bash, "$X id", "ask rules.toml:1 unknown programs[*].name="},
		{"unknown ask asks", []Rule{{Match: bash, Effect: Ask, When: program("^sudo$")}}, bash, "ls; $X id", "ask rules.toml:1 unknown programs[*].name=ls"},
		{"unknown allow does not allow", []Rule{{Match: bash, Effect: Ask}, {Match: bash, Effect: Allow, When: program("^ls$")}}, bash, "ls; $X", "ask rules.toml:1"},
		{"unknown, but another program matches", []Rule{{Match: bash, Effect: Deny, When: program("^rm$")}}, bash, "rm x; $X", "deny rules.toml:1 programs[0].name=rm"},
		{"unknown does not lift an earlier deny", []Rule{{Match: bash, Effect: Deny, When: program("^rm$")}, {Match: bash, Effect: Ask, When: command("^rm /tmp/a")}}, bash, "rm $X", "deny rules.toml:1 programs[0].name=rm"},
		{"a later match settles it", []Rule{{Match: bash, Effect: Deny, When: program("^sudo$")}, {Match: bash, Effect: Allow}}, bash, "$X", "allow explicitly rules.toml:2"},
		{"a start that excludes", []Rule{{Match: bash, Effect: Deny, When: command("^git clean")}}, bash, "ls $X", "allow"},
		{"a start that does not", []Rule{{Match: bash, Effect: Deny, When: command("^git clean")}}, bash, "git $X", "ask rules.toml:1 unknown programs[0].command:4=git $X"},
	} {
		p := bind(t, set(t, Rules, c.rules...))
		if got := brief(p.Decide(c.identity, call(t, c.identity, c.call))); got != c.want {
			t.Errorf("%s: Decide(%s, %q) = %s, want %s", c.name, c.identity, c.call, got, c.want)
		}
	}
}

func TestLayers(t *testing.T) {
	const bash = "builtin/bash"
	rm, anything := program("^rm$"), program(".")
	for _, c := range []struct {
		name                string
		managed, law, rules []Rule
		call, want          string
	}{
		{"nothing lifts managed policy", []Rule{{Match: bash, Effect: Deny, When: rm}}, nil, []Rule{{Match: bash, Effect: Allow}}, "rm x", "deny managed-policy.toml:1 programs[0].name=rm"},
		{"nothing lifts law", nil, []Rule{{Match: bash, Effect: Ask, When: rm}}, []Rule{{Match: bash, Effect: Allow}}, "rm x", "ask law.toml:1 programs[0].name=rm"},
		{"they only narrow", []Rule{{Match: bash, Effect: Ask, When: rm}}, nil, []Rule{{Match: bash, Effect: Allow}}, "ls", "allow explicitly rules.toml:1"},
		{"rules may be stricter", nil, []Rule{{Match: bash, Effect: Ask}}, []Rule{{Match: bash, Effect: Deny, When: rm}}, "rm x", "deny rules.toml:1 programs[0].name=rm"},
		{"of the same, the outer is told", []Rule{{Match: bash, Effect: Ask}}, []Rule{{Match: bash, Effect: Ask}}, []Rule{{Match: bash, Effect: Ask}}, "ls", "ask managed-policy.toml:1"},
		{"law tells before rules", nil, []Rule{{Match: bash, Effect: Ask}}, []Rule{{Match: bash, Effect: Ask}}, "ls", "ask law.toml:1"},
		{"within law the order does not matter", nil, []Rule{{Match: bash, Effect: Deny, When: rm}, {Match: bash, Effect: Ask, When: anything}}, nil, "rm x", "deny law.toml:1 programs[0].name=rm"},
		{"law stricter than managed policy", []Rule{{Match: bash, Effect: Ask}}, []Rule{{Match: bash, Effect: Deny, When: rm}}, nil, "rm x", "deny law.toml:1 programs[0].name=rm"},
		{"unknown deny of law is refused", nil, []Rule{{Match: bash, Effect: Deny, When: rm}}, []Rule{{Match: bash, Effect: Allow}}, "$X", "deny law.toml:1 unknown programs[*].name="},
		{"unknown ask of law asks", nil, []Rule{{Match: bash, Effect: Ask, When: rm}}, []Rule{{Match: bash, Effect: Allow}}, "$X", "ask law.toml:1 unknown programs[*].name="},
	} {
		// A second law file, of another root, that says nothing of this call.
		other := set(t, Law, Rule{Match: "builtin/write", Effect: Ask})
		p := bind(t, set(t, Managed, c.managed...), set(t, Law, c.law...), other, nil, set(t, Rules, c.rules...))
		if got := brief(p.Decide(bash, call(t, bash, c.call))); got != c.want {
			t.Errorf("%s: Decide(%q) = %s, want %s", c.name, c.call, got, c.want)
		}
	}
}

func TestStanding(t *testing.T) {
	rm := program("^rm$")
	for _, c := range []struct {
		name       string
		law, rules []Rule
		want       string
	}{
		{"nothing", nil, nil, "allow"},
		{"denied", nil, []Rule{{Match: "builtin/*", Effect: Deny}}, "deny rules.toml:1"},
		{"lifted", nil, []Rule{{Match: "builtin/*", Effect: Deny}, {Match: "builtin/bash", Effect: Ask}}, "ask rules.toml:2"},
		{"denied again", nil, []Rule{{Match: "*", Effect: Allow}, {Match: "builtin/b*", Effect: Deny}}, "deny rules.toml:2"},
		{"a conditional rule hides nothing", nil, []Rule{{Match: "builtin/bash", Effect: Deny, When: rm}}, "allow"},
		{"and lifts nothing", nil, []Rule{{Match: "builtin/bash", Effect: Deny}, {Match: "builtin/bash", Effect: Allow, When: rm}}, "deny rules.toml:1"},
		{"law stays", []Rule{{Match: "builtin/bash", Effect: Deny}, {Match: "builtin/bash", Effect: Ask}}, []Rule{{Match: "*", Effect: Allow}}, "deny law.toml:1"},
	} {
		sets := []*Set{set(t, Law, c.law...), set(t, Rules, c.rules...)}
		if got := brief(bind(t, sets...).Standing("builtin/bash")); got != c.want {
			t.Errorf("%s: Standing = %s, want %s", c.name, got, c.want)
		}
		if got := brief(New(sets...).Standing("builtin/bash")); got != c.want {
			t.Errorf("%s: Standing before any tool is bound = %s, want %s", c.name, got, c.want)
		}
	}
}

// A call of a tool that was never bound is not let past a rule about it.
func TestUnboundTool(t *testing.T) {
	sets := []*Set{set(t, Law, Rule{Match: "mcp/*", Effect: Deny, When: when("arguments", "query", "x")}), set(t, Rules, Rule{Match: "builtin/*", Effect: Deny, When: program("^rm$")})}
	p := bind(t, sets...)
	for _, c := range []struct {
		policy   *Policy
		identity string
		want     Effect
	}{
		{p, "mcp/hub/later", Deny},
		{p, "local/later", Allow},
		{New(sets...), "builtin/bash", Ask},
		{New(), "builtin/bash", Allow},
		{New(nil, nil), "builtin/bash", Allow},
		{nil, "builtin/bash", Allow},
	} {
		d := c.policy.Decide(c.identity, predicate.Input{})
		if d.Effect != c.want || (d.Unknown != "") != (c.want != Allow) {
			t.Errorf("Decide(%s) = %s, want %s", c.identity, brief(d), c.want)
		}
	}
	var none *Policy
	if none.Standing("x").Effect != Allow || none.Warnings() != nil || none.Skipped() != nil {
		t.Error("the nil policy has rules")
	}
}

func TestExplain(t *testing.T) {
	p := bind(t, set(t, Managed, Rule{Match: "*", Effect: Ask, When: program("^rm$")}), set(
		t, Rules,
		Rule{Match: "builtin/bash", Effect: Deny, When: program("^never$")},
		Rule{Match: "builtin/bash", Effect: Allow, When: program("^ls$")},
		Rule{Match: "builtin/process", Effect: Deny},
		Rule{Match: "builtin/bash", Effect: Ask, When: command("^git clean")},
	))
	d := p.Explain("builtin/bash", call(t, "builtin/bash", "ls"))
	var got []string
	for _, tried := range d.Tried {
		got = append(got, tried.Layer.String()+" "+tried.Rule.Pos.String()+" "+tried.Outcome.String())
	}
	want := []string{"managed policy managed-policy.toml:1 no", "rules rules.toml:4 no", "rules rules.toml:2 yes"}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("Explain tried %q, want %q", got, want)
	}
	if d := p.Decide("builtin/bash", call(t, "builtin/bash", "ls")); d.Tried != nil {
		t.Errorf("Decide keeps what it tried: %v", d.Tried)
	}
}

// One policy serves all calls at once; with -race this also looks at the regexes
// that are compiled on first use.
func TestDecideAtOnce(t *testing.T) {
	p := bind(t, set(t, Rules, Rule{Match: "*", Effect: Deny, When: command("(?i)clean")}, Rule{Match: "*", Effect: Ask, When: command("^git f")}))
	in := call(t, "builtin/bash", "git clean")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if d := p.Decide("builtin/bash", in); d.Effect != Deny {
				t.Errorf("Decide = %s, want deny", brief(d))
			}
		})
	}
	calls.Wait()
}
