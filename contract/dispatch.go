package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"raw/contract/order"
	"raw/contract/panel"
	"raw/contract/policy"
	"raw/contract/schema"
	"raw/contract/value"
)

// Step is one of the seven steps of a call.
type Step string

// The steps, in their order.
const (
	StepExposed  Step = "exposed"
	StepValid    Step = "valid"
	StepEffects  Step = "effects"
	StepRules    Step = "rules"
	StepHooks    Step = "hooks"
	StepApproval Step = "approval"
	StepHandler  Step = "handler"
)

// maxEffects bounds what a descriptor may return.
const maxEffects = 64 << 10

// Ticket is a call on its way. It belongs to the goroutine that runs it.
type Ticket struct {
	session *Session
	request Request
	tool    *entry // nil: nothing is called so
	place   *order.Place
	trace   *Explanation // set: explain, and start nothing

	step      Step
	args      value.Object
	effects   value.Object   // absent when the tool declares none
	spellings []value.Object // of the effects: as written, then resolved
	named     []Named
	view      *view
	asks      []ask                       // why a person has to be asked
	shown     func(context.Context) error // Preview.Unchanged of what somebody allowed
	stoppedBy struct{ Rule, Hook string } // for the record of a refusal

	execution string // set when the call is about to run
	panels    *panel.Call
	settled   panel.Settled
	ran       bool // the handler was started
}

// Run is the way of a call: seven steps in order, where a refusal stops it
// before the next. It is called once, and returns when the call has left.
func (t *Ticket) Run(ctx context.Context) (res Result) {
	defer t.leave()
	defer func() { res = t.settle(ctx, res, recover()) }()
	for _, s := range [...]struct {
		name Step
		do   func(context.Context) *Refusal
	}{
		{StepExposed, t.exposed},
		{StepValid, t.valid},
		{StepEffects, t.prepared},
		{StepRules, t.rules},
		{StepHooks, t.preHooks},
		{StepApproval, t.approved},
		{StepHandler, t.enter},
	} {
		t.step = s.name
		if ctx.Err() != nil {
			return t.aborted().Result()
		}
		ref := s.do(ctx)
		t.traced(ref)
		if ref != nil {
			t.stoppedBy.Rule, t.stoppedBy.Hook = ref.Rule, ref.Hook
			return ref.Result()
		}
	}
	if t.trace != nil {
		return Result{}
	}
	t.ran = true
	return t.tool.Run(ctx, t.call())
}

func (t *Ticket) aborted() *Refusal {
	return refuse(CodeAborted, "%s was cancelled before it started; nothing was done", t.request.Name)
}

// stopped is the refusal of a call whose turn does not come.
func (t *Ticket) stopped(err error) *Refusal {
	if errors.Is(err, order.ErrVoided) {
		return refuse(CodeAborted, "the turn of %s was taken back before it started; nothing was done", t.request.Name)
	}
	return t.aborted()
}

// waits tells a call that has waited for a while what it waits for.
func (t *Ticket) waits(h order.Holder) {
	state := "being decided"
	if h.Running {
		state = "running"
	}
	t.request.Progress(Progress{Message: fmt.Sprintf("waiting for %s (%s %d s)", h.Label, state, int(time.Since(h.Since).Seconds()))})
}

// exposed: there is such a tool, no rule denies all of it, and the mode allows
// its class.
func (t *Ticket) exposed(context.Context) *Refusal {
	if t.view == nil {
		t.view = t.session.view()
	}
	if t.view.fault != nil {
		return t.view.fault
	}
	if t.tool == nil {
		hint := "search for it or list the tools again"
		if near := t.session.registry.similar(t.request.Name); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, ", ") + "?"
		}
		return refuse(CodeToolNotExposed, "there is no tool %q here; %s", t.request.Name, hint)
	}
	if d := t.view.policy.Standing(string(t.tool.Identity)); d.Effect == policy.Deny && !t.tool.Undeniable {
		return denied(t.tool.Name, d)
	}
	if ref := t.session.modeAllows(t.tool); ref != nil {
		return ref
	}
	return t.reached()
}

// valid: the arguments are one object, parsed once, that schema and tool accept.
func (t *Ticket) valid(context.Context) *Refusal { return t.parsed() }

func (t *Ticket) parsed() *Refusal {
	text := t.request.Arguments
	if len(text) == 0 {
		text = json.RawMessage("{}")
	}
	var err error
	if t.args, err = value.ParseObject(text); err != nil {
		return refuse(CodeInvalidArguments, "arguments of %s: %v", t.tool.Name, err)
	}
	compiled := t.tool.input
	if t.request.action != nil {
		compiled = t.tool.action
	}
	s, err := compiled()
	if err != nil {
		return refuse(CodeInvalidArguments, "the schema of %s does not compile, so it cannot be called: %v", t.tool.Name, err)
	}
	faults := s.Validate(t.args.Value)
	if len(faults) == 0 && t.tool.Validate != nil && (t.request.action == nil || t.tool.ActionInput == "") {
		faults = t.tool.Validate(t.args)
	}
	if len(faults) > 0 {
		return refuse(CodeInvalidArguments, "arguments of %s are not valid:\n%s", t.tool.Name, faultLines(faults))
	}
	return nil
}

func faultLines(faults []schema.Fault) string {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// prepared: the tool says what it intends, and every path in it is resolved.
func (t *Ticket) prepared(ctx context.Context) *Refusal {
	if t.tool.Effects == nil && t.view.hooks == nil { // hooks run in the workspace
		return nil
	}
	v, ref := t.session.acquire(ctx)
	if ref != nil {
		return ref
	}
	if v != t.view { // a workspace came, and with it law that may deny the tool
		t.view = v
		if ref := t.exposed(ctx); ref != nil {
			return ref
		}
	}
	if t.tool.Effects == nil {
		return nil
	}
	effects, err := t.tool.describe(t.args, t.view.workspace.Cwd)
	if err != nil {
		return refuse(CodeEffectsError, "say what %s intends: %v", t.tool.Name, err)
	}
	if n := len(effects.Source()); n > maxEffects {
		return refuse(CodeInvalidEffects, "the intended effects of %s are %d bytes long; at most %d are judged; split the call", t.tool.Name, n, maxEffects)
	}
	s, err := t.tool.effects()
	if err != nil {
		return refuse(CodeInvalidEffects, "the effects schema of %s does not compile: %v", t.tool.Name, err)
	}
	if faults := s.Validate(effects.Value); len(faults) > 0 {
		return refuse(CodeInvalidEffects, "the intended effects of %s are not valid:\n%s", t.tool.Name, faultLines(faults))
	}
	named, resolved, err := t.view.workspace.resolve(effects, s)
	if err != nil {
		return refuse(CodeEffectsError, "%v", err)
	}
	t.effects, t.named, t.spellings = effects, named, []value.Object{effects, resolved}
	return nil
}

// enter waits for the call's turn and records that it starts.
func (t *Ticket) enter(ctx context.Context) *Refusal {
	if t.trace != nil {
		return nil
	}
	if err := t.place.Enter(ctx); err != nil {
		return t.stopped(err)
	}
	if t.shown != nil {
		if err := t.shown(ctx); err != nil {
			return refuse(CodeConflict, "%s was allowed for what was shown, and that has changed: %v\nnothing was done; make the call again", t.tool.Name, err)
		}
	}
	if err := t.begin(); err != nil {
		return refuse(CodeLedgerUnavailable, "%s was not started, because its start cannot be recorded: %v", t.tool.Name, err)
	}
	t.beginPanels()
	return nil
}

// call is what the handler gets.
func (t *Ticket) call() *Call {
	c := &Call{
		Identity: t.tool.Identity, Name: t.tool.Name, ID: t.request.ID, Execution: t.execution,
		Source: t.request.Source, Args: t.args, Effects: t.effects,
		Named:  t.named,
		Budget: t.session.options.OutputChars, Meta: t.request.Meta, progress: t.request.Progress, deferred: t.request.Deferred, place: t.place,
		panels: t.panels, asks: t.ask, session: t.session, lane: t.request.Lane, findNote: t.request.FindNote,
		mayRead: t.readable(),
	}
	for _, n := range t.named {
		if !n.Mentioned {
			c.Paths = append(c.Paths, n.Path)
		}
	}
	if ws := t.view.workspace; ws != nil {
		c.Cwd, c.Roots = ws.Cwd, ws.Roots
	}
	return c
}

// leave gives up what the call holds, on every path.
func (t *Ticket) leave() {
	if t.place != nil {
		t.place.Leave()
	}
}
