//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const (
	todoPanel = "panel://builtin/todo_write/todo"
	panelPage = "ui://raw/panels"
)

// TestPanels has each published client follow a panel: by the result of the
// call, by a subscription, and by reading.
func TestPanels(t *testing.T) {
	program := buildRawMCP(t)
	todo := func(status string) step {
		return step{Call: "todo_write", Arguments: args{"todos": []args{{"content": "build", "status": status}}}}
	}
	const (
		subscribed = iota
		first
		firstUpdate
		listed
		read
		second
		secondUpdate
		readAgain
		session
		page
		missing
	)
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			tree := t.TempDir()
			r := play(t, scenario{
				Era: era.name, Command: []string{program, "--root", tree}, Dir: tree, Env: isolated(t),
				Steps: []step{
					subscribed:   {Subscribe: todoPanel},
					first:        todo("in_progress"),
					firstUpdate:  {Updated: todoPanel},
					listed:       {Resources: true},
					read:         {Read: todoPanel},
					second:       todo("completed"),
					secondUpdate: {Updated: todoPanel},
					readAgain:    {Read: todoPanel},
					session:      {Read: "raw://session"},
					page:         {Subscribe: panelPage},
					missing:      {Read: "panel://builtin/todo_write/other"},
				},
			})
			for i, step := range r.Steps[:page] {
				if step.Error != nil {
					t.Fatalf("step %d: %s", i, step.Error.Message)
				}
			}
			modern := era.protocol >= "2026"
			if got := r.Steps[subscribed].Subscribed.ResourceSubscriptions; modern && !slices.Equal(got, []string{todoPanel}) {
				t.Errorf("subscribed to %q, want %s", got, todoPanel)
			}
			wantPanel(t, r.Steps[first], 1, "[~] build")
			wantPanel(t, r.Steps[second], 2, "[x] build")
			if got := r.Steps[listed].Resources; len(got) != 2 || got[0].URI != todoPanel || got[0].Title != "Todo" || got[1].URI != "raw://session" {
				t.Errorf("resources/list = %+v, want the panel and the session", got)
			}
			for i, want := range map[int]string{read: "[~] build", readAgain: "[x] build"} {
				c := r.Steps[i].Contents
				if len(c) != 2 || c[0].MIMEType != "application/json" || !strings.Contains(c[0].Text, `"panel":"builtin/todo_write#todo"`) ||
					c[1].MIMEType != "text/plain" || !strings.Contains(c[1].Text, want) {
					t.Errorf("step %d read %+v, want the panel as JSON and as text with %q", i, c, want)
				}
			}
			if c := r.Steps[session].Contents; len(c) != 1 || !strings.Contains(c[0].Text, `"panels":1`) {
				t.Errorf("raw://session = %+v, want it to count one panel", c)
			}
			if step := r.Steps[page]; modern && step.Subscribed.ResourceSubscriptions != nil || !modern && step.Error == nil {
				t.Errorf("subscribing to what does not change: %+v, want it refused", step)
			}
			if e := r.Steps[missing].Error; e == nil || e.Code != map[bool]string{false: "-32002", true: "-32602"}[modern] {
				t.Errorf("reading a panel that is not there: %+v, want the era's error", r.Steps[missing])
			}
			if !strings.Contains(methods(r), "notifications/resources/list_changed") {
				t.Errorf("notified of %s, want the list of resources in it", methods(r))
			}
			if len(r.Faults) > 0 {
				t.Errorf("the SDK found fault with the server: %q", r.Faults)
			}
		})
	}
}

func methods(r report) string {
	var all []string
	for _, n := range r.Notifications {
		all = append(all, n.Method)
	}
	return strings.Join(all, " ")
}

// wantPanel checks what a client that shows no apps gets with a result.
func wantPanel(t *testing.T, o outcome, revision int, text string) {
	t.Helper()
	if got := o.text(t); got != text {
		t.Errorf("todo_write = %q, want %q", got, text)
	}
	var payload struct {
		Session, Token string
		Panels         []struct {
			Panel    string
			Revision int
		}
	}
	if err := json.Unmarshal(o.Result.Meta["raw/panel"], &payload); err != nil {
		t.Fatalf("decode the panel of the result: %v in %s", err, o.Result.Meta)
	}
	if p := payload.Panels; len(p) != 1 || p[0].Panel != "builtin/todo_write#todo" || p[0].Revision != revision || payload.Session == "" {
		t.Errorf("the panel of the result = %+v, want todo in revision %d", payload, revision)
	}
	if payload.Token != "" {
		t.Error("a client without the view got its token")
	}
}

// TestInspectorFindsApp lets the Inspector probe for the panel view: as a client
// that shows apps, in both eras, and as one that does not.
func TestInspectorFindsApp(t *testing.T) {
	program := buildRawMCP(t)
	for name, value := range isolated(t) {
		t.Setenv(name, value)
	}
	server := []string{program, "--root", t.TempDir()}
	type app struct {
		HasApp                                  bool
		ToolName, ResourceURI, ResourceMIMEType string
		Visibility                              []string
	}
	view := app{HasApp: true, ResourceURI: panelPage, ResourceMIMEType: "text/html;profile=mcp-app"}
	check := func(t *testing.T, a app) {
		t.Helper()
		var want app
		switch a.ToolName {
		case "todo_write", "tool_call":
			want = view
		case "panel_poll", "panel_action", "form_answer":
			want = view
			want.Visibility = []string{"app"}
		}
		want.ToolName = a.ToolName
		if got, want := asJSON(t, a), asJSON(t, want); got != want {
			t.Errorf("app = %s, want %s", got, want)
		}
	}
	decode := func(t *testing.T, line []byte) (a app) {
		t.Helper()
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("decode %q: %v", line, err)
		}
		return a
	}
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			declared := []string{"--advertise-apps", "--protocol-era", era, "--app-info"}
			got := inspect(t, server, append(declared, "--method", "tools/list")...)
			if got.code != 0 {
				t.Fatalf("tools/list exited with %d: %s%s", got.code, got.stdout, got.stderr)
			}
			var names []string
			for line := range bytes.Lines(got.stdout) {
				a := decode(t, line)
				names = append(names, a.ToolName)
				check(t, a)
			}
			for _, name := range []string{"todo_write", "panel_poll", "panel_action", "form_answer"} {
				if !slices.Contains(names, name) {
					t.Errorf("tools/list = %q, want %s in it", names, name)
				}
			}
			got = inspect(t, server, append(declared, "--method", "tools/call", "--tool-name", "todo_write", "--tool-args-json", `{"todos":[]}`)...)
			if got.code != 0 {
				t.Fatalf("tools/call todo_write exited with %d: %s%s", got.code, got.stdout, got.stderr)
			}
			check(t, decode(t, got.stdout))
			if got := inspect(t, server, append(declared, "--method", "tools/call", "--tool-name", "read")...); got.code != 2 {
				t.Errorf("tools/call read exited with %d, want 2: it has no app: %s%s", got.code, got.stdout, got.stderr)
			}
		})
	}
	t.Run("not declared", func(t *testing.T) {
		got := inspect(t, server, "--app-info", "--method", "tools/list")
		if got.code != 0 || bytes.Contains(got.stdout, []byte(`"hasApp":true`)) || bytes.Contains(got.stdout, []byte("panel_poll")) {
			t.Errorf("tools/list exited with %d and showed a client without apps one: %s%s", got.code, got.stdout, got.stderr)
		}
	})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
