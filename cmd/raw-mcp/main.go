// Command raw-mcp is an MCP server on stdio that gives a model tools under
// rules.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"raw/internal/cli"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

func main() {
	out := os.Stdout
	// Standard output is the wire of serve: whatever a library prints must
	// not get there.
	os.Stdout = os.Stderr
	// A broken pipe is an error of the write, not the end of the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{
		Program: cli.Program{Name: "raw-mcp", Version: version, Stdin: os.Stdin, Stdout: out, Stderr: os.Stderr, Environ: os.Environ(), Crash: crashPoint()},
		wire:    out,
	}
	code := p.Execute(ctx, p.command(), os.Args[1:])
	stop()
	os.Exit(code)
}

// program is raw-mcp on a command line.
type program struct {
	cli.Program
	wire *os.File
}

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:     "raw-mcp",
		Short:   "An MCP server on stdio: tools for a model, under rules",
		Version: version,
		Args:    known,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cli.IsTerminal(p.Stdin) {
				return p.introduce()
			}
			return p.serve(cmd.Context())
		},
	}
	root.SetVersionTemplate("raw-mcp {{.Version}}\n")
	p.AddFlags(root)
	root.AddCommand(p.serveCommand(), p.CallCommand(), p.demoCommand(), p.toolsCommand(), p.ExplainCommand(), p.CheckCommand(), p.ApproveCommand(), p.ApprovalsCommand(), p.PanelsCommand(), p.AnswerCommand(), p.LedgerCommand(), p.HookCommand(), p.VersionCommand())
	return root
}

// known refuses a word that is no command, and says which one was meant.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see raw-mcp --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
}
