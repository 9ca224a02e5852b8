// Package panel holds what a tool shows to a person while it works, the
// protocol raw.panel/2: declarations, documents of blocks, the updates that
// change them, and the host that keeps them for a session. An invalid update
// changes nothing and fails no call. The package knows no surface and no wire:
// how a panel is drawn, sent or clicked is up to whoever reads it. Panel state
// never goes to the model but for the one line that Settled gives.
package panel
