package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"raw/contract"
	"raw/internal/config"
)

func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func settingsIn(cwd string) Settings {
	return Settings{Config: config.Default(), Cwd: cwd, Home: cwd + "/home", Log: slog.New(slog.DiscardHandler)}
}

func workspaceOf(t *testing.T, w *workspaces) *contract.Workspace {
	t.Helper()
	ws, err := w.Workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// MCP.md §4: who is asked first where to work.
func TestWorkspaceOrder(t *testing.T) {
	flag, configured, project, host, cwd := folder(t), folder(t), folder(t), folder(t), folder(t)
	s := settingsIn(cwd)
	s.Roots, s.Config.Workspace.Roots = []string{flag}, []string{configured}
	s.Environ = []string{"CLAUDE_PROJECT_DIR=" + project}
	roots := func(context.Context) ([]string, error) { return []string{host}, nil }
	for _, step := range []struct {
		name, want string
		next       func()
	}{
		{"--root", flag, func() { s.Roots = nil }},
		{"the configuration", configured, func() { s.Config.Workspace.Roots = nil }},
		{"CLAUDE_PROJECT_DIR", project, func() { s.Environ = nil }},
		{"the host", host, func() { roots = nil }},
		{"the folder it was started in", cwd, func() {}},
	} {
		if ws := workspaceOf(t, newWorkspaces(s, roots, "")); !slices.Equal(ws.Roots, []string{step.want}) {
			t.Errorf("Workspace with %s = %q, want %q", step.name, ws.Roots, step.want)
		}
		step.next()
	}
	for _, dir := range []string{"/", s.Home, "/etc"} {
		s.Cwd = dir
		if ws, err := newWorkspaces(s, nil, "").Workspace(t.Context()); err == nil || !strings.Contains(err.Error(), "--root") {
			t.Errorf("Workspace in %s = %v, %v, want an error that says how a root is set", dir, ws, err)
		}
	}
}

func TestWorkspaceRootsChanged(t *testing.T) {
	a, b := folder(t), folder(t)
	law := filepath.Join(b, ".raw", "law.toml")
	if err := os.MkdirAll(filepath.Dir(law), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(law, []byte("no law"), 0o644); err != nil {
		t.Fatal(err)
	}
	now, asked := []string{a}, 0
	w := newWorkspaces(settingsIn(folder(t)), func(context.Context) ([]string, error) {
		asked++
		return now, nil
	}, "")
	first := workspaceOf(t, w)
	now = []string{b}
	if ws := workspaceOf(t, w); ws != first || asked != 1 {
		t.Errorf("Workspace without a change asked %d times and gave %q, want once and the same", asked, ws.Roots)
	}
	w.RootsChanged()
	second := workspaceOf(t, w)
	if !slices.Equal(second.Roots, now) || second.LawFault == nil {
		t.Errorf("Workspace after RootsChanged = %q with fault %v, want %q and a fault of its law", second.Roots, second.LawFault, now)
	}
	w.RootsChanged()
	if ws := workspaceOf(t, w); ws != second {
		t.Errorf("Workspace with the same roots again = %p, want %p", ws, second)
	}
}

// A host that cannot answer is as one that names no roots.
func TestWorkspaceHostFails(t *testing.T) {
	cwd := folder(t)
	w := newWorkspaces(settingsIn(cwd), func(context.Context) ([]string, error) { return nil, errors.New("gone") }, "")
	if ws := workspaceOf(t, w); !slices.Equal(ws.Roots, []string{cwd}) {
		t.Errorf("Workspace with a host that fails = %q, want %q", ws.Roots, cwd)
	}
}

func TestWorkspaceScratch(t *testing.T) {
	root, scratch := folder(t), folder(t)
	ws := workspaceOf(t, newWorkspaces(settingsIn(root), nil, scratch))
	for path, want := range map[string]string{
		filepath.Join(root, "x"): root, filepath.Join(scratch, "x"): scratch, filepath.Dir(scratch): "",
	} {
		if p, err := ws.Resolve(path); err != nil || p.Root != want {
			t.Errorf("Resolve(%q) = root %q, %v, want %q", path, p.Root, err, want)
		}
	}
}
