package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"raw/contract/interaction"
	"raw/contract/ledger"
	"raw/contract/panel"
	"raw/contract/value"
	"raw/internal/control"
)

// PanelsCommand shows panels of running and of past sessions.
func (p *Program) PanelsCommand() *cobra.Command {
	b := &book{Program: p, person: p.atTerminal}
	var follow bool
	c := &cobra.Command{
		Use:   "panels [ID]",
		Short: "Show the panels of sessions, running or past, as text",
		Long: `Show the panels that tools kept, from the ledger. Without an ID the panels of
all sessions are listed, the one that changed last first. An ID is written as
the list shows it; the part behind the last slash or # is enough, and means the
panel of that name that changed last.

With --follow what changes from now is shown until you interrupt it. While it
runs in a terminal, you count as somebody who can be asked: questions of tools
are shown with the command that answers them. Exit code 0; 1 when there is no
such panel; 2 for a wrong command line or configuration.`,
		Example: `  ` + p.Name + ` panels
  ` + p.Name + ` panels todo
  ` + p.Name + ` panels --follow`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return b.open(func() error {
				g := gallery{book: b, id: strings.Join(args, ""), seen: map[string]bool{}}
				if follow {
					return g.follow(cmd.Context())
				}
				return g.show()
			})
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what changes from now, and be there for questions")
	return c
}

// pendingState is that of a question which waits for a person.
const pendingState = string(interaction.StatePending)

// gallery is the panels of all sessions on a terminal.
type gallery struct {
	*book
	id   string          // only this panel; empty for all
	seen map[string]bool // what a follow has shown
}

// hung is a panel of one session.
type hung struct {
	session string
	ledger.Shown
}

func (h hung) id() string { return h.session + "/" + h.ID }

// is reports whether name means the panel: its whole id, or the end of it. The
// view of one call goes by its panel too.
func (h hung) is(name string) bool {
	whole := h.id()
	panel, _, _ := strings.Cut(whole, "@")
	for _, id := range []string{whole, panel} {
		if id == name || strings.HasSuffix(id, "/"+name) || strings.HasSuffix(id, "#"+name) {
			return true
		}
	}
	return false
}

// all are the panels and questions of all sessions, the panel that changed last
// first.
func (g gallery) all() (panels []hung, asked []ledger.Asked, err error) {
	names, err := g.store.Names()
	if err != nil {
		return nil, nil, err
	}
	for _, session := range names {
		shown, questions, err := g.store.Panels(session)
		if errors.Is(err, ledger.ErrUnknown) {
			continue // pruned meanwhile
		}
		if err != nil {
			return nil, nil, err
		}
		for _, s := range shown {
			panels = append(panels, hung{session, s})
		}
		asked = append(asked, questions...)
	}
	slices.SortStableFunc(panels, func(a, b hung) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.id(), b.id())) })
	return panels, asked, nil
}

func (g gallery) show() error {
	panels, asked, err := g.all()
	if err != nil {
		return err
	}
	if g.id != "" {
		at := slices.IndexFunc(panels, func(h hung) bool { return h.is(g.id) })
		if at < 0 {
			return fmt.Errorf("no panel %q is recorded (%s panels lists them)", g.id, g.Name)
		}
		return g.print(panels[at])
	}
	if len(panels) == 0 && len(asked) == 0 {
		_, err := fmt.Fprintf(g.Stdout, "no panels are recorded in %s\n", visible(g.store.Folder))
		return err
	}
	w := tabwriter.NewWriter(g.Stdout, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "PANEL\tCHANGED\tREVISION\tSTATE\tSUMMARY")
	for _, h := range panels {
		s, err := stateOf(h)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", visible(h.id()), stamp(h.At), s.Revision, s.open(), oneLine(s.Summary))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, q := range asked {
		if q.State == pendingState || q.State == ledger.Interrupted {
			fmt.Fprintf(g.Stdout, "question %s of %s is %s: %s\n", visible(q.ID), q.Execution, q.State, oneLine(titleOf(q.Question)))
		}
	}
	return nil
}

// state is what a recorded panel says.
type state struct {
	Panel    string          `json:"panel"`
	Revision int             `json:"revision"`
	Closed   bool            `json:"closed"`
	Summary  string          `json:"summary"`
	Document json.RawMessage `json:"document"`
}

func (s state) open() string {
	if s.Closed {
		return "closed"
	}
	return "open"
}

func stateOf(h hung) (s state, err error) {
	if err := json.Unmarshal(h.State, &s); err != nil {
		return s, fmt.Errorf("read panel %s: %w", h.id(), err)
	}
	return s, nil
}

// print shows a panel in its text form.
func (g gallery) print(h hung) error {
	s, err := stateOf(h)
	if err != nil {
		return err
	}
	o, err := value.ParseObject(s.Document)
	if err != nil {
		return fmt.Errorf("read panel %s: %w", h.id(), err)
	}
	document, fault := panel.ParseDocument(o.Value)
	if fault != nil {
		return fmt.Errorf("read panel %s: %w", h.id(), fault)
	}
	_, err = fmt.Fprintf(g.Stdout, "%s  revision %d, %s, %s\n%s\n", visible(h.id()), s.Revision, s.open(), stamp(h.At), visible(strings.TrimSuffix(document.Text(), "\n")))
	return err
}

// follow shows what changes until ctx ends. A person at a terminal is attached
// to every running server meanwhile.
func (g gallery) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	attached := make(chan struct{})
	defer func() { <-attached }()
	defer cancel()
	go func() {
		defer close(attached)
		if !g.person() || !g.config.Enabled {
			return // nobody could answer, or see what is asked
		}
		err := control.Attach(ctx, g.store.Folder, func(err error) { g.say(err.Error()) })
		if err != nil {
			g.say(err.Error())
		}
	}()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		if err := g.next(first); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// next shows what is new: at first only what is open.
func (g gallery) next(first bool) error {
	panels, asked, err := g.all()
	if err != nil {
		return err
	}
	for _, h := range slices.Backward(panels) {
		s, err := stateOf(h)
		if err != nil {
			return err
		}
		change := fmt.Sprintf("%s %d %t", h.id(), s.Revision, s.Closed)
		if g.seen[change] || g.id != "" && !h.is(g.id) {
			continue
		}
		g.seen[change] = true
		if first && s.Closed {
			continue
		}
		if err := g.print(h); err != nil {
			return err
		}
	}
	for _, q := range asked {
		change := q.Execution + " " + q.ID + " " + q.State
		if g.seen[change] {
			continue
		}
		g.seen[change] = true
		switch {
		case q.State == pendingState:
			fmt.Fprintf(g.Stdout, "question %s waits: %s\n  answer it with: %s answer %s\n", visible(q.ID), oneLine(titleOf(q.Question)), g.Name, visible(q.ID))
		case !first:
			fmt.Fprintf(g.Stdout, "question %s: %s\n", visible(q.ID), q.State)
		}
	}
	return nil
}

func titleOf(question json.RawMessage) string {
	var q struct {
		Title string `json:"title"`
	}
	_ = json.Unmarshal(question, &q) // then it has none
	return q.Title
}
