package contract_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"raw/contract"
	"raw/contract/policy"
)

// TestExplainIsRun holds that Explain says of random calls under random rules
// what Run does with them, and that a handler runs only where Explain says so.
func TestExplainIsRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	verdicts := map[contract.Outlook]int{}
	for range 3000 {
		started := 0
		o := randomOptions(t, rng)
		s := open(t, o, func() { started++ })
		for range 3 {
			r := contract.Request{
				Name:      pick(rng, "read", "write", "exec", "network", "external", "picky", "none"),
				Arguments: []byte(fmt.Sprintf(`{"path":%q}`, pick(rng, "a", "b.lock", "link", "loop", "/out/x", "panic", "wrong", ""))),
			}
			before := started
			e := s.Explain(t.Context(), r)
			if started != before {
				t.Fatalf("Explain of %s %s started the handler", r.Name, r.Arguments)
			}
			res := s.Call(t.Context(), r)
			verdicts[e.Verdict]++
			if !agrees(e, res.Code()) {
				t.Fatalf("%s %s: Explain says %+v, Run %q\noptions %+v", r.Name, r.Arguments, e, res.Code(), o)
			}
			if ran := started - before; (ran == 1) != (e.Verdict == contract.WouldRun) {
				t.Fatalf("%s %s: Explain says %s, the handler ran %d times", r.Name, r.Arguments, e.Verdict, ran)
			}
		}
	}
	for _, v := range []contract.Outlook{contract.WouldRun, contract.WouldAsk, contract.WouldRefuse} {
		if verdicts[v] < 500 {
			t.Errorf("only %d of the calls %s: the generator is lopsided (%v)", verdicts[v], v, verdicts)
		}
	}
}

func randomOptions(t *testing.T, rng *rand.Rand) contract.Options {
	o := contract.Options{
		Mode:    pick(rng, contract.ModeWork, contract.ModeWork, contract.ModeWork, contract.ModePlan),
		Posture: pick(rng, contract.PostureAsk, contract.PostureAsk, contract.PostureFullAccess, contract.PostureAutoReview),
		Rules:   randomRules(t, rng, policy.Rules, policy.Allow, policy.Ask, policy.Deny),
	}
	if rng.IntN(4) == 0 {
		o.Managed = randomRules(t, rng, policy.Managed, policy.Ask, policy.Deny)
	}
	if rng.IntN(4) == 0 {
		o.Workspace = newWorld(randomRules(t, rng, policy.Law, policy.Ask, policy.Deny))
	}
	return o
}

func randomRules(t *testing.T, rng *rand.Rand, layer policy.Layer, effects ...policy.Effect) *policy.Set {
	var list []policy.Rule
	for range rng.IntN(4) {
		r := policy.Rule{Match: pick(rng, "*", "builtin/*", "builtin/write", "builtin/read", "builtin/e*"), Effect: pick(rng, effects...)}
		if rng.IntN(2) == 0 && r.Match != "builtin/e*" {
			r.When = when("files[*].path", pick(rng, `\.lock$`, `^/out/`, `^/w/`, `link`))
		}
		list = append(list, r)
	}
	return rules(t, layer, list...)
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }
