package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/value"
	"raw/internal/control"
)

// AnswerCommand answers a question of a running server. It needs a person at a
// terminal.
func (p *Program) AnswerCommand() *cobra.Command {
	return decider{p, p.atTerminal}.answerCommand()
}

func (d decider) answerCommand() *cobra.Command {
	var cancel bool
	c := &cobra.Command{
		Use:   "answer ID",
		Short: "Answer a question that a tool asks",
		Long: `Answer a question that a tool of a running server asks: each field of its form
is asked here, and the whole is sent when you say so. "` + d.Name + ` panels --follow"
shows questions with their IDs. An answer permits nothing.

This answers for a person: it needs a terminal, and a server refuses it from a
command that it has started. Exit code 0 when the answer was accepted, or the
question cancelled; 1 when it was not (no server is running, none knows the ID,
it has ended, you did not send it); 2 without a terminal or for a wrong command
line.`,
		Example: `  ` + d.Name + ` answer q-4hq2k7xz
  ` + d.Name + ` answer q-4hq2k7xz --cancel`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !d.person() {
				return errors.New("answer answers for a person: run it in a terminal, with standard input and standard error connected to it")
			}
			return d.withState(func(folder string) error { return d.answer(cmd.Context(), folder, args[0], cancel) })
		},
	}
	c.Flags().BoolVar(&cancel, "cancel", false, "cancel the question instead")
	return c
}

// asked is a question as a server shows it.
type asked struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
	Title    string `json:"title"`
	Form     struct {
		Fields []askedField `json:"fields"`
	} `json:"form"`
}

type askedField struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Kind        string `json:"kind"`
	MaxBytes    int    `json:"max_bytes"`
	Options     []struct {
		ID    string `json:"id"`
		Label string `json:"label"`
	} `json:"options"`
}

// asker asks on the terminal; nil when there is none to ask on.
func (p *Program) asker() func(context.Context) contract.Asker {
	d := decider{p, p.atTerminal}
	if !d.person() {
		return nil
	}
	in := bufio.NewReader(p.Stdin)
	return func(context.Context) contract.Asker {
		return func(ctx context.Context, v interaction.View, fault string) (interaction.Reply, error) {
			return d.reply(ctx, in, v, fault)
		}
	}
}

// reply asks for each field of a question.
func (d decider) reply(ctx context.Context, in *bufio.Reader, v interaction.View, fault string) (interaction.Reply, error) {
	var q asked
	if err := json.Unmarshal(v.JSON(), &q); err != nil {
		return interaction.Reply{}, err
	}
	if fault != "" {
		fmt.Fprintf(d.Stderr, "the answer was not accepted: %s\nonce more:\n", visible(fault))
	}
	answers, err := d.filled(ctx, in, q)
	switch {
	case ctx.Err() != nil:
		return interaction.Reply{}, context.Cause(ctx)
	case err != nil:
		return interaction.Reply{Cancel: true, Reason: "the person did not send an answer", By: "terminal"}, nil
	}
	return interaction.Reply{Answers: value.FromTree(answers), By: "terminal"}, nil
}

// filled is fill that ends with ctx. The read itself ends with the line or with
// the process: a terminal cannot be asked to stop.
func (d decider) filled(ctx context.Context, in *bufio.Reader, q asked) (answers map[string]any, err error) {
	done := make(chan struct{})
	var typed map[string]any
	var fault error
	go func() {
		defer close(done)
		typed, fault = d.fill(in, q)
	}()
	select {
	case <-done:
		return typed, fault
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (d decider) answer(ctx context.Context, folder, id string, cancel bool) error {
	shown, _, err := d.find(ctx, folder, id)
	if err != nil {
		return err
	}
	if len(shown.Questions) != 1 {
		return fmt.Errorf("%s is no question (%s panels --follow shows them)", id, d.Name)
	}
	var q asked
	if err := json.Unmarshal(shown.Questions[0].Body, &q); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	in := bufio.NewReader(d.Stdin)
	for {
		submission := map[string]any{"requestId": q.ID, "expectedRevision": q.Revision}
		if cancel {
			submission["cancel"] = true
		} else if submission["answers"], err = d.filled(ctx, in, q); err != nil {
			return err
		}
		body, err := json.Marshal(submission)
		if err != nil {
			return err
		}
		_, err = control.Ask(ctx, folder, control.Request{Verb: control.VerbAnswer, ID: q.ID, Server: shown.Server, Submission: body})
		if invalid, ok := errors.AsType[*control.InvalidAnswerError](err); ok && !cancel {
			fmt.Fprintf(d.Stderr, "%s\nonce more:\n", visible(invalid.Error()))
			continue
		}
		if err != nil {
			return err
		}
		outcome := "answered"
		if cancel {
			outcome = "cancelled"
		}
		_, err = fmt.Fprintf(d.Stdout, "%s: %s\n", outcome, oneLine(q.Title))
		return err
	}
}

// fill asks for each field.
func (d decider) fill(in *bufio.Reader, q asked) (map[string]any, error) {
	fmt.Fprintf(d.Stderr, "%s\n", visible(q.Title))
	answers := map[string]any{}
	for _, f := range q.Form.Fields {
		for {
			answer, err := d.field(in, f)
			if wrong, ok := errors.AsType[mistyped](err); ok {
				fmt.Fprintln(d.Stderr, wrong)
				continue
			}
			if errors.Is(err, io.EOF) {
				err = errors.New("the input has ended; nothing was sent")
			}
			if err != nil {
				return nil, err
			}
			if answer != nil {
				answers[f.ID] = answer
			}
			break
		}
	}
	fmt.Fprint(d.Stderr, "Send this answer? [Y/n] ")
	line, err := in.ReadString('\n')
	if line = strings.ToLower(strings.TrimSpace(line)); err != nil || line != "" && line != "y" && line != "yes" {
		return nil, errors.New("not sent; the question waits")
	}
	return answers, nil
}

// mistyped is what was wrong with a line; it is asked for again.
type mistyped string

func (m mistyped) Error() string { return string(m) }

// field asks for one field; nil leaves it out.
func (d decider) field(in *bufio.Reader, f askedField) (any, error) {
	fmt.Fprintf(d.Stderr, "\n%s%s\n", visible(f.Label), map[bool]string{true: "", false: " (may be left out)"}[f.Required])
	if f.Description != "" {
		fmt.Fprintf(d.Stderr, "  %s\n", visible(f.Description))
	}
	for i, o := range f.Options {
		fmt.Fprintf(d.Stderr, "  %d) %s\n", i+1, visible(o.Label))
	}
	hint := map[string]string{"single_select": "a number", "multi_select": "numbers, with commas between them"}[f.Kind]
	if hint != "" {
		fmt.Fprintf(d.Stderr, "%s", hint)
	}
	fmt.Fprint(d.Stderr, "> ")
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimRight(line, "\r\n")
	if strings.TrimSpace(line) == "" {
		if f.Required {
			return nil, mistyped("this has to be answered")
		}
		return nil, nil
	}
	if len(f.Options) == 0 {
		return line, nil
	}
	var chosen []any
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(f.Options) {
			return nil, mistyped(fmt.Sprintf("%q is none of 1 to %d", word, len(f.Options)))
		}
		if id := any(f.Options[n-1].ID); !slices.Contains(chosen, id) {
			chosen = append(chosen, id)
		}
	}
	if f.Kind != "single_select" {
		return chosen, nil
	}
	if len(chosen) != 1 {
		return nil, mistyped("choose one")
	}
	return chosen[0], nil
}
