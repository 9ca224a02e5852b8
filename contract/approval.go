package contract

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"raw/contract/order"
	"raw/contract/policy"
	"raw/contract/value"
)

// DefaultApprovalTimeout is how long a person may take to answer.
const DefaultApprovalTimeout = 5 * time.Minute

// ErrNobody is returned by an Approve that finds nobody to ask: the host of
// this call cannot show a question.
var ErrNobody = errors.New("nobody can be asked")

// Approval is what a person is asked to allow. Surfaces show Effects apart
// from Arguments.
type Approval struct {
	Identity   Identity
	Name       string
	Arguments  value.Object
	Effects    value.Object // absent when the tool declares none
	ToolCallID string
	Reasons    []string // why somebody is asked, each with its origin
	Preview    string   // the diff or the command; may be empty

	// Scope is what an answer "for this session" covers, in words. Empty means
	// that only this one call can be decided.
	Scope string

	place *order.Place // nil outside a session
}

// Park takes the call out of the order of calls: its question is answered by a
// later request, if ever, and the calls behind it go on. Without it they wait
// for the answer.
func (a Approval) Park() {
	if a.place != nil {
		a.place.Park()
	}
}

// Requeue puts a parked call behind the calls that came meanwhile. It never
// blocks: the reader of the surface calls it when the answer arrives.
func (a Approval) Requeue() {
	if a.place != nil {
		a.place.Requeue()
	}
}

// maxQuestion bounds each part of a question, in characters.
const maxQuestion = 8000

// Question is the approval in words for a person: what a call would do stands
// apart from how the model spelled it. It holds text of the model's as it is;
// a surface shows it so that nothing in it can hide the rest.
func (a Approval) Question() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s (%s)?\nAsked %s\n", a.Name, a.Identity, strings.Join(a.Reasons, "\nand "))
	if a.Preview != "" {
		fmt.Fprintf(&b, "\n%s\n", clip(a.Preview))
	}
	fmt.Fprintf(&b, "\nArguments: %s\n", clip(a.Arguments.JSON()))
	if a.Effects.Kind() == value.ObjectKind {
		fmt.Fprintf(&b, "Intended effects: %s\n", clip(a.Effects.JSON()))
	}
	return b.String()
}

// clip cuts a part of a question and says so.
func clip(s string) string {
	r := []rune(s)
	if len(r) <= maxQuestion {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters)", string(r[:maxQuestion]), len(r)-maxQuestion)
}

// Answer is what a person says to an approval. The zero value is a no.
type Answer int

// The answers to an approval.
const (
	RejectOnce    Answer = iota
	RejectSession        // and what the scope covers
	Dismissed            // closed without an answer
	TimedOut             // no answer in time
	AllowOnce
	AllowSession
)

// String is the answer's name, as it is recorded.
func (a Answer) String() string {
	switch a {
	case RejectOnce:
		return "reject_once"
	case RejectSession:
		return "reject_session"
	case Dismissed:
		return "dismissed"
	case TimedOut:
		return "timed_out"
	case AllowOnce:
		return "allow_once"
	case AllowSession:
		return "allow_session"
	default:
		return "unknown"
	}
}

// Preview is what a call would change, as shown to whoever is asked.
type Preview struct {
	Text string
	// Unchanged says why what was shown no longer holds, nil while it does. It
	// is called right before the handler. Nil means that nothing can change.
	Unchanged func(context.Context) error
}

// ask is one reason why somebody has to be asked.
type ask struct {
	kind  askKind
	text  string // "by config.toml:3 …"
	scope string // what a remembered answer covers; empty: it cannot be remembered

	// needs has a list of keys for everything that an allowance must cover;
	// one key of each list is enough, the first is the narrowest.
	needs [][]string
}

type askKind int

const (
	askByRule askKind = iota
	askOutside
	askByClass
)

// asksOf are the reasons to ask about the call that the decision and the
// baseline give.
func (t *Ticket) asksOf(d policy.Decision) []ask {
	var asks []ask
	if d.Effect == policy.Ask {
		a := ask{kind: askByRule, text: "by " + origin(d)}
		if d.Unknown == "" {
			a.scope = "what " + d.Rule.Pos.String() + " asks about"
			key := "rule\x00" + d.Rule.Pos.String()
			if d.Rule.When != nil {
				values := t.valuesOf(d.Rule.When.Source, d.Rule.When.Any)
				a.scope += fmt.Sprintf(", with %s being %s", d.Rule.When.Any, strings.Join(values, ", "))
				key += "\x00" + strings.Join(values, "\x00")
			}
			a.needs = [][]string{{key}}
		}
		asks = append(asks, a)
	}
	if d.Explicit || t.session.options.Posture == PostureFullAccess {
		return asks
	}
	for _, b := range t.session.options.Baseline {
		switch b {
		case AskOutside:
			asks = append(asks, t.outside()...)
		case string(t.tool.Class):
			asks = append(asks, t.byClass())
		}
	}
	return asks
}

// outside asks about each path that the tool opens outside the roots.
func (t *Ticket) outside() []ask {
	var asks []ask
	for _, n := range t.named {
		if n.Mentioned || n.Root != "" {
			continue
		}
		folder := filepath.Dir(n.Real)
		a := ask{
			kind: askOutside,
			text: fmt.Sprintf("by default, as %s lies outside the roots %s (a root is added with --root)",
				n.Real, strings.Join(t.view.workspace.Roots, ", ")),
			scope: "files in " + folder,
		}
		var keys []string
		for at := folder; ; at = filepath.Dir(at) {
			keys = append(keys, "outside\x00"+at)
			if at == filepath.Dir(at) {
				break
			}
		}
		a.needs = [][]string{keys}
		asks = append(asks, a)
	}
	return asks
}

// byClass asks because of what kind of work the tool does.
func (t *Ticket) byClass() ask {
	a := ask{kind: askByClass, text: fmt.Sprintf("by default, as its class is %s", t.tool.Class)}
	switch t.tool.Class {
	case ClassWrite:
		a.scope, a.needs = "writing files inside the roots", [][]string{{"write"}}
	case ClassExec:
		a.scope, a.needs = t.execScope()
	case ClassNetwork:
		hosts := t.valuesOf("effects", "hosts[*].name")
		if len(hosts) == 0 {
			a.scope, a.needs = "every call of "+t.tool.Name, [][]string{{"network\x00" + string(t.tool.Identity)}}
			break
		}
		a.scope = t.tool.Name + " of " + strings.Join(hosts, ", ")
		for _, h := range hosts {
			a.needs = append(a.needs, []string{"network\x00" + h})
		}
	default:
		a.scope, a.needs = "every call of "+t.tool.Name, [][]string{{"tool\x00" + string(t.tool.Identity)}}
	}
	return a
}

// execScope covers every program of the command with its first word, in its
// folder; nothing when the text does not fix all of it.
func (t *Ticket) execScope() (scope string, needs [][]string) {
	if t.effects.Field("unknown").Len() > 0 {
		return "", nil
	}
	folder, _ := t.effects.Field("cwd").Field("path").Str()
	var shown []string
	for _, command := range t.programs() {
		words := strings.Fields(command)
		words = words[:min(2, len(words))]
		shown = append(shown, strings.Join(words, " "))
		needs = append(needs, []string{"exec\x00" + folder + "\x00" + strings.Join(words, "\x00")})
	}
	if len(needs) == 0 {
		return "", nil
	}
	return "running " + strings.Join(shown, ", ") + " in " + folder, needs
}

// valuesOf are the strings under a predicate's path.
func (t *Ticket) valuesOf(source, path string) []string {
	from := t.args.Value
	if source == "effects" {
		from = t.effects.Value
	}
	at := []value.Value{from}
	for _, part := range strings.Split(path, ".") {
		name, each := strings.CutSuffix(part, "[*]")
		var next []value.Value
		for _, v := range at {
			v = v.Field(name)
			if !each {
				next = append(next, v)
				continue
			}
			for i := range v.Len() {
				next = append(next, v.At(i))
			}
		}
		at = next
	}
	var texts []string
	for _, v := range at {
		if s, ok := v.Str(); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// approved: where somebody has to be asked, somebody said yes.
func (t *Ticket) approved(ctx context.Context) *Refusal {
	asks, rejected := t.session.grants.open(t.asks)
	switch {
	case rejected != "":
		return deny(CodeApprovalDenied, "%s was declined for this session (%s); do not try the same again", t.tool.Name, rejected)
	case len(asks) == 0:
		return nil
	}
	reasons := make([]string, len(asks))
	for i, a := range asks {
		reasons[i] = a.text
	}
	why := strings.Join(reasons, "; ")
	if t.session.options.Posture == PostureAutoReview {
		return t.reviewed(ctx, asks, why)
	}
	if t.trace != nil {
		t.traceAsk(reasons)
		return nil
	}
	if t.session.pending.take(t.tool.Identity, t.args) {
		return nil
	}
	approve := t.request.Approve
	if approve == nil {
		approve = t.session.options.Surface.Approve
	}
	if approve == nil {
		return t.nobody(why, reasons)
	}
	if err := t.place.Committed(ctx); err != nil {
		return t.stopped(err)
	}
	a, ref := t.approval(ctx, reasons, asks, why)
	if ref != nil {
		return ref
	}
	timeout := t.session.options.ApprovalTimeout
	if until := t.request.Until; !until.IsZero() {
		timeout = min(timeout, max(time.Until(until), time.Millisecond))
	}
	asking, cancel := context.WithTimeout(ctx, timeout)
	began := time.Now()
	answer, err := approve(asking, a)
	unseen := atMachineSpeed(began)
	late := asking.Err() != nil
	cancel()
	t.noteAnswer(a, answer, err)
	switch {
	case ctx.Err() != nil:
		return t.aborted()
	case errors.Is(err, ErrNobody):
		return t.nobody(why, reasons)
	case err != nil && late:
		answer = TimedOut
	case err != nil:
		return refuse(CodeApprovalError, "ask a person about %s: %v", t.tool.Name, err)
	}
	switch answer {
	case AllowOnce:
		return nil
	case AllowSession:
		t.session.grants.add(asks, true)
		return nil
	case RejectSession:
		t.session.grants.add(asks, false)
		return deny(CodeApprovalDenied, "%s was declined for this session; do not try the same again", t.tool.Name)
	case RejectOnce:
		if unseen != "" {
			return deny(CodeApprovalDenied, "the client declined %s %s; it was not run", t.tool.Name, unseen)
		}
	case Dismissed:
		return deny(CodeApprovalDismissed, "the question about %s was closed without an answer; it was not run", t.tool.Name)
	case TimedOut:
		return refuse(CodeApprovalTimeout, "nobody answered the question about %s within %s; it was not run", t.tool.Name, timeout)
	}
	return deny(CodeApprovalDenied, "%s was declined; do not try the same again", t.tool.Name)
}

// machineSpeed is how fast no person answers.
const machineSpeed = 300 * time.Millisecond

// atMachineSpeed says that an answer came too fast to be a person's: some clients
// declare forms and decline them by themselves. Empty: a person may have given
// it.
func atMachineSpeed(asked time.Time) string {
	if took := time.Since(asked); took < machineSpeed {
		return fmt.Sprintf("after %d ms, and so probably without showing the question to anybody", took.Milliseconds())
	}
	return ""
}

// approval makes the question, and remembers what its preview showed.
func (t *Ticket) approval(ctx context.Context, reasons []string, asks []ask, why string) (Approval, *Refusal) {
	a := Approval{
		Identity: t.tool.Identity, Name: t.tool.Name, Arguments: t.args, Effects: t.effects,
		ToolCallID: t.request.ID, Reasons: reasons, Scope: scopeOf(asks),
		place: t.place,
	}
	if t.tool.Preview != nil {
		p, err := t.tool.Preview(ctx, t.call())
		if err != nil {
			return a, refuse(CodeApprovalError, "%s needs a person's approval %s, and what it would change cannot be shown: %v", t.tool.Name, why, err)
		}
		a.Preview, t.shown = p.Text, p.Unchanged
	}
	return a, nil
}

// scopeOf is what an answer for the session covers; empty when one of the
// reasons cannot be remembered.
func scopeOf(asks []ask) string {
	var scopes []string
	for _, a := range asks {
		if len(a.needs) == 0 {
			return ""
		}
		scopes = append(scopes, a.scope)
	}
	return strings.Join(scopes, "; ")
}

// nobody refuses because there is nobody to ask, and names the second way.
func (t *Ticket) nobody(why string, reasons []string) *Refusal {
	second := ""
	if path := t.session.options.SecondPath; path != nil {
		second = path()
	}
	if second == "" {
		return refuse(CodeApprovalRequired, "%s needs a person's approval %s\n"+
			"nobody can be asked here; do it another way, or tell the person what is needed and why", t.tool.Name, why)
	}
	id := t.session.pending.add(t.tool, t.args, reasons)
	return refuse(CodeApprovalRequired, "%s needs a person's approval %s\n"+
		"nobody can be asked through this host; do it another way, or tell the person what is needed and why, and to run: %s %s\n"+
		"after that the same call goes through once, within %d minutes", t.tool.Name, why, second, id, int(pendingFor.Minutes()))
}

// reviewed asks the configured reviewer, who may only clear what is asked
// about by default and lies inside (CONTRACT.md §7).
func (t *Ticket) reviewed(ctx context.Context, asks []ask, why string) *Refusal {
	for _, a := range asks {
		if a.kind != askByClass || t.tool.Class == ClassExternal && !t.session.readOnly(t.tool.Identity) {
			return deny(CodeApprovalDenied, "%s needs a person %s, and the auto-review posture asks nobody", t.tool.Name, why)
		}
	}
	review := t.session.options.Review
	if review == nil {
		return deny(CodeApprovalDenied, "%s needs a person %s, and the auto-review posture has no reviewer", t.tool.Name, why)
	}
	if t.trace != nil {
		t.traceAsk([]string{why})
		return nil
	}
	a, ref := t.approval(ctx, []string{why}, asks, why)
	if ref != nil {
		return ref
	}
	reason, err := review(ctx, a)
	switch {
	case ctx.Err() != nil:
		return t.aborted()
	case err != nil:
		return deny(CodeApprovalDenied, "%s was not let through: the reviewer gave no valid answer: %v", t.tool.Name, err)
	case reason != "":
		return deny(CodeApprovalDenied, "%s was declined by the reviewer: %s", t.tool.Name, reason)
	}
	return nil
}
