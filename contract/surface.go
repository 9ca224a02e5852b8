package contract

import (
	"context"
	"encoding/json"

	"raw/contract/value"
)

// Surface is the person's side of a session. A nil func means: not there.
type Surface struct {
	// Approve asks a person and waits for the answer, or for ctx.
	Approve func(context.Context, Approval) (Answer, error)

	// Roots asks the host which folders it works in, in its order. None
	// without an error means that this host does not tell.
	Roots func(context.Context) ([]string, error)

	// CatalogChanged says that Specs now lists other tools. It does not block.
	CatalogChanged func()
}

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
	Draft      bool // its turn was not committed yet
}

// Receipt is the outcome of a call: the whole result, before any window.
type Receipt struct {
	Start
	Execution string // empty for a refused call
	Step      Step   // where a refused call was stopped
	Result    Result
	Meta      json.RawMessage
}
