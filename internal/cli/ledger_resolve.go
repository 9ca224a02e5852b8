package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"raw/contract/ledger"
	"raw/internal/proc"
)

func (b *book) resolveCommand() *cobra.Command {
	var verdict string
	c := &cobra.Command{
		Use:   "resolve ID --verdict rerun|abandoned",
		Short: "Say what becomes of an uncertain execution",
		Long: `Record what a person decided about an uncertain execution (ledger list shows
them), after they looked at what it may have done. Neither verdict runs anything:
rerun says that the call is to be made again, abandoned that it is not. The call
is shown first, and y or yes records the verdict.

This decides for a person: it needs a terminal, and is refused in a command that
a server has started. Exit code 0 when the verdict was recorded, 1 when it was
not, 2 without a terminal or for a wrong command line.`,
		Example: `  ` + b.Name + ` ledger resolve 3f/ex-12 --verdict abandoned`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			v := ledger.Verdict(verdict)
			switch {
			case v != ledger.Rerun && v != ledger.Abandoned:
				return fmt.Errorf("--verdict: %q; want %s or %s", verdict, ledger.Rerun, ledger.Abandoned)
			case !b.person():
				return errors.New("ledger resolve decides for a person: run it in a terminal, with standard input and standard error connected to it")
			}
			return b.open(func() error { return b.resolve(args[0], v) })
		},
	}
	c.Flags().StringVar(&verdict, "verdict", "", "rerun or abandoned")
	_ = c.RegisterFlagCompletionFunc("verdict", cobra.FixedCompletions([]string{"rerun", "abandoned"}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return c
}

// resolve continues the session for one record. No server can be asked for it:
// an execution is uncertain only when its own has ended.
func (b *book) resolve(ref string, v ledger.Verdict) (err error) {
	if slices.ContainsFunc(b.Environ, func(e string) bool { return strings.HasPrefix(e, proc.MarkVariable+"=") }) {
		return fmt.Errorf("this comes from a command that a server ran (it has %s); a person has to run it in a terminal of their own", proc.MarkVariable)
	}
	e, err := b.uncertain(ref)
	if err != nil {
		return err
	}
	id := e.Session + "/" + e.ID
	field(b.Stderr, "execution", id)
	field(b.Stderr, "tool", e.Start.Name+" ("+e.Start.Identity+")")
	field(b.Stderr, "arguments", indented(e.Start.Arguments))
	field(b.Stderr, "started", stamp(e.At))
	if !(decider{Program: b.Program}).yes(fmt.Sprintf("Record that this is %s? Nothing is run. [y/N] ", v)) {
		return errors.New("not resolved")
	}
	l, err := ledger.Open(ledger.Options{Folder: b.store.Folder, Session: e.Session})
	if err != nil {
		return err
	}
	if err := errors.Join(l.Resolve(e.ID, v), l.Close()); err != nil {
		return err
	}
	fmt.Fprintf(b.Stdout, "resolved: %s is %s\n", id, v)
	return nil
}

func (b *book) uncertain(ref string) (ledger.Execution, error) {
	session, id, err := b.find(ref)
	if err != nil {
		return ledger.Execution{}, err
	}
	list, err := b.store.Uncertain(session)
	if err != nil {
		return ledger.Execution{}, err
	}
	var ids []string
	for _, e := range list {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	what := "nothing of this session is"
	if len(ids) > 0 {
		what = strings.Join(ids, ", ") + " of this session would be"
	}
	return ledger.Execution{}, fmt.Errorf("%s/%s is not uncertain; %s", session, id, what)
}
