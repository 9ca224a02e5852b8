package contract

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"raw/contract/hook"
	"raw/contract/policy"
	"raw/contract/schema"
	"raw/contract/value"
)

// Workspace is where a session works. It is immutable: a session whose roots
// change gets another one.
type Workspace struct {
	Cwd     string
	Roots   []string // links resolved
	Spelled []string // the roots as somebody named them, in the same order

	// Generation grows with every change of the roots. A call that was slow
	// does not bring an older workspace back.
	Generation int64

	// Resolve resolves every link of an absolute path and opens nothing.
	Resolve func(path string) (Path, error)

	// Law is the law of every root; LawFault says why one does not hold, with
	// file, line and column. While it is set every call is law_invalid.
	Law      []*policy.Set
	LawFault error
}

// Named is a path that the effects of a call name.
type Named struct {
	Path
	Pointer   string // where in the effects
	Operation string // the operation beside it, if it has one
	Mentioned bool   // the tool names it and does not open it
}

// Writes reports whether the call would change what the path names. A path
// without an operation is judged by the tool's class.
func (n Named) Writes(class Class) bool {
	switch n.Operation {
	case "read":
		return false
	case "":
		return class == ClassWrite
	default:
		return true
	}
}

// resolve resolves what effects name: once, and before anything is decided.
// It returns the paths and the effects with each path in its resolved
// spelling.
func (w *Workspace) resolve(effects value.Object, s *schema.Schema) ([]Named, value.Object, error) {
	var named []Named
	resolved := map[string]string{}
	for _, ps := range s.Paths(effects.Value) {
		if !filepath.IsAbs(ps.Text) || filepath.Clean(ps.Text) != ps.Text {
			return nil, value.Object{}, fmt.Errorf("%s: %q is not an absolute, cleaned path", ps.Pointer, ps.Text)
		}
		p, err := w.Resolve(ps.Text)
		switch {
		case err == nil:
		case ps.Mentioned:
			p = Path{Lexical: ps.Text, Real: ps.Text}
		default:
			return nil, value.Object{}, err
		}
		operation, _ := sibling(effects.Value, ps.Pointer, "operation").Str()
		named = append(named, Named{Path: p, Pointer: ps.Pointer, Operation: operation, Mentioned: ps.Mentioned})
		if p.Real != ps.Text {
			resolved[ps.Pointer] = p.Real
		}
	}
	if len(resolved) == 0 {
		return named, effects, nil
	}
	other, err := value.Of(respell(effects.Tree(), "", resolved))
	return named, other, err
}

// sibling is the field of the object that holds what pointer points to.
func sibling(v value.Value, pointer, field string) value.Value {
	steps := strings.Split(pointer, "/")
	for _, s := range steps[1 : len(steps)-1] {
		if i, err := strconv.Atoi(s); err == nil && v.Kind() == value.Array {
			v = v.At(i)
		} else {
			v = v.Field(unescape(s))
		}
	}
	return v.Field(field)
}

// respell copies tree with other strings at some pointers.
func respell(tree any, at string, other map[string]string) any {
	switch t := tree.(type) {
	case map[string]any:
		c := make(map[string]any, len(t))
		for k, v := range t {
			c[k] = respell(v, at+"/"+escape(k), other)
		}
		return c
	case []any:
		c := make([]any, len(t))
		for i, v := range t {
			c[i] = respell(v, at+"/"+strconv.Itoa(i), other)
		}
		return c
	case string:
		if s, ok := other[at]; ok {
			return s
		}
	}
	return tree
}

func escape(s string) string   { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }
func unescape(s string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(s) }

// view is what a session knows of its world at one moment.
type view struct {
	workspace *Workspace // nil until a call needed one
	policy    *policy.Policy
	hooks     *hook.Bound // nil when none are selected
	fault     *Refusal    // why no call may pass at all
}

// WorkspaceSource gives a session its workspace. Its methods may be called at
// once.
type WorkspaceSource interface {
	// Workspace is the same pointer until the roots change. Its error says
	// how a root is set. It may ask the host, and return early with ctx.
	Workspace(context.Context) (*Workspace, error)
	// RootsChanged makes the next call of Workspace look again.
	RootsChanged()
}

// acquire gets the workspace that a call needs, and with it the law of its
// roots.
func (s *Session) acquire(ctx context.Context) (*view, *Refusal) {
	source := s.options.Workspace
	if source == nil {
		return nil, refuse(CodeWorkspaceMissing, "this session has no workspace; a person has to start it with --root DIR")
	}
	ws, err := source.Workspace(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, refuse(CodeAborted, "cancelled while the workspace was looked for; nothing was done")
	}
	if err != nil {
		return nil, refuse(CodeWorkspaceMissing, "%v", err)
	}
	v := s.lookAt(ws)
	return v, v.fault
}

// Prepare looks at the workspace before any call does, so that its law shows
// in Specs. A workspace that cannot be had is told to the calls that need it.
func (s *Session) Prepare(ctx context.Context) { _, _ = s.acquire(ctx) }

// RootsChanged makes the next call that needs a workspace look at the roots
// again. A surface calls it when its host says so.
func (s *Session) RootsChanged() {
	if s.options.Workspace != nil {
		s.options.Workspace.RootsChanged()
	}
}

// lookAt makes ws the session's workspace and binds its law. The law may hide
// tools, which the surface is told.
func (s *Session) lookAt(ws *Workspace) *view {
	s.mu.Lock()
	before := s.current
	if before.workspace == ws || before.workspace != nil && before.workspace.Generation > ws.Generation {
		s.mu.Unlock()
		return before
	}
	now := s.bind(ws)
	s.current = now
	s.mu.Unlock()
	if changed := s.options.Surface.CatalogChanged; changed != nil && s.hides(before) != s.hides(now) {
		changed()
	}
	return now
}

// hides names the tools that v hides, as one comparable text.
func (s *Session) hides(v *view) string {
	var hidden strings.Builder
	for _, e := range s.registry.order {
		if v.hidden(e) {
			hidden.WriteString(e.Name + "\n")
		}
	}
	return hidden.String()
}

func (v *view) hidden(e *entry) bool {
	return !e.Undeniable && v.policy.Standing(string(e.Identity)).Effect == policy.Deny
}

func (s *Session) view() *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// bind binds every rule that holds in ws to the tools of the session. A rule
// that cannot be bound leaves no call through.
func (s *Session) bind(ws *Workspace) *view {
	sets := []*policy.Set{s.options.Managed, s.options.Rules}
	v := &view{workspace: ws}
	if ws != nil {
		sets = append(sets, ws.Law...)
		if ws.LawFault != nil {
			v.fault = refuse(CodeLawInvalid, "the law of this workspace does not hold, so no call is let through: %v\na person has to mend the file", ws.LawFault)
		}
	}
	var err error
	if v.policy, err = policy.Bind(s.registry.policyTools(), sets...); err != nil {
		v.fault = refuse(CodeLawInvalid, "a rule cannot be bound, so no call is let through: %v\na person has to mend the file", err)
	}
	if v.hooks, err = s.options.Hooks.Bind(s.registry.policyTools()); err != nil {
		v.fault = refuse(CodeRuleUnbound, "a hook cannot be bound, so no call is let through: %v\na person has to mend it", err)
	}
	return v
}
