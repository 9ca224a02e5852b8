package config

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

func TestDefaultSurvivesTheFile(t *testing.T) {
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(Default()); err != nil {
		t.Fatal(err)
	}
	got, err := Parse("default", text.Bytes(), noEnv)
	if err != nil {
		t.Fatalf("Parse of the encoded defaults: %v\n%s", err, text.String())
	}
	if diff := cmp.Diff(Default(), got, emptyIsNil); diff != "" {
		t.Errorf("defaults through the file (-want +got):\n%s", diff)
	}
}

// FuzzParse: any text loads or has faults with a place in it, one line each;
// and plain rules are what the decoder makes of them.
func FuzzParse(f *testing.F) {
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(text), commentedOut.ReplaceAllString(string(text), "$1"), manyForms,
		"tools.rules = [{ match = 'a', effect = 'ask' }]", "\ufeff[log]\nlevel = \"x\"", "a = \"\\", "[", "[[tools.rules]]\n[tools.rules.when]\n[[tools.rules]]",
		"[[tools.rules]]\nmatch='a'\neffect='ask'\nmatch_examples=[]\n[[tools.rules.no_match_examples]]\na.b=1", "[mcp.servers]\na.command='x'\n[mcp.servers.a]\nargs=[]",
		"approval.baseline=['network']", "[tools]\nrules=[]\n[[tools.rules]]", "[agents.''.env]\n''=1979-05-27",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := Parse("f", []byte(text), noEnv)
		if err == nil {
			whole := decodeWhole(t, text)
			if diff := cmp.Diff(whole.Tools.Rules, cfg.Tools.Rules, emptyIsNil); diff != "" {
				t.Errorf("rules of %q (-decoded +got):\n%s", text, diff)
			}
		} else {
			checkFaults(t, text, err)
		}
		if rules, err := parseRules("f", []byte(text)); err != nil {
			checkFaults(t, text, err)
		} else {
			for _, r := range rules {
				if r.Effect != "ask" && r.Effect != "deny" {
					t.Errorf("parseRules(%q) has a rule with effect %q", text, r.Effect)
				}
			}
		}
	})
}

// decodeWhole leaves all of an accepted text to BurntSushi/toml.
func decodeWhole(t *testing.T, text string) Config {
	t.Helper()
	cfg := Default()
	if err := toml.Unmarshal([]byte(text), &cfg); err != nil {
		t.Fatalf("Parse accepts %q, but the decoder does not: %v", text, err)
	}
	plain, err := Parse("f", []byte(text), noEnv)
	if err != nil || len(plain.Tools.Rules) != len(cfg.Tools.Rules) {
		t.Fatalf("Parse(%q) = %d rules, %v, want %d rules", text, len(plain.Tools.Rules), err, len(cfg.Tools.Rules))
	}
	for i, r := range plain.Tools.Rules {
		cfg.Tools.Rules[i].File, cfg.Tools.Rules[i].Line, cfg.Tools.Rules[i].Column = r.File, r.Line, r.Column
	}
	return cfg
}

func checkFaults(t *testing.T, text string, err error) {
	t.Helper()
	var faults *FaultError
	if !errors.As(err, &faults) || len(faults.Faults) == 0 {
		t.Fatalf("error for %q is %T, want faults: %v", text, err, err)
	}
	last := 0
	for _, f := range faults.Faults {
		line := strings.Count(text, "\n") + 1
		if f.Line < 1 || f.Line > line || f.Column < 1 || f.Line < last || strings.ContainsAny(f.What, "\n\r") || f.What == "" {
			t.Errorf("fault of %q: %v, want an ascending line of 1 to %d and one line of text", text, f, line)
		}
		last = f.Line
	}
}
