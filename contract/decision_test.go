package contract_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"raw/contract"
	"raw/contract/hook"
	"raw/contract/policy"
)

// decision is one row of the table of everything that takes part in it.
type decision struct {
	mode         contract.Mode
	managed, law policy.Effect // "" is no rule
	rule         policy.Effect
	posture      contract.Posture
	outside      bool
	hook         string
	channel      string
}

// gates are what a PreToolUse hook says; "" is no hook.
var gates = map[string]hook.Verdict{
	"":          {},
	"continues": {Outcome: hook.Continued},
	"denies":    {Outcome: hook.Denied, Hook: "a"},
	"fails":     {Hook: "a", Cause: hook.Timeout},
}

var channels = map[string]func(context.Context, contract.Approval) (contract.Answer, error){
	"nobody":    nil,
	"gone":      func(context.Context, contract.Approval) (contract.Answer, error) { return 0, contract.ErrNobody },
	"yes":       func(context.Context, contract.Approval) (contract.Answer, error) { return contract.AllowOnce, nil },
	"session":   func(context.Context, contract.Approval) (contract.Answer, error) { return contract.AllowSession, nil },
	"no":        func(context.Context, contract.Approval) (contract.Answer, error) { return contract.RejectOnce, nil },
	"never":     func(context.Context, contract.Approval) (contract.Answer, error) { return contract.RejectSession, nil },
	"dismissed": func(context.Context, contract.Approval) (contract.Answer, error) { return contract.Dismissed, nil },
	"late":      func(context.Context, contract.Approval) (contract.Answer, error) { return contract.TimedOut, nil },
	"broken": func(context.Context, contract.Approval) (contract.Answer, error) {
		return 0, errors.New("the line is dead")
	},
}

// code is the table itself: CONTRACT.md §3, §6, §7 and §8 in the order in which
// they decide about a write.
func (d decision) code() contract.Code {
	layers := []policy.Effect{d.managed, d.law}
	has := func(e policy.Effect) bool { return layers[0] == e || layers[1] == e }
	asked := has(policy.Ask) || d.rule == policy.Ask
	if d.outside && d.posture != contract.PostureFullAccess && (d.rule != policy.Allow || has(policy.Ask)) {
		asked = true
	}
	switch {
	case d.mode == contract.ModePlan:
		return contract.CodeModeDenied
	case has(policy.Deny), d.rule == policy.Deny:
		return contract.CodeToolDenied
	case d.posture == contract.PostureFullAccess && has(policy.Ask):
		return contract.CodeToolDenied
	case d.hook == "denies":
		return contract.CodeHookDenied
	case d.hook == "fails":
		return contract.CodeHookError
	case !asked:
		return ""
	case d.posture == contract.PostureAutoReview:
		return contract.CodeApprovalDenied
	}
	return map[string]contract.Code{
		"nobody": contract.CodeApprovalRequired, "gone": contract.CodeApprovalRequired, "yes": "", "session": "",
		"no": contract.CodeApprovalDenied, "never": contract.CodeApprovalDenied, "dismissed": contract.CodeApprovalDismissed,
		"late": contract.CodeApprovalTimeout, "broken": contract.CodeApprovalError,
	}[d.channel]
}

// TestDecision runs the whole table: mode × managed × law × rules × posture ×
// place × hooks × channel.
func TestDecision(t *testing.T) {
	ran, rows := 0, 0
	seen := map[contract.Code]int{}
	hooks := loadHooks(t, `{"name": "PreToolUse"}`)
	narrow := []policy.Effect{"", policy.Ask, policy.Deny}
	for _, mode := range []contract.Mode{contract.ModeWork, contract.ModePlan} {
		for _, managed := range narrow {
			for _, law := range narrow {
				for _, rule := range append(narrow, policy.Allow) {
					for _, posture := range []contract.Posture{contract.PostureAsk, contract.PostureAutoReview, contract.PostureFullAccess} {
						for _, outside := range []bool{false, true} {
							for gate := range gates {
								for channel := range channels {
									if mode == contract.ModePlan && (gate != "continues" || channel != "yes") {
										continue // nothing after the mode counts
									}
									d := decision{mode, managed, law, rule, posture, outside, gate, channel}
									code, started := d.run(t, hooks)
									rows++
									ran += started
									seen[code]++
									if want := d.code(); code != want || (started == 1) != (want == "") {
										t.Errorf("%+v: %q, the handler ran %d times; want %q", d, code, started, want)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d rows, %d ran: %v", rows, ran, seen)
	for _, code := range []contract.Code{
		"", contract.CodeHookDenied, contract.CodeHookError, contract.CodeModeDenied, contract.CodeToolDenied, contract.CodeApprovalRequired, contract.CodeApprovalDenied,
		contract.CodeApprovalDismissed, contract.CodeApprovalTimeout, contract.CodeApprovalError,
	} {
		if seen[code] == 0 {
			t.Errorf("no row ends with %q", code)
		}
	}
}

// run makes one call in the row's world.
func (d decision) run(t *testing.T, hooks *hook.Set) (code contract.Code, started int) {
	t.Helper()
	if d.hook == "" {
		hooks = nil
	}
	s := d.open(t, hooks, &fakeHooks{verdict: gates[d.hook]}, func() { started++ })
	res := s.Call(t.Context(), d.request())
	return res.Code(), started
}

// open makes the row's world: all of it but the call.
func (d decision) open(t *testing.T, hooks *hook.Set, runner *fakeHooks, started func()) *contract.Session {
	t.Helper()
	set := func(layer policy.Layer, e policy.Effect) *policy.Set {
		if e == "" {
			return nil
		}
		return rules(t, layer, policy.Rule{Match: "builtin/write", Effect: e, When: when("files[*].path", "target$")})
	}
	w := newWorld()
	if law := set(policy.Law, d.law); law != nil {
		w = newWorld(law)
	}
	return open(t, contract.Options{
		Hooks: hooks, HookRunner: runner, SecondPath: func() string { return "approve" },
		Mode: d.mode, Posture: d.posture, Workspace: w, Managed: set(policy.Managed, d.managed), Rules: set(policy.Rules, d.rule),
	}, started)
}

// request is the row's call.
func (d decision) request() contract.Request {
	path := "target"
	if d.outside {
		path = "/out/target"
	}
	return contract.Request{Name: "write", Arguments: []byte(fmt.Sprintf(`{"path":%q}`, path)), Approve: channels[d.channel]}
}
