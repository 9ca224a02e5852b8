package contract

import (
	"context"
	"encoding/json"

	"raw/contract/value"
)

// Surface is the person's side of a session. A nil func means: not there.
type Surface struct {
	// Approve asks a person and waits for the answer, or for ctx.
	Approve func(context.Context, Approval) (Verdict, error)

	// Roots asks the host which folders it works in, in its order. None
	// without an error means that this host does not tell.
	Roots func(context.Context) ([]string, error)

	// CatalogChanged says that Specs now lists other tools. It does not block.
	CatalogChanged func()
}

// Approval is what a person is asked to allow. Surfaces show Effects apart
// from Arguments.
type Approval struct {
	Identity   Identity
	Name       string
	Arguments  value.Object
	Effects    value.Object // absent when the tool declares none
	ToolCallID string
	Reasons    []string // why somebody is asked, each with its origin
	Preview    Preview
}

// Preview shows what a call would change: the diff or the command.
type Preview struct {
	Text string
}

// Verdict is a person's answer to an approval. The zero value is a denial.
type Verdict int

// The answers to an approval.
const (
	Declined  Verdict = iota // said no
	Dismissed                // closed without an answer
	TimedOut                 // did not answer in time
	Allowed
)

// Journal keeps the durable record of a session. A nil Journal means that
// nothing is recorded. Its methods may be called at once.
type Journal interface {
	// Started records a call before its handler runs and gives its execution
	// id. An error stops the call.
	Started(Start) (execution string, err error)
	// Settled records the outcome of a started call.
	Settled(Receipt) error
	// Refused records a call that no handler saw.
	Refused(Receipt) error
}

// Start is a call that is about to run.
type Start struct {
	Identity   Identity
	Name       string
	ID         string
	Source     Source
	Arguments  value.Object
	Effects    value.Object
	Idempotent bool
}

// Receipt is the outcome of a call: the whole result, before any window.
type Receipt struct {
	Start
	Execution string // empty for a refused call
	Step      Step   // where a refused call was stopped
	Result    Result
	Meta      json.RawMessage
}
