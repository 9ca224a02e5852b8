package contract_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"raw/contract"
	"raw/contract/policy"
)

// memory is what a session keeps of the answers of a person, by whether the
// file lies outside: CONTRACT.md §8 in four sets.
type memory struct{ allowed, rejected, refused, approved map[bool]bool }

// after is how the call of d ends and what the session keeps of it. The table
// decides; memory only stands in for the person whom the table would ask.
func (m memory) after(d decision) (want contract.Code, by string) {
	yes, nobody := d, d
	yes.channel, nobody.channel = "yes", "nobody"
	if yes.code() != "" || nobody.code() == "" {
		return d.code(), "table"
	}
	switch at := d.outside; {
	case m.rejected[at]:
		return contract.CodeApprovalDenied, "rejection"
	case m.allowed[at]:
		return "", "allowance"
	case m.approved[at]:
		delete(m.approved, at)
		return "", "approve"
	default:
		m.allowed[at], m.rejected[at] = d.channel == "session", d.channel == "never"
		m.refused[at] = m.refused[at] || d.channel == "nobody" || d.channel == "gone"
		return d.code(), "person"
	}
}

// TestSequences holds that in no sequence of calls, hook verdicts, answers,
// second-path approvals and revocations a handler runs that the table of
// decisions and the answers so far refuse, and that every other one does.
func TestSequences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hooks := loadHooks(t, `{"name": "PreToolUse"}`)
	verdicts, answers := slices.Sorted(maps.Keys(gates)), slices.Sorted(maps.Keys(channels))
	verdicts = verdicts[1:] // a session has a hook or has none
	seen := map[string]int{}
	for range 2000 {
		d := decision{
			mode:    pick(rng, contract.ModeWork, contract.ModeWork, contract.ModeWork, contract.ModePlan),
			managed: pick(rng, "", "", "", policy.Ask, policy.Deny), law: pick(rng, "", "", "", policy.Ask, policy.Deny),
			rule:    pick(rng, "", policy.Ask, policy.Ask, policy.Allow, policy.Deny),
			posture: pick(rng, contract.PostureAsk, contract.PostureAsk, contract.PostureAutoReview, contract.PostureFullAccess),
		}
		use, runner, started := hooks, &fakeHooks{}, 0
		if rng.IntN(2) == 0 {
			use = nil
		}
		s := d.open(t, use, runner, func() { started++ })
		m := memory{map[bool]bool{}, map[bool]bool{}, map[bool]bool{}, map[bool]bool{}}
		var so []decision
		for range 15 {
			switch rng.IntN(8) {
			case 0:
				for _, g := range s.Grants() {
					s.Revoke(g.ID)
				}
				clear(m.allowed)
				clear(m.rejected)
			case 1:
				for _, p := range s.PendingApprovals() {
					s.ApproveOnce(p.ID)
				}
				maps.Copy(m.approved, m.refused)
				clear(m.refused)
			}
			d.outside, d.channel = rng.IntN(2) == 0, pick(rng, answers...)
			if use != nil {
				d.hook = pick(rng, verdicts...)
				runner.verdict = gates[d.hook]
			}
			so = append(so, d)
			want, by := m.after(d)
			before := started
			code := s.Call(t.Context(), d.request()).Code()
			if ran := started - before; code != want || (ran == 1) != (want == "") || ran > 1 {
				t.Fatalf("%q, the handler ran %d times; want %q, by %s, after\n%+v", code, ran, want, by, so)
			}
			seen[by+" "+string(want)]++
		}
	}
	t.Log(seen)
	for _, how := range []string{
		"table tool_denied", "table hook_denied", "table hook_error", "table mode_denied", "table ",
		"rejection approval_denied", "allowance ", "approve ", "person ", "person approval_required",
	} {
		if seen[how] < 100 {
			t.Errorf("only %d calls ended with %q", seen[how], how)
		}
	}
}
