package policy

import (
	"fmt"
	"testing"

	"raw/contract/predicate"
	"raw/contract/value"
)

func manyRules(n int) []Rule {
	rules := make([]Rule, n)
	for i := range rules {
		rules[i] = Rule{Match: "builtin/bash", Effect: Deny, When: command(fmt.Sprintf("^(prog%d|tool%d) +-x.*[a-z]$", i, i))}
	}
	return rules
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{0, 100, 10_000} {
		p := bind(b, set(b, Rules, manyRules(n)...))
		in := call(b, "builtin/bash", "git status; make test")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p.Decide("builtin/bash", in).Effect != Allow {
					b.Fatal("denied")
				}
			}
		})
	}
	p := bind(b, set(b, Rules, manyRules(10_000)...))
	args, err := value.Of(map[string]string{"path": "/a"})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("10000-on-another-tool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Decide("builtin/read", predicate.Input{Arguments: args})
		}
	})
}

func BenchmarkCompile10000(b *testing.B) {
	rules := manyRules(10_000)
	for b.Loop() {
		if _, err := Compile(Rules, rules); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBind10000(b *testing.B) {
	all := tools()
	for len(all) < 40 {
		all = append(all, tool(fmt.Sprintf("mcp/hub/t%d", len(all)), pathSchema, "", "path", nil))
	}
	rules := manyRules(10_000)
	for i := range rules {
		if i%2 == 0 {
			rules[i].Match = "*"
		}
	}
	s := set(b, Rules, rules...)
	for b.Loop() {
		if _, err := Bind(all, s); err != nil {
			b.Fatal(err)
		}
	}
}
