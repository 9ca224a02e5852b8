package builtins

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/value"
)

func replying(t *testing.T, reply string) (*contract.Session, *interaction.View) {
	t.Helper()
	asked := &interaction.View{}
	s, err := contract.Open(contract.Options{
		Tools: []contract.Tool{askUserTool()},
		Surface: contract.Surface{Asker: func(context.Context) contract.Asker {
			return func(_ context.Context, v interaction.View, _ string) (interaction.Reply, error) {
				*asked = v
				answers, err := value.ParseObject([]byte(reply))
				return interaction.Reply{Answers: answers.Value, Cancel: reply == "{}", Reason: "not now"}, err
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, asked
}

const threeQuestions = `{"title":"Before I go on","timeout_ms":60000,"questions":[
	{"id":"name","label":"Name it","kind":"text","max_bytes":10},
	{"id":"way","label":"Which way?","kind":"single_select","options":[{"id":"l","label":"left"},{"id":"r","label":"right"}]},
	{"id":"with","label":"With","kind":"multi_select","required":false,"options":[{"id":"a","label":"Salt"},{"id":"b","label":"Pepper"}]}]}`

func TestAskUser(t *testing.T) {
	s, asked := replying(t, `{"name":"x","way":"r","with":["b","a"]}`)
	res := s.Call(t.Context(), contract.Request{Name: "ask_user", Reached: true, Arguments: json.RawMessage(threeQuestions)})
	if want := `{"status":"answered","answers":{"name":"x","way":"r","with":["a","b"]}}`; textOf(res) != want || res.IsError() {
		t.Errorf("ask_user = %s, want %s", textOf(res), want)
	}
	if took := asked.Deadline.Sub(asked.Asked); asked.Title != "Before I go on" || took.Seconds() != 60 || !asked.Form.Fields[0].Required || asked.Form.Fields[2].Required {
		t.Errorf("asked %+v, want the title, 60 s, and fields that are required unless they say otherwise", asked)
	}
	views := s.Panels().Views()
	if len(views) != 1 || !views[0].Closed {
		t.Fatalf("panels = %+v, want one that is closed", views)
	}
	if got := views[0].Document.Text(); !strings.Contains(got, "Which way?: right") || !strings.Contains(got, "With: Salt, Pepper") {
		t.Errorf("the panel shows %q, want the labels of what was chosen", got)
	}
}

func TestAskUserCancelled(t *testing.T) {
	s, _ := replying(t, `{}`)
	res := s.Call(t.Context(), contract.Request{Name: "ask_user", Reached: true, Arguments: json.RawMessage(threeQuestions)})
	if want := `{"status":"cancelled","reason":"`; !strings.HasPrefix(textOf(res), want) || res.IsError() {
		t.Errorf("ask_user = %s, want %s and why", textOf(res), want)
	}
}

func TestAskUserRefused(t *testing.T) {
	s, _ := replying(t, `{}`)
	for _, tc := range []struct{ questions, want string }{
		{``, "/questions: "},
		{`{"id":"a","label":"A","kind":"number"}`, "/questions/0/kind: "},
		{`{"id":"a","label":"A","kind":"single_select"}`, "/questions/0/options: missing"},
		{`{"id":"a b","label":"A","kind":"text"}`, "/questions/0/id: "},
		{`{"id":"a","label":"A","kind":"text"},{"id":"a","label":"B","kind":"text"}`, "/questions/1/id: duplicate"},
		{`{"id":"a","label":"A","kind":"text","max_bytes":8193}`, "/questions/0/max_bytes: "},
		{`{"id":"a","label":"A","kind":"multi_select","options":[{"id":"x","label":"X"}],"min_selected":2}`, "/questions/0/"},
		{`{"id":"a","label":"` + strings.Repeat("x", 201) + `","kind":"text"}`, "/questions/0/label: "},
	} {
		res := s.Call(t.Context(), contract.Request{Name: "ask_user", Reached: true, Arguments: json.RawMessage(`{"questions":[` + tc.questions + `]}`)})
		if res.Code() != contract.CodeInvalidArguments || !strings.Contains(textOf(res), tc.want) {
			t.Errorf("ask_user %.80s = %s %s, want %q", tc.questions, res.Code(), textOf(res), tc.want)
		}
	}
}
