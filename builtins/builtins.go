// Package builtins holds the tools that ship with the product, one file each
// (TOOLS.md). A tool says what it intends and does what it was let do; it asks
// nobody, and opens only paths that the dispatcher resolved.
package builtins

import (
	"context"
	"time"

	"raw/contract"
	"raw/contract/ledger"
	"raw/internal/atomicfile"
	"raw/internal/proc"
)

// Host is the machine that the tools of one session work on.
type Host struct {
	// Runner starts the commands of bash. Without one bash is not offered.
	Runner *proc.Runner
	// Shell is the program that runs commands, with its name as -c takes it.
	// Empty means bash, or sh where there is none.
	Shell string
	// Environ gives the environment of a command. It may wait a moment for
	// the login shell's PATH.
	Environ func(context.Context) []string
	// CommandTimeout is how long a command runs when the call does not say.
	// Zero means two minutes.
	CommandTimeout time.Duration
	// Home is what "~" stands for.
	Home string

	// Recall returns recorded results of the session named Session. Nil: there is
	// no ledger, and recall is not offered.
	Recall  func(ledger.Recall) (string, error)
	Session string

	// Closed are folders, resolved, that no search enters from outside.
	Closed []string

	// Pending is the folder for copies that back writes in place.
	Pending string
	// Locks keeps the writers of one file apart. It is shared by all sessions
	// of a process.
	Locks *atomicfile.Locks
}

// All makes the tools of one session, in the order in which they are listed.
func All(h Host) []contract.Tool {
	known := newKnown()
	tools := []contract.Tool{
		readTool(h, known),
		writeTool(h, known),
		editTool(h, known),
	}
	if h.Runner != nil {
		tools = append(tools, bashTool(h))
	}
	tools = append(tools, todoTool(), toolSearchTool(), writeFileTool(h, known), askUserTool(), globTool(h), grepTool(h))
	if h.Recall != nil {
		tools = append(tools, recallTool(h))
	}
	return tools
}
