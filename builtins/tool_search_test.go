package builtins

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/policy"
	"raw/contract/schema"
)

// shelf is a session with tool_search and some deferred tools.
func shelf(t *testing.T, rules *policy.Set) *contract.Session {
	t.Helper()
	tools := []contract.Tool{toolSearchTool(), askUserTool(), writeFileTool(Host{}, newKnown())}
	huge := askUserTool()
	huge.Identity, huge.Name, huge.Description, huge.Panels = "builtin/huge", "huge", "Weigh an elephant.", nil
	huge.Input = schema.Source(`{"type":"object","description":"` + strings.Repeat("d", 17<<10) + `"}`)
	s, err := contract.Open(contract.Options{Tools: append(tools, huge), Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestToolSearch(t *testing.T) {
	s := shelf(t, nil)
	for _, tc := range []struct {
		arguments string
		want      []string // parts of the text
		active    []string
		note      string
	}{
		{`{"query":"ask the person a question","max_results":1}`, []string{
			"ask_user: ask the person a question with a form\nAsk the person 1 to 3 questions", `input schema: {"type":"object"`, "call it: ask_user {…}", "[1 of 3 tools beyond the list]",
		}, []string{"ask_user"}, ""},
		{`{"query":"^WRITE_","match":"regex"}`, []string{"write_file: ", "[1 of 3 tools beyond the list]\n[a note]"}, []string{"ask_user", "write_file"}, "a note"},
		{`{"query":"elephant"}`, []string{"huge", "not active: activate huge: its definition has 1"}, []string{"ask_user", "write_file"}, ""},
		{`{"query":"zzz"}`, []string{`[nothing fits zzz among 3 tools beyond the list; there are: ask_user, write_file, huge]`}, []string{"ask_user", "write_file"}, ""},
	} {
		res := s.Call(t.Context(), contract.Request{Name: "tool_search", Arguments: json.RawMessage(tc.arguments), FindNote: tc.note})
		for _, want := range tc.want {
			if !strings.Contains(textOf(res), want) || res.IsError() {
				t.Errorf("tool_search %s = %q, want %q in it", tc.arguments, textOf(res), want)
			}
		}
		if diff := cmp.Diff(tc.active, s.Active("")); diff != "" {
			t.Errorf("active after %s (-want +got):\n%s", tc.arguments, diff)
		}
	}
	if res := s.Call(t.Context(), contract.Request{Name: "tool_search", Arguments: json.RawMessage(`{"query":"(","match":"regex"}`)}); res.Code() != contract.CodeInvalidArguments || !strings.Contains(textOf(res), "missing closing )") {
		t.Errorf("a bad pattern = %s %q", res.Code(), textOf(res))
	}
}

// TestToolSearchUnderRules denies everything: the search stays, and what is
// denied counts as absent.
func TestToolSearchUnderRules(t *testing.T) {
	rules, err := policy.Compile(policy.Rules, []policy.Rule{{Match: "*", Effect: policy.Deny}})
	if err != nil {
		t.Fatal(err)
	}
	s := shelf(t, rules)
	var listed []string
	for _, spec := range s.Specs() {
		listed = append(listed, spec.Name)
	}
	if diff := cmp.Diff([]string{"tool_search"}, listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	res := s.Call(t.Context(), contract.Request{Name: "tool_search", Arguments: json.RawMessage(`{"query":"ask the person"}`)})
	if want := "[there are no tools beyond the list, or a rule denies them]"; textOf(res) != want {
		t.Errorf("tool_search = %q, want %q", textOf(res), want)
	}
}
