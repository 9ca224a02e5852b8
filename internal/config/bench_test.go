package config

import (
	"fmt"
	"strings"
	"testing"
)

func manyRules(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[tools.rules]]\nmatch = \"builtin/bash\"\neffect = \"ask\"\nwhen = { source = \"arguments\", any = \"command\", regex = \"^never-run-%d \" }\n\n", i)
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{0, 100, 10_000} {
		text := manyRules(n)
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cfg, err := Parse("config.toml", text, noEnv)
				if err != nil || len(cfg.Tools.Rules) != n {
					b.Fatalf("Parse of %d rules = %d rules, %v", n, len(cfg.Tools.Rules), err)
				}
			}
		})
	}
}

func noEnv(string) (string, bool) { return "", false }
