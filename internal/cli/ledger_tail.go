package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"raw/contract/ledger"
)

func (b *book) tailCommand() *cobra.Command {
	var asJSON, follow bool
	var lines int
	c := &cobra.Command{
		Use:   "tail [SESSION]",
		Short: "Show the last records of a session",
		Long: `Show the last records of a session, a line each: of the one that was written
last, when none is named. With -f it goes on until it is interrupted.`,
		Example: `  ` + b.Name + ` ledger tail
  ` + b.Name + ` ledger tail 3f -f`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines < 0 {
				return fmt.Errorf("--lines: %d; want 0 or more", lines)
			}
			return b.open(func() error {
				session, err := b.latest(strings.Join(args, ""))
				if err != nil {
					return err
				}
				t := tail{book: b, session: session, json: asJSON, told: map[ledger.Fault]bool{}}
				return t.run(cmd.Context(), lines, follow)
			})
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is recorded from now")
	c.Flags().IntVarP(&lines, "lines", "n", 20, "how many records to begin with")
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each record")
	return c
}

// latest is the session that name means, or the one that was written last.
func (b *book) latest(name string) (string, error) {
	if name != "" {
		return b.session(name)
	}
	all, err := b.store.Sessions()
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no sessions are recorded in %s", b.store.Folder)
	}
	return slices.MaxFunc(all, func(a, b ledger.Summary) int { return a.Last.Compare(b.Last) }).Session, nil
}

// tail shows the records of a session behind those that it showed before.
type tail struct {
	*book
	session string
	json    bool
	file    string // the place of the last record
	line    int
	told    map[ledger.Fault]bool
}

// pollEvery is how often a tail looks for more. Most looks see only that no file
// has grown.
const pollEvery = 300 * time.Millisecond

func (t *tail) run(ctx context.Context, lines int, follow bool) error {
	if err := t.next(lines); err != nil || !follow {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	seen := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if size := t.size(); size != seen {
			seen = size
			if err := t.next(-1); err != nil {
				return err
			}
		}
	}
}

// size is that of the files where the records lie.
func (t *tail) size() (total int64) {
	entries, _ := os.ReadDir(filepath.Dir(t.file)) // then the next read tells why
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			total += info.Size()
		}
	}
	return total
}

// next shows what is new, at most the last records of it; -1 is all.
func (t *tail) next(last int) error {
	records, err := t.store.Records(t.session)
	if err != nil {
		return err
	}
	type entry struct {
		record ledger.Record
		fault  *ledger.Fault
	}
	var fresh []entry
	for r, fault := range records {
		switch {
		case fault != nil && !t.told[*fault]:
			t.told[*fault] = true
			fresh = append(fresh, entry{fault: fault})
		case fault == nil && (r.File > t.file || r.File == t.file && r.Line > t.line):
			t.file, t.line = r.File, r.Line
			fresh = append(fresh, entry{record: r})
		}
		if last >= 0 && len(fresh) > 2*last+100 { // what cannot be among the last
			fresh = slices.Delete(fresh, 0, len(fresh)-last)
		}
	}
	if last >= 0 {
		fresh = fresh[max(0, len(fresh)-last):]
	}
	for _, e := range fresh {
		switch {
		case e.fault != nil:
			t.say(e.fault.Error())
		case t.json:
			err = t.recordJSON(e.record)
		default:
			_, err = fmt.Fprintf(t.Stdout, "%s  %-11s %s\n", stamp(e.record.At), e.record.Kind, t.summary(e.record))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
