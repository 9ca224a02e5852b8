package ledger

import "encoding/json"

// Kind says what a record tells.
type Kind string

// The kinds of records, and the type that Record.Data holds.
const (
	KindSegment     Kind = "segment"     // Segment: the first line of a segment
	KindStarted     Kind = "started"     // Start
	KindSucceeded   Kind = "succeeded"   // Receipt
	KindFailed      Kind = "failed"      // Receipt
	KindVoided      Kind = "voided"      // Note: a start that did not become durable, so nothing ran
	KindResolved    Kind = "resolved"    // Resolution
	KindRefused     Kind = "refused"     // Refusal
	KindHook        Kind = "hook"        // Hook
	KindApproval    Kind = "approval"    // Approval
	KindInteraction Kind = "interaction" // Interaction
	KindJob         Kind = "job"         // Job
	KindChild       Kind = "child"       // Child
	KindNote        Kind = "note"        // Note
)

// Segment is what the first line of a segment says.
type Segment struct {
	Format   string `json:"format"`
	Session  string `json:"session"`
	Process  int    `json:"process"`
	Previous string `json:"previous,omitempty"` // the last hash of the segment before; empty in the first
}

// Start is a call that is about to run.
type Start struct {
	Identity   string          `json:"identity"`
	Name       string          `json:"name"`
	Call       string          `json:"call,omitempty"` // the host's id of the call
	Source     string          `json:"source,omitempty"`
	Lane       string          `json:"lane,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Effects    json.RawMessage `json:"effects,omitempty"` // as intended; the outcome is the receipt's
	Idempotent bool            `json:"idempotent,omitempty"`
	Draft      bool            `json:"draft,omitempty"` // its turn was not committed yet
}

// Receipt is the outcome of an execution: the whole result, before any window.
type Receipt struct {
	Failed      bool            `json:"-"` // the kind of the record
	ErrorKind   string          `json:"errorKind,omitempty"`
	Code        string          `json:"code,omitempty"`
	SafeToRetry bool            `json:"safeToRetry,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	Content     []Block         `json:"content"`
	Meta        json.RawMessage `json:"meta,omitempty"`
	Draft       bool            `json:"draft,omitempty"`
	Panels      []Panel         `json:"panels,omitempty"`
}

// Panel is what a call has made of one panel, or why an update was rejected.
type Panel struct {
	Receipt json.RawMessage `json:"receipt"`         // at most 1 KiB
	State   json.RawMessage `json:"state,omitempty"` // the panel as surfaces get it; absent when rejected
}

// Block is one part of a result. Type says which fields count: text has Text;
// json has JSON; image has MIME and Data; any other has Protocol, JSON, Text.
type Block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	JSON     json.RawMessage `json:"json,omitempty"`
	MIME     string          `json:"mime,omitempty"`
	Data     []byte          `json:"data,omitempty"`
	Protocol string          `json:"protocol,omitempty"`
}

// Verdict is what a person decided about an uncertain execution.
type Verdict string

// The verdicts. Neither runs anything: to rerun is a call of its own.
const (
	Rerun     Verdict = "rerun"
	Abandoned Verdict = "abandoned"
)

// Resolution is a person's verdict on an uncertain execution.
type Resolution struct {
	Verdict Verdict `json:"verdict"`
}

// Event is what Log.Note records: a Refusal, Hook, Approval, Interaction, Job,
// Child or Note. Execution, where one has it, is the ex-<n> it belongs to.
type Event interface {
	kind() Kind
	execution() string
}

// Refusal is a call that no handler saw.
type Refusal struct {
	Start
	Step      string   `json:"step"`
	Code      string   `json:"code"`
	ErrorKind string   `json:"errorKind,omitempty"`
	Text      string   `json:"text,omitempty"`
	Rule      string   `json:"rule,omitempty"` // file:line
	Hook      string   `json:"hook,omitempty"`
	Tags      []string `json:"tags,omitempty"`
}

// Hook is one run of a hook.
type Hook struct {
	Name     string `json:"name"`
	Event    string `json:"event"`
	Tool     string `json:"tool,omitempty"` // identity
	Call     string `json:"call,omitempty"`
	Decision string `json:"decision"` // continue, deny or error
	Exit     int    `json:"exit"`
	Explicit bool   `json:"explicit,omitempty"` // said so itself; a bare exit 2 does not
	Reason   string `json:"reason,omitempty"`
	Message  string `json:"message,omitempty"`
}

// Approval is a question to a person and the answer.
type Approval struct {
	ID       string   `json:"id,omitempty"`
	Identity string   `json:"identity"`
	Name     string   `json:"name"`
	Call     string   `json:"call,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
	Bound    []string `json:"bound,omitempty"` // hashes of what was shown
	Verdict  string   `json:"verdict"`
	Scope    string   `json:"scope,omitempty"` // of an answer for the session
}

// Interaction is one change of a question to a person.
type Interaction struct {
	ID        string          `json:"id"`
	Execution string          `json:"-"`
	Revision  int             `json:"revision,omitempty"`
	State     string          `json:"state"`
	Question  json.RawMessage `json:"question,omitempty"` // of a pending one: what a person sees
	Reply     json.RawMessage `json:"reply,omitempty"`    // of an ended one: the outcome
	By        string          `json:"by,omitempty"`       // the way on which the answer came
}

// Job is one change of a process that outlives its call.
type Job struct {
	ID        string `json:"id"`
	Execution string `json:"-"`
	State     string `json:"state"`
	Process   int    `json:"process,omitempty"`
	Command   string `json:"command,omitempty"`
	Exit      *int   `json:"exit,omitempty"`
}

// Child is one change of a child agent.
type Child struct {
	ID        string `json:"id"`
	Execution string `json:"-"`
	Name      string `json:"name,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Session   string `json:"session,omitempty"`
	State     string `json:"state"`
	Exit      *int   `json:"exit,omitempty"`
	Text      string `json:"text,omitempty"`
}

// Note is a remark of the runtime itself.
type Note struct {
	Execution string `json:"-"`
	Text      string `json:"text"`
}

func (Refusal) kind() Kind     { return KindRefused }
func (Hook) kind() Kind        { return KindHook }
func (Approval) kind() Kind    { return KindApproval }
func (Interaction) kind() Kind { return KindInteraction }
func (Job) kind() Kind         { return KindJob }
func (Child) kind() Kind       { return KindChild }
func (Note) kind() Kind        { return KindNote }

func (Refusal) execution() string       { return "" }
func (Hook) execution() string          { return "" }
func (Approval) execution() string      { return "" }
func (e Interaction) execution() string { return e.Execution }
func (e Job) execution() string         { return e.Execution }
func (e Child) execution() string       { return e.Execution }
func (e Note) execution() string        { return e.Execution }
