//go:build linux

package hookrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"raw/contract/hook"
	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/schema"
	"raw/internal/proc"
)

// Every way in which a gate can fail blocks, is told apart, and says nothing
// that the hook printed.
func TestGateFails(t *testing.T) {
	const secret = "TOKEN=abc"
	cases := []struct {
		script
		want hook.Cause
		what string // in the words for the caller
	}{
		{script{"sleeps", "sleep 30; exit 2", `, "timeout_ms": 300`}, hook.Timeout, "within 300ms"},
		{script{"answers-late", "sleep 30 & wait; echo '{\"decision\":\"continue\"}'", `, "timeout_ms": 300`}, hook.Timeout, ""},
		{script{"answers-and-stays", "echo '{\"decision\":\"continue\"}'; sleep 30", `, "timeout_ms": 300`}, hook.Timeout, ""},
		{script{"ignores-term", "trap '' TERM; while :; do sleep 0.05; done", `, "timeout_ms": 200`}, hook.Timeout, ""},
		{script{"exits-well-on-term", "trap 'exit 0' TERM; sleep 30 & wait", `, "timeout_ms": 200`}, hook.Timeout, ""},

		{script{"kills-itself", "kill -9 $$", ""}, hook.Signal, "SIGKILL"},
		{script{"terms-itself", "echo '{\"decision\":\"continue\"}'; kill -TERM $$", ""}, hook.Signal, "SIGTERM"},
		{script{"crashes", "kill -SEGV $$", ""}, hook.Signal, "SIGSEGV"},
		{script{"is-killed-from-inside", "(kill -9 $$); exit 0", ""}, hook.Signal, "SIGKILL"},

		{script{"missing", "", `, "command": "./gone"`}, hook.MissingScript, "its script ./gone is missing"},
		{script{"missing-folder", "", `, "command": "./gone/run"`}, hook.MissingScript, ""},
		{script{"not-on-path", "", `, "command": "raw-no-such-program"`}, hook.MissingProgram, "raw-no-such-program is not on the PATH"},
		{script{"not-from-cwd", "", `, "command": "only-in-cwd"`}, hook.MissingProgram, ""},

		{script{"no-interpreter", "", `, "command": "./other/no-interpreter"`}, hook.MissingInterpreter, "first line"},
		{script{"cr-interpreter", "", `, "command": "./other/cr-interpreter"`}, hook.MissingInterpreter, ""},
		{script{"env-interpreter", "", `, "command": "./other/env-interpreter"`}, hook.ExitCode, "exit code 127"},
		{script{"locked-interpreter", "", `, "command": "./other/locked-interpreter"`}, hook.NotExecutable, ""},

		{script{"not-executable", "", `, "command": "./other/not-executable"`}, hook.NotExecutable, "not executable"},
		{script{"a-folder", "", `, "command": "./other"`}, hook.NotExecutable, ""},
		{script{"no-first-line", "", `, "command": "./other/no-first-line"`}, hook.NoFormat, "no first line"},
		{script{"empty-file", "", `, "command": "./other/empty-file"`}, hook.NoFormat, ""},
		{script{"link-out", "", `, "command": "./later"`}, hook.LinkOut, "leads out"},

		{script{"exits-1", "echo '{\"decision\":\"continue\"}'; exit 1", ""}, hook.ExitCode, "exit code 1,"},
		{script{"exits-3", "exit 3", ""}, hook.ExitCode, "exit code 3,"},
		{script{"exits-126", "exit 126", ""}, hook.ExitCode, "126"},
		{script{"exits-255", "exit 255", ""}, hook.ExitCode, ""},

		{script{"noise", "echo ready; echo '{\"decision\":\"deny\"}'", ""}, hook.InvalidOutput, "does not begin with the JSON object"},
		{script{"shim", "echo '{\"type\":\"message\"}'; echo '{\"decision\":\"continue\"}'", ""}, hook.InvalidOutput, "not one JSON object"},
		{script{"bom", `printf '\357\273\277{"decision":"continue"}'`, ""}, hook.InvalidOutput, "byte order mark"},
		{script{"utf8", `printf '{"decision":"continue","reason":"\377"}'`, ""}, hook.InvalidOutput, "not UTF-8"},
		{script{"not-json", "echo 'TOKEN=abc not-a-verdict'", ""}, hook.InvalidOutput, ""},
		{script{"secret-decision", "echo '{\"decision\":\"TOKEN=abc\"}'", ""}, hook.InvalidOutput, "neither continue nor deny"},
		{script{"secret-field", "echo '{\"decision\":\"continue\",\"TOKEN=abc\":1}'", ""}, hook.InvalidOutput, ""},
		{script{"secret-on-stderr", "echo TOKEN=abc >&2; exit 1", ""}, hook.ExitCode, ""},
		{script{"secret-and-blank", "echo TOKEN=abc >&2; echo", ""}, hook.InvalidOutput, "blank"},
		{script{"from-a-child", "(sleep 0.1; echo TOKEN=abc) & echo '{\"decision\":\"continue\"}'", ""}, hook.InvalidOutput, ""},

		{script{"floods", "head -c 2000000000 /dev/zero | tr '\\0' x", ""}, hook.TooMuchOutput, "1048576 bytes"},
		{script{"floods-stderr", "yes TOKEN=abc >&2", ""}, hook.TooMuchOutput, ""},
		{script{"floods-both", "head -c 600000 /dev/zero >&2; head -c 600000 /dev/zero; exit 2", ""}, hook.TooMuchOutput, ""},
		{script{"one-byte-too-many", "head -c 1048577 /dev/zero | tr '\\0' ' '", ""}, hook.TooMuchOutput, ""},
	}
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.work(), "only-in-cwd"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases {
		for name, text := range map[string]string{
			"no-interpreter":     "#!/no/such/interpreter\nexit 0\n",
			"cr-interpreter":     "#!/bin/sh\r\nexit 0\r\n",
			"env-interpreter":    "#!/usr/bin/env raw-no-such-interpreter\n",
			"locked-interpreter": "#!" + b.path(tc.name, "other", "not-executable") + "\n",
			"no-first-line":      "exit 0\n",
			"empty-file":         "",
		} {
			b.file(t, tc.name+"/other/"+name, text, 0o755)
		}
		b.file(t, tc.name+"/other/not-executable", "#!/bin/sh\nexit 0\n", 0o644)
		hooks := b.hooks(t, tc.script)
		if tc.name == "link-out" { // after it was checked
			if err := os.Symlink("/bin/true", b.path(tc.name, "later")); err != nil {
				t.Fatal(err)
			}
		}
		b.receipts = nil
		began := time.Now()
		v := b.gate(t, hooks)
		if v.Outcome != hook.Failed || v.Cause != tc.want || v.Hook != tc.name || !strings.Contains(v.What, tc.what) {
			t.Errorf("%s: Gate = %s %s, %q, want error %s with … %s …", tc.name, v.Outcome, v.Cause, v.What, tc.want, tc.what)
		}
		if text := fmt.Sprintf("%+v", v); strings.Contains(text, secret) {
			t.Errorf("%s: the verdict has output of the hook in it: %s", tc.name, text)
		}
		if len(b.receipts) != 1 || b.receipts[0].Verdict != v {
			t.Errorf("%s: receipts %+v, want one with the verdict %+v", tc.name, b.receipts, v)
		}
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("%s: Gate took %s", tc.name, took)
		}
	}
	if !strings.Contains(b.logged.String(), secret) {
		t.Error("the local log has nothing of what the hooks printed")
	}
	for line := range strings.Lines(b.logged.String()) {
		if len(line) > 5<<10 { // 1 KiB of output, at worst quoted as \x00, and what is said of it
			t.Errorf("a line of the log has %d bytes", len(line))
		}
	}
}

func TestGateAnswers(t *testing.T) {
	const deny = `echo '{"decision":"deny","reason":"no","message":"told"}'`
	cases := []struct {
		script
		want hook.Verdict
		code int
	}{
		{script{"silent", "exit 0", ""}, hook.Verdict{Outcome: hook.Continued}, 0},
		{script{"says-continue", `echo '{"decision":"continue","message":"seen"}'`, ""}, hook.Verdict{Outcome: hook.Continued}, 0},
		{script{"talks-on-stderr", "echo working >&2", ""}, hook.Verdict{Outcome: hook.Continued}, 0},
		{script{"denies", deny, ""}, hook.Verdict{Outcome: hook.Denied, Hook: "denies", Reason: "no", Message: "told"}, 0},
		{script{"exits-2", "exit 2", ""}, hook.Verdict{Outcome: hook.Denied, Hook: "exits-2", Bare: true}, 2},
		{script{"exits-2-with-garbage", "echo garbage; exit 2", ""}, hook.Verdict{Outcome: hook.Denied, Hook: "exits-2-with-garbage", Bare: true}, 2},
		{script{"exits-2-with-continue", `echo '{"decision":"continue"}'; exit 2`, ""}, hook.Verdict{Outcome: hook.Denied, Hook: "exits-2-with-continue", Bare: true}, 2},
		{script{"exits-2-with-reason", deny + "; exit 2", ""}, hook.Verdict{Outcome: hook.Denied, Hook: "exits-2-with-reason", Reason: "no", Message: "told"}, 2},
		{script{"prints-all-it-may", "head -c 1048553 /dev/zero | tr '\\0' ' '; printf '{\"decision\":\"continue\"}'", ""}, hook.Verdict{Outcome: hook.Continued}, 0},
		{script{"by-path", "", `, "command": "sh", "args": ["-c", "exit 2"]`}, hook.Verdict{Outcome: hook.Denied, Hook: "by-path", Bare: true}, 2},
	}
	b := newBench(t)
	for _, tc := range cases {
		b.receipts = nil
		if diff := cmp.Diff(tc.want, b.gate(t, b.hooks(t, tc.script))); diff != "" {
			t.Errorf("%s: Gate (-want +got):\n%s", tc.name, diff)
		}
		if len(b.receipts) != 1 || b.receipts[0].Code != tc.code || b.receipts[0].Bare != tc.want.Bare || b.receipts[0].Duration <= 0 {
			t.Errorf("%s: receipts %+v, want one with code %d and bare %v", tc.name, b.receipts, tc.code, tc.want.Bare)
		}
	}
}

// The hooks are asked in the order of their selection, and after the first that
// does not continue nobody is.
func TestGateOrder(t *testing.T) {
	b := newBench(t)
	say := `echo "${0%/run}" | sed 's,.*/,,' >> order`
	hooks := b.hooks(
		t, script{"zed", say, ""}, script{"other", say, `, "events": [{"name": "Stop"}]`}, script{"alpha", say, ""},
		script{"denies", say + "; exit 2", ""}, script{"never", say, ""},
	)
	v := b.gate(t, hooks)
	asked, err := os.ReadFile(filepath.Join(b.work(), "order"))
	if err != nil {
		t.Fatal(err)
	}
	if v.Hook != "denies" || string(asked) != "zed\nalpha\ndenies\n" {
		t.Errorf("Gate stopped at %q and asked %q, want denies, after zed and alpha", v.Hook, asked)
	}
	want := []hook.Receipt{
		{Verdict: hook.Verdict{Outcome: hook.Continued, Hook: "zed"}, Event: hook.PreToolUse, Tool: "builtin/write"},
		{Verdict: hook.Verdict{Outcome: hook.Continued, Hook: "alpha"}, Event: hook.PreToolUse, Tool: "builtin/write"},
		{Verdict: hook.Verdict{Outcome: hook.Denied, Hook: "denies", Bare: true}, Event: hook.PreToolUse, Tool: "builtin/write", Code: 2},
	}
	if diff := cmp.Diff(want, b.receipts, cmpopts.IgnoreFields(hook.Receipt{}, "Duration")); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
}

// A notification tells everybody, whatever happens to one.
func TestNotify(t *testing.T) {
	b := newBench(t)
	hooks := b.hooks(
		t, script{"fails", "exit 1", ""}, script{"exits-2", "exit 2", ""}, script{"denies", `echo '{"decision":"deny"}'`, ""},
		script{"missing", "", `, "command": "./gone"`}, script{"told", "cat > seen", ""},
	)
	e := b.event(t, hook.PostToolUse, "{}")
	b.Notify(t.Context(), hooks.Select(e), e)
	var got []string
	for _, c := range b.receipts {
		got = append(got, fmt.Sprintf("%s %s %s", c.Hook, c.Outcome, c.Cause))
	}
	want := []string{"fails error exit_code", "exits-2 error exit_code", "denies error invalid_output", "missing error missing_script", "told continued "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
	payload, err := e.Payload()
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := os.ReadFile(filepath.Join(b.work(), "seen")); err != nil || string(seen) != string(payload) {
		t.Errorf("the hook read %q, %v, want %q, in the folder of the session", seen, err, payload)
	}
}

// A hook that looks at effects is not asked about a call without any: it could
// only say yes to what it did not see.
func TestGateNeedsEffects(t *testing.T) {
	b := newBench(t)
	set := b.load(t, script{"guard", "exit 0", `, "events": [{"name": "PreToolUse", "when": {"source": "effects", "any": "path", "regex": "x"}}]`})
	bound, err := set.Bind([]policy.Tool{{Identity: "builtin/write", Sources: func() (s predicate.Sources, err error) {
		s.Effects, err = schema.Compile(`{"type":"object","properties":{"path":{"type":"string"}}}`)
		return s, err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	v := b.gate(t, bound)
	if v.Outcome != hook.Failed || v.Cause != hook.Unprepared || len(b.receipts) != 1 {
		t.Errorf("Gate = %+v with %d receipts, want a failure no_effects with one", v, len(b.receipts))
	}
}

func TestGateCancelled(t *testing.T) {
	b := newBench(t)
	hooks := b.hooks(t, script{"first", "touch started; sleep 30.0417", ""}, script{"second", "touch second", ""})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan hook.Verdict, 1)
	go func() { done <- b.ask(ctx, hooks, b.event(t, hook.PreToolUse, "{}")) }()
	for {
		if _, err := os.Stat(filepath.Join(b.work(), "started")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if v := <-done; v.Outcome != hook.Failed || v.Cause != hook.Aborted {
		t.Errorf("Gate = %+v, want a failure aborted", v)
	}
	if v := b.ask(ctx, hooks, b.event(t, hook.PreToolUse, "{}")); v.Cause != hook.Aborted || v.Hook != "first" {
		t.Errorf("Gate with a context that has ended = %+v, want aborted at first", v)
	}
	if _, err := os.Stat(filepath.Join(b.work(), "second")); err == nil {
		t.Error("the second hook ran")
	}
	absent(t, "30.0417")
}

func TestGateWithoutHooks(t *testing.T) {
	b := newBench(t)
	if v := b.gate(t, nil); v != (hook.Verdict{Outcome: hook.Continued}) {
		t.Errorf("Gate without hooks = %+v, want continued", v)
	}
}

func TestGateAtClose(t *testing.T) {
	p, err := proc.New()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.Proc = p
	hooks := b.hooks(t, script{"guard", "exit 0", ""})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if v := b.gate(t, hooks); v.Cause != hook.Aborted {
		t.Errorf("Gate of a closed runner = %+v, want aborted", v)
	}
}

// Sixteen calls at once, each with a hook that decides about its own payload.
func TestGatesAtOnce(t *testing.T) {
	b := newBench(t)
	hooks := b.hooks(t, script{"odd", `case $(cat) in *'"n":'*[13579]}*) exit 2 ;; esac`, `, "timeout_ms": 30000`})
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			want := hook.Continued
			if n%2 == 1 {
				want = hook.Denied
			}
			if v := b.ask(t.Context(), hooks, b.event(t, hook.PreToolUse, fmt.Sprintf(`{"n":%d}`, n))); v.Outcome != want {
				t.Errorf("Gate of call %d = %+v, want %s", n, v, want)
			}
		})
	}
	all.Wait()
	if len(b.receipts) != 16 {
		t.Errorf("%d receipts, want 16", len(b.receipts))
	}
}
