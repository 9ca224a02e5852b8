// Package app wires the product together: configuration, rules, workspace and
// tools become sessions of the contract. It holds what one process shares
// between its sessions, and decides nothing about calls.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"raw/builtins"
	"raw/contract"
	"raw/contract/hook"
	"raw/contract/ledger"
	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/internal/atomicfile"
	"raw/internal/config"
	"raw/internal/proc"
)

// Settings is what a process is started with.
type Settings struct {
	Config     config.Config
	ConfigFile string   // empty: the defaults serve
	Managed    string   // managed.toml; empty: none
	Roots      []string // from --root; empty: see Workspaces
	Environ    []string // of this process, "NAME=value"
	Home       string
	Cwd        string
	Log        *slog.Logger
	Crash      ledger.Crash // for tests of binaries built with the tag crashpoints
}

// App is one process. Its methods may be called at once.
type App struct {
	settings Settings
	managed  *policy.Set
	rules    *policy.Set
	hooks    *hook.Set
	guard    *guard
	runner   *proc.Runner
	locks    *atomicfile.Locks
	path     *proc.LoginPath

	mu        sync.Mutex
	scratches []string // that were made
	ends      []func() error
}

// New reads managed policy and checks every rule. Close ends what it started.
func New(s Settings) (*App, error) {
	var err error
	if s.Config, err = s.Config.WithFolders(s.Lookup, s.Home); err != nil {
		return nil, err
	}
	a := &App{settings: s, locks: &atomicfile.Locks{}}
	if a.rules, err = compileRules(policy.Rules, s.Config.Tools.Rules); err != nil {
		return nil, err
	}
	if a.managed, err = readRules(policy.Managed, s.Managed); err != nil {
		return nil, fmt.Errorf("managed policy does not hold: %w", err)
	}
	if a.hooks, err = hook.Load(s.Config.Hooks.Folders, s.Config.Hooks.Use); err != nil {
		return nil, fmt.Errorf("the selected hooks do not hold:\n%w", err)
	}
	a.guard = newGuard(s)
	a.reportLeftovers()
	if a.runner, err = proc.New(); err != nil {
		return nil, err
	}
	a.path = &proc.LoginPath{Runner: a.runner, Env: proc.Environment(s.Environ, nil)}
	if s.Config.Bash.LoginPath {
		a.path.Shell, _ = s.Lookup("SHELL")
	}
	return a, nil
}

// Config is the configuration with every folder filled in.
func (a *App) Config() config.Config { return a.settings.Config }

// Log is the log of the process.
func (a *App) Log() *slog.Logger { return a.settings.Log }

// Describe says in lines which files hold and how many rules there are.
func (a *App) Describe() []string {
	file := a.settings.ConfigFile
	if file == "" {
		file = "none, the defaults hold"
	}
	return []string{
		"configuration: " + file,
		fmt.Sprintf("rules: %d", len(a.settings.Config.Tools.Rules)),
		"state: " + a.settings.Config.Ledger.Folder,
	}
}

// atEnd has Close call end.
func (a *App) atEnd(end func() error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends = append(a.ends, end)
}

// Close ends every process that a session started, and removes the scratch
// folders in which nothing was left.
func (a *App) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.runner.Close()
	for _, end := range a.ends {
		err = errors.Join(err, end())
	}
	for _, dir := range a.scratches {
		_ = os.Remove(dir) // a folder with something in it stays
	}
	return err
}

// EndOrphans ends the commands of servers that were killed, and tells. It
// returns early with ctx.
func (a *App) EndOrphans(ctx context.Context) {
	for _, s := range proc.EndMarkedOrphans(ctx) {
		a.settings.Log.Warn("ended what a killed server had left running", "process", s.PID, "name", s.Name, "ended", s.Ended)
	}
}

// Open makes a session for one surface.
func (a *App) Open(surface contract.Surface) (*contract.Session, error) {
	return a.open(surface, reach{})
}

// reach is how a person reaches a session beside its surface; the zero reach is
// that nobody does.
type reach struct {
	secondPath func() string
	attachPath string
	attached   func() bool
}

func (a *App) open(surface contract.Surface, by reach) (*contract.Session, error) {
	c := a.settings.Config
	id := strings.ToLower(rand.Text()[:12])
	readOnly := make([]contract.Identity, len(c.Tools.ReadOnly))
	for i, r := range c.Tools.ReadOnly {
		readOnly[i] = contract.Identity(r)
	}
	scratch := filepath.Join(c.Ledger.Folder, "scratch", id)
	var record contract.Journal // none where the ledger is switched off
	hooks := a.hookRunner(scratch)
	if c.Ledger.Enabled {
		j := &journal{app: a, session: id}
		a.atEnd(j.close)
		record, hooks.Record = j, j.hookRan
	}
	return contract.Open(contract.Options{
		Tools:       a.tools(scratch, id),
		Managed:     a.managed,
		Rules:       a.rules,
		Workspace:   newWorkspaces(a.settings, surface.Roots, scratch),
		Hooks:       a.hooks,
		HookRunner:  hooks,
		Guard:       func(i contract.Intent) string { return a.guard.refuses(i, scratch) },
		Mode:        contract.Mode(c.Workspace.Mode),
		Posture:     contract.Posture(c.Workspace.Posture),
		Baseline:    baseline(c.Approval.Baseline),
		ReadOnly:    readOnly,
		Running:     c.Limits.Running,
		NoBarrier:   !c.Limits.Barrier,
		OutputChars: c.Limits.OutputChars,

		Review:          a.review(),
		SecondPath:      by.secondPath,
		AttachPath:      by.attachPath,
		Attached:        by.attached,
		ApprovalTimeout: time.Duration(c.Approval.Timeout),
		Surface:         surface,
		Journal:         record,
		Log:             a.settings.Log,
	})
}

// baseline is what raw-mcp asks about by default: the rest is left to the
// host's own prompt.
func baseline(configured config.Baseline) []string {
	if len(configured) == 0 || slices.Equal(configured, config.Baseline{"auto"}) {
		return []string{string(contract.ClassNetwork), contract.AskOutside}
	}
	return configured
}

// tools are the built-in tools but for those that the configuration disables.
func (a *App) tools(scratch, session string) []contract.Tool {
	c := a.settings.Config
	host := builtins.Host{
		Runner:         a.runner,
		Shell:          c.Bash.Shell,
		Environ:        func(ctx context.Context) []string { return a.environ(ctx, scratch) },
		CommandTimeout: time.Duration(c.Bash.Timeout),
		Home:           a.settings.Home,
		Closed:         spellings(resolved(c.Ledger.Folder)),
		Pending:        filepath.Join(c.Ledger.Folder, "pending"),
		Locks:          a.locks,
	}
	if c.Ledger.Enabled {
		host.Session = session
		host.Recall = ledger.Store{Folder: c.Ledger.Folder}.Recall
	}
	all := slices.DeleteFunc(builtins.All(host), func(t contract.Tool) bool {
		return !t.Undeniable && slices.Contains(c.Tools.Disable, string(t.Identity))
	})
	for _, notice := range contract.AlwaysLoad(all, c.Tools.AlwaysLoad) {
		a.settings.Log.Warn(notice)
	}
	return all
}

// reportLeftovers tells of writes in place that a killed process left: the
// complete new content is kept, and a person decides about it.
func (a *App) reportLeftovers() {
	left, err := atomicfile.Leftovers(filepath.Join(a.settings.Config.Ledger.Folder, "pending"))
	if err != nil {
		a.settings.Log.Warn("look for unfinished writes", "error", err)
	}
	for _, l := range left {
		a.settings.Log.Warn("a write was cut off; its complete new content is kept", "file", l.Target, "content", l.Copy)
	}
}

// Lookup is the value of an environment variable of this process.
func (s Settings) Lookup(name string) (string, bool) {
	for _, entry := range slices.Backward(s.Environ) {
		if k, v, ok := strings.Cut(entry, "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// compileRules turns rules as written into rules that hold.
func compileRules(layer policy.Layer, written []config.Rule) (*policy.Set, error) {
	rules := make([]policy.Rule, len(written))
	for i, w := range written {
		rules[i] = policy.Rule{
			Match: w.Match, Effect: policy.Effect(w.Effect), Reason: w.Reason,
			MatchExamples: w.MatchExamples, NoMatchExamples: w.NoMatchExamples,
			Pos: policy.Position{File: w.File, Line: w.Line, Column: w.Column},
		}
		if w.When != nil {
			rules[i].When = &predicate.Predicate{Source: w.When.Source, Any: w.When.Any, Regex: w.When.Regex}
		}
	}
	return policy.Compile(layer, rules)
}

// readRules reads a file that may only narrow. No file has no rules.
func readRules(layer policy.Layer, file string) (*policy.Set, error) {
	if file == "" {
		return nil, nil
	}
	rules, err := config.LoadRules(file)
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	return compileRules(layer, rules)
}
