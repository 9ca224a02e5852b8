package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"raw/contract"
)

// Execute runs the command that the arguments name and returns the exit code.
func (p *Program) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SuggestionsMinimumDistance = 3
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	var code ExitCode
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	default:
		fmt.Fprintf(p.Stderr, "%s: %v\n", p.Name, err)
		return ExitUsage
	}
}

// VersionCommand prints the version.
func (p *Program) VersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.Stdout, p.Name, p.Version)
			return err
		},
	}
}

// CallCommand runs one tool call the way a model's call runs.
func (p *Program) CallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Run one tool call, under the same rules as a model's",
		Long: `Run one tool call and print its result. The call passes the same steps as a
model's: schema, effects, rules, approval. JSON is the object of arguments;
"-" reads it from standard input. Exit code 0 for a result, 1 for an error
result or a refusal, 2 for a wrong command line or configuration.`,
		Example: `  ` + p.Name + ` call read '{"path":"README.md","limit":20}'
  ` + p.Name + ` call bash '{"command":"go vet ./..."}'
  ` + p.Name + ` call write - < arguments.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := p.arguments(args)
			if err != nil {
				return err
			}
			session, done, err := p.session()
			if err != nil {
				return err
			}
			defer done()
			res := session.Call(cmd.Context(), contract.Request{Name: args[0], Arguments: arguments, Source: contract.SourceUserAction})
			if err := printResult(p.Stdout, res); err != nil {
				return err
			}
			if res.IsError() {
				return ExitCode(ExitError)
			}
			return nil
		},
	}
}

func (p *Program) session() (*contract.Session, func(), error) {
	a, done, err := p.Open()
	if err != nil {
		return nil, nil, err
	}
	session, err := a.Open(contract.Surface{Approve: p.prompt(), Asker: p.asker()})
	if err != nil {
		done()
		return nil, nil, err
	}
	return session, done, nil
}

// arguments are the call's arguments as they were given.
func (p *Program) arguments(args []string) (json.RawMessage, error) {
	if len(args) < 2 {
		return nil, nil
	}
	if args[1] != "-" {
		return json.RawMessage(args[1]), nil
	}
	text, err := io.ReadAll(p.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read the arguments from standard input: %w", err)
	}
	return text, nil
}

// printResult prints a result as text.
func printResult(w io.Writer, res contract.Result) error {
	for _, b := range res.Content {
		var text string
		switch b := b.(type) {
		case contract.Text:
			text = string(b)
		case contract.JSON:
			text = string(b)
		case contract.Image:
			text = fmt.Sprintf("[image %s, %d bytes]", b.MIME, len(b.Data))
		case contract.Opaque:
			text = b.Text
		}
		if _, err := fmt.Fprintln(w, strings.TrimSuffix(text, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// ExplainCommand says what a call would meet, and runs nothing.
func (p *Program) ExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain TOOL [JSON]",
		Short: "Say step by step what a call would meet, and run nothing",
		Long: `Say what would become of a call, step by step: what it is seen to touch, each
rule that was tried with its place, and the value that matched. Nothing is run.
Exit code 0 when the call would run or be asked about, 1 when it would be
refused, 2 for a wrong command line or configuration.`,
		Example: `  ` + p.Name + ` explain bash '{"command":"git fetch; git clean -fd"}'
  ` + p.Name + ` explain write '{"path":"~/.bashrc","content":""}'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := p.arguments(args)
			if err != nil {
				return err
			}
			session, done, err := p.session()
			if err != nil {
				return err
			}
			defer done()
			e := session.Explain(cmd.Context(), contract.Request{Name: args[0], Arguments: arguments, Source: contract.SourceUserAction})
			if err := printExplanation(p.Stdout, args[0], e); err != nil {
				return err
			}
			if e.Verdict == contract.WouldRefuse {
				return ExitCode(ExitError)
			}
			return nil
		},
	}
}

func printExplanation(w io.Writer, tool string, e contract.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", tool, e.Verdict)
	for i, s := range e.Steps {
		outcome := "passed"
		if !s.Passed {
			outcome = string(s.Code)
		}
		fmt.Fprintf(&b, "%d %-9s %s\n", i+1, s.Step, outcome)
		for _, d := range s.Details {
			fmt.Fprintf(&b, "            %s\n", strings.ReplaceAll(d, "\n", "\n            "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CheckCommand checks the configuration, the rules and the workspace.
func (p *Program) CheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the configuration, every rule, and the workspace",
		Long: `Check the configuration file, managed policy, the law of the workspace and
every rule with its examples. All faults are told at once, with file, line and
column. Exit code 0 when all is well (warnings may be printed), 2 when not.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, done, err := p.Open()
			if err != nil {
				return err
			}
			defer done()
			session, err := a.Open(contract.Surface{})
			if err != nil {
				return err
			}
			report, err := session.Check(cmd.Context())
			for _, line := range append(a.Describe(), report...) {
				fmt.Fprintln(p.Stdout, line)
			}
			return err
		},
	}
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }
