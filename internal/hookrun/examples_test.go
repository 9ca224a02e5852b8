//go:build linux

package hookrun

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"raw/builtins"
	"raw/contract"
	"raw/contract/hook"
	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/schema"
	"raw/contract/value"
)

// examples are the hooks that ship as examples, by the program they need.
var examples = map[string]string{"guard-sh": "sh", "guard-python": "python3", "guard-node": "node"}

func policyTool(c contract.Tool) policy.Tool {
	return policy.Tool{Identity: string(c.Identity), Sources: func() (s predicate.Sources, err error) {
		if s.Arguments, err = schema.Compile(c.Input); err != nil {
			return s, err
		}
		s.Effects, err = schema.Compile(c.EffectsSource)
		return s, err
	}}
}

// The examples decide about the effects that the real tools declare.
func TestExamples(t *testing.T) {
	b := newBench(t)
	shipped := map[string]contract.Tool{}
	var bindable []policy.Tool
	for _, c := range builtins.All(builtins.Host{Runner: b.Proc, Home: b.dir}) {
		shipped[c.Name] = c
		bindable = append(bindable, policyTool(c))
	}
	if err := os.Symlink("/elsewhere/.env", filepath.Join(b.work(), "notes.txt")); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		hook, tool string
		arguments  map[string]string
		source     string
		asked      bool
		deny       string // in the reason; empty: continue
	}{
		{"guard-sh", "bash", map[string]string{"command": "git push --force origin main"}, "", true, "forced push"},
		{"guard-sh", "bash", map[string]string{"command": "cd sub && git push -uf"}, "", true, "forced push"},
		{"guard-sh", "bash", map[string]string{"command": "git push origin +main:main"}, "", true, "forced push"},
		{"guard-sh", "bash", map[string]string{"command": "git push origin my-feature-f"}, "", true, ""},
		{"guard-sh", "bash", map[string]string{"command": "git push --follow-tags"}, "", true, ""},
		{"guard-sh", "bash", map[string]string{"command": "echo git push --force"}, "", false, ""},
		{"guard-sh", "bash", map[string]string{"command": "git $X"}, "", true, ""},
		{"guard-sh", "write", map[string]string{"path": "git push --force", "content": ""}, "", false, ""},

		{"guard-python", "read", map[string]string{"path": ".env"}, "", true, ".env holds secrets"},
		{"guard-python", "write", map[string]string{"path": "keys/server.pem", "content": ""}, "", true, "server.pem holds secrets"},
		{"guard-python", "bash", map[string]string{"command": "cat ~/.ssh/id_ed25519"}, "", true, "id_ed25519 holds secrets"},
		{"guard-python", "bash", map[string]string{"command": "echo A=1 >> .env"}, "", true, ".env holds secrets"},
		{"guard-python", "bash", map[string]string{"command": "openssl x509 -in=server.pem"}, "", true, "server.pem holds secrets"},
		{"guard-python", "bash", map[string]string{"command": "ls -l server.pem.d"}, "", true, ""},
		{"guard-python", "read", map[string]string{"path": "notes.txt"}, "", true, "/elsewhere/.env holds secrets"},
		{"guard-python", "read", map[string]string{"path": ".env.example"}, "", true, ""},
		{"guard-python", "read", map[string]string{"path": "id_card.txt"}, "", false, ""},

		{"guard-node", "bash", map[string]string{"command": "npm publish --tag next"}, "", true, "npm would publish"},
		{"guard-node", "bash", map[string]string{"command": "npm test; cargo publish"}, "", true, "cargo would publish"},
		{"guard-node", "bash", map[string]string{"command": "cargo publish"}, "user_action", true, ""},
		{"guard-node", "bash", map[string]string{"command": "npm run publish-docs"}, "", true, ""},
		{"guard-node", "bash", map[string]string{"command": "ls npm"}, "", false, ""},
	}
	for name, program := range examples {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not tried: %s is not installed here", name, program)
			continue
		}
		set, err := hook.Load([]string{absolute(t, "../../examples/hooks")}, []string{"local/" + name})
		if err != nil {
			t.Errorf("load %s: %v", name, err)
			continue
		}
		bound, err := set.Bind(bindable)
		if err != nil {
			t.Errorf("bind %s: %v", name, err)
			continue
		}
		for _, tc := range cases {
			if tc.hook != name {
				continue
			}
			e := b.call(t, shipped[tc.tool], tc.arguments)
			e.Tool.Source = tc.source
			b.receipts = nil
			v := b.ask(t.Context(), bound, e)
			want := hook.Continued
			if tc.deny != "" {
				want = hook.Denied
			}
			if v.Outcome != want || !strings.Contains(v.Reason, tc.deny) {
				t.Errorf("%s about %s %v: %+v, want %s … %s …; log:\n%s", name, tc.tool, tc.arguments, v, want, tc.deny, b.logged.String())
			}
			if asked := len(b.receipts) > 0; asked != tc.asked {
				t.Errorf("%s about %s %v: asked %v, want %v", name, tc.tool, tc.arguments, asked, tc.asked)
			}
		}
	}
}

// An example that cannot do its work blocks the call.
func TestExamplesFailClosed(t *testing.T) {
	b := newBench(t)
	for name, program := range examples {
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		m, faults := hook.Read(absolute(t, filepath.Join("../../examples/hooks", name)))
		if len(faults) > 0 {
			t.Errorf("read %s: %v", name, faults)
			continue
		}
		e := b.event(t, hook.PreToolUse, "{}") // without the effects that each of them reads
		if name == "guard-sh" {
			b.Environ = withoutPath // without grep
		}
		if ran := b.Run(t.Context(), m, e); ran.Receipt.Outcome != hook.Failed {
			t.Errorf("%s without what it needs: %+v, want a failure", name, ran.Receipt)
		}
		b.Environ = environ
	}
}

// call is the event of a call of a real tool.
func (b *bench) call(t *testing.T, c contract.Tool, arguments map[string]string) hook.Event {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	e := b.event(t, hook.PreToolUse, string(text))
	e.Tool.Identity, e.Tool.Name = string(c.Identity), c.Name
	effects, err := c.Effects(e.Tool.Arguments, b.work())
	if err != nil {
		t.Fatal(err)
	}
	// As the dispatcher does, in the spelling behind links too.
	resolved, err := value.Of(json.RawMessage(strings.ReplaceAll(effects.JSON(), filepath.Join(b.work(), "notes.txt"), "/elsewhere/.env")))
	if err != nil {
		t.Fatal(err)
	}
	e.Tool.Effects = []value.Object{effects, resolved}
	return e
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
