package cli

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
)

func (b *book) searchCommand() *cobra.Command {
	var asJSON bool
	var session string
	c := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find records by what is in them",
		Long: `Find the records that have TEXT in one of their texts, in upper or lower case:
arguments, results, reasons. Exit code 0, also when there is none.`,
		Example: `  ` + b.Name + ` ledger search 'rm -rf'
  ` + b.Name + ` ledger search --session 3f README`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			what, err := regexp.Compile("(?i)" + regexp.QuoteMeta(args[0]))
			if err != nil || args[0] == "" {
				return fmt.Errorf("search for %q: write some text in UTF-8", args[0])
			}
			return b.open(func() error { return b.search(session, what, asJSON) })
		},
	}
	c.Flags().StringVar(&session, "session", "", "only in this session")
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each record")
	return c
}

func (b *book) search(name string, what *regexp.Regexp, asJSON bool) error {
	names, err := b.sessions(name)
	if err != nil {
		return err
	}
	found := 0
	for _, name := range names {
		var matched string
		records, err := b.store.Search(name, func(text string) bool {
			matched = text
			return what.MatchString(text)
		})
		if err != nil {
			return err
		}
		lost := 0
		for r, fault := range records {
			switch {
			case fault != nil:
				lost++
				continue
			case asJSON:
				err = b.recordJSON(r)
			default:
				id := r.Execution
				if id == "" {
					id = fmt.Sprintf("record %d", r.Seq)
				}
				_, err = fmt.Fprintf(b.Stdout, "%s  %s/%s %s: %s\n", stamp(r.At), name, id, r.Kind, around(matched, what))
			}
			if err != nil {
				return err
			}
			found++
		}
		if lost > 0 {
			b.say(fmt.Sprintf("%s of session %s cannot be read (%s ledger verify %s tells)", count(lost, "place"), name, b.Name, name))
		}
	}
	if found == 0 {
		b.say("no record has this text")
	}
	return nil
}

// around is the match in text and some of what stands beside it.
func around(text string, what *regexp.Regexp) string {
	const beside = 60
	at := what.FindStringIndex(text)
	before, after := []rune(text[:at[0]]), []rune(text[at[1]:])
	left, right := "", ""
	if len(before) > beside {
		before, left = before[len(before)-beside:], "…"
	}
	if len(after) > beside {
		after, right = after[:beside], "…"
	}
	return left + oneLine(string(before)+text[at[0]:at[1]]+string(after)) + right
}
