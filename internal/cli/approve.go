package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"raw/internal/control"
)

// decider is a command that speaks to running servers for a person.
type decider struct {
	*Program
	person func() bool // whether somebody is at a terminal
}

// ApproveCommand lets a refused call through once. It needs a person at a
// terminal.
func (p *Program) ApproveCommand() *cobra.Command {
	return decider{p, p.atTerminal}.approveCommand()
}

// ApprovalsCommand lists what running servers remember of a person's answers,
// and takes answers back.
func (p *Program) ApprovalsCommand() *cobra.Command {
	return decider{p, p.atTerminal}.approvalsCommand()
}

// atTerminal reports whether a person can read our questions and answer them.
// Standard output may go elsewhere: it only gets the outcome.
func (p *Program) atTerminal() bool {
	for _, f := range []*os.File{p.Stdin, p.Stderr} {
		if !isatty.IsTerminal(f.Fd()) && !isatty.IsCygwinTerminal(f.Fd()) {
			return false
		}
	}
	return true
}

func (d decider) approveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "approve ID",
		Short: "Let a call through that was refused because nobody could be asked",
		Long: `Let a call through that was refused with approval_required, because nobody
could be asked there. The refusal prints the ID. What would be approved is shown
first, and y or yes approves it: the same tool with the same arguments, in the
same session, once, within 10 minutes of the refusal. The model has to make the
call again.

This decides for a person: it needs a terminal, and a server refuses it from a
command that it has started. Exit code 0 when the call was approved, 1 when it
was not (no server is running, none knows the ID, it refuses, you said no), 2
without a terminal or for a wrong command line.`,
		Example: `  ` + d.Name + ` approve ap-4hq2k7xz`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !d.person() {
				return errors.New("approve decides for a person: run it in a terminal, with standard input and standard error connected to it")
			}
			return d.withState(func(folder string) error { return d.approve(cmd.Context(), folder, args[0]) })
		},
	}
}

// withState runs f with the state folder of the configuration. An error of f is
// told, and is exit code 1.
func (d decider) withState(f func(folder string) error) error {
	s, done, err := d.Settings()
	if err != nil {
		return err
	}
	defer done()
	c, err := s.Config.WithFolders(s.Lookup, s.Home)
	if err != nil {
		return err
	}
	err = f(c.Ledger.Folder)
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, control.ErrNoServer):
		err = fmt.Errorf("%w with the state folder %s; what a server remembers ends with it", err, c.Ledger.Folder)
	case errors.Is(err, control.ErrUnknownID):
		err = fmt.Errorf("%w; it was used up, or is too old, or its server has ended (%s approvals lists what there is)", err, d.Name)
	}
	fmt.Fprintf(d.Stderr, "%s: %s\n", d.Name, visible(err.Error()))
	return ExitCode(ExitError)
}

func (d decider) approve(ctx context.Context, folder, id string) error {
	shown, _, err := d.find(ctx, folder, id)
	if err != nil {
		return err
	}
	if len(shown.Calls) != 1 {
		return fmt.Errorf("%s is no refused call, but an answer that holds for the session (%s approvals revoke %s takes it back)", id, d.Name, id)
	}
	call := shown.Calls[0]
	if call.Approved {
		fmt.Fprintf(d.Stdout, "%s was approved before: %s goes through once when the model calls it again\n", id, oneLine(call.Tool))
		return nil
	}
	d.show(call, shown.PID)
	if !d.yes("Let this call through once? [y/N] ") {
		return errors.New("not approved")
	}
	// To the server that said what was shown, and to no other.
	if _, err := control.Ask(ctx, folder, control.Request{Verb: control.VerbApprove, ID: call.ID, Server: shown.Server}); err != nil {
		return err
	}
	fmt.Fprintf(d.Stdout, "approved: %s goes through once when the model calls it again, until %s\n", oneLine(call.Tool), clock(call.Until))
	return nil
}

// find asks for what has the id, which may be written PID/ID. Several servers
// may have it; a person says which one is meant.
func (d decider) find(ctx context.Context, folder, id string) (found control.Response, short string, err error) {
	server, short, named := strings.Cut(id, "/")
	if !named {
		server, short = "", id
	}
	list, err := control.Ask(ctx, folder, control.Request{Verb: control.VerbShow, ID: short, Server: server})
	switch {
	case len(list) == 0:
		return found, short, err
	case len(list) > 1:
		var names []string
		for _, r := range list {
			names = append(names, r.PID+"/"+short)
		}
		return found, short, fmt.Errorf("several servers have %s; say which: %s", short, strings.Join(names, " or "))
	}
	if err != nil { // another server did not answer, and may have it too
		fmt.Fprintf(d.Stderr, "%s: %s\n", d.Name, visible(err.Error()))
	}
	return list[0], short, nil
}

// show prints what would be approved.
func (d decider) show(c control.Call, pid string) {
	arguments := c.Arguments
	var b bytes.Buffer
	if json.Indent(&b, []byte(arguments), "", "  ") == nil { // one that was cut is no JSON
		arguments = b.String()
	}
	if c.Hidden > 0 {
		arguments += fmt.Sprintf("\n(%d more bytes are not shown)", c.Hidden)
	}
	for _, line := range []struct{ name, text string }{
		{"tool", c.Tool + " (" + c.Identity + ")"},
		{"arguments", arguments},
		{"asked", strings.Join(c.Reasons, "\n")},
		{"server", "process " + pid},
		{"holds", "until " + clock(c.Until)},
	} {
		fmt.Fprintf(d.Stderr, "%-10s %s\n", line.name, strings.ReplaceAll(visible(line.text), "\n", "\n           "))
	}
}

// yes asks a person. Ctrl-C ends the process there and then: it is the only way
// out of reading a terminal.
func (d decider) yes(question string) bool {
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	fmt.Fprint(d.Stderr, question)
	line, err := bufio.NewReader(d.Stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes")
}

func (d decider) approvalsCommand() *cobra.Command {
	list := &cobra.Command{
		Use:   "approvals",
		Short: "List the answers that running servers remember, and the calls that wait for one",
		Long: `List the answers "for this session" that running servers remember, and the
refused calls that can still be approved. A server forgets them when it ends.
Exit code 0, also when there is nothing; 1 when a server did not answer, or none
is running; 2 for a wrong command line.`,
		Example: `  ` + d.Name + ` approvals
  ` + d.Name + ` approvals revoke gr-1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return d.withState(func(folder string) error { return d.list(cmd.Context(), folder) })
		},
	}
	list.AddCommand(&cobra.Command{
		Use:   "revoke ID",
		Short: "Take an answer back, so that a person is asked again",
		Long: `Take an answer back that was given for the session, whether it allows or
declines. From then on a person is asked again. When several servers have the
ID, it is written as the list shows it: PID/ID. Exit code 0 when the answer was
taken back, 1 when it was not, 2 for a wrong command line.`,
		Example: `  ` + d.Name + ` approvals revoke gr-1
  ` + d.Name + ` approvals revoke 4711/gr-1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.withState(func(folder string) error { return d.revoke(cmd.Context(), folder, args[0]) })
		},
	})
	return list
}

func (d decider) list(ctx context.Context, folder string) error {
	servers, err := control.Ask(ctx, folder, control.Request{Verb: control.VerbList})
	w := tabwriter.NewWriter(d.Stdout, 2, 8, 2, ' ', 0)
	found := 0
	for _, s := range servers {
		for _, g := range s.Grants {
			answer := "declined"
			if g.Allow {
				answer = "allowed"
			}
			fmt.Fprintf(w, "%s/%s\t%s\tsince %s\t%s\n", s.PID, g.ID, answer, clock(g.Since), oneLine(g.Text))
		}
		for _, c := range s.Calls {
			state := "waits"
			if c.Approved {
				state = "approved once"
			}
			if c.Hidden > 0 {
				c.Arguments += "…"
			}
			fmt.Fprintf(w, "%s/%s\t%s\tuntil %s\t%s %s\n", s.PID, c.ID, state, clock(c.Until), oneLine(c.Tool), oneLine(c.Arguments))
		}
		found += len(s.Grants) + len(s.Calls)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if found == 0 && len(servers) > 0 {
		fmt.Fprintln(d.Stdout, "no answers are remembered, and no calls wait for one")
	}
	return err
}

func (d decider) revoke(ctx context.Context, folder, id string) error {
	shown, short, err := d.find(ctx, folder, id)
	if err != nil {
		return err
	}
	if len(shown.Grants) != 1 {
		return fmt.Errorf("%s is a refused call, and no answer that could be taken back", id)
	}
	if _, err := control.Ask(ctx, folder, control.Request{Verb: control.VerbRevoke, ID: short, Server: shown.Server}); err != nil {
		return err
	}
	fmt.Fprintf(d.Stdout, "revoked: %s\n", cmp.Or(oneLine(shown.Grants[0].Text), short))
	return nil
}

func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// oneLine is visible text without line ends and tabs.
func oneLine(text string) string { return strings.Join(strings.Fields(visible(text)), " ") }

// visible is text as a terminal may have it: what the terminal would act on, or
// would not show, is escaped. Servers send what a model wrote.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' || strconv.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
