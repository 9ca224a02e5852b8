package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"raw/contract"
	"raw/mcpserver"
)

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP on standard input and output",
		Long: `Serve MCP on standard input and output until the host closes it. Hosts start
this; bare raw-mcp does the same when standard input is not a terminal.`,
		Example: `  raw-mcp serve --root ~/src/project
  raw-mcp serve --mode plan --log-file /tmp/raw.log`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
}

// notes tell the model what holds beside the tools.
var notes = []string{
	"Paths are relative to the workspace. Files outside it need a person's approval.",
	"Rules may refuse a call; the refusal names the rule. Do not work around a refusal: tell the person.",
	"Asking before writes and commands is left to your host; this server asks for paths outside the workspace and where a rule says so.",
}

func (p *program) serve(ctx context.Context) error {
	a, done, err := p.Open()
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel(nil)
	beside.Go(func() { watchHost(ctx, func() { cancel(errHostGone) }, a.Log()) })
	open := func(s contract.Surface) (*contract.Session, error) {
		session, reachable, err := a.OpenServed(s)
		beside.Go(func() {
			// Not while the host waits for its first answers.
			if err == nil && later(ctx, settled) {
				reachable()
				a.EndOrphans(ctx)
				a.Prune()
			}
		})
		return session, err
	}
	c := a.Config()
	err = mcpserver.Serve(ctx, open, p.Stdin, p.wire, mcpserver.Options{
		Version:   p.Version,
		Catalog:   mcpserver.Catalog(c.MCP.Catalog),
		Legacy:    c.MCP.Protocol == "legacy",
		LineLimit: c.Limits.LineMiB << 20,
		CallLimit: time.Duration(c.Limits.HostCallSeconds) * time.Second,
		Notes:     notes,
		Log:       a.Log(),
	})
	if err != nil && !errors.Is(err, errHostGone) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// errHostGone ends what a host that died has left.
var errHostGone = errors.New("the host is gone")

// settled is when a session has had its first answers, and there is time for
// the rest of its start.
const settled = 2 * time.Second

// later waits for d and reports whether ctx goes on.
func later(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// introduce says what this is to a person who started it by hand.
func (p *program) introduce() error {
	_, err := fmt.Fprint(p.Stdout, `raw-mcp is an MCP server: an AI host starts it and talks to it over standard
input and output. It gives the model tools to read, write and edit files and to
run commands in a folder of yours, under rules of yours.

See it work:          raw-mcp demo
Connect it:           claude mcp add raw-mcp -- raw-mcp serve --root DIR
                      or, for other hosts, command "raw-mcp", args ["serve", "--root", "DIR"]
Run one call:         raw-mcp call read '{"path":"README.md"}'
Check your rules:     raw-mcp check
Everything else:      raw-mcp --help
`)
	return err
}
