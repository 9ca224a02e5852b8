// Package mcpserver puts a contract.Session in front of an MCP host over
// stdio. It translates and orders; it validates, asks and decides nothing
// (MCP.md §1 to §4).
//
// mcp-go is the protocol core: handshake, discovery, lists, eras. Its stdio
// loop is not used, because it drops, reorders and blocks (MCP.md §1), and
// tools/call does not go through its dispatcher, which parses a message about
// ten times: the reader hands a call to Session.Accept and the answer is
// encoded here.
package mcpserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"raw/contract"
)

// DefaultLineLimit is the longest line that is read, in bytes.
const DefaultLineLimit = 32 << 20

const (
	// drainGrace is how long calls may take to end after the end of input.
	drainGrace = 10 * time.Second
	// stopGrace is how long cancelled calls may take to end.
	stopGrace = 5 * time.Second
	// quietGrace is how long the last notification may take to be written.
	quietGrace = time.Second
	// maxInFlight bounds what a peer can make us hold.
	maxInFlight = 4096
	maxRefusals = 1024
)

// Options says how to serve. The zero value serves both protocol eras with the
// catalog that suits the client.
type Options struct {
	Name    string // of the server; empty means raw-mcp
	Version string
	Catalog Catalog
	// Legacy answers server/discover with "method not found", so that every
	// client falls back to the handshake.
	Legacy bool
	// LineLimit is in bytes; zero means DefaultLineLimit.
	LineLimit int
	// CallLimit is when the client gives a call up by itself, if it is not what
	// the table of clients says. Zero means the table.
	CallLimit time.Duration
	// Notes are further lines of the server's instructions.
	Notes []string
	Log   *slog.Logger // nil discards
}

// complete fills in the defaults.
func (o Options) complete() Options {
	if o.Name == "" {
		o.Name = "raw-mcp"
	}
	if o.LineLimit == 0 {
		o.LineLimit = DefaultLineLimit
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// errGone ends a connection whose peer does not read any more.
var errGone = errors.New("the host closed its end of the connection")

// Serve reads messages from in and answers on out until the end of input,
// until out breaks, or until ctx ends, and returns when every call it started
// has ended (or did not within 5 s of being cancelled). open makes the
// session; the surface it gets is the host's. in is closed on return.
func Serve(ctx context.Context, open func(contract.Surface) (*contract.Session, error), in io.ReadCloser, out io.Writer, o Options) error {
	c := newConn(in, out, o.complete())
	session, err := open(contract.Surface{
		Roots: c.hostRoots, CatalogChanged: c.catalogChanged, Frame: c.framed, Asked: c.questioned,
	})
	if err != nil {
		return err
	}
	c.session = session
	c.core = newCore(c)
	return c.serve(ctx)
}
