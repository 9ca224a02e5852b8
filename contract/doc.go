// Package contract is the core that every call passes, from whatever surface
// it comes: a tool is a declaration and a handler, a session owns a set of
// tools, and Ticket.Run is the way of a call: exposed, valid, effects, rules,
// hooks, approval, handler (CONTRACT.md §3).
//
// It knows no wire, no file system and no process: paths are resolved, people
// asked and records kept through what a session is opened with. It imports the
// standard library and its own leaves only.
package contract
