//go:build interop

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrust lets each published client meet a rule, a hook, a patch, a result
// that was cut and what brings it back; then the ledger knows of all of it.
func TestTrust(t *testing.T) {
	program := buildRawMCP(t)
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			tree, env := t.TempDir(), isolated(t)
			config := filepath.Join(env["XDG_CONFIG_HOME"], "raw")
			guard := filepath.Join(config, "hooks", "guard-sh")
			if err := os.CopyFS(guard, os.DirFS("../../examples/hooks/guard-sh")); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(config, "config.toml"), []byte(`
[hooks]
use = ["local/guard-sh"]
[[tools.rules]]
match = "builtin/*"
effect = "deny"
when = { source = "effects", any = "files[*].path", regex = '\.lock$' }
`))
			writeFile(t, filepath.Join(tree, "notes"), []byte("one\ntwo\n"))
			deferred := func(name string, args any) step {
				return step{Call: "tool_call", Arguments: map[string]any{"name": name, "arguments": args}}
			}
			steps := []struct {
				step
				want string // in the answer
			}{
				{step{Call: "bash", Arguments: map[string]string{"command": "seq 1 20000"}}, `tool_call {"name":"recall","arguments":{"id":"ex-1","range":`},
				{deferred("recall", map[string]any{"id": "ex-1", "query": "^1234[5]$"}), "12345"},
				{step{Call: "write", Arguments: map[string]string{"path": "go.lock", "content": "x"}}, "[tool_denied]"},
				{step{Call: "bash", Arguments: map[string]string{"command": "git push --force origin main"}}, "by the hook guard-sh: a forced push overwrites the work of others"},
				{deferred("write_file", map[string]string{"patch": "*** Begin Patch\n*** Update File: notes\n@@\n-two\n+three\n*** Add File: more\n+new\n*** End Patch\n"}), "notes"},
				{deferred("write_file", map[string]string{"patch": "*** Begin Patch\n*** Delete File: notes\n*** Add File: x.lock\n+new\n*** End Patch\n"}), "[tool_denied]"},
			}
			s := scenario{Era: era.name, Command: []string{program, "--root", tree}, Dir: tree, Env: env}
			for _, st := range steps {
				s.Steps = append(s.Steps, st.step)
			}
			r := play(t, s)
			for i, st := range steps {
				if got := r.Steps[i].text(t); !strings.Contains(got, st.want) {
					t.Errorf("step %d = %q, want %q in it", i, got, st.want)
				}
			}
			if got := string(readFile(t, filepath.Join(tree, "notes"))); got != "one\nthree\n" {
				t.Errorf("notes = %q after the patch and the refused one", got)
			}
			for _, name := range []string{"go.lock", "x.lock"} {
				if _, err := os.Stat(filepath.Join(tree, name)); err == nil {
					t.Errorf("%s was written, though a rule denies it", name)
				}
			}
			ledger := func(args ...string) string {
				cmd := exec.Command(program, append([]string{"ledger"}, args...)...)
				cmd.Env = os.Environ()
				for k, v := range env {
					cmd.Env = append(cmd.Env, k+"="+v)
				}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("ledger %s: %v: %s", args, err, out)
				}
				return string(out)
			}
			ledger("verify")
			for _, code := range []string{"tool_denied", "hook_denied"} {
				if got := ledger("search", code); !strings.Contains(got, "refused: "+code) {
					t.Errorf("ledger search %s = %q", code, got)
				}
			}
		})
	}
}
