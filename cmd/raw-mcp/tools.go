package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"raw/contract"
	"raw/mcpserver"
)

func (p *program) toolsCommand() *cobra.Command {
	var asJSON, cost bool
	c := &cobra.Command{
		Use:   "tools",
		Short: "Show the tools that a new client gets",
		Long: `Show the tools that a new client gets, in the order of the list. Nothing has
been served yet by this process, so this is what would be served, not what was.
--cost adds the bytes of each tool's definition and an estimate of its tokens
(bytes / 4); --json prints the list itself.`,
		Example: `  raw-mcp tools --cost
  raw-mcp tools --json --catalog native`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a, done, err := p.Open()
			if err != nil {
				return err
			}
			defer done()
			session, err := a.Open(contract.Surface{})
			if err != nil {
				return err
			}
			list, err := mcpserver.List(session, mcpserver.Catalog(a.Config().MCP.Catalog))
			if err != nil {
				return err
			}
			if asJSON {
				definitions := make([]json.RawMessage, len(list))
				for i, t := range list {
					definitions[i] = t.Definition
				}
				body, err := json.MarshalIndent(definitions, "", "  ")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(p.Stdout, string(body))
				return err
			}
			return p.printTools(list, cost)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as the client gets it")
	c.Flags().BoolVar(&cost, "cost", false, "add bytes and estimated tokens")
	return c
}

func (p *program) printTools(list []mcpserver.Listed, cost bool) error {
	fmt.Fprintln(p.Stdout, "nothing was served yet; a new client gets:")
	w := tabwriter.NewWriter(p.Stdout, 2, 8, 2, ' ', 0)
	total := 2
	for _, t := range list {
		fmt.Fprintf(w, "%s\t%s\t%s", t.Name, t.Class, t.Identity)
		if n := len(t.Definition); cost {
			fmt.Fprintf(w, "\t%d bytes\t~%d tokens", n, n/4)
		}
		fmt.Fprintln(w)
		total += len(t.Definition) + 1
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if cost {
		fmt.Fprintf(p.Stdout, "%d tools, %d bytes, ~%d tokens\n", len(list), total-1, total/4)
	}
	return nil
}
