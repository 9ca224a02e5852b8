package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"raw/contract/ledger"
	"raw/internal/config"
)

func (b *book) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [SESSION]",
		Short: "Check every record against the chain",
		Long: `Check the records of one session, or of all: each against the chain of hashes,
each file against the one before, and data that lies beside them against its
name. What is torn, changed or missing is told with file and line. This finds
accidents and careless edits, not somebody who makes a new chain. Exit code 1
when anything is wrong.`,
		Example: `  ` + b.Name + ` ledger verify
  ` + b.Name + ` ledger verify 3f`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return b.open(func() error { return b.verify(strings.Join(args, "")) })
		},
	}
}

func (b *book) verify(name string) error {
	names, err := b.sessions(name)
	if err != nil {
		return err
	}
	faults := 0
	for _, name := range names {
		r, err := b.store.Verify(name)
		if errors.Is(err, ledger.ErrUnknown) {
			continue // pruned meanwhile
		}
		if err != nil {
			return err
		}
		state := "intact"
		if len(r.Faults) > 0 {
			state = count(len(r.Faults), "fault")
		}
		fmt.Fprintf(b.Stdout, "%s: %s (%s, %s, %s)\n", name, state, count(r.Segments, "file"), count(r.Records, "record"), count(r.Blobs, "blob"))
		for _, f := range r.Faults {
			fmt.Fprintf(b.Stdout, "  %s\n", oneLine(f.Error()))
		}
		faults += len(r.Faults)
	}
	if len(names) == 0 {
		fmt.Fprintf(b.Stdout, "no sessions are recorded in %s\n", visible(b.store.Folder))
	}
	if faults > 0 {
		return ExitCode(ExitError)
	}
	return nil
}

func (b *book) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session as JSON lines",
		Long: `Write every record of a session to standard output, a JSON line each, with its
hash, its place and its whole data. A place that cannot be read is a line
{"fault":{…}}. What was masked stays masked.`,
		Example: `  ` + b.Name + ` ledger export 3f > session.jsonl`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return b.open(func() error {
				name, err := b.session(args[0])
				if err != nil {
					return err
				}
				return b.store.Export(name, b.Stdout)
			})
		},
	}
}

func (b *book) pruneCommand() *cobra.Command {
	var older string
	var maxMiB int
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove old records",
		Long: `Remove whole files of records, the oldest first: those that are older than
ledger.retention, then more until what is left fits into ledger.max_mib. A flag
stands in for its setting. What a process writes stays, and so does what holds an
uncertain execution: resolve it first.`,
		Example: `  ` + b.Name + ` ledger prune
  ` + b.Name + ` ledger prune --older 7d --max-mib 100`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var age config.Duration
			if c.Flags().Changed("older") {
				var err error
				if age, err = config.ParseDuration(older); err == nil && age == 0 {
					err = errors.New("0 bounds nothing; write one like 1h or 7d")
				}
				if err != nil {
					return fmt.Errorf("--older: %w", err)
				}
			}
			if c.Flags().Changed("max-mib") && (maxMiB < 1 || maxMiB > 1<<20) {
				return fmt.Errorf("--max-mib: %d; want 1 to %d", maxMiB, 1<<20)
			}
			return b.open(func() error { return b.prune(age, maxMiB) })
		},
	}
	c.Flags().StringVar(&older, "older", "", "age of what goes, as 12h or 30d (default ledger.retention)")
	c.Flags().IntVar(&maxMiB, "max-mib", 0, "MiB that may stay (default ledger.max_mib)")
	return c
}

// prune takes bounds that are zero from the configuration.
func (b *book) prune(age config.Duration, maxMiB int) error {
	if age == 0 {
		age = b.config.Retention
	}
	if maxMiB == 0 {
		maxMiB = b.config.MaxMiB
	}
	r := ledger.Retention{Age: time.Duration(age), Bytes: int64(maxMiB) << 20}
	if !b.config.Enabled {
		// Nothing tells whether the processes of these sessions live.
		folders, _ := os.ReadDir(filepath.Join(b.store.Folder, "scratch"))
		for _, f := range folders {
			r.Keep = append(r.Keep, f.Name())
		}
	}
	done, err := b.store.Prune(r)
	fmt.Fprintf(b.Stdout, "removed %s, %s and %s: %s\n", count(done.Segments, "file"), count(done.Blobs, "blob"),
		count(done.Scratch, "scratch folder"), count(int(done.Bytes), "byte"))
	for _, k := range done.Kept {
		fmt.Fprintf(b.Stdout, "kept %s: %s\n", visible(k.File), oneLine(k.Why))
	}
	return err
}
