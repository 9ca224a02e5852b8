// Package order says in which order the calls of a lane run. It knows nothing
// about tools, wires or time.
//
// A Lane lets every call through at once today; the FIFO barrier and the slots
// of CONTRACT.md §10 take its place behind the same two methods.
package order

import "context"

// Certs are optimization certificates. The zero value is the safe side: the
// call runs alone, after its turn was committed. The opposite of a certificate
// cannot be written.
type Certs struct {
	// Shared: every invocation may overlap every sibling.
	Shared bool
	// PrecommitSafe: every invocation is read-only, free and local.
	PrecommitSafe bool
}

// Lane is the order of one conversation. Its methods may be called at once.
type Lane struct{}

// Place is a call's place in arrival order.
type Place struct{}

// Accept takes the next place. It never blocks.
func (*Lane) Accept(Certs) *Place { return &Place{} }

// Enter waits for the call's turn, or for ctx.
func (*Place) Enter(ctx context.Context) error { return ctx.Err() }

// Leave gives the place up. It is called once, on every path, and does nothing
// for a call that never entered.
func (*Place) Leave() {}
