package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"raw/contract/catalog"
	"raw/contract/hook"
	"raw/contract/interaction"
	"raw/contract/order"
	"raw/contract/panel"
	"raw/contract/policy"
)

// Mode is how much a session may do. A posture never widens it.
type Mode string

// The modes of CONTRACT.md §7.
const (
	ModePlan    Mode = "plan"    // looks, and changes nothing
	ModeWork    Mode = "work"    // ordinary work; the zero Mode means this
	ModeOperate Mode = "operate" // the authority of work, through agents where it can
)

// Posture is who answers an ask.
type Posture string

// The postures of CONTRACT.md §7.
const (
	PostureAsk        Posture = "ask" // a person; the zero Posture means this
	PostureAutoReview Posture = "auto-review"
	PostureFullAccess Posture = "full-access" // skips baseline asks, never a rule
)

// AskOutside is the baseline ask for a path that a tool opens outside the
// roots. The other baseline asks are named by a Class.
const AskOutside = "outside"

// DefaultOutputChars is how many characters of text a result carries uncut.
const DefaultOutputChars = 30_000

// Options says what a session is made of. Zero values are the safe side.
type Options struct {
	Tools []Tool

	// Managed and Rules hold everywhere; law comes with the workspace. Nil
	// means no rules.
	Managed, Rules *policy.Set

	// Workspace is asked at the first call that needs a workspace. Nil means
	// that there never is one.
	Workspace WorkspaceSource

	// Guard refuses what would change the rules themselves, with the reason;
	// empty lets the call on. It is pure. Nil guards nothing.
	Guard func(Intent) string

	// Hooks are bound to the tools as rules are, and run by HookRunner, which
	// is needed where there are any.
	Hooks      *hook.Set
	HookRunner HookRunner

	Mode     Mode
	Posture  Posture
	Baseline []string   // AskOutside and names of classes that are asked about
	ReadOnly []Identity // external tools that plan mode may run

	// ApprovalTimeout is how long a person may take to answer. Zero means
	// DefaultApprovalTimeout.
	ApprovalTimeout time.Duration

	// SecondPath gives the command with which a person can let a refused call
	// through when nobody can be asked; its last argument is the call's id. It
	// is called when such a call is refused. Nil or an empty command means that
	// there is no way.
	SecondPath func() string

	// AttachPath is the command with which a person attaches a terminal that
	// can answer questions; empty when there is none.
	AttachPath string

	// Attached reports whether such a terminal is attached now. Nil: never.
	Attached func() bool

	// Review decides in the auto-review posture, within the time it gives
	// itself: an empty reason lets the call through. Nil lets nothing through.
	Review func(context.Context, Approval) (reason string, err error)

	// Running bounds how many calls run at once. Zero means
	// order.DefaultSlots.
	Running int

	// NoBarrier lets calls overlap that have no certificate for it.
	NoBarrier bool

	// OutputChars bounds the text of a result. Zero means DefaultOutputChars.
	OutputChars int

	Surface Surface
	Journal Journal
	Log     *slog.Logger // nil discards
}

// Intent is what a call would touch, as a Guard sees it.
type Intent struct {
	Class    Class
	Named    []Named
	Programs []string // the commands that its effects name
	Unknown  []string // what its effects do not fix, in the form that they have for it
	Roots    []string // of the workspace
}

// Session is one person's work with one set of tools. Its methods may be
// called at once.
type Session struct {
	options  Options
	registry *registry
	log      *slog.Logger
	queue    *order.Queue
	started  atomic.Int64
	grants   grants
	pending  pending
	panels   *panel.Host
	desk     *interaction.Desk
	told     told

	mu        sync.Mutex
	current   *view
	toolboxes map[string]*catalog.Toolbox // by lane
	deferred  *searchable                 // made at the first search
}

// Open checks every declaration and every rule and makes a session of them.
// The error tells all faults at once.
func Open(o Options) (*Session, error) {
	r, err := newRegistry(o.Tools)
	if err != nil {
		return nil, err
	}
	if o.Mode == "" {
		o.Mode = ModeWork
	}
	if o.Posture == "" {
		o.Posture = PostureAsk
	}
	if o.ApprovalTimeout == 0 {
		o.ApprovalTimeout = DefaultApprovalTimeout
	}
	if o.OutputChars == 0 {
		o.OutputChars = DefaultOutputChars
	}
	s := &Session{
		options: o, registry: r, log: o.Log, toolboxes: map[string]*catalog.Toolbox{},
		queue: order.New(order.Options{Slots: o.Running, NoBarrier: o.NoBarrier}),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.panels = panel.NewHost(panel.Options{Frame: o.Surface.Frame})
	s.desk = interaction.NewDesk(interaction.Options{Record: s.recordQuestion, Changed: o.Surface.Asked})
	if s.current = s.bind(nil); s.current.fault != nil {
		return nil, errors.New(s.current.fault.Text)
	}
	return s, nil
}

// Specs lists the tools that policy lets the model see, deferred ones among
// them, in the order of registration.
func (s *Session) Specs() []Spec {
	v := s.view()
	var specs []Spec
	for _, e := range s.registry.order {
		if !v.hidden(e) {
			specs = append(specs, e.spec())
		}
	}
	return specs
}

// Check looks at everything that can be known before a call: schemas, rules,
// the workspace and its law. The lines tell what holds and what is probably not
// meant; the error what does not hold.
func (s *Session) Check(ctx context.Context) ([]string, error) {
	var lines []string
	var faults []error
	for _, e := range s.registry.order {
		if _, err := e.sources(); err != nil {
			faults = append(faults, fmt.Errorf("tool %s: %w", e.Identity, err))
		}
		if _, err := e.action(); err != nil {
			faults = append(faults, fmt.Errorf("tool %s: the schema of its panel actions: %w", e.Identity, err))
		}
	}
	v, ref := s.acquire(ctx)
	if ref != nil {
		faults = append(faults, errors.New(ref.Text))
		v = s.view()
	}
	if v.workspace != nil {
		lines = append(lines, "roots: "+strings.Join(v.workspace.Roots, ", "))
	}
	for _, w := range v.policy.Warnings() {
		lines = append(lines, "warning: "+w.String())
	}
	for _, k := range v.policy.Skipped() {
		lines = append(lines, fmt.Sprintf("%s: does not apply to %s, which have no %s", k.Rule.Pos, strings.Join(k.Identities, ", "), k.Rule.When.Any))
	}
	for _, n := range v.hooks.Notes() {
		lines = append(lines, "warning: "+n)
	}
	return lines, errors.Join(faults...)
}

// Accept takes the call's place in arrival order. The reader of a surface
// calls it, so it never blocks. Run must be called once on what it returns.
func (s *Session) Accept(r Request) *Ticket {
	t := s.ticket(r)
	if t.tool != nil {
		c := order.Call{Lane: r.Lane, Label: t.tool.Name, Certs: t.tool.Certs, Turn: r.Turn}
		if r.Progress != nil {
			c.Waiting = t.waits
		}
		t.place = s.queue.Accept(c)
	}
	return t
}

// ticket is a call without a place.
func (s *Session) ticket(r Request) *Ticket {
	if r.Source == "" {
		r.Source = SourceModel
	}
	return &Ticket{session: s, request: r, tool: s.registry.byName[r.Name]}
}

// Call accepts and runs one request.
func (s *Session) Call(ctx context.Context, r Request) Result { return s.Accept(r).Run(ctx) }

func (s *Session) nextExecution() string {
	return "ex-" + strconv.FormatInt(s.started.Add(1), 10)
}

// Info is what a session tells of itself. There are no secrets in it.
type Info struct {
	Mode        Mode
	Posture     Posture
	Roots       []string // none before the first call that needs a workspace
	Running     int      // how many calls may run at once
	OutputChars int

	OpenPanels, Questions, Approvals int
}

// Info tells what the session is and holds open.
func (s *Session) Info() Info {
	i := Info{
		Mode: s.options.Mode, Posture: s.options.Posture, OutputChars: s.options.OutputChars, Roots: []string{},
		Running: cmp.Or(s.options.Running, order.DefaultSlots), Questions: len(s.desk.Pending()), Approvals: len(s.PendingApprovals()),
	}
	if ws := s.view().workspace; ws != nil {
		i.Roots = ws.Roots
	}
	for _, p := range s.panels.States() {
		if !p.Closed {
			i.OpenPanels++
		}
	}
	return i
}

// Close ends what the session keeps for surfaces: questions are interrupted, and
// no frame follows. It is called once, after the last call has left.
func (s *Session) Close() {
	s.desk.Interrupt("the session has ended")
	s.panels.Close()
}
