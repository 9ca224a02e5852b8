package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"raw/contract"
	"raw/contract/policy"
	"raw/internal/workspace"
)

// workspaces chooses where one session works (MCP.md §4): --root or the
// configuration, else CLAUDE_PROJECT_DIR, else what the host says, else the
// folder that the process was started in, unless nobody works there.
type workspaces struct {
	settings  Settings
	hostRoots func(context.Context) ([]string, error)
	scratch   string

	changes atomic.Int64  // how often the roots changed
	turn    chan struct{} // holds a token while a call looks for the roots

	mu      sync.Mutex // never held while anybody is asked
	current *contract.Workspace
	looked  int64 // the value of changes that current is of; -1 before
}

func newWorkspaces(s Settings, hostRoots func(context.Context) ([]string, error), scratch string) *workspaces {
	return &workspaces{settings: s, hostRoots: hostRoots, scratch: scratch, turn: make(chan struct{}, 1), looked: -1}
}

// RootsChanged makes the next call look again. It never blocks: the reader of
// the wire calls it.
func (w *workspaces) RootsChanged() { w.changes.Add(1) }

// Workspace is where the session works now. One call looks, and the others
// wait for it or for their context.
func (w *workspaces) Workspace(ctx context.Context) (*contract.Workspace, error) {
	for {
		if ws := w.known(); ws != nil {
			return ws, nil
		}
		select {
		case w.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		err := w.look(ctx)
		<-w.turn
		if err != nil {
			return nil, err
		}
	}
}

// known is the workspace, nil when nobody has looked since the last change.
func (w *workspaces) known() *contract.Workspace {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.looked != w.changes.Load() {
		return nil
	}
	return w.current
}

// look finds the roots and opens the workspace, unless another call just did.
// Roots that change meanwhile are looked for again by the caller.
func (w *workspaces) look(ctx context.Context) error {
	if w.known() != nil {
		return nil
	}
	changes := w.changes.Load()
	roots, err := w.roots(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	before := w.current
	w.mu.Unlock()
	made := before
	if before == nil || !slices.Equal(before.Spelled, roots) {
		if made, err = w.open(roots, before); err != nil {
			return err
		}
		made.Generation = changes
	}
	w.mu.Lock()
	w.current, w.looked = made, changes
	w.mu.Unlock()
	return nil
}

// howToSet ends every error about a missing workspace.
const howToSet = "a person has to start the server with --root DIR, or set [workspace] roots in its configuration"

// roots are the folders to work in, in the order of the rules above.
func (w *workspaces) roots(ctx context.Context) ([]string, error) {
	if len(w.settings.Roots) > 0 {
		return w.settings.Roots, nil
	}
	if configured := w.settings.Config.Workspace.Roots; len(configured) > 0 {
		return configured, nil
	}
	if dir, _ := w.settings.Lookup("CLAUDE_PROJECT_DIR"); dir != "" {
		return []string{dir}, nil
	}
	if w.hostRoots != nil {
		roots, err := w.hostRoots(ctx)
		if err != nil {
			w.settings.Log.Warn("the host names no roots", "error", err)
		}
		if len(roots) > 0 {
			return roots, nil
		}
	}
	if why := nobodysFolder(w.settings.Cwd, w.settings.Home); why != "" {
		return nil, fmt.Errorf("no workspace is set, and the server was started in %s, which is %s; %s", w.settings.Cwd, why, howToSet)
	}
	return []string{w.settings.Cwd}, nil
}

// open resolves the roots and reads their law.
func (w *workspaces) open(roots []string, before *contract.Workspace) (*contract.Workspace, error) {
	ws, err := workspace.New(roots, "")
	if err == nil && before != nil {
		// The working folder stays while it lies inside.
		if p, gone := ws.Resolve(before.Cwd); gone == nil && p.Exists && p.Root != "" {
			ws, err = workspace.New(roots, before.Cwd)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the workspace cannot be used: %w; %s", err, howToSet)
	}
	made := &contract.Workspace{
		Cwd:     ws.Cwd(),
		Roots:   ws.Roots(),
		Spelled: roots,
		Resolve: func(path string) (contract.Path, error) {
			p, err := ws.Resolve(path)
			if err == nil && p.Root == "" && workspace.Contains(w.scratch, p.Real) {
				p.Root = w.scratch
			}
			return contract.Path(p), err
		},
	}
	var faults []error
	for _, root := range made.Roots {
		set, err := readRules(policy.Law, filepath.Join(root, ".raw", "law.toml"))
		switch {
		case err != nil:
			faults = append(faults, err)
		case set != nil:
			made.Law = append(made.Law, set)
		}
	}
	made.LawFault = errors.Join(faults...)
	w.settings.Log.Debug("workspace", slog.Any("roots", made.Roots), slog.String("cwd", made.Cwd), slog.Int("laws", len(made.Law)))
	return made, nil
}

// nobodysFolder says why nobody works in dir, empty when somebody may.
func nobodysFolder(dir, home string) string {
	dir = filepath.Clean(dir)
	switch {
	case dir == filepath.VolumeName(dir)+string(filepath.Separator):
		return "the root of the file system"
	case home != "" && dir == filepath.Clean(home):
		return "a home folder"
	}
	for _, system := range systemFolders() {
		if workspace.Contains(system, dir) {
			return "a folder of the system"
		}
	}
	return ""
}

func systemFolders() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{`C:\Windows`, `C:\Program Files`, `C:\Program Files (x86)`}
	case "darwin":
		return strings.Fields("/bin /sbin /usr/bin /usr/sbin /usr/lib /etc /private/etc /System /Library /Applications /dev")
	default:
		return strings.Fields("/bin /sbin /usr/bin /usr/sbin /usr/lib /lib /etc /boot /dev /proc /sys")
	}
}
