package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"raw/internal/proc"
)

// environ is the environment of the session's commands: what the allow-list
// lets through, the login shell's PATH where ours is bare, and a scratch
// folder for temporary files. The first command may wait 2 s for it.
func (a *App) environ(ctx context.Context, scratch string) []string {
	c := a.settings.Config.Bash
	env := proc.Environment(a.settings.Environ, c.Env)
	env = with(env, "PATH", a.path.Get(ctx))
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		a.settings.Log.Warn("make the scratch folder; commands use the system's", "error", err)
		return env
	}
	a.made(scratch)
	env = with(env, "TMPDIR", scratch)
	if c.ScratchCache {
		env = with(env, "XDG_CACHE_HOME", filepath.Join(scratch, "cache"))
	}
	return env
}

// made remembers a scratch folder for Close.
func (a *App) made(scratch string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.scratches, scratch) {
		a.scratches = append(a.scratches, scratch)
	}
}

// with returns env with name set to value.
func with(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if !strings.HasPrefix(e, name+"=") {
			out = append(out, e)
		}
	}
	if value != "" {
		out = append(out, name+"="+value)
	}
	return out
}
