//go:build linux

package hookrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"raw/contract/hook"
)

// timeout_ms is what a hook has, not less and, but for the 500 ms in which it
// may end itself, not more.
func TestTimeoutIsExact(t *testing.T) {
	b := newBench(t)
	cases := []struct {
		name, lines string
		grace       time.Duration
	}{
		{"ends-on-term", "exec sleep 30", 0},
		{"ignores-term", "trap '' TERM; while :; do sleep 0.02; done", 500 * time.Millisecond},
	}
	const timeout, slack = 700 * time.Millisecond, time.Second // the machine may be busy
	for _, tc := range cases {
		hooks := b.hooks(t, script{tc.name, tc.lines, `, "timeout_ms": 700`})
		began := time.Now()
		v := b.gate(t, hooks)
		took := time.Since(began)
		if v.Cause != hook.Timeout || took < timeout+tc.grace || took > timeout+tc.grace+slack {
			t.Errorf("%s: Gate = %s after %s, want timeout after %s", tc.name, v.Cause, took, timeout+tc.grace)
		}
	}
	// And one that needs nearly all of it is heard.
	hooks := b.hooks(t, script{"just-in-time", "sleep 0.2; exit 2", `, "timeout_ms": 2000`})
	if v := b.gate(t, hooks); v.Outcome != hook.Denied {
		t.Errorf("just-in-time: Gate = %+v, want denied", v)
	}
}

// Nothing of a hook is left: not after a timeout, not after an answer, not what
// has left its session.
func TestWholeTreeEnds(t *testing.T) {
	cases := []struct {
		script
		mark string
		want hook.Outcome
	}{
		{script{"timeout", "sleep 31.0001 & sleep 31.0001", `, "timeout_ms": 200`}, "31.0001", hook.Failed},
		{script{"answers", "sleep 31.0002 & exit 0", ""}, "31.0002", hook.Continued},
		{script{"denies", "(sleep 31.0003 >/dev/null 2>&1 &) ; exit 2", ""}, "31.0003", hook.Denied},
		{script{"setsid", "setsid sleep 31.0004 >/dev/null 2>&1 & exit 0", ""}, "31.0004", hook.Continued},
		{script{"nohup", "trap '' TERM HUP; (trap '' TERM HUP; sleep 31.0005) & sleep 31.0005", `, "timeout_ms": 200`}, "31.0005", hook.Failed},
	}
	b := newBench(t)
	for _, tc := range cases {
		if v := b.gate(t, b.hooks(t, tc.script)); v.Outcome != tc.want {
			t.Errorf("%s: Gate = %+v, want %s", tc.name, v, tc.want)
		}
		absent(t, tc.mark)
	}
}

// A hook has no terminal and a session of its own.
func TestOwnSession(t *testing.T) {
	b := newBench(t)
	hooks := b.hooks(t, script{"looks", `cut -d' ' -f1,5,6 /proc/$$/stat > ids; (: > /dev/tty) 2>/dev/null && exit 1; exit 0`, ""})
	if v := b.gate(t, hooks); v.Outcome != hook.Continued {
		t.Fatalf("Gate = %+v, want continued: there is a terminal", v)
	}
	text, err := os.ReadFile(filepath.Join(b.work(), "ids"))
	if err != nil {
		t.Fatal(err)
	}
	if ids := strings.Fields(string(text)); len(ids) != 3 || ids[0] != ids[1] || ids[0] != ids[2] {
		t.Errorf("pid, group and session are %v, want three times the same", ids)
	}
}

// The environment is that which the caller gives, and start files of shells are
// not read: their noise would stand before the answer.
func TestEnvironment(t *testing.T) {
	b := newBench(t)
	rc := filepath.Join(b.dir, "rc")
	if err := os.WriteFile(rc, []byte("echo ready\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ACME_API_KEY": "s3cret", "GH_TOKEN": "s3cret", "CLAUDE_PROJECT_DIR": "/p", "LANG": "C.UTF-8", "BASH_ENV": rc, "ENV": rc,
	} {
		t.Setenv(name, text)
	}
	b.file(t, "guard/bash", "#!/bin/bash\nenv > environ\necho '{\"decision\":\"continue\"}'\n", 0o755)
	if v := b.gate(t, b.hooks(t, script{"guard", "", `, "command": "./bash"`})); v.Outcome != hook.Continued {
		t.Errorf("Gate = %+v, want continued", v)
	}
	text, err := os.ReadFile(filepath.Join(b.work(), "environ"))
	if err != nil {
		t.Fatal(err)
	}
	if env := string(text); strings.Contains(env, "s3cret") || strings.Contains(env, "CLAUDE") || !strings.Contains(env, "LANG=C.UTF-8") {
		t.Errorf("the hook got the environment\n%s\nwant LANG, and nothing that is not on the list", env)
	}
	if !strings.Contains(string(text), "PWD="+b.work()+"\n") {
		t.Errorf("the hook ran elsewhere than in %s:\n%s", b.work(), text)
	}
}

// A hook need not read what it is told, however much it is.
func TestIgnoredInput(t *testing.T) {
	b := newBench(t)
	big := `{"content":"` + strings.Repeat("x", 8<<20) + `"}`
	cases := []struct {
		script
		want hook.Outcome
	}{
		{script{"exits", "exit 0", ""}, hook.Continued},
		{script{"closes", "exec <&-; sleep 0.1; exit 0", ""}, hook.Continued},
		{script{"reads-a-part", "head -c 100 > /dev/null; exit 2", ""}, hook.Denied},
		{script{"leaves-a-reader", "sleep 32.0001 >/dev/null 2>&1 & exit 0", ""}, hook.Continued},
		{script{"reads-all", `test "$(wc -c)" -gt 8388608 || exit 1`, ""}, hook.Continued},
	}
	for _, tc := range cases {
		hooks := b.hooks(t, tc.script)
		if v := b.ask(t.Context(), hooks, b.event(t, hook.PreToolUse, big)); v.Outcome != tc.want {
			t.Errorf("%s: Gate = %+v, want %s", tc.name, v, tc.want)
		}
	}
	absent(t, "32.0001")
}

// There is no shell between: what would mean something to one arrives as it is.
func TestNoShell(t *testing.T) {
	b := newBench(t)
	hooks := b.hooks(t, script{"args", `printf '%s|' "$@" > args`, `, "args": ["$HOME", "a b", "", "*", "; touch x"]`})
	if v := b.gate(t, hooks); v.Outcome != hook.Continued {
		t.Fatalf("Gate = %+v, want continued", v)
	}
	if args, err := os.ReadFile(filepath.Join(b.work(), "args")); err != nil || string(args) != "$HOME|a b||*|; touch x|" {
		t.Errorf("the hook got the arguments %q, %v", args, err)
	}
}

func TestFolderOfTheSession(t *testing.T) {
	b := newBench(t)
	hooks := b.hooks(t, script{"guard", "exit 0", ""})
	file := filepath.Join(b.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{"", ".", filepath.Join(b.dir, "gone"), file} {
		e := b.event(t, hook.PreToolUse, "{}")
		e.Cwd = cwd
		if v := b.ask(t.Context(), hooks, e); v.Outcome != hook.Failed || v.Cause != hook.NoFolder {
			t.Errorf("Gate in %q = %+v, want a failure no_folder", cwd, v)
		}
	}
}
