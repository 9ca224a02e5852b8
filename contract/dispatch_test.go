package contract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/ledger"
	"raw/contract/policy"
	"raw/contract/schema"
	"raw/contract/value"
)

var (
	errLoop        = errors.New("resolve /w/loop: too many links")
	errNoWorkspace = errors.New("no workspace is set; start with --root DIR")
)

// TestRefusals shows the one way to each refusal of steps 1 to 6 and that the
// handler was not started on it.
func TestRefusals(t *testing.T) {
	denyAll := policy.Rule{Match: "builtin/write", Effect: policy.Deny, Reason: "because"}
	for _, tc := range []struct {
		name    string
		options contract.Options
		tool    string
		args    string
		code    contract.Code
		text    string
	}{
		{name: "unknown", tool: "wirte", code: contract.CodeToolNotExposed, text: `there is no tool "wirte" here; did you mean write?`},
		{
			name: "denied", tool: "write", args: `{"path":"a"}`, options: contract.Options{Rules: rules(t, policy.Rules, denyAll)},
			code: contract.CodeToolDenied, text: "write is denied by rules.toml:1: because",
		},
		{
			name: "denied by managed policy", tool: "write", args: `{"path":"a"}`, options: contract.Options{Managed: rules(t, policy.Managed, denyAll)},
			code: contract.CodeToolDenied, text: "managed policy managed policy.toml:1",
		},
		{name: "mode, write", tool: "write", args: `{"path":"a"}`, options: contract.Options{Mode: contract.ModePlan}, code: contract.CodeModeDenied, text: "plan mode"},
		{name: "mode, exec", tool: "exec", args: `{}`, options: contract.Options{Mode: contract.ModePlan}, code: contract.CodeModeDenied},
		{name: "mode, external", tool: "external", args: `{}`, options: contract.Options{Mode: contract.ModePlan}, code: contract.CodeModeDenied},
		{name: "not JSON", tool: "write", args: `{"path":`, code: contract.CodeInvalidArguments},
		{name: "not an object", tool: "write", args: `[]`, code: contract.CodeInvalidArguments},
		{name: "duplicate key", tool: "write", args: `{"path":"a","path":"b"}`, code: contract.CodeInvalidArguments},
		{name: "all faults at once", tool: "write", args: `{"paht":"a"}`, code: contract.CodeInvalidArguments, text: "/paht: unknown field; accepted: path; nearest: path\n"},
		{name: "null is a value", tool: "write", args: `{"path":null}`, code: contract.CodeInvalidArguments, text: "/path: "},
		{name: "the tool's own validator", tool: "picky", args: `{}`, code: contract.CodeInvalidArguments, text: "/x: never right"},
		{name: "descriptor panics", tool: "write", args: `{"path":"panic"}`, code: contract.CodeEffectsError, text: "panicked"},
		{name: "effects not valid", tool: "write", args: `{"path":"wrong"}`, code: contract.CodeInvalidEffects},
		{name: "effects too large", tool: "write", args: `{"path":"big"}`, code: contract.CodeInvalidEffects, text: "65536"},
		{name: "effects with a relative path", tool: "write", args: `{"path":"relative"}`, code: contract.CodeEffectsError, text: "not an absolute, cleaned path"},
		{name: "path that cannot be resolved", tool: "write", args: `{"path":"loop"}`, code: contract.CodeEffectsError, text: "too many links"},
		{name: "no workspace", tool: "write", args: `{"path":"a"}`, options: contract.Options{Workspace: &world{}}, code: contract.CodeWorkspaceMissing, text: "--root"},
		{
			name: "conditional deny", tool: "write", args: `{"path":"a.lock"}`,
			options: contract.Options{Rules: rules(t, policy.Rules, policy.Rule{Match: "builtin/*", Effect: policy.Deny, When: when("files[*].path", `\.lock$`)})},
			code:    contract.CodeToolDenied, text: `(files[0].path is "/w/a.lock")`,
		},
		{
			name: "conditional deny by the resolved path", tool: "write", args: `{"path":"link"}`,
			options: contract.Options{Rules: rules(t, policy.Rules, policy.Rule{Match: "builtin/*", Effect: policy.Deny, When: when("files[*].path", `^/out/`)})},
			code:    contract.CodeToolDenied,
		},
		{
			name: "law", tool: "write", args: `{"path":"a"}`,
			options: contract.Options{Workspace: newWorld(rules(t, policy.Law, denyAll))}, code: contract.CodeToolDenied, text: "the law law.toml:1",
		},
		{
			name: "guard", tool: "write", args: `{"path":"a"}`,
			options: contract.Options{Guard: func(i contract.Intent) string { return "it is " + i.Named[0].Real }},
			code:    contract.CodeToolDenied, text: "it is /w/a",
		},
		{
			name: "ask by rule, nobody there", tool: "write", args: `{"path":"a"}`,
			options: contract.Options{Rules: rules(t, policy.Rules, policy.Rule{Match: "*", Effect: policy.Ask})},
			code:    contract.CodeApprovalRequired, text: "by rules.toml:1",
		},
		{name: "outside", tool: "write", args: `{"path":"/out/x"}`, code: contract.CodeApprovalRequired, text: "/out/x lies outside the roots /w"},
		{name: "outside by a link", tool: "write", args: `{"path":"link"}`, code: contract.CodeApprovalRequired, text: "/out/file"},
		{name: "network", tool: "network", args: `{}`, code: contract.CodeApprovalRequired, text: "class is network"},
		{name: "auto-review", tool: "network", args: `{}`, options: contract.Options{Posture: contract.PostureAutoReview}, code: contract.CodeApprovalDenied},
		{
			name: "full access does not clear a rule's ask", tool: "write", args: `{"path":"a"}`,
			options: contract.Options{Posture: contract.PostureFullAccess, Rules: rules(t, policy.Rules, policy.Rule{Match: "*", Effect: policy.Ask})},
			code:    contract.CodeApprovalRequired,
		},
		{
			name: "full access makes law's ask a refusal", tool: "write", args: `{"path":"a"}`,
			options: contract.Options{Posture: contract.PostureFullAccess, Managed: rules(t, policy.Managed, policy.Rule{Match: "*", Effect: policy.Ask})},
			code:    contract.CodeToolDenied,
		},
		{name: "declined", tool: "network", args: `{}`, options: answering(contract.RejectOnce, nil), code: contract.CodeApprovalDenied},
		{name: "dismissed", tool: "network", args: `{}`, options: answering(contract.Dismissed, nil), code: contract.CodeApprovalDismissed},
		{name: "timed out", tool: "network", args: `{}`, options: answering(contract.TimedOut, nil), code: contract.CodeApprovalTimeout},
		{name: "approval fails", tool: "network", args: `{}`, options: answering(0, errors.New("the line is dead")), code: contract.CodeApprovalError, text: "the line is dead"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			started := 0
			s := open(t, tc.options, func() { started++ })
			res := s.Call(t.Context(), contract.Request{Name: tc.tool, Arguments: []byte(tc.args)})
			if res.Code() != tc.code || res.Failure == nil || res.Failure.Kind != tc.code.Kind() {
				t.Fatalf("%s %s = %+v, want code %s of kind %s", tc.tool, tc.args, res, tc.code, tc.code.Kind())
			}
			if text := textOf(res); !strings.Contains(text, tc.text) || !strings.HasSuffix(text, "\n["+string(tc.code)+"]") {
				t.Errorf("text = %q, want %q in it and the code at the end", text, tc.text)
			}
			if started != 0 || res.Execution != "" {
				t.Errorf("the handler was started %d times, execution %q", started, res.Execution)
			}
			if e := s.Explain(t.Context(), contract.Request{Name: tc.tool, Arguments: []byte(tc.args)}); !agrees(e, tc.code) {
				t.Errorf("Explain = %+v, Run gives %s", e, tc.code)
			}
		})
	}
}

// TestAllowed shows what is let through beside what is refused.
func TestAllowed(t *testing.T) {
	allow := policy.Rule{Match: "builtin/*", Effect: policy.Allow}
	for _, tc := range []struct {
		name    string
		options contract.Options
		tool    string
		args    string
	}{
		{name: "inside", tool: "write", args: `{"path":"a"}`},
		{name: "no arguments at all", tool: "exec"},
		{name: "a later rule lifts a denial", tool: "write", args: `{"path":"a"}`, options: contract.Options{Rules: rules(t, policy.Rules, policy.Rule{Match: "*", Effect: policy.Deny}, allow)}},
		{name: "an allow rule clears outside", tool: "write", args: `{"path":"/out/x"}`, options: contract.Options{Rules: rules(t, policy.Rules, allow)}},
		{name: "full access clears outside", tool: "write", args: `{"path":"/out/x"}`, options: contract.Options{Posture: contract.PostureFullAccess}},
		{name: "a person clears network", tool: "network", args: `{}`, options: answering(contract.AllowOnce, nil)},
		{name: "plan reads", tool: "read", args: `{"path":"a"}`, options: contract.Options{Mode: contract.ModePlan}},
		{name: "plan runs a listed external tool", tool: "external", args: `{}`, options: contract.Options{Mode: contract.ModePlan, ReadOnly: []contract.Identity{"builtin/external"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			started := 0
			s := open(t, tc.options, func() { started++ })
			r := contract.Request{Name: tc.tool, Arguments: []byte(tc.args)}
			if res := s.Call(t.Context(), r); res.IsError() || started != 1 || res.Execution != "ex-1" {
				t.Errorf("%s %s = %+v, handler started %d times", tc.tool, tc.args, res, started)
			}
			want := contract.WouldRun
			if tc.options.Surface.Approve != nil {
				want = contract.WouldAsk
			}
			if e := s.Explain(t.Context(), r); e.Verdict != want || started != 1 {
				t.Errorf("Explain = %+v, want %s; handler started %d times", e, want, started)
			}
		})
	}
}

// TestContained shows that whatever a handler does becomes a result.
func TestContained(t *testing.T) {
	for _, tc := range []struct {
		name string
		run  func(context.Context, *contract.Call) contract.Result
		want string
		code contract.Code
	}{
		{"panic", func(context.Context, *contract.Call) contract.Result { panic("secret") }, "by a fault of its own", contract.CodeToolError},
		{"nil panic", func(context.Context, *contract.Call) contract.Result { panic(nil) }, "by a fault of its own", contract.CodeToolError},
		{"nil map", func(context.Context, *contract.Call) contract.Result {
			func(m map[string]int) { m["x"] = 1 }(nil)
			return contract.Result{}
		}, "by a fault of its own", contract.CodeToolError},
		{"zero result", func(context.Context, *contract.Call) contract.Result { return contract.Result{} }, "(no output)", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := contract.Open(contract.Options{Tools: []contract.Tool{plainTool("x", contract.ClassExec, tc.run)}})
			if err != nil {
				t.Fatal(err)
			}
			res := s.Call(t.Context(), contract.Request{Name: "x"})
			if text := textOf(res); res.Code() != tc.code || !strings.Contains(text, tc.want) || strings.Contains(text, "secret") {
				t.Errorf("result = %+v, want code %q and %q", res, tc.code, tc.want)
			}
		})
	}
}

// TestNotes shows the order of the lines at the end of a failed result, and
// when the line about side effects stands there.
func TestNotes(t *testing.T) {
	note := "[x failed; side effects may have partially applied; verify before retrying]"
	for _, tc := range []struct {
		name       string
		idempotent bool
		res        contract.Result
		want       string
	}{
		{"fatal", false, contract.FailedAs(contract.KindFatal, "text\n[notice]"), "text\n[notice]\n" + note},
		{"coded", false, contract.Failed(contract.CodeTimeout, "text"), "text\n" + note + "\n[timeout]"},
		{"idempotent", true, contract.Failed(contract.CodeTimeout, "text"), "text\n[timeout]"},
		{"precondition", false, contract.Failed(contract.CodeConflict, "text"), "text\n[conflict]"},
		{"success", false, contract.Succeeded("text"), "text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tool := plainTool("x", contract.ClassExec, func(context.Context, *contract.Call) contract.Result { return tc.res })
			tool.Idempotent = tc.idempotent
			j := &journal{}
			s, err := contract.Open(contract.Options{Tools: []contract.Tool{tool}, Journal: j})
			if err != nil {
				t.Fatal(err)
			}
			if got := textOf(s.Call(t.Context(), contract.Request{Name: "x"})); got != tc.want {
				t.Errorf("text = %q, want %q", got, tc.want)
			}
			if receipt := recordedText(j.settled[0]); strings.Contains(tc.want, note) != strings.Contains(receipt, note) {
				t.Errorf("the receipt says %q, the wire %q", receipt, tc.want)
			}
		})
	}
}

// TestCall shows what a handler gets: the arguments exactly, the resolved path,
// and nothing that a second reading could change.
func TestCall(t *testing.T) {
	var seen []*contract.Call
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{pathTool("write", contract.ClassWrite, &seen)}, Workspace: newWorld()})
	if err != nil {
		t.Fatal(err)
	}
	s.Call(t.Context(), contract.Request{Name: "write", Arguments: []byte(`{"path":"link"}`), ID: "id-1", Meta: []byte(`{"k":1}`)})
	if len(seen) != 1 {
		t.Fatalf("the handler ran %d times", len(seen))
	}
	c := seen[0]
	want := []contract.Path{{Lexical: "/w/link", Real: "/out/file", Exists: true, Inode: 1}}
	if d := cmp.Diff(want, c.Paths); d != "" {
		t.Errorf("paths (-want +got):\n%s", d)
	}
	if c.Source != contract.SourceModel || c.ID != "id-1" || string(c.Meta) != `{"k":1}` || c.Cwd != "/w" || c.Budget != contract.DefaultOutputChars {
		t.Errorf("call = %+v", c)
	}
	if got := c.Effects.JSON(); got != `{"files":[{"operation":"write","path":"/w/link"}]}` {
		t.Errorf("effects = %s, want the tool's own spelling", got)
	}
}

// TestCancelled shows that a call which was cancelled before its handler does
// nothing, at whichever step.
func TestCancelled(t *testing.T) {
	for after := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		started := 0
		tool := plainTool("x", contract.ClassNetwork, func(context.Context, *contract.Call) contract.Result {
			started++
			return contract.Succeeded("done")
		})
		o := contract.Options{Tools: []contract.Tool{tool}, Baseline: []string{"network"}}
		switch after {
		case 0:
			cancel()
		case 1:
			o.Guard = func(contract.Intent) string { cancel(); return "" }
		case 2:
			o.Surface.Approve = func(context.Context, contract.Approval) (contract.Answer, error) {
				cancel()
				return contract.AllowOnce, nil
			}
		}
		s, err := contract.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		res := s.Call(ctx, contract.Request{Name: "x"})
		if res.Code() != contract.CodeAborted || started != 0 {
			t.Errorf("cancelled at %d: %+v, handler started %d times", after, res, started)
		}
		cancel()
	}
}

// TestJournal shows what is recorded, and that no handler runs when its start
// cannot be recorded.
func TestJournal(t *testing.T) {
	started := 0
	tool := plainTool("x", contract.ClassExec, func(context.Context, *contract.Call) contract.Result {
		started++
		return contract.Succeeded(strings.Repeat("line\n", 10_000))
	})
	j := &journal{}
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{tool}, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	s.Call(t.Context(), contract.Request{Name: "x"})
	s.Call(t.Context(), contract.Request{Name: "y"})
	if len(j.started) != 1 || len(j.settled) != 1 || len(j.noted) != 1 {
		t.Fatalf("journal = %+v", j)
	}
	if r, ok := j.noted[0].(ledger.Refusal); !ok || r.Step != "exposed" || r.Code != "tool_not_exposed" || r.Name != "y" {
		t.Errorf("the refused call is recorded as %+v", j.noted[0])
	}
	if n := len(recordedText(j.settled[0])); n != 50_000 {
		t.Errorf("the receipt has %d characters, want the whole 50,000", n)
	}
	j.fail = errors.New("the disk is full")
	if res := s.Call(t.Context(), contract.Request{Name: "x"}); res.Code() != contract.CodeLedgerUnavailable || started != 1 {
		t.Errorf("with a broken journal: %s, handler started %d times", res.Code(), started)
	}
}

// TestCatalog shows that an unconditional denial hides a tool, law of a root
// that appears included, and that a conditional one does not.
func TestCatalog(t *testing.T) {
	changed := 0
	w := newWorld(rules(t, policy.Law, policy.Rule{Match: "builtin/exec", Effect: policy.Deny}))
	s := open(t, contract.Options{
		Workspace: w,
		Rules:     rules(t, policy.Rules, policy.Rule{Match: "builtin/network", Effect: policy.Deny}, policy.Rule{Match: "builtin/write", Effect: policy.Deny, When: when("files[*].path", "x")}),
		Surface:   contract.Surface{CatalogChanged: func() { changed++ }},
	}, nil)
	if got := names(s); strings.Contains(got, "network") || !strings.Contains(got, "exec") || !strings.Contains(got, "write") {
		t.Errorf("at first: %s", got)
	}
	s.Call(t.Context(), contract.Request{Name: "read", Arguments: []byte(`{"path":"a"}`)})
	if got := names(s); strings.Contains(got, "exec") || changed != 1 {
		t.Errorf("with the law: %s, told %d times", got, changed)
	}
	w.workspace.LawFault = errors.New("law.toml:3:1: no such key")
	next := *w.workspace
	w.workspace = &next
	s.RootsChanged()
	for _, name := range []string{"read", "nosuch"} {
		if res := s.Call(t.Context(), contract.Request{Name: name, Arguments: []byte(`{"path":"a"}`)}); res.Code() != contract.CodeLawInvalid || !strings.Contains(textOf(res), "law.toml:3:1") {
			t.Errorf("%s under broken law = %+v", name, res)
		}
	}
}

// TestOpen shows that wrong declarations are refused, all at once.
func TestOpen(t *testing.T) {
	good := plainTool("good", contract.ClassRead, nil)
	unsafe := plainTool("unsafe", contract.ClassExec, nil)
	unsafe.Certs.PrecommitSafe = true
	_, err := contract.Open(contract.Options{Tools: []contract.Tool{good, good, {Identity: "x/y", Name: "1"}, unsafe}})
	if err == nil {
		t.Fatal("Open took it")
	}
	for _, want := range []string{"registered twice", `unknown provider "x"`, `name "1"`, "description is blank", "no handler", "precommitSafe on class exec"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

func answering(v contract.Answer, err error) contract.Options {
	return contract.Options{Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) { return v, err }}}
}

// open opens a session with a tool of each class.
func open(t *testing.T, o contract.Options, started func()) *contract.Session {
	t.Helper()
	run := func(context.Context, *contract.Call) contract.Result {
		if started != nil {
			started()
		}
		return contract.Succeeded("done")
	}
	picky := plainTool("picky", contract.ClassSession, run)
	picky.Validate = func(value.Object) []schema.Fault { return []schema.Fault{{Pointer: "/x", Message: "never right"}} }
	o.Tools = []contract.Tool{
		pathTool("read", contract.ClassRead, nil), pathTool("write", contract.ClassWrite, nil), picky,
		plainTool("exec", contract.ClassExec, run), plainTool("network", contract.ClassNetwork, run), plainTool("external", contract.ClassExternal, run),
	}
	for i := range o.Tools[:2] {
		o.Tools[i].Run = run
	}
	if o.Baseline == nil {
		o.Baseline = []string{"network", contract.AskOutside}
	}
	if o.Workspace == nil {
		o.Workspace = newWorld()
	}
	s, err := contract.Open(o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

// agrees reports whether an explanation says what Run did. What a person would
// answer, Explain cannot know.
func agrees(e contract.Explanation, code contract.Code) bool {
	switch e.Verdict {
	case contract.WouldRun:
		return code == ""
	case contract.WouldRefuse:
		return e.Steps[len(e.Steps)-1].Code == code
	default:
		return strings.HasPrefix(string(code), "approval_")
	}
}

func textOf(r contract.Result) string {
	var b strings.Builder
	for _, block := range r.Content {
		if t, ok := block.(contract.Text); ok {
			b.WriteString(string(t))
		}
	}
	return b.String()
}

func names(s *contract.Session) string {
	var list []string
	for _, sp := range s.Specs() {
		list = append(list, sp.Name)
	}
	return strings.Join(list, " ")
}

// journal records in memory.
type journal struct {
	started []ledger.Start
	settled []ledger.Receipt
	noted   []ledger.Event
	fail    error
}

func (j *journal) Started(s ledger.Start) (string, error) {
	if j.fail != nil {
		return "", j.fail
	}
	j.started = append(j.started, s)
	return fmt.Sprintf("ex-%d", len(j.started)), nil
}

func (j *journal) Settled(_ string, r ledger.Receipt) error {
	j.settled = append(j.settled, r)
	return nil
}

func (j *journal) Note(e ledger.Event) error {
	j.noted = append(j.noted, e)
	return nil
}

// recordedText is the text of a receipt.
func recordedText(r ledger.Receipt) string {
	var b strings.Builder
	for _, block := range r.Content {
		b.WriteString(block.Text)
	}
	return b.String()
}
