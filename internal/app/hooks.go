package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"

	"raw/contract/hook"
	"raw/internal/hookrun"
)

// hookRunner runs hooks with the environment of a session's commands.
func (a *App) hookRunner(scratch string) *hookrun.Runner {
	return &hookrun.Runner{
		Proc:    a.runner,
		Environ: func(ctx context.Context) []string { return a.environ(ctx, scratch) },
		Log:     a.settings.Log,
	}
}

// TestHook runs one hook for an event that a person wrote (hook.ParseEvent), in
// the folder that the process was started in unless the event names one.
func (a *App) TestHook(ctx context.Context, name string, event []byte) (hookrun.Ran, error) {
	m := a.hooks.Find(name)
	if m == nil {
		return hookrun.Ran{}, fmt.Errorf("no hook %q is selected; name it in hooks.use as local/%s", name, name)
	}
	e, err := hook.ParseEvent(event)
	if err != nil {
		return hookrun.Ran{}, err
	}
	e.Cwd = cmp.Or(e.Cwd, a.settings.Cwd)
	scratch := filepath.Join(a.Config().Ledger.Folder, "scratch", strings.ToLower(rand.Text()[:12]))
	return a.hookRunner(scratch).Run(ctx, m, e), nil
}
