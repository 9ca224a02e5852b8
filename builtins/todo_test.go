package builtins

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"raw/contract"
	"raw/contract/panel"
)

func todos(t *testing.T) *contract.Session {
	t.Helper()
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{todoTool()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func textOf(r contract.Result) string {
	var texts []string
	for _, b := range r.Content {
		if text, ok := b.(contract.Text); ok {
			texts = append(texts, string(text))
		}
	}
	return strings.Join(texts, "\n")
}

// onPanel is the todo panel in one line: status, revision, and each item.
func onPanel(t *testing.T, s *contract.Session) string {
	t.Helper()
	p, ok := s.Panels().Lookup("builtin/todo_write#todo")
	if !ok {
		return "none"
	}
	status, _ := p.Document.Value().Field("status").Str()
	line := fmt.Sprintf("%s %d:", status, p.Revision)
	block, _ := p.Document.Block("list")
	for i := range block.Field("items").Len() {
		item := block.Field("items").At(i)
		for _, name := range []string{"id", "label", "status"} {
			v, _ := item.Field(name).Str()
			line += " " + v
		}
	}
	return line
}

// TestTodos writes one list after the other. Items keep their ids by content.
func TestTodos(t *testing.T) {
	s := todos(t)
	for _, tc := range []struct{ arguments, text, panel string }{
		{`{"todos":[{"content":"a","status":"pending"},{"content":"b","status":"in_progress"}]}`, "[ ] a\n[~] b", "active 1: t1 a pending t2 b in_progress"},
		{`{"todos":[{"content":"b","status":"completed"},{"content":"c","status":"pending"},{"content":"a","status":"cancelled"}]}`, "[x] b\n[ ] c\n[-] a", "active 2: t2 b done t3 c pending t1 a skipped"},
		{`{"todos":[{"content":"c","status":"completed"},{"content":"c","status":"completed"}]}`, "[x] c\n[x] c", "done 3: t3 c done t4 c done"},
		{`{"todos":[]}`, "[the todo list is empty]", "idle 4:"},
		{`{"todos":[{"content":"d","status":"pending"}]}`, "[ ] d", "active 5: t1 d pending"},
	} {
		res := s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(tc.arguments)})
		if got := textOf(res); got != tc.text || res.IsError() {
			t.Errorf("todo_write %s = %q, want %q", tc.arguments, got, tc.text)
		}
		if got := onPanel(t, s); got != tc.panel {
			t.Errorf("after %s the panel is %q, want %q", tc.arguments, got, tc.panel)
		}
	}
}

func TestTodosRefused(t *testing.T) {
	item := func(content, status string) string { return fmt.Sprintf(`{"content":%q,"status":%q}`, content, status) }
	list := func(items ...string) string { return `{"todos":[` + strings.Join(items, ",") + `]}` }
	many := make([]string, 101)
	for i := range many {
		many[i] = item("x", "pending")
	}
	s := todos(t)
	if res := s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(list(many[:100]...))}); res.IsError() {
		t.Errorf("100 items: %s", textOf(res))
	}
	before := onPanel(t, s)
	for _, tc := range []struct{ arguments, want string }{
		{list(many...), "/todos: "},
		{list(item("x", "done")), "/todos/0/status: "},
		{list(item("x", "Completed")), "/todos/0/status: "},
		{list(item("", "pending")), "/todos/0/content: "},
		{list(item(strings.Repeat("é", 201), "pending")), "/todos/0/content: "},
		{list(item("x", "in_progress"), item("y", "pending"), item("z", "in_progress")), "/todos/2/status: a second item in_progress, beside /todos/0"},
		{list(`{"content":"a\u0007b","status":"pending"}`), "/todos/0/content: a control character"},
		{`{"item":"t1","set":"completed"}`, "/item: unknown field"},
		{`{}`, "/todos: missing"},
	} {
		res := s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(tc.arguments)})
		if res.Code() != contract.CodeInvalidArguments || !strings.Contains(textOf(res), tc.want) {
			t.Errorf("todo_write %.80s = %s %s, want %q", tc.arguments, res.Code(), textOf(res), tc.want)
		}
	}
	if after := onPanel(t, s); after != before {
		t.Errorf("a refused list changed the panel from %.80q to %.80q", before, after)
	}
	if res := s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(list(item(strings.Repeat("é", 200), "pending")))}); res.IsError() {
		t.Errorf("200 characters: %s", textOf(res))
	}
}

// TestTodoActions clicks.
func TestTodoActions(t *testing.T) {
	s := todos(t)
	s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(
		`{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]}`)})
	for _, tc := range []struct {
		action, item string
		want         string // of the panel; empty: not available
	}{
		{"complete", "t1", ""}, // it is
		{"complete", "t2", "active 2: t1 a done t2 b done t3 c pending"},
		{"reopen", "t1", "active 3: t1 a pending t2 b done t3 c pending"},
		{"skip", "t3", "active 4: t1 a pending t2 b done t3 c skipped"},
		{"clear-done", "", "active 5: t1 a pending"},
		{"complete", "t3", ""},
		{"continue", "", ""}, // a prompt runs in the client
	} {
		click := panel.Click{Panel: "builtin/todo_write#todo", Action: tc.action, Item: tc.item}
		if tc.item != "" {
			click.Block = "list"
		}
		r, err := s.Act(click)
		if (err == nil) != (tc.want != "") {
			t.Errorf("%s %s: %v, want available: %t", tc.action, tc.item, err, tc.want != "")
		}
		if err != nil {
			continue
		}
		if res := s.Call(t.Context(), r); res.IsError() {
			t.Errorf("%s %s: %s", tc.action, tc.item, textOf(res))
		}
		if got := onPanel(t, s); got != tc.want {
			t.Errorf("after %s %s the panel is %q, want %q", tc.action, tc.item, got, tc.want)
		}
	}
}

// TestTodoActionTooLate acts on an item that has gone since the click.
func TestTodoActionTooLate(t *testing.T) {
	s := todos(t)
	s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(`{"todos":[{"content":"a","status":"pending"}]}`)})
	r, err := s.Act(panel.Click{Panel: "builtin/todo_write#todo", Action: "complete", Block: "list", Item: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	s.Call(t.Context(), contract.Request{Name: "todo_write", Arguments: json.RawMessage(`{"todos":[]}`)})
	if res := s.Call(t.Context(), r); !res.IsError() || res.Failure.Kind != contract.KindPrecondition || onPanel(t, s) != "idle 2:" {
		t.Errorf("the late action = %+v, and the panel is %q", res.Failure, onPanel(t, s))
	}
}
