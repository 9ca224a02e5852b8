package contract_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/hook"
)

// fakeHooks answers for every hook and notes what it was asked and told.
type fakeHooks struct {
	verdict hook.Verdict
	asked   func()
	seen    []string
}

func (f *fakeHooks) note(concerned []hook.Selected, e hook.Event) {
	var names []string
	for _, s := range concerned {
		names = append(names, s.Name)
	}
	payload, err := e.Payload()
	if err != nil {
		panic(err)
	}
	f.seen = append(f.seen, strings.Join(names, ",")+" "+strings.TrimSpace(string(payload)))
}

func (f *fakeHooks) Gate(_ context.Context, concerned []hook.Selected, e hook.Event) hook.Verdict {
	f.note(concerned, e)
	if f.asked != nil {
		f.asked()
	}
	return f.verdict
}

func (f *fakeHooks) Notify(_ context.Context, concerned []hook.Selected, e hook.Event) {
	f.note(concerned, e)
}

func loadHooks(t *testing.T, events ...string) *hook.Set {
	t.Helper()
	dir := t.TempDir()
	var use []string
	for i, e := range events {
		name := string(rune('a' + i))
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := `{"protocol_version": 2, "name": "` + name + `", "command": "x", "events": [` + e + `]}`
		if err := os.WriteFile(filepath.Join(dir, name, hook.File), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		use = append(use, "local/"+name)
	}
	set, err := hook.Load([]string{dir}, use)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func withHooks(t *testing.T, f *fakeHooks, events ...string) *contract.Session {
	t.Helper()
	s, err := contract.Open(contract.Options{
		Tools:      []contract.Tool{pathTool("write", contract.ClassWrite, nil), plainTool("plain", contract.ClassRead, nil), plainTool("fails", contract.ClassRead, fails)},
		Workspace:  newWorld(),
		Hooks:      loadHooks(t, events...),
		HookRunner: f,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fails(context.Context, *contract.Call) contract.Result {
	return contract.FailedAs(contract.KindFatal, "it broke")
}

func TestPreToolUse(t *testing.T) {
	cases := []struct {
		name    string
		verdict hook.Verdict
		code    contract.Code
		text    string
	}{
		{"continued", hook.Verdict{Outcome: hook.Continued}, "", ""},
		{"denied", hook.Verdict{Outcome: hook.Denied, Hook: "a", Reason: "not today"}, contract.CodeHookDenied, "write is denied by the hook a: not today"},
		{"denied without a word", hook.Verdict{Outcome: hook.Denied, Hook: "a", Bare: true}, contract.CodeHookDenied, "write is denied by the hook a: it gives no reason"},
		{"failed", hook.Verdict{Hook: "a", Cause: hook.Timeout, What: "gave no answer"}, contract.CodeHookError, "write was not run, because the hook a gave no answer;"},
		{"nothing at all", hook.Verdict{}, contract.CodeHookError, ""},
	}
	for _, tc := range cases {
		f := &fakeHooks{verdict: tc.verdict}
		s := withHooks(t, f, `{"name": "PreToolUse"}`)
		res := s.Call(t.Context(), contract.Request{Name: "write", Arguments: json.RawMessage(`{"path":"link"}`)})
		text := string(res.Content[0].(contract.Text))
		if res.Code() != tc.code || !strings.HasPrefix(text, tc.text) || (res.Execution != "") != (tc.code == "") {
			t.Errorf("%s: Call = %s, %q, execution %q, want %q, %q", tc.name, res.Code(), text, res.Execution, tc.code, tc.text)
		}
	}
}

// What hooks are shown: the call as it was checked, effects in the lexical
// spelling; and, after it ran, its whole result.
func TestHookPayloads(t *testing.T) {
	f := &fakeHooks{verdict: hook.Verdict{Outcome: hook.Continued}}
	s := withHooks(t, f, `{"name": "PreToolUse", "when": {"source": "effects", "any": "files[*].path", "regex": "^/out/"}}`,
		`{"name": "PostToolUse"}, {"name": "SessionStart"}`, `{"name": "PostToolUseFailure"}, {"name": "SessionEnd"}`)
	s.Begin(t.Context(), "create")
	for _, r := range []contract.Request{
		{Name: "write", Arguments: json.RawMessage(`{"path":"link"}`), Source: contract.SourceUserAction},
		{Name: "plain"},
		{Name: "fails"},
		{Name: "plain", Arguments: json.RawMessage(`[]`)},
	} {
		s.Call(t.Context(), r)
	}
	s.End(t.Context())
	const write = `"tool":{"identity":"builtin/write","name":"write","source":"user_action","arguments":{"path":"link"},"effects":{"files":[{"operation":"write","path":"/w/link"}]}`
	want := []string{
		`b {"protocol_version":2,"event":"SessionStart","cwd":"/w","source":"create"}`,
		`a {"protocol_version":2,"event":"PreToolUse","cwd":"/w",` + write + `}}`,
		`b {"protocol_version":2,"event":"PostToolUse","cwd":"/w",` + write + `,"result":{"content":[{"text":"done","type":"text"}],"isError":false}}}`,
		`b {"protocol_version":2,"event":"PostToolUse","cwd":"/w","tool":{"identity":"builtin/plain","name":"plain","source":"model","arguments":{},"result":{"content":[{"text":"done","type":"text"}],"isError":false}}}`,
		`c {"protocol_version":2,"event":"PostToolUseFailure","cwd":"/w","tool":{"identity":"builtin/fails","name":"fails","source":"model","arguments":{},"result":{"content":[{"text":"it broke\n[fails failed; side effects may have partially applied; verify before retrying]","type":"text"}],"errorKind":"fatal","isError":true}}}`,
		`c {"protocol_version":2,"event":"SessionEnd","cwd":"/w"}`,
	}
	if diff := cmp.Diff(want, f.seen); diff != "" {
		t.Errorf("hooks saw (-want +got):\n%s", diff)
	}
}

// Explain says who would be asked and asks nobody.
func TestExplainNamesHooks(t *testing.T) {
	f := &fakeHooks{}
	s := withHooks(t, f, `{"name": "PreToolUse", "match": "builtin/write"}`)
	e := s.Explain(t.Context(), contract.Request{Name: "write", Arguments: json.RawMessage(`{"path":"a"}`)})
	var details []string
	for _, step := range e.Steps {
		if step.Step == contract.StepHooks {
			details = step.Details
		}
	}
	if e.Verdict != contract.WouldRun || !cmp.Equal(details, []string{"would ask the hook a"}) || len(f.seen) > 0 {
		t.Errorf("Explain = %s, hooks %v, asked %v, want would run, the hook a, nobody", e.Verdict, details, f.seen)
	}
}

func TestHookCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fakeHooks{asked: cancel}
	res := withHooks(t, f, `{"name": "PreToolUse"}`).Call(ctx, contract.Request{Name: "plain"})
	if res.Code() != contract.CodeAborted {
		t.Errorf("Call cancelled while a hook was asked = %s, want aborted", res.Code())
	}
}

// A hook that is about a tool that has nothing of what it looks at is told at
// the start.
func TestHookUnbound(t *testing.T) {
	_, err := contract.Open(contract.Options{
		Tools: []contract.Tool{plainTool("plain", contract.ClassRead, nil)}, HookRunner: &fakeHooks{},
		Hooks: loadHooks(t, `{"name": "PreToolUse", "match": "builtin/plain", "when": {"source": "effects", "any": "files[*].path", "regex": "x"}}`),
	})
	if err == nil || !strings.Contains(err.Error(), "/events/0: when, on builtin/plain: predicate does not bind") {
		t.Errorf("Open = %v, want the subscription that does not bind", err)
	}
}

// Hooks run in the workspace: a call without effects gets one for them, or is
// refused where there is none.
func TestHooksNeedWorkspace(t *testing.T) {
	for _, w := range []*world{newWorld(), {}} {
		f := &fakeHooks{verdict: hook.Verdict{Outcome: hook.Continued}}
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{plainTool("plain", contract.ClassRead, nil)}, Workspace: w,
			Hooks: loadHooks(t, `{"name": "PreToolUse"}`), HookRunner: f,
		})
		if err != nil {
			t.Fatal(err)
		}
		code := s.Call(t.Context(), contract.Request{Name: "plain"}).Code()
		switch {
		case w.workspace == nil && (code != contract.CodeWorkspaceMissing || len(f.seen) > 0):
			t.Errorf("Call without a workspace = %s, asked %v, want workspace_missing and nobody", code, f.seen)
		case w.workspace != nil && (code != "" || len(f.seen) != 1 || !strings.Contains(f.seen[0], `"cwd":"/w"`)):
			t.Errorf("Call = %s, asked %v, want a success and one hook in /w", code, f.seen)
		}
	}
}
