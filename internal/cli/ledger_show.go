package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"raw/contract/ledger"
	"raw/contract/panel"
)

func (b *book) showCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show a call and its whole result",
		Long: `Show what is recorded of one execution: the call, how it ended, and the whole
result, also what was omitted for the model.`,
		Example: `  ` + b.Name + ` ledger show 3f/ex-12
  ` + b.Name + ` ledger show ex-12 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return b.open(func() error { return b.show(args[0], asJSON) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each record")
	return c
}

// find is Store.Find, with the sessions near one that is not there.
func (b *book) find(ref string) (session, execution string, err error) {
	session, execution, err = b.store.Find(ref, "")
	if prefix, _, named := strings.Cut(ref, "/"); err != nil && named {
		if _, unknown := b.session(prefix); unknown != nil {
			err = unknown
		}
	}
	return session, execution, err
}

func (b *book) show(ref string, asJSON bool) error {
	session, execution, err := b.find(ref)
	if err != nil {
		return err
	}
	records, err := b.store.Records(session)
	if err != nil {
		return err
	}
	var found []ledger.Record
	var others []string
	lost := 0
	for r, fault := range records {
		switch {
		case fault != nil:
			lost++
		case r.Execution == execution:
			found = append(found, r)
		case r.Kind == ledger.KindStarted:
			others = append(others, r.Execution)
		}
	}
	if len(found) == 0 {
		return b.noExecution(session, execution, others, lost)
	}
	if asJSON {
		for _, r := range found {
			if err := b.recordJSON(r); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(b.Stdout, "%-10s %s/%s\n", "execution", session, execution)
	for _, r := range found {
		if err := b.showRecord(r); err != nil {
			return err
		}
	}
	return b.showState(session, found)
}

func (b *book) noExecution(session, execution string, others []string, lost int) error {
	text := fmt.Sprintf("%s has no execution %s; it has none at all", session, execution)
	if n := len(others); n > 0 {
		text = fmt.Sprintf("%s has no execution %s; it has %d, from %s to %s", session, execution, n, others[0], others[n-1])
	}
	if lost > 0 {
		text += fmt.Sprintf(", and %s cannot be read (%s ledger verify %s tells)", count(lost, "place"), b.Name, session)
	}
	return fmt.Errorf("%s: %w", text, ledger.ErrUnknown)
}

// showState says what became of an execution that has no outcome.
func (b *book) showState(session string, found []ledger.Record) error {
	for _, r := range found {
		switch r.Kind {
		case ledger.KindSucceeded, ledger.KindFailed, ledger.KindVoided, ledger.KindResolved:
			return nil
		}
	}
	list, err := b.store.Uncertain(session)
	if err != nil {
		return err
	}
	state := "not recorded yet; its process is running"
	for _, e := range list {
		if e.ID == found[0].Execution {
			state = fmt.Sprintf("uncertain: its process ended before one was recorded\n%s ledger resolve %s/%s says what becomes of it", b.Name, session, e.ID)
		}
	}
	field(b.Stdout, "outcome", state)
	return nil
}

func (b *book) showRecord(r ledger.Record) error {
	switch r.Kind {
	case ledger.KindStarted:
		var s ledger.Start
		if err := b.store.Decode(r, &s); err != nil {
			return err
		}
		field(b.Stdout, "tool", s.Name+" ("+s.Identity+")")
		field(b.Stdout, "source", s.Source)
		field(b.Stdout, "lane", s.Lane)
		field(b.Stdout, "started", stamp(r.At))
		field(b.Stdout, "arguments", indented(s.Arguments))
		field(b.Stdout, "effects", indented(s.Effects))
	case ledger.KindSucceeded, ledger.KindFailed:
		var receipt ledger.Receipt
		if err := b.store.Decode(r, &receipt); err != nil {
			return err
		}
		outcome := string(r.Kind) + " at " + stamp(r.At)
		if why := strings.TrimSpace(receipt.ErrorKind + " " + receipt.Code); why != "" {
			outcome += " (" + why + ")"
		}
		field(b.Stdout, "outcome", outcome)
		field(b.Stdout, "tags", strings.Join(receipt.Tags, ", "))
		for _, p := range receipt.Panels {
			field(b.Stdout, "panel", panelLine(p))
		}
		fmt.Fprintln(b.Stdout)
		for _, block := range receipt.Content {
			showBlock(b.Stdout, block)
		}
	default:
		data, err := b.store.Data(r)
		if err != nil {
			return err
		}
		field(b.Stdout, string(r.Kind), stamp(r.At)+"  "+oneLine(string(data)))
	}
	return nil
}

// panelLine is what a call has made of a panel.
func panelLine(p ledger.Panel) string {
	var r panel.Receipt
	switch err := json.Unmarshal(p.Receipt, &r); {
	case err != nil:
		return oneLine(string(p.Receipt))
	case r.Code != "":
		return oneLine(fmt.Sprintf("%s update rejected: %s %s", r.Panel, r.Code, r.Message))
	}
	return oneLine(fmt.Sprintf("%s revision %d: %s", r.Panel, r.Revision, r.Summary))
}

func showBlock(w io.Writer, block ledger.Block) {
	text := visible(block.Text)
	switch block.Type {
	case "text":
	case "json":
		text = visible(indented(block.JSON))
	case "image":
		text = fmt.Sprintf("[image, %s, %s]", oneLine(block.MIME), count(len(block.Data), "byte"))
	default:
		text = fmt.Sprintf("[%s of %s] %s %s", oneLine(block.Type), oneLine(block.Protocol), visible(string(block.JSON)), text)
	}
	fmt.Fprint(w, strings.TrimSuffix(text, "\n")+"\n")
}

// summary is a record on one line, without its time and kind.
func (b *book) summary(r ledger.Record) string {
	data, err := b.store.Data(r)
	if err != nil {
		return oneLine(err.Error())
	}
	text := string(data)
	switch r.Kind {
	case ledger.KindStarted, ledger.KindRefused:
		var refusal ledger.Refusal // a start is the first part of it
		if json.Unmarshal(data, &refusal) == nil {
			text = refusal.Name + " " + string(refusal.Arguments)
			if refusal.Code != "" {
				text = refusal.Code + ": " + text
			}
		}
	case ledger.KindSucceeded, ledger.KindFailed:
		var receipt ledger.Receipt
		if json.Unmarshal(data, &receipt) == nil {
			var texts []string
			for _, block := range receipt.Content {
				var w strings.Builder
				showBlock(&w, block)
				texts = append(texts, w.String())
			}
			text = strings.Join(texts, " ")
		}
	}
	id := r.Execution
	if r.Kind == ledger.KindStarted {
		id = ledger.ExecutionID(r.Seq)
	}
	return strings.TrimSpace(id + " " + cut(oneLine(text)))
}

// recordJSON writes a record with its data in it.
func (b *book) recordJSON(r ledger.Record) error {
	data, err := b.store.Data(r)
	if err != nil {
		return err
	}
	r.Data, r.Blob = data, nil
	return b.json(struct {
		Session string `json:"session"`
		ledger.Record
	}{r.Session, r})
}

// field is a name and a text of one or more lines; nothing for an empty text.
func field(w io.Writer, name, text string) {
	if text != "" {
		fmt.Fprintf(w, "%-10s %s\n", name, strings.ReplaceAll(visible(text), "\n", "\n           "))
	}
}

// indented is JSON for a person; what is no JSON is left as it is.
func indented(data []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, data, "", "  ") != nil {
		return string(data)
	}
	return out.String()
}

// stamp is a time of a record for a person here.
func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// cut bounds a line of a list.
func cut(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
