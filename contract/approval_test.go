package contract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/policy"
	"raw/contract/value"
)

// commandTool declares the programs that args.command names, one for each ";",
// as bash does. A "$" makes them unknown.
func commandTool() contract.Tool {
	return contract.Tool{
		Identity: "builtin/bash", Name: "bash", Description: "A fixture.", Class: contract.ClassExec,
		Input: `{"type":"object","required":["command"],"properties":{"command":{"type":"string"}}}`,
		EffectsSource: `{"type":"object","properties":{
			"cwd":{"type":"object","properties":{"path":{"type":"string","format":"path"}}},
			"programs":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"command":{"type":"string"}}}},
			"unknown":{"type":"array","items":{"type":"string"}}}}`,
		Effects: func(args value.Object, cwd string) (value.Object, error) {
			text, _ := args.Field("command").Str()
			effects := map[string]any{"cwd": map[string]any{"path": cwd}}
			var programs []any
			for _, c := range strings.Split(text, ";") {
				c = strings.TrimSpace(c)
				name, _, _ := strings.Cut(c, " ")
				programs = append(programs, map[string]any{"name": name, "command": c})
			}
			effects["programs"] = programs
			if strings.Contains(text, "$") {
				effects["unknown"] = []any{"programs[*].name"}
			}
			return value.Of(effects)
		},
		Run: func(context.Context, *contract.Call) contract.Result { return contract.Succeeded("ran") },
	}
}

// TestSessionScopes shows what an answer for the session covers, by class, and
// what it does not: after the first call was answered, the others are asked
// about or not.
func TestSessionScopes(t *testing.T) {
	type call struct {
		tool, args string
		asked      bool
	}
	rule := policy.Rule{Match: "builtin/write", Effect: policy.Ask, When: when("files[*].path", `\.lock$`)}
	for _, tc := range []struct {
		name     string
		baseline []string
		rules    []policy.Rule
		scope    string
		calls    []call // the first is answered for the session
	}{
		{
			"write",
			[]string{"write"},
			nil, "writing files inside the roots",
			[]call{{"write", `{"path":"a"}`, true}, {"write", `{"path":"b"}`, false}},
		},
		{
			"outside covers the folder and what is below it",
			[]string{"outside"},
			nil, "files in /out",
			[]call{{"write", `{"path":"/out/a"}`, true}, {"write", `{"path":"/out/b"}`, false}, {"read", `{"path":"/out/sub/c"}`, false}, {"read", `{"path":"/other/c"}`, true}, {"read", `{"path":"/c"}`, true}},
		},
		{
			"write inside does not cover outside",
			[]string{"write", "outside"},
			nil, "writing files inside the roots",
			[]call{{"write", `{"path":"a"}`, true}, {"write", `{"path":"/out/b"}`, true}},
		},
		{
			"exec covers each program with its first word",
			[]string{"exec"},
			nil, "running git status, ls in /w",
			[]call{
				{"bash", `{"command":"git status -s; ls"}`, true},
				{"bash", `{"command":"git status"}`, false},
				{"bash", `{"command":"ls; git status --long"}`, false},
				{"bash", `{"command":"git push"}`, true},
				{"bash", `{"command":"ls; rm x"}`, true},
			},
		},
		{"network", []string{"network"}, nil, "every call of network", []call{{"network", `{}`, true}, {"network", `{"x":1}`, false}}},
		{
			"a rule covers the values it looked at", nil,
			[]policy.Rule{rule},
			"what rules.toml:1 asks about, with files[*].path being /w/a.lock",
			[]call{{"write", `{"path":"a.lock"}`, true}, {"write", `{"path":"a.lock"}`, false}, {"write", `{"path":"b.lock"}`, true}},
		},
		{
			"what the text does not fix cannot be remembered",
			[]string{"exec"},
			nil, "",
			[]call{{"bash", `{"command":"$X"}`, true}, {"bash", `{"command":"$X"}`, true}},
		},
		{
			"nor by a rule", nil,
			[]policy.Rule{{Match: "builtin/bash", Effect: policy.Ask, When: when("programs[*].name", "^rm$")}},
			"",
			[]call{{"bash", `{"command":"$X"}`, true}, {"bash", `{"command":"$X"}`, true}, {"bash", `{"command":"ls"}`, false}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var asked []contract.Approval
			s, err := contract.Open(contract.Options{
				Tools: []contract.Tool{
					pathTool("read", contract.ClassRead, nil), pathTool("write", contract.ClassWrite, nil),
					commandTool(), plainTool("network", contract.ClassNetwork, nil),
				},
				Workspace: newWorld(), Baseline: tc.baseline, Rules: rules(t, policy.Rules, tc.rules...),
				Surface: contract.Surface{Approve: func(_ context.Context, a contract.Approval) (contract.Answer, error) {
					asked = append(asked, a)
					return contract.AllowSession, nil
				}},
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range tc.calls {
				before := len(asked)
				res := s.Call(t.Context(), contract.Request{Name: c.tool, Arguments: []byte(c.args)})
				if res.IsError() || (len(asked) > before) != c.asked {
					t.Errorf("call %d, %s %s: asked %v, want %v; %s", i, c.tool, c.args, len(asked) > before, c.asked, textOf(res))
				}
				if i == 0 && asked[0].Scope != tc.scope {
					t.Errorf("scope = %q, want %q", asked[0].Scope, tc.scope)
				}
			}
		})
	}
}

// TestGrants shows that answers are listed and taken back, that a rejection
// counts before an allowance, and that neither lifts a denial.
func TestGrants(t *testing.T) {
	answers := []contract.Answer{contract.AllowSession, contract.RejectSession, contract.AllowOnce}
	asked := 0
	o := contract.Options{
		Tools:     []contract.Tool{pathTool("write", contract.ClassWrite, nil)},
		Workspace: newWorld(), Baseline: []string{"outside"},
		Rules: rules(t, policy.Rules, policy.Rule{Match: "*", Effect: policy.Deny, When: when("files[*].path", "secret")}),
		Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) {
			asked++
			return answers[asked-1], nil
		}},
	}
	s, err := contract.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	call := func(path string) contract.Code {
		return s.Call(t.Context(), contract.Request{Name: "write", Arguments: []byte(fmt.Sprintf(`{"path":%q}`, path))}).Code()
	}
	got := []contract.Code{call("/out/a"), call("/out/b"), call("/out/secret"), call("/other/a"), call("/other/b")}
	want := []contract.Code{"", "", contract.CodeToolDenied, contract.CodeApprovalDenied, contract.CodeApprovalDenied}
	if d := cmp.Diff(want, got); d != "" || asked != 2 {
		t.Fatalf("codes (-want +got), asked %d times:\n%s", asked, d)
	}
	var listed []string
	for _, g := range s.Grants() {
		listed = append(listed, fmt.Sprintf("%s %s %v", g.ID, g.Text, g.Allow))
	}
	if d := cmp.Diff([]string{"gr-1 files in /out true", "gr-2 files in /other false"}, listed); d != "" {
		t.Errorf("grants (-want +got):\n%s", d)
	}
	if !s.Revoke("gr-2") || s.Revoke("gr-2") {
		t.Error("revoking does not work once and only once")
	}
	if code := call("/other/b"); code != "" || asked != 3 {
		t.Errorf("after revoking: %q, asked %d times", code, asked)
	}
}

// TestSecondPath shows the way of a call that nobody could be asked about: its
// id lets exactly that call through, once, within ten minutes.
func TestSecondPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{plainTool("network", contract.ClassNetwork, nil)}, Baseline: []string{"network"}, SecondPath: func() string { return "raw-mcp approve" },
			Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) { return 0, contract.ErrNobody }},
		})
		if err != nil {
			t.Fatal(err)
		}
		call := func(args string) contract.Result {
			return s.Call(t.Context(), contract.Request{Name: "network", Arguments: []byte(args)})
		}
		res := call(`{"a":1}`)
		list := s.PendingApprovals()
		if res.Code() != contract.CodeApprovalRequired || len(list) != 1 || !strings.Contains(textOf(res), "raw-mcp approve "+list[0].ID) {
			t.Fatalf("refused call = %q, pending %+v", textOf(res), list)
		}
		if call(`{"a":1}`); len(s.PendingApprovals()) != 1 {
			t.Errorf("the same call again has another id: %+v", s.PendingApprovals())
		}
		if s.ApproveOnce("ap-none") || !s.ApproveOnce(list[0].ID) {
			t.Error("ApproveOnce takes a wrong id, or not the right one")
		}
		got := []bool{call(`{"a":2}`).IsError(), call(`{ "a": 1 }`).IsError(), call(`{"a":1}`).IsError()}
		if d := cmp.Diff([]bool{true, false, true}, got); d != "" {
			t.Errorf("errors of another call, the call, the call again (-want +got):\n%s", d)
		}
		for _, p := range s.PendingApprovals() {
			s.ApproveOnce(p.ID)
		}
		time.Sleep(10*time.Minute + time.Second)
		if res := call(`{"a":2}`); !res.IsError() {
			t.Error("an approval of ten minutes ago still holds")
		}
	})
}

// TestBinding shows that an approval holds only for what was shown.
func TestBinding(t *testing.T) {
	for _, tc := range []struct {
		changed error
		want    contract.Code
	}{{nil, ""}, {errors.New("f changed meanwhile"), contract.CodeConflict}} {
		started := 0
		tool := plainTool("x", contract.ClassNetwork, func(context.Context, *contract.Call) contract.Result {
			started++
			return contract.Succeeded("ran")
		})
		tool.Preview = func(context.Context, *contract.Call) (contract.Preview, error) {
			return contract.Preview{Text: "the diff", Unchanged: func(context.Context) error { return tc.changed }}, nil
		}
		shown := ""
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{tool}, Baseline: []string{"network"},
			Surface: contract.Surface{Approve: func(_ context.Context, a contract.Approval) (contract.Answer, error) {
				shown = a.Preview
				return contract.AllowOnce, nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		res := s.Call(t.Context(), contract.Request{Name: "x"})
		if res.Code() != tc.want || (started == 1) != (tc.want == "") || shown != "the diff" {
			t.Errorf("with %v: %q, started %d times, shown %q", tc.changed, textOf(res), started, shown)
		}
	}
}

// TestDeadline shows that a silent person is a refusal, in time.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{plainTool("x", contract.ClassNetwork, nil)}, Baseline: []string{"network"}, ApprovalTimeout: time.Minute,
			Surface: contract.Surface{Approve: func(ctx context.Context, _ contract.Approval) (contract.Answer, error) {
				<-ctx.Done()
				return 0, ctx.Err()
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		res := s.Call(t.Context(), contract.Request{Name: "x"})
		if res.Code() != contract.CodeApprovalTimeout || time.Since(began) != time.Minute {
			t.Errorf("after %s: %q", time.Since(began), textOf(res))
		}
	})
}

// TestReview shows what a reviewer may clear in the auto-review posture, and
// that whatever else it does is a no.
func TestReview(t *testing.T) {
	for _, tc := range []struct {
		name, tool, args string
		reason           string
		err              error
		want             contract.Code
		reviewed         bool
	}{
		{"cleared", "network", `{}`, "", nil, "", true},
		{"declined", "network", `{}`, "no", nil, contract.CodeApprovalDenied, true},
		{"failed", "network", `{}`, "", errors.New("exit code 1"), contract.CodeApprovalDenied, true},
		{"outside is not for it", "read", `{"path":"/out/x"}`, "", nil, contract.CodeApprovalDenied, false},
		{"a rule is not for it", "write", `{"path":"a"}`, "", nil, contract.CodeApprovalDenied, false},
		{"external is not for it", "external", `{}`, "", nil, contract.CodeApprovalDenied, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reviewed := false
			s := open(t, contract.Options{
				Posture: contract.PostureAutoReview, Baseline: []string{"network", "outside", "external"},
				Rules: rules(t, policy.Rules, policy.Rule{Match: "builtin/write", Effect: policy.Ask}),
				Review: func(context.Context, contract.Approval) (string, error) {
					reviewed = true
					return tc.reason, tc.err
				},
				Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) {
					t.Error("a person was asked")
					return contract.AllowOnce, nil
				}},
			}, nil)
			res := s.Call(t.Context(), contract.Request{Name: tc.tool, Arguments: []byte(tc.args)})
			if res.Code() != tc.want || reviewed != tc.reviewed {
				t.Errorf("%s = %q, reviewed %v; want %q, %v", tc.tool, textOf(res), reviewed, tc.want, tc.reviewed)
			}
		})
	}
}
