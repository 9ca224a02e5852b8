package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"raw/contract/order"
	"raw/contract/panel"
	"raw/contract/schema"
	"raw/contract/value"
)

// Class is what kind of work a tool does. Modes and baseline asks look at it,
// and at nothing else of a tool.
type Class string

// The closed list of classes.
const (
	ClassRead     Class = "read"
	ClassWrite    Class = "write"
	ClassExec     Class = "exec"
	ClassNetwork  Class = "network"
	ClassAgent    Class = "agent"
	ClassSession  Class = "session"
	ClassExternal Class = "external"
)

// Tool is a declaration and a handler. The core never branches on which tool
// it is. Zero optional fields are the safe side. A Tool is not changed after
// it was handed to a session.
type Tool struct {
	Identity    Identity
	Name        string // what the model sees
	Title       string // for people; empty means Name
	Description string

	// Snippet (one line) and Guidelines (bullets) are shown to the model only
	// while the tool is active.
	Snippet    string
	Guidelines []string

	Class Class

	// Deferred keeps the tool out of the first-turn vocabulary: surfaces list
	// it only where the client defers tools by itself, and reach it by name.
	Deferred bool

	// Undeniable keeps rules from hiding or refusing the tool: without it nothing
	// else could be found. It grants nothing of what it leads to.
	Undeniable bool

	// Input is the schema of the arguments, an object at the root. It is
	// compiled on first use.
	Input schema.Source

	// ActionInput is the schema of the arguments of the tool's own panel
	// actions, which a person runs. It is never served; empty means Input.
	ActionInput schema.Source

	// Panels are the live views that the tool keeps, at most four.
	Panels []panel.Declaration

	// EffectsSource is the schema of what Effects returns; empty with a nil
	// Effects. Strings with "format":"path" or "mentioned-path" are resolved
	// by the dispatcher, never by the tool.
	EffectsSource schema.Source

	// Idempotent says that repeating the side effect is safe. It decides the
	// note on a failed result and nothing else.
	Idempotent bool

	// Certs buys performance back; without it a call runs alone.
	Certs order.Certs

	// Validate finds what the schema cannot say. It may be nil.
	Validate func(args value.Object) []schema.Fault

	// Effects says what a call intends and causes none of it: a pure function
	// of its two arguments that returns at once. It may be nil.
	Effects func(args value.Object, cwd string) (value.Object, error)

	// Preview shows what the call would change. It may read, changes nothing,
	// and runs only when somebody is asked. It may be nil.
	Preview func(ctx context.Context, c *Call) (Preview, error)

	// Run does the work. Whatever happens becomes a Result; a panic is
	// contained by the dispatcher.
	Run func(ctx context.Context, c *Call) Result
}

// Spec is what adapters see of a tool. No handler can be reached through it.
type Spec struct {
	Identity    Identity
	Name        string
	Title       string
	Description string
	Snippet     string
	Guidelines  []string
	Class       Class
	Deferred    bool
	Input       schema.Source
	Idempotent  bool
	Panels      bool // it keeps panels
}

func (t *Tool) spec() Spec {
	title := t.Title
	if title == "" {
		title = t.Name
	}
	return Spec{
		Identity: t.Identity, Name: t.Name, Title: title, Description: t.Description,
		Snippet: t.Snippet, Guidelines: t.Guidelines, Class: t.Class, Deferred: t.Deferred, Input: t.Input, Idempotent: t.Idempotent,
		Panels: len(t.Panels) > 0,
	}
}

// check tells every fault of a declaration.
func (t *Tool) check() error {
	var faults []error
	fault := func(format string, a ...any) { faults = append(faults, fmt.Errorf(format, a...)) }
	if err := t.Identity.Validate(); err != nil {
		faults = append(faults, err)
	}
	if err := checkName(t.Name); err != nil {
		faults = append(faults, err)
	}
	if strings.TrimSpace(t.Description) == "" {
		fault("the description is blank")
	}
	switch t.Class {
	case ClassRead, ClassWrite, ClassExec, ClassNetwork, ClassAgent, ClassSession, ClassExternal:
	default:
		fault("unknown class %q", t.Class)
	}
	if t.Certs.PrecommitSafe && t.Class != ClassRead {
		fault("precommitSafe on class %s; only class read may start before its turn is committed", t.Class)
	}
	if t.Input == "" {
		fault("no input schema")
	}
	if (t.Effects == nil) != (t.EffectsSource == "") {
		fault("effects need both a schema and a descriptor")
	}
	if t.Run == nil {
		fault("no handler")
	}
	if err := panel.CheckDeclarations(t.Panels); err != nil {
		fault("panels: %w", err)
	}
	if len(faults) > 0 {
		return fmt.Errorf("tool %s: %w", t.Identity, errors.Join(faults...))
	}
	return nil
}

// Define completes t with a descriptor and a handler that take the arguments
// as a Go struct. In has a json tag for each property of t.Input. effects may
// be nil; what it returns is encoded as the effects object. It panics when t
// already has what it sets: that is a mistake in the program.
func Define[In any](t Tool, effects func(in In, cwd string) (any, error), run func(ctx context.Context, c *Call, in In) Result) Tool {
	if t.Effects != nil || t.Run != nil {
		panic("contract: Define of " + t.Name + " would replace its handler")
	}
	if effects != nil {
		t.Effects = func(args value.Object, cwd string) (value.Object, error) {
			var in In
			if err := args.Decode(&in); err != nil {
				return value.Object{}, err
			}
			intended, err := effects(in, cwd)
			if err != nil {
				return value.Object{}, err
			}
			return value.Of(intended)
		}
	}
	t.Run = func(ctx context.Context, c *Call) Result {
		var in In
		if err := c.Args.Decode(&in); err != nil {
			return Failed(CodeToolError, fmt.Sprintf("decode the arguments of %s: %v", t.Name, err))
		}
		return run(ctx, c, in)
	}
	return t
}
