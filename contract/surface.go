package contract

import (
	"context"
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
