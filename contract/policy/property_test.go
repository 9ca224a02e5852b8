package policy

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"raw/contract/predicate"
)

// generate gives random rules and a random command line over few words, so that
// rules often meet it.
func generate(r *rand.Rand) (managed, law, rules []Rule, text string) {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	rule := func(effects ...Effect) Rule {
		rule := Rule{Match: pick("*", "builtin/*", "builtin/bash", "builtin/b?sh", "builtin/process"), Effect: effects[r.IntN(len(effects))]}
		switch r.IntN(6) {
		case 0:
		case 1, 2:
			rule.When = program(pick("^rm$", "^git$", "ls", "^(rm|dd)$", "(?i)^GIT"))
		default:
			rule.When = command(pick("^git clean", "^git", "clean", "^rm -", "^(ls|git) ", "x$", "^ls"))
		}
		return rule
	}
	for range r.IntN(3) {
		managed = append(managed, rule(Ask, Deny))
	}
	for range r.IntN(3) {
		law = append(law, rule(Ask, Deny))
	}
	for range r.IntN(6) {
		rules = append(rules, rule(Allow, Ask, Deny))
	}
	var commands []string
	for range 1 + r.IntN(3) {
		commands = append(commands, pick("git clean -fd", "git fetch", "rm -rf x", "ls", "dd if=x", "git $A", "ls $A", "$A x", "rm $A"))
	}
	return managed, law, rules, strings.Join(commands, ";")
}

// naive decides as CONTRACT.md reads, one rule after the other.
func naive(in predicate.Input, managed, law, rules []Rule) Effect {
	find := func(r Rule) predicate.Outcome {
		if ok, _ := regexp.MatchString("^"+strings.NewReplacer("*", ".*", "?", ".").Replace(r.Match)+"$", "builtin/bash"); !ok {
			return predicate.No
		}
		if r.When == nil {
			return predicate.Yes
		}
		c, err := predicate.Compile(*r.When)
		if err != nil {
			panic(err)
		}
		if r.Effect == Allow {
			return c.Every(in).Outcome
		}
		return c.Any(in).Outcome
	}
	narrow := Allow
	for _, r := range append(append([]Rule{}, managed...), law...) {
		if find(r) != predicate.No && r.Effect.rank() > narrow.rank() {
			narrow = r.Effect
		}
	}
	decided, standing := Allow, Allow
	for _, r := range rules {
		switch find(r) {
		case predicate.Yes:
			decided = r.Effect
			if r.When == nil {
				standing = r.Effect
			}
		case predicate.Unknown:
			if r.Effect != Allow && decided == Allow {
				decided = Ask
			}
		}
	}
	for _, e := range []Effect{narrow, standing} {
		if e == Deny {
			decided = Deny
		}
		if e.rank() > decided.rank() && (e == narrow) {
			decided = e
		}
	}
	return decided
}

// Decide, Explain and a plain reading of the rules agree on every call; what
// cannot be read never makes a decision milder than any reading of it.
func TestDecideProperties(t *testing.T) {
	seen := map[Effect]int{}
	for seed := range uint64(1500) {
		managed, law, rules, text := generate(rand.New(rand.NewPCG(seed, 1)))
		p, err := Bind(tools(), set(t, Managed, managed...), set(t, Law, law...), set(t, Rules, rules...))
		if err != nil {
			t.Fatal(err)
		}
		in := call(t, "builtin/bash", text)
		got := p.Decide("builtin/bash", in)
		about := func() string {
			return fmt.Sprintf("seed %d, %q, managed %+v, law %+v, rules %+v", seed, text, managed, law, rules)
		}
		if diff := cmp.Diff(got, p.Explain("builtin/bash", in), cmpopts.IgnoreFields(Decision{}, "Tried")); diff != "" {
			t.Fatalf("%s: Decide and Explain differ:\n%s", about(), diff)
		}
		if want := naive(in, managed, law, rules); got.Effect != want {
			t.Fatalf("%s: Decide = %s, want %s", about(), brief(got), want)
		}
		if p.Standing("builtin/bash").Effect == Deny && got.Effect != Deny {
			t.Fatalf("%s: denied by Standing, but Decide = %s", about(), brief(got))
		}
		for _, reading := range []string{"clean -fd", "rm", "ls", "git", "-x", "fetch"} {
			known := p.Decide("builtin/bash", call(t, "builtin/bash", strings.ReplaceAll(text, "$A", reading)))
			if got.Effect == Allow && known.Effect != Allow {
				t.Fatalf("%s: allowed, but with $A = %q %s", about(), reading, brief(known))
			}
		}
		seen[got.Effect]++
	}
	for _, e := range []Effect{Allow, Ask, Deny} {
		if seen[e] < 100 {
			t.Errorf("%s was decided %d times of 1,500; the generator tests too little", e, seen[e])
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob, identity string
		want           bool
	}{
		{"builtin/bash", "builtin/bash", true},
		{"builtin/bash", "builtin/bash2", false},
		{"bash", "builtin/bash", false},
		{"*", "", true},
		{"*", "mcp/a/b", true},
		{"mcp/*", "mcp/a/b", true},
		{"mcp/*/b", "mcp/a/x/b", true},
		{"mcp/?/b", "mcp/é/b", true},
		{"mcp/?/b", "mcp//b", false},
		{"*a*b", "xaxaxb", true},
		{"*a*b", "xaxaxc", false},
		{"a.c", "abc", false},
		{"a[b]c", "abc", false},
		{"**a?*", "xa", false},
		{"**a?*", "xay", true},
		{strings.Repeat("*a", 120) + "b", strings.Repeat("a", 20000), false}, // in no time
	} {
		if got := newGlob(c.glob).match(c.identity); got != c.want {
			t.Errorf("match(%.40q, %.40q) = %v, want %v", c.glob, c.identity, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func(letters string, n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	for range 5000 {
		g, s := text("ab*?/", 8), text("ab/", 10)
		want := regexp.MustCompile("^" + strings.NewReplacer("*", ".*", "?", ".").Replace(g) + "$").MatchString(s)
		if got := newGlob(g).match(s); got != want {
			t.Errorf("match(%q, %q) = %v, want %v", g, s, got, want)
		}
	}
}
