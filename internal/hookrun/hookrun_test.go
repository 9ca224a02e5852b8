//go:build linux

package hookrun

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"raw/contract/hook"
	"raw/contract/policy"
	"raw/contract/value"
	"raw/internal/proc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// environ is the environment of commands; withoutPath the same for a machine
// without programs.
func environ(context.Context) []string { return proc.Environment(os.Environ(), nil) }

func withoutPath(context.Context) []string { return []string{"PATH=/nowhere"} }

// bench is a session with hooks: what it runs them with and what came of it.
type bench struct {
	*Runner
	dir string // hooks in hooks/, the session in work/

	mu       sync.Mutex
	receipts []hook.Receipt
	logged   strings.Builder
}

// Write takes the log.
func (b *bench) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.logged.Write(p)
}

func newBench(t testing.TB) *bench {
	t.Helper()
	p, err := proc.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{dir: t.TempDir()}
	if err := os.Mkdir(b.work(), 0o755); err != nil {
		t.Fatal(err)
	}
	b.Runner = &Runner{
		Proc: p, Environ: environ,
		Record: func(c hook.Receipt) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.receipts = append(b.receipts, c)
		},
		Log: slog.New(slog.NewTextHandler(b, nil)),
	}
	return b
}

func (b *bench) work() string { return filepath.Join(b.dir, "work") }

func (b *bench) path(name ...string) string {
	return filepath.Join(append([]string{b.dir, "hooks"}, name...)...)
}

// file makes a file below the folder of hooks.
func (b *bench) file(t testing.TB, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// script is a hook of shell lines that is asked before every tool.
type script struct {
	name, lines string
	more        string // fields of the manifest
}

// load writes and loads hooks.
func (b *bench) load(t testing.TB, scripts ...script) *hook.Set {
	t.Helper()
	var use []string
	for _, s := range scripts {
		if !strings.Contains(s.more, `"events"`) {
			s.more += `, "events": [{"name": "PreToolUse"}, {"name": "PostToolUse"}]`
		}
		if !strings.Contains(s.more, `"command"`) {
			s.more += `, "command": "./run"`
			b.file(t, s.name+"/run", "#!/bin/sh\n"+s.lines+"\n", 0o755)
		}
		b.file(t, s.name+"/hook.json", fmt.Sprintf(`{"protocol_version": 2, "name": %q%s}`, s.name, s.more), 0o644)
		use = append(use, "local/"+s.name)
	}
	set, err := hook.Load([]string{b.path()}, use)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// hooks are loaded hooks, bound to a tool without schemas.
func (b *bench) hooks(t testing.TB, scripts ...script) *hook.Bound {
	t.Helper()
	bound, err := b.load(t, scripts...).Bind([]policy.Tool{{Identity: "builtin/write"}})
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

func (b *bench) event(t testing.TB, name hook.Name, arguments string) hook.Event {
	t.Helper()
	args, err := value.ParseObject([]byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return hook.Event{Name: name, Cwd: b.work(), Tool: &hook.Tool{Identity: "builtin/write", Name: "write", Arguments: args}}
}

func (b *bench) gate(t testing.TB, hooks *hook.Bound) hook.Verdict {
	t.Helper()
	return b.ask(t.Context(), hooks, b.event(t, hook.PreToolUse, "{}"))
}

// ask asks the hooks that e concerns.
func (b *bench) ask(ctx context.Context, hooks *hook.Bound, e hook.Event) hook.Verdict {
	return b.Gate(ctx, hooks.Select(e), e)
}

// absent waits until no process has text in its command line.
func absent(t testing.TB, text string) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Second)
	for {
		found := ""
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			line, err := os.ReadFile(f)
			if err == nil && strings.Contains(string(line), text) {
				found = f
			}
		}
		if found == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s still runs %q", found, text)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
