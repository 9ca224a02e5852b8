package contract

import (
	"context"

	"raw/contract/interaction"
	"raw/contract/panel"
)

// Surface is the person's side of a session. A nil func means: not there.
type Surface struct {
	// Approve asks a person and waits for the answer, or for ctx.
	Approve func(context.Context, Approval) (Answer, error)

	// Asker picks the way in which a question can be put now; nil from it means
	// that nobody can be asked. It does not block.
	Asker func(context.Context) Asker

	// Frame gets what a panel is now: while a call runs, and when it has been
	// committed. Asked gets every change of a question. Neither blocks.
	Frame func(panel.Frame)
	Asked func(interaction.View)

	// Roots asks the host which folders it works in, in its order. None
	// without an error means that this host does not tell.
	Roots func(context.Context) ([]string, error)

	// CatalogChanged says that Specs now lists other tools. It does not block.
	CatalogChanged func()
}
