package contract

import (
	"context"
	"encoding/json"
	"time"

	"raw/contract/interaction"
	"raw/contract/order"
	"raw/contract/panel"
	"raw/contract/value"
)

// Source says who made a call.
type Source string

// A call comes from the model, also when nothing is said, or from something
// that a person did: a panel action, a slash command, a command line.
const (
	SourceModel      Source = "model"
	SourceUserAction Source = "user_action"
)

// Request is a call as it arrives.
type Request struct {
	Name      string          // the name the model sees
	Arguments json.RawMessage // one JSON object; empty means {}
	Source    Source          // empty means SourceModel
	Lane      string          // the conversation, where the host tells them apart
	ID        string          // the host's name for the call, if it has one
	Meta      json.RawMessage // the wire's _meta, untouched

	// Approve asks the person behind this call; nil means Surface.Approve.
	Approve func(context.Context, Approval) (Answer, error)

	// Asker picks the way in which a question of the call is put, as
	// Surface.Asker does; nil means that one.
	Asker func(context.Context) Asker

	// Until is when the host gives the call up by itself: nobody is asked for
	// longer. Zero means never.
	Until time.Time

	// Reached says that the model has found the tool: it stood in the list that
	// the client got last, or the call names it through another tool. A deferred
	// tool that the model did not reach is activated instead of run.
	Reached bool

	// FindNote is a line behind what a search for tools finds, where this client
	// needs one.
	FindNote string

	// Turn is the draft that the call belongs to. Nil: it arrived committed.
	Turn *order.Turn

	// Deferred writes a call of a deferred tool the way this request's model
	// can make it; nil means by its name.
	Deferred func(tool, arguments string) string

	// Progress receives progress of this call. Nil means that nobody listens.
	Progress func(Progress)

	action *panel.Prepared // the panel action that makes the call
}

// Progress is how far a call is. Total zero means unknown.
type Progress struct {
	Done, Total float64
	Message     string
}

// Call is what a handler gets. Nothing in it changes during the call.
type Call struct {
	Identity  Identity
	Name      string
	ID        string
	Execution string // ex-<n>, the id of this execution within its session
	Source    Source
	Args      value.Object
	Effects   value.Object // as the tool declared them
	Paths     []Path       // what the effects name with "format":"path", in document order
	Named     []Named      // these and the mentioned paths
	Cwd       string
	Roots     []string
	Budget    int             // characters of text that reach the model uncut
	Meta      json.RawMessage // the wire's _meta, untouched

	progress func(Progress)
	deferred func(tool, arguments string) string
	place    *order.Place // nil outside a session
	session  *Session     // nil outside one
	lane     string
	findNote string
	mayRead  func(lexical, real string) bool
	panels   *panel.Call
	asks     func(context.Context, *Call, Question) (interaction.Outcome, error)
}

// Written is a call of a deferred tool as the model of this call can make it.
func (c *Call) Written(tool, arguments string) string { return written(c.deferred, tool, arguments) }

func written(deferred func(tool, arguments string) string, tool, arguments string) string {
	if deferred == nil {
		return tool + " " + arguments
	}
	return deferred(tool, arguments)
}

// Report tells the surface how far the call is. It may be called from any
// goroutine of the handler, and does nothing when nobody listens.
func (c *Call) Report(p Progress) {
	if c.progress != nil {
		c.progress(p)
	}
}

// Yield gives up barrier and slot while wait waits for a person or a child, and
// takes them again behind the calls that came meanwhile. ctx is the call's; a
// shorter deadline belongs into wait. After an error the handler has to return.
// It is not for two goroutines of one handler at once.
func (c *Call) Yield(ctx context.Context, wait func(context.Context)) error {
	if c.place == nil {
		wait(ctx)
		return nil
	}
	return c.place.Yield(ctx, wait)
}

// Path is a path that the dispatcher resolved: once, before anything was
// decided about it. Handlers open Real and nothing else.
type Path struct {
	Lexical string // absolute and cleaned, as it was spelled
	Real    string // every link resolved; for a missing file those of its deepest existing parent
	Exists  bool
	Device  uint64 // zero where the platform has none
	Inode   uint64
	Root    string // the root that contains Real; empty when none does
}
