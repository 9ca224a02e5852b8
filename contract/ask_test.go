package contract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/ledger"
	"raw/contract/order"
	"raw/contract/panel"
	"raw/contract/value"
)

// asking is a tool that asks one question and says what came of it.
func asking(change func(*contract.Question)) contract.Tool {
	tool := plainTool("ask", contract.ClassSession, func(ctx context.Context, c *contract.Call) contract.Result {
		q := contract.Question{Panel: "q", Document: form(`{"id":"a","label":"A?","kind":"text","required":true}`)}
		if change != nil {
			change(&q)
		}
		outcome, err := c.Ask(ctx, q)
		if err != nil {
			return contract.Unasked(err)
		}
		return contract.Succeeded(outcome.JSON())
	})
	response := func(kind string) panel.Action {
		return panel.Action{ID: kind, Label: kind, Scope: panel.ScopeBlock, Kind: panel.ActionResponse, Response: kind, Blocks: []string{"f"}}
	}
	tool.Panels = []panel.Declaration{
		{ID: "q", Title: "Question", Placement: panel.PlacementChat, Actions: []panel.Action{response("submit"), response("cancel")}},
		{ID: "half", Title: "Half", Actions: []panel.Action{response("submit")}},
	}
	return tool
}

// form is a document with one form.
func form(fields string) value.Value {
	o, err := value.ParseObject([]byte(`{"title":"T","blocks":[{"id":"f","kind":"form","fields":[` + fields + `]}]}`))
	if err != nil {
		panic(err)
	}
	return o.Value
}

func text(answer string) interaction.Reply {
	return interaction.Reply{Answers: value.FromTree(map[string]any{"a": answer}), By: "test"}
}

// says answers with one reply after the other, a second after each question.
func says(asked *[]string, replies ...interaction.Reply) func(context.Context) contract.Asker {
	return func(context.Context) contract.Asker {
		return func(_ context.Context, v interaction.View, fault string) (interaction.Reply, error) {
			*asked = append(*asked, fault)
			time.Sleep(time.Second)
			reply := replies[min(len(*asked), len(replies))-1]
			return reply, nil
		}
	}
}

func TestAsk(t *testing.T) {
	fails := func(context.Context) contract.Asker {
		return func(context.Context, interaction.View, string) (interaction.Reply, error) {
			return interaction.Reply{}, errors.New("no screen")
		}
	}
	machine := func(context.Context) contract.Asker {
		return func(context.Context, interaction.View, string) (interaction.Reply, error) {
			time.Sleep(5 * time.Millisecond)
			return interaction.Reply{Cancel: true, Reason: "declined"}, nil
		}
	}
	nobody := func(context.Context) contract.Asker {
		return func(context.Context, interaction.View, string) (interaction.Reply, error) {
			return interaction.Reply{}, contract.ErrNobody
		}
	}
	var asked []string
	for _, tc := range []struct {
		name    string
		options contract.Options
		asker   func(context.Context) contract.Asker
		change  func(*contract.Question)
		code    contract.Code
		text    string // … stands for anything
		faults  []string
		states  string // recorded
	}{
		{name: "answered", asker: says(&asked, text("yes")), text: `{"status":"answered","answers":{"a":"yes"}}`, faults: []string{""}, states: "pending answered"},
		{
			name: "invalid first", asker: says(&asked, text(""), text("yes")), text: `{"status":"answered","answers":{"a":"yes"}}`,
			faults: []string{"", "/answers/a: empty; it has to be answered"}, states: "pending answered",
		},
		{
			name: "always invalid", asker: says(&asked, text("")), text: `{"status":"cancelled","reason":"10 answers were not valid; the last: /answers/a: empty; it has to be answered"}`,
			states: "pending cancelled",
		},
		{
			name: "declined", asker: says(&asked, interaction.Reply{Cancel: true, Reason: "no time"}),
			text: `{"status":"cancelled","reason":"no time"}`, faults: []string{""}, states: "pending cancelled",
		},
		{
			name: "declined at machine speed", asker: machine, states: "pending cancelled",
			text: `{"status":"cancelled","reason":"the client gave no answer, after 5 ms, and so probably without showing the question to anybody"}`,
		},
		{name: "asking fails", asker: fails, text: `{"status":"cancelled","reason":"asking failed: no screen"}`, states: "pending cancelled"},
		{name: "nobody after all", asker: nobody, code: contract.CodeInteractionUnavailable, text: "…nobody…", states: "pending interrupted"},
		{name: "no surface", code: contract.CodeInteractionUnavailable, text: "the person cannot be asked: this client has no way to show a question\nPut the question into your answer…"},
		{name: "no way now", asker: func(context.Context) contract.Asker { return nil }, code: contract.CodeInteractionUnavailable, text: "the person cannot be asked…"},
		{
			name: "a way for a terminal", options: contract.Options{AttachPath: "raw panels", Attached: func() bool { return false }}, code: contract.CodeInteractionUnavailable,
			text: "…no terminal is attached (a person attaches one with raw panels)…",
		},
		{
			name: "auto-review", options: contract.Options{Posture: contract.PostureAutoReview}, asker: says(&asked, text("yes")),
			code: contract.CodeInteractionUnavailable, text: "the person cannot be asked: in the auto-review posture nobody is asked…",
		},
		{
			name: "budget", options: contract.Options{OutputChars: 20}, asker: says(&asked, text("yes")),
			code: contract.CodeInteractionBudgetTooSmall, text: "…",
		},
		{
			name: "two forms", asker: says(&asked, text("yes")), code: contract.CodePanelInvalid, text: "show the question: /blocks: found 0 form blocks; a question has exactly one…",
			change: func(q *contract.Question) { q.Document = objectOf(map[string]any{"blocks": []any{}}).Value },
		},
		{
			name: "no way to cancel", asker: says(&asked, text("yes")), code: contract.CodePanelInvalid, text: "…panel \"half\" declares no cancel action…",
			change: func(q *contract.Question) { q.Panel = "half" },
		},
		{
			name: "an undeclared panel", asker: says(&asked, text("yes")), code: contract.CodePanelUndeclared, text: "…",
			change: func(q *contract.Question) { q.Panel = "z" },
		},
	} {
		synced(t, tc.name, func(t *testing.T) {
			asked = nil
			j := &journal{}
			o := tc.options
			o.Tools, o.Surface.Asker, o.Journal = []contract.Tool{asking(tc.change)}, tc.asker, j
			s, err := contract.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			res := s.Call(t.Context(), contract.Request{Name: "ask"})
			if res.Code() != tc.code || !fits(textOf(res), tc.text) {
				t.Errorf("the call = %s %q, want %s %q", res.Code(), textOf(res), tc.code, tc.text)
			}
			if tc.faults != nil && !cmp.Equal(asked, tc.faults) {
				t.Errorf("asked with the faults %q, want %q", asked, tc.faults)
			}
			var states []string
			for _, e := range j.noted {
				if i, ok := e.(ledger.Interaction); ok {
					states = append(states, i.State)
				}
			}
			if got := strings.Join(states, " "); got != tc.states {
				t.Errorf("recorded %q, want %q", got, tc.states)
			}
			if open := s.Questions(); len(open) > 0 {
				t.Errorf("the question is still open: %+v", open)
			}
		})
	}
}

// synced runs a test on a clock of its own.
func synced(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// fits compares a text with a pattern in which … stands for anything.
func fits(text, pattern string) bool {
	parts := strings.Split(pattern, "…")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	for _, p := range parts {
		_, after, ok := strings.Cut(text, p)
		if !ok {
			return false
		}
		text = after
	}
	return len(parts) > 1 || text == ""
}

// waits is an asker that only an answer on another way ends.
func waits(ended chan<- error) func(context.Context) contract.Asker {
	return func(context.Context) contract.Asker {
		return func(ctx context.Context, _ interaction.View, _ string) (interaction.Reply, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return interaction.Reply{}, ctx.Err()
		}
	}
}

// TestAskElsewhere answers on another way than the one that was asked, cancels
// the call, lets the time pass, and ends the session: each ends the asking.
func TestAskElsewhere(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(s *contract.Session, cancel context.CancelFunc)
		code contract.Code
		text string
	}{
		{"answered elsewhere", func(s *contract.Session, _ context.CancelFunc) {
			v := s.Questions()[0]
			if _, err := s.Answer(interaction.Submission{ID: v.ID, ExpectedRevision: v.Revision, Reply: text("there")}); err != nil {
				panic(err)
			}
		}, "", `{"status":"answered","answers":{"a":"there"}}`},
		{"cancelled", func(_ *contract.Session, cancel context.CancelFunc) { cancel() }, contract.CodeAborted, "…cancelled…"},
		{"expired", func(*contract.Session, context.CancelFunc) { time.Sleep(31 * time.Minute) }, "", `{"status":"expired","reason":"nobody answered within 30m0s"}`},
		{"ended", func(s *contract.Session, _ context.CancelFunc) { s.Interrupt("the client went away") }, contract.CodeInteractionUnavailable, "…the client went away…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 1)
				s, err := contract.Open(contract.Options{Tools: []contract.Tool{asking(nil)}, Surface: contract.Surface{Asker: waits(ended)}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := make(chan contract.Result, 1)
				go func() { done <- s.Call(ctx, contract.Request{Name: "ask"}) }()
				synctest.Wait()
				tc.end(s, cancel)
				res := <-done
				if res.Code() != tc.code || !fits(textOf(res), tc.text) {
					t.Errorf("the call = %s %q, want %s %q", res.Code(), textOf(res), tc.code, tc.text)
				}
				<-ended
			})
		})
	}
}

// TestAskUntil asks nobody for longer than the host waits for the call.
func TestAskUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s, err := contract.Open(contract.Options{Tools: []contract.Tool{asking(nil)}, Surface: contract.Surface{Asker: waits(make(chan error, 1))}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		res := s.Call(t.Context(), contract.Request{Name: "ask", Until: began.Add(time.Minute)})
		if took := time.Since(began); took != time.Minute || !fits(textOf(res), `{"status":"expired",…ask again"}`) {
			t.Errorf("after %s: %s, want expired after 1m", took, textOf(res))
		}
	})
}

// TestAskGivesItsTurnUp lets other calls run while a person thinks, and takes
// the turn again behind them.
func TestAskGivesItsTurnUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{begin: time.Now()}
		asker := func(context.Context) contract.Asker {
			return func(context.Context, interaction.View, string) (interaction.Reply, error) {
				time.Sleep(2 * time.Second)
				return text("yes"), nil
			}
		}
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{asking(nil), sleeper(d, "write", contract.ClassWrite, order.Certs{})}, Surface: contract.Surface{Asker: asker},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ask", "write"} {
			ticket := s.Accept(contract.Request{Name: name, ID: name})
			go func() {
				res := ticket.Run(t.Context())
				d.note("%s ends: %s", name, textOf(res))
			}()
			time.Sleep(time.Second)
		}
		d.check(t, "order", "1 write starts", `4 ask ends: {"status":"answered","answers":{"a":"yes"}}`, "4 write ends: done")
		s.Close()
	})
}

// TestAskFits lowers the bound of a text so that its answer is never cut.
func TestAskFits(t *testing.T) {
	var limit int
	asker := func(context.Context) contract.Asker {
		return func(_ context.Context, v interaction.View, _ string) (interaction.Reply, error) {
			limit = v.Form.Fields[0].Limit()
			return text(strings.Repeat("\x01", limit)), nil
		}
	}
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{asking(nil)}, OutputChars: 1000, Surface: contract.Surface{Asker: asker}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res := s.Call(t.Context(), contract.Request{Name: "ask"})
	if n := len(textOf(res)); limit < 100 || limit > 200 || n > 1000 || strings.Contains(textOf(res), "omitted") {
		t.Errorf("the text may have %d bytes, and the answer has %d characters: %s", limit, n, fmt.Sprintf("%.80s", textOf(res)))
	}
}
