package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"raw/contract/hook"
)

// HookCommand tries hooks out.
func (p *Program) HookCommand() *cobra.Command {
	c := &cobra.Command{Use: "hook", Short: "Try out the selected hooks", Args: cobra.NoArgs}
	c.AddCommand(&cobra.Command{
		Use:   "test NAME JSON",
		Short: "Run one hook for an event, and say what its answer means",
		Long: `Run one selected hook as a session would and say what its answer means. JSON is
the event as the hook reads it, of which only "event" and, for tool events,
"tool":{"identity":…} have to be given; "-" reads it from standard input. What
the hook prints is shown. Exit code 0 when it continues, 1 when it denies or
fails, 2 for a wrong command line, configuration or event.`,
		Example: `  ` + p.Name + ` hook test guard-sh '{"event":"PreToolUse","tool":{"identity":"builtin/bash"}}'`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			event, err := p.arguments(args)
			if err != nil {
				return err
			}
			a, done, err := p.Open()
			if err != nil {
				return err
			}
			defer done()
			ran, err := a.TestHook(cmd.Context(), args[0], event)
			if err != nil {
				return err
			}
			r := ran.Receipt
			fmt.Fprintf(p.Stdout, "%s: %s (exit code %d, %s)\n", r.Hook, r.Outcome, r.Code, r.Duration.Round(1e6))
			for _, line := range []struct{ name, text string }{
				{"cause", string(r.Cause)},
				{"what", r.What},
				{"reason", r.Reason},
				{"message", r.Message},
				{"stdout", string(ran.Stdout)},
				{"stderr", string(ran.Stderr)},
			} {
				if line.text != "" {
					fmt.Fprintf(p.Stdout, "%-8s %q\n", line.name, line.text)
				}
			}
			if ran.Err != nil {
				fmt.Fprintf(p.Stdout, "%-8s %v\n", "error", ran.Err)
			}
			if r.Outcome != hook.Continued {
				return ExitCode(ExitError)
			}
			return nil
		},
	})
	return c
}
