//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"raw/contract/ledger"
)

// reply is what the client answers a question, and how it goes about it.
type reply struct {
	Action  string `json:"action,omitempty"`
	Content args   `json:"content,omitempty"`
	After   int    `json:"after,omitempty"` // ms that the person takes
	Leave   bool   `json:"leave,omitempty"` // the client closes, and does not answer
}

// human is slower than any client that answers by itself, in ms.
const human = 400

var (
	why   = args{"id": "why", "label": "Why?", "kind": "text", "max_bytes": 10, "description": "shortly"}
	which = args{"id": "which", "label": "Which?", "kind": "single_select", "options": []args{{"id": "l", "label": "left"}, {"id": "r", "label": "right"}}}
	with  = args{"id": "with", "label": "With", "kind": "multi_select", "max_selected": 2, "options": []args{{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}, {"id": "z", "label": "Z"}}}
)

func ask(title string, timeout int, questions ...args) step {
	arguments := args{"title": title, "questions": questions}
	if timeout > 0 {
		arguments["timeout_ms"] = timeout
	}
	return step{Call: "tool_call", Arguments: args{"name": "ask_user", "arguments": arguments}}
}

// TestQuestions has each published client answer questions in every way that a
// protocol era has for it.
func TestQuestions(t *testing.T) {
	program := buildRawMCP(t)
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			tree, env := t.TempDir(), isolated(t)
			played := []struct {
				step
				replies []reply
				want    string // pattern of the whole answer
			}{
				{
					ask("All kinds", 0, why, which, with),
					[]reply{{Action: "accept", Content: args{"why": "so", "which": "r", "with": []string{"z", "x"}}}},
					`{"status":"answered","answers":{"which":"r","why":"so","with":\["x","z"\]}}`,
				},
				{ // an answer that does not hold is asked for again
					ask("Again", 0, why, which),
					[]reply{
						{Action: "accept", Content: args{"why": "éééééé", "which": "q"}},
						{Action: "accept", Content: args{"why": "so", "which": "l"}},
					},
					`{"status":"answered","answers":{"which":"l","why":"so"}}`,
				},
				{ // what was left out is no fault of an answer that is none
					ask("Declined", 0, why),
					[]reply{{Action: "decline", After: human}},
					`{"status":"cancelled","reason":"the person declined to answer"}`,
				},
				{
					ask("Dismissed", 0, why),
					[]reply{{Action: "cancel", After: human}},
					`{"status":"cancelled","reason":"the question was dismissed without an answer"}`,
				},
				{ // no person is that fast
					ask("By itself", 0, why),
					[]reply{{Action: "decline", After: 5}},
					`{"status":"cancelled","reason":"the client gave no answer, after \d+ ms, and so probably without showing the question to anybody"}`,
				},
				{
					ask("Late", 100, why),
					[]reply{{Action: "accept", Content: args{"why": "late"}, After: 2 * human}},
					`{"status":"expired","reason":"nobody answered within 100ms"}`,
				},
				{ // the late answer comes before this one, and answers nothing
					ask("After", 0, why),
					[]reply{{Action: "accept", Content: args{"why": "mine"}, After: 3 * human}},
					`{"status":"answered","answers":{"why":"mine"}}`,
				},
			}
			s := scenario{Era: era.name, Command: []string{program, "--root", tree}, Dir: tree, Env: env}
			var replies []reply
			for _, p := range played {
				s.Steps, replies = append(s.Steps, p.step), append(replies, p.replies...)
			}
			s.Elicit = replies
			r := play(t, s)
			for i, p := range played {
				got := r.Steps[i].text(t)
				if !regexp.MustCompile(`^`+strings.ReplaceAll(p.want, "{", `\{`)+`$`).MatchString(got) || r.Steps[i].Result.IsError {
					t.Errorf("step %d = %q, want %q and no error", i, got, p.want)
				}
			}
			if len(r.Asked) != len(replies) {
				t.Fatalf("asked %d times, want %d", len(r.Asked), len(replies))
			}
			wantForm(t, r.Asked[0])
			for _, part := range []string{"The answer was not accepted: ", "/answers/why: 12 bytes; at most 10", `/answers/which: no option "q"`, "\n\nAgain"} {
				if !strings.Contains(r.Asked[2].Message, part) {
					t.Errorf("asked again: %q, want %q in it", r.Asked[2].Message, part)
				}
			}
			if got := strings.Join(r.Withdrawn, " "); era.protocol < "2026" && got != "Late" {
				t.Errorf("the server took back the questions %q, want Late", got)
			}
			if len(r.Faults) > 0 {
				t.Errorf("the SDK found fault with the server: %q", r.Faults)
			}
			want := "answered answered cancelled cancelled cancelled expired answered"
			if got := ended(t, env); got != want {
				t.Errorf("the ledger has the questions as %q, want %q", got, want)
			}
		})
	}
}

// wantForm checks that the three kinds came as the protocol's own.
func wantForm(t *testing.T, q question) {
	t.Helper()
	want := `{"type":"object","properties":{` +
		`"why":{"description":"shortly","maxLength":10,"minLength":1,"title":"Why?","type":"string"},` +
		`"which":{"oneOf":[{"const":"l","title":"left"},{"const":"r","title":"right"}],"title":"Which?","type":"string"},` +
		`"with":{"items":{"anyOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"},{"const":"z","title":"Z"}]},"maxItems":2,"minItems":1,"title":"With","type":"array"}},` +
		`"required":["why","which","with"]}`
	var sorted [2]bytes.Buffer
	for i, schema := range []json.RawMessage{q.RequestedSchema, json.RawMessage(want)} {
		var tree any
		if err := json.Unmarshal(schema, &tree); err != nil {
			t.Fatalf("decode %s: %v", schema, err)
		}
		if err := json.NewEncoder(&sorted[i]).Encode(tree); err != nil {
			t.Fatal(err)
		}
	}
	if q.Message != "All kinds" || sorted[0].String() != sorted[1].String() {
		t.Errorf("asked %q by %s, want All kinds by %s", q.Message, q.RequestedSchema, want)
	}
}

// TestQuestionLeft has the client go while the question is open.
func TestQuestionLeft(t *testing.T) {
	program := buildRawMCP(t)
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			tree, env := t.TempDir(), isolated(t)
			r := play(t, scenario{
				Era: era.name, Command: []string{program, "--root", tree}, Dir: tree, Env: env, Elicit: reply{Leave: true},
				Steps: []step{ask("Open", 0, why)},
			})
			if len(r.Asked) != 1 {
				t.Errorf("asked %d times, want once", len(r.Asked))
			}
			if era.protocol < "2026" {
				wantFailed(t, r.Steps[0], "the host closed its end of the connection") // its other end may still be open
			} else if r.Steps[0].Error == nil {
				t.Errorf("the call whose question has no answer = %+v, want an error", r.Steps[0])
			}
			if got := ended(t, env); got != "interrupted" {
				t.Errorf("the ledger has the question as %q, want interrupted", got)
			}
		})
	}
}

// TestNobodyToAsk has a client without elicitation call what asks.
func TestNobodyToAsk(t *testing.T) {
	program := buildRawMCP(t)
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			tree, env := t.TempDir(), isolated(t)
			r := play(t, scenario{
				Era: era.name, Command: []string{program, "--root", tree}, Dir: tree, Env: env,
				Steps: []step{ask("Nobody", 0, why)},
			})
			wantFailed(t, r.Steps[0], "this client has no way to show a question")
			wantFailed(t, r.Steps[0], "[interaction_unavailable]")
			if got := ended(t, env); got != "" {
				t.Errorf("the ledger has questions that are %q, want none", got)
			}
		})
	}
}

// ended are the last recorded states of all questions, in their order: what the
// server itself wrote, not what is concluded from its end.
func ended(t *testing.T, env map[string]string) string {
	t.Helper()
	store := ledger.Store{Folder: filepath.Join(env["XDG_STATE_HOME"], "raw")}
	sessions, err := store.Names()
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	states := map[string]string{}
	for _, session := range sessions {
		records, fault := store.Records(session)
		if fault != nil {
			t.Fatal(fault)
		}
		for r, fault := range records {
			if fault != nil {
				t.Fatal(fault)
			}
			var q ledger.Interaction
			if r.Kind != ledger.KindInteraction {
				continue
			}
			if err := store.Decode(r, &q); err != nil {
				t.Fatal(err)
			}
			if states[q.ID] == "" {
				order = append(order, q.ID)
			}
			states[q.ID] = q.State
		}
	}
	for i, id := range order {
		order[i] = states[id]
	}
	return strings.Join(order, " ")
}
