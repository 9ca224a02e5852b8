package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"raw/contract/ledger"
	"raw/contract/nearest"
	"raw/internal/config"
)

// LedgerCommand reads what sessions recorded, and lets a person decide about
// executions that nobody knows the outcome of.
func (p *Program) LedgerCommand() *cobra.Command {
	return (&book{Program: p, person: p.atTerminal}).command()
}

// book is the ledger as commands use it.
type book struct {
	*Program
	person func() bool // whether somebody is at a terminal
	store  ledger.Store
	config config.Ledger
}

func (b *book) command() *cobra.Command {
	c := &cobra.Command{
		Use:   "ledger",
		Short: "Read what sessions recorded, and decide about uncertain executions",
		Long: `Read what sessions recorded: calls with their results, refusals, hooks, answers
of people. A session may be cut short where only one begins so, and so may the
ID of an execution: 3f/12 is ex-12 of the session 3f…, and ex-12 alone is enough
when no other session has one. Exit code 0; 1 when what was asked for is not
there or cannot be read; 2 for a wrong command line or configuration.`,
		Args: cobra.NoArgs,
	}
	c.AddCommand(b.listCommand(), b.showCommand(), b.tailCommand(), b.searchCommand(),
		b.verifyCommand(), b.exportCommand(), b.resolveCommand(), b.pruneCommand())
	return c
}

// open runs f with the ledger of the configuration. An error of f is told, and is
// exit code 1.
func (b *book) open(f func() error) error {
	s, done, err := b.Settings()
	if err != nil {
		return err
	}
	defer done()
	c, err := s.Config.WithFolders(s.Lookup, s.Home)
	if err != nil {
		return err
	}
	b.config, b.store = c.Ledger, ledger.Store{Folder: c.Ledger.Folder}
	if !c.Ledger.Enabled {
		b.say("the ledger is switched off ([ledger] enabled = false): nothing new is recorded, and this is what there was before")
	}
	if err = f(); err == nil {
		return nil
	}
	if code := ExitCode(0); !errors.As(err, &code) {
		b.say(err.Error())
	}
	return ExitCode(ExitError)
}

// say tells a person something beside the output.
func (b *book) say(text string) { fmt.Fprintf(b.Stderr, "%s: %s\n", b.Name, visible(text)) }

// session is the one session that name means.
func (b *book) session(name string) (string, error) {
	names, err := b.store.Names()
	if err != nil || slices.Contains(names, name) {
		return name, err
	}
	var fit []string
	for _, n := range names {
		if name != "" && strings.HasPrefix(n, name) {
			fit = append(fit, n)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return "", fmt.Errorf("%q may be any of %s; write more of it", name, strings.Join(fit, ", "))
	}
	err = fmt.Errorf("no session %q is recorded (%s ledger list lists them)", name, b.Name)
	if near := nearest.Names(name, names, 3); len(near) > 0 {
		err = fmt.Errorf("%w; near it: %s", err, strings.Join(near, ", "))
	}
	return "", err
}

// sessions are the one that name means, or all where it is empty.
func (b *book) sessions(name string) ([]string, error) {
	if name == "" {
		return b.store.Names()
	}
	one, err := b.session(name)
	return []string{one}, err
}

func (b *book) listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sessions, uncertain executions first",
		Long: `List the sessions. First come the uncertain executions: those that were started
and whose process ended before it had recorded a result. Whether they had an
effect is not known, and nothing runs them again: a person looks, and says so
with "ledger resolve". Then the sessions, the last written first.`,
		Example: `  ` + b.Name + ` ledger list
  ` + b.Name + ` ledger list --json | jq .uncertain`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return b.open(func() error {
				all, err := b.store.Sessions()
				if err != nil {
					return err
				}
				if asJSON {
					return b.listJSON(all)
				}
				return b.list(all)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each session")
	return c
}

func (b *book) list(all []ledger.Summary) error {
	w := tabwriter.NewWriter(b.Stdout, 2, 8, 2, ' ', 0)
	first := ""
	for _, s := range all {
		for _, e := range s.Uncertain {
			if first == "" {
				first = e.Session + "/" + e.ID
				fmt.Fprintln(w, "UNCERTAIN\tSTARTED\tCALL")
			}
			fmt.Fprintf(w, "%s/%s\t%s\t%s\n", e.Session, e.ID, stamp(e.At), cut(oneLine(e.Start.Name+" "+string(e.Start.Arguments))))
		}
	}
	if first != "" {
		fmt.Fprintf(w, "Look at what they may have done, then say what becomes of each:\n  %s ledger resolve %s --verdict rerun|abandoned\n\n", b.Name, first)
		if err := w.Flush(); err != nil { // the next columns are others
			return err
		}
	}
	if len(all) == 0 {
		fmt.Fprintf(w, "no sessions are recorded in %s\n", visible(b.store.Folder))
		return w.Flush()
	}
	fmt.Fprintln(w, "SESSION\tLAST RECORD\tSTATE\tCALLS\tREFUSED\tUNCERTAIN\tFAULTS")
	for _, s := range all {
		state := "ended"
		if s.Live {
			state = fmt.Sprintf("written by %d", s.Process)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", s.Session, stamp(s.Last), state, s.Calls, s.Refused, len(s.Uncertain), len(s.Faults))
	}
	return w.Flush()
}

func (b *book) listJSON(all []ledger.Summary) error {
	type execution struct {
		ID        string          `json:"id"`
		At        time.Time       `json:"at"`
		Identity  string          `json:"identity,omitempty"`
		Name      string          `json:"name,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
	}
	type session struct {
		Session   string         `json:"session"`
		Live      bool           `json:"live"`
		Process   int            `json:"process"`
		First     time.Time      `json:"first"`
		Last      time.Time      `json:"last"`
		Records   int            `json:"records"`
		Calls     int            `json:"calls"`
		Refused   int            `json:"refused"`
		Uncertain []execution    `json:"uncertain"`
		Faults    []ledger.Fault `json:"faults"`
	}
	for _, s := range all {
		line := session{s.Session, s.Live, s.Process, s.First, s.Last, s.Records, s.Calls, s.Refused, []execution{}, append([]ledger.Fault{}, s.Faults...)}
		for _, e := range s.Uncertain {
			line.Uncertain = append(line.Uncertain, execution{e.Session + "/" + e.ID, e.At, e.Start.Identity, e.Start.Name, e.Start.Arguments})
		}
		if err := b.json(line); err != nil {
			return err
		}
	}
	return nil
}

func (b *book) json(line any) error {
	out := json.NewEncoder(b.Stdout)
	out.SetEscapeHTML(false)
	return out.Encode(line)
}
