package hook

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/schema"
)

const (
	filesSchema = `{"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}}}},
		"unknown":{"type":"array","items":{"type":"string"}}}}`
	pathSchema = `{"type":"object","properties":{"path":{"type":"string"}}}`
)

// tool is a registered tool with an argument path, and with effects if any.
func tool(t *testing.T, identity, effects string) policy.Tool {
	return policy.Tool{Identity: identity, Sources: func() (s predicate.Sources, err error) {
		if s.Arguments, err = schema.Compile(pathSchema); err != nil || effects == "" {
			return s, err
		}
		s.Effects, err = schema.Compile(schema.Source(effects))
		return s, err
	}}
}

// load makes and loads one hook for each list of events, named a, b, c …
func load(t *testing.T, events ...string) *Set {
	t.Helper()
	dir := t.TempDir()
	var use []string
	for i, e := range events {
		name := string(rune('a' + i))
		write(t, dir, map[string]string{name + "/hook.json": `{"protocol_version": 2, "name": "` + name + `", "command": "x", "events": [` + e + `]}`})
		use = append(use, "local/"+name)
	}
	s, err := Load([]string{dir}, use)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const onFiles = `"when": {"source": "effects", "any": "files[*].path", "regex": "secret"}`

func TestSelect(t *testing.T) {
	s := load(
		t,
		`{"name": "PreToolUse"}`, // a: every call
		`{"name": "PreToolUse", "match": "builtin/*"}`,             // b
		`{"name": "PreToolUse", "match": "builtin/rea?"}`,          // c
		`{"name": "PreToolUse", `+onFiles+`}`,                      // d: what names a secret file
		`{"name": "PreToolUse", "match": "mcp/*", `+onFiles+`}`,    // e: the same of servers
		`{"name": "PostToolUse", "match": "builtin/write"}`,        // f
		`{"name": "SessionStart"}, {"name": "Stop"}`,               // g
		`{"name": "Stop"}, {"name": "PreToolUse", "match": "no*"}`, // h
		`{"name": "PreToolUse", "when": {"source": "arguments", "any": "path", "regex": "^/etc"}}, {"name": "PreToolUse", "match": "local/*"}`, // i: either
	)
	b, err := s.Bind([]policy.Tool{tool(t, "builtin/read", filesSchema), tool(t, "builtin/write", filesSchema), tool(t, "local/plain", "")})
	if err != nil {
		t.Fatal(err)
	}
	call := func(identity, args string, effects ...string) *Tool {
		c := &Tool{Identity: identity, Arguments: parsed(t, args)}
		for _, e := range effects {
			c.Effects = append(c.Effects, parsed(t, e))
		}
		return c
	}
	const plain, secret = `{"files":[{"path":"/w/a"}]}`, `{"files":[{"path":"/w/b"},{"path":"/w/secret"}]}`
	cases := []struct {
		name  string
		event Event
		want  string // ! behind a hook that cannot be asked
	}{
		{"a session's start", Event{Name: SessionStart}, "g"},
		{"a stop", Event{Name: Stop}, "g h"},
		{"an end that nobody hears", Event{Name: SessionEnd}, ""},
		{"a plain file", Event{Name: PreToolUse, Tool: call("builtin/read", "{}", plain)}, "a b c"},
		{"a secret file", Event{Name: PreToolUse, Tool: call("builtin/write", "{}", secret)}, "a b d"},
		{"a link to a secret file", Event{Name: PreToolUse, Tool: call("builtin/write", "{}", plain, secret)}, "a b d"},
		{"a file that the text does not fix", Event{Name: PreToolUse, Tool: call("builtin/write", "{}", `{"files":[{"path":"$X"}],"unknown":["files[*].path"]}`)}, "a b d"},
		{"another file that it does not fix", Event{Name: PreToolUse, Tool: call("builtin/write", "{}", `{"files":[{"path":"/w/a"}],"unknown":["programs[*].name"]}`)}, "a b"},
		{"effects that were not prepared", Event{Name: PreToolUse, Tool: call("builtin/write", "{}")}, "a b d!"},
		{"a tool without effects", Event{Name: PreToolUse, Tool: call("local/plain", "{}")}, "a i"},
		{"an argument", Event{Name: PreToolUse, Tool: call("builtin/read", `{"path":"/etc/passwd"}`, plain)}, "a b c i"},
		{"after", Event{Name: PostToolUse, Tool: call("builtin/write", "{}", plain)}, "f"},
		{"after another", Event{Name: PostToolUse, Tool: call("builtin/read", "{}", plain)}, ""},
		{"after a failure, which is another event", Event{Name: PostToolUseFailure, Tool: call("builtin/write", "{}", plain)}, ""},
		{"a tool that is not bound", Event{Name: PreToolUse, Tool: call("mcp/s/t", "{}", plain)}, "a d e i"},
		{"a tool that is not bound, without effects", Event{Name: PreToolUse, Tool: call("mcp/s/t", "{}")}, "a d! e! i"},
		{"nowhere a path in the middle", Event{Name: PreToolUse, Tool: call("builtin/reads", "{}", plain)}, "a b d i"},
	}
	for _, tc := range cases {
		var got []string
		for _, s := range b.Select(tc.event) {
			name := s.Name
			if s.Unprepared {
				name += "!"
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: Select = %v, want %s", tc.name, got, tc.want)
		}
	}
}

func TestBindFaults(t *testing.T) {
	tools := []policy.Tool{tool(t, "builtin/write", filesSchema), tool(t, "local/plain", "")}
	cases := []struct{ name, events, want string }{
		{"exact on a tool without effects", `{"name": "Stop"}, {"name": "PreToolUse", "match": "local/plain", ` + onFiles + `}`, "/events/1: when, on local/plain: predicate does not bind"},
		{"exact on a field that is not there", `{"name": "PreToolUse", "match": "builtin/write", "when": {"source": "effects", "any": "programs[*].name", "regex": "x"}}`, "/events/0: when, on builtin/write: predicate does not bind"},
		{"exact on no tool", `{"name": "PreToolUse", "match": "builtin/wrote", ` + onFiles + `}`, `/events/0: predicate does not bind: match "builtin/wrote" is no registered tool; nearest: builtin/write`},
		{"a glob that binds nowhere", `{"name": "PreToolUse", "match": "local/*", ` + onFiles + `}`, "/events/0: when, on local/plain: predicate does not bind"},
		{"a glob that binds somewhere", `{"name": "PreToolUse", "match": "*l*", ` + onFiles + `}`, ""},
		{"exact on a tool that may still come", `{"name": "PreToolUse", "match": "mcp/s/t", ` + onFiles + `}`, ""},
	}
	for _, tc := range cases {
		_, err := load(t, tc.events).Bind(tools)
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: Bind = %v, want no error", tc.name, err)
			}
			continue
		}
		var all *FaultError
		if !errors.As(err, &all) || len(all.Faults) != 1 {
			t.Errorf("%s: Bind = %v, want a *FaultError with one fault", tc.name, err)
			continue
		}
		f := all.Faults[0]
		if got := f.Pointer + ": " + f.What; !strings.HasPrefix(got, tc.want) || filepath.Base(f.File) != File {
			t.Errorf("%s: Bind = %v, want … %s", tc.name, f, tc.want)
		}
	}
}

// A tool that registers later has to bind, or it is the one that is refused.
func TestBindLater(t *testing.T) {
	s := load(t, `{"name": "PreToolUse", "match": "mcp/s/t", `+onFiles+`}`)
	if _, err := s.Bind([]policy.Tool{tool(t, "mcp/s/t", filesSchema)}); err != nil {
		t.Errorf("Bind with a tool that has files = %v, want no error", err)
	}
	if _, err := s.Bind([]policy.Tool{tool(t, "mcp/s/t", "")}); err == nil {
		t.Error("Bind with a tool that has no effects = nil, want an error")
	}
}

func TestNotes(t *testing.T) {
	tools := []policy.Tool{tool(t, "builtin/write", filesSchema), tool(t, "local/plain", "")}
	s := load(t, `{"name": "PreToolUse", "match": "builtin/wriet"}`, `{"name": "PreToolUse", "match": "*l*", `+onFiles+`}`, `{"name": "PreToolUse", `+onFiles+`}`)
	b, err := s.Bind(tools)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range b.Notes() {
		got = append(got, n[strings.Index(n, ": ")+2:])
	}
	want := []string{
		`/events/0: match "builtin/wriet" is no registered tool; nearest: builtin/write`,
		`/events/0: does not apply to local/plain, which have no files[*].path`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Notes (-want +got):\n%s", diff)
	}
}

func TestNothingSelected(t *testing.T) {
	var s *Set
	b, err := s.Bind(nil)
	if err != nil || b.Select(Event{Name: Stop}) != nil || b.Notes() != nil || s.Find("x") != nil {
		t.Errorf("a nil Set: Bind = %v, %v, want no hooks", b, err)
	}
}
