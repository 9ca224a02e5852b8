package contract_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/policy"
	"raw/contract/schema"
)

// later are deferred tools, t0 and so on, with definitions of about so many
// bytes.
func later(n, bytes int, run func(context.Context, *contract.Call) contract.Result) []contract.Tool {
	var tools []contract.Tool
	for i := range n {
		tool := plainTool(fmt.Sprintf("t%d", i), contract.ClassRead, run)
		tool.Deferred = true
		tool.Input = schema.Source(`{"type":"object","required":["x"],"description":"` + strings.Repeat("d", bytes) + `"}`)
		tools = append(tools, tool)
	}
	return tools
}

// TestActivated calls a tool that nobody has found: it is activated and tells
// what it takes, and then it runs.
func TestActivated(t *testing.T) {
	runs, changes := 0, 0
	s, err := contract.Open(contract.Options{
		Tools:   later(1, 10, func(context.Context, *contract.Call) contract.Result { runs++; return contract.Succeeded("done") }),
		Surface: contract.Surface{CatalogChanged: func() { changes++ }},
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(r contract.Request) contract.Result {
		r.Name = "t0"
		return s.Call(t.Context(), r)
	}
	if e := s.Explain(t.Context(), contract.Request{Name: "t0"}); e.Verdict != contract.WouldRefuse || len(s.Active("")) != 0 {
		t.Errorf("explain = %s, and %v is active; want a refusal that activates nothing", e.Verdict, s.Active(""))
	}
	res := call(contract.Request{})
	for _, want := range []string{"not found by a search", "A fixture.", `"required":["x"]`, "/x: missing", "[tool_activated]"} {
		if !strings.Contains(textOf(res), want) {
			t.Errorf("the first call = %q, want %q in it", textOf(res), want)
		}
	}
	if res.Code() != contract.CodeToolActivated || runs != 0 || changes != 1 {
		t.Errorf("the first call: code %s, %d runs, %d changes; want %s, 0, 1", res.Code(), runs, changes, contract.CodeToolActivated)
	}
	if res := call(contract.Request{Lane: "other", Arguments: []byte(`{"x":1}`)}); res.Code() != contract.CodeToolActivated || !strings.Contains(textOf(res), "arguments that were sent are valid") {
		t.Errorf("in another conversation = %s %q, want %s", res.Code(), textOf(res), contract.CodeToolActivated)
	}
	for what, r := range map[string]contract.Request{
		"the second call":   {Arguments: []byte(`{"x":1}`)},
		"one from a list":   {Arguments: []byte(`{"x":1}`), Lane: "third", Reached: true},
		"one from a person": {Arguments: []byte(`{"x":1}`), Lane: "third", Source: contract.SourceUserAction},
	} {
		if res := call(r); res.IsError() {
			t.Errorf("%s = %q", what, textOf(res))
		}
	}
	if runs != 3 {
		t.Errorf("%d runs, want 3", runs)
	}
	s.SyncTools()
	if len(s.Active("")) != 0 || call(contract.Request{}).Code() != contract.CodeToolActivated {
		t.Error("something is active after the client began anew")
	}
}

// TestActiveBounds activates more than there is room for. Success counts as a
// use; a failure does not.
func TestActiveBounds(t *testing.T) {
	s, err := contract.Open(contract.Options{Tools: later(10, 10, func(_ context.Context, c *contract.Call) contract.Result {
		if c.Args.Field("x").JSON() == "0" {
			return contract.FailedAs(contract.KindFatal, "no")
		}
		return contract.Succeeded("done")
	})})
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, x string) contract.Result {
		return s.Call(t.Context(), contract.Request{Name: name, Arguments: []byte(`{"x":` + x + `}`)})
	}
	for i := range 8 {
		call(fmt.Sprintf("t%d", i), "1")
	}
	call("t0", "1") // runs, and is the last that was used
	call("t1", "0") // runs, and fails
	call("t8", "1")
	if diff := cmp.Diff(strings.Fields("t0 t2 t3 t4 t5 t6 t7 t8"), s.Active("")); diff != "" {
		t.Errorf("active (-want +got):\n%s", diff)
	}
}

// TestActivatedTooLarge refuses a definition that no toolbox holds, and says so.
func TestActivatedTooLarge(t *testing.T) {
	s, err := contract.Open(contract.Options{Tools: later(1, 17<<10, nil), OutputChars: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res := s.Call(t.Context(), contract.Request{Name: "t0"})
		if res.Code() != contract.CodeToolActivated || !strings.Contains(textOf(res), "cannot be activated: activate t0: its definition has 1") {
			t.Errorf("a large one = %s %.120q", res.Code(), textOf(res))
		}
	}
}

// TestActiveIsRevalidated drops what a law of a workspace that came later denies.
func TestActiveIsRevalidated(t *testing.T) {
	law := rules(t, policy.Law, policy.Rule{Match: "builtin/t0", Effect: policy.Deny})
	tools := append(later(2, 10, nil), pathTool("write", contract.ClassWrite, nil))
	s, err := contract.Open(contract.Options{Tools: tools, Workspace: newWorld(law)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t0", "t1"} {
		s.Call(t.Context(), contract.Request{Name: name})
	}
	if diff := cmp.Diff([]string{"t0", "t1"}, s.Active("")); diff != "" {
		t.Errorf("active before (-want +got):\n%s", diff)
	}
	s.Call(t.Context(), contract.Request{Name: "write", Arguments: []byte(`{"path":"x"}`)}) // acquires the workspace
	if diff := cmp.Diff([]string{"t1"}, s.Active("")); diff != "" {
		t.Errorf("active under the law (-want +got):\n%s", diff)
	}
	if res := s.Call(t.Context(), contract.Request{Name: "t0"}); res.Code() != contract.CodeToolDenied {
		t.Errorf("t0 = %s, want %s", res.Code(), contract.CodeToolDenied)
	}
}

func TestAlwaysLoad(t *testing.T) {
	tools := append(later(4, 6000, nil), plainTool("eager", contract.ClassRead, nil))
	notices := contract.AlwaysLoad(tools, []string{"t2", "gone", "eager", "t0", "t1"})
	var deferred []string
	for _, tool := range tools {
		if tool.Deferred {
			deferred = append(deferred, tool.Name)
		}
	}
	if diff := cmp.Diff([]string{"t1", "t3"}, deferred); diff != "" {
		t.Errorf("deferred (-want +got):\n%s", diff)
	}
	if len(notices) != 2 || !strings.Contains(notices[0], `"gone"`) || !strings.Contains(notices[1], "t1 has") {
		t.Errorf("notices = %q, want one of the unknown name and one of what found no room", notices)
	}
}
