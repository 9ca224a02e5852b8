package hook

import (
	"strings"
	"testing"

	"raw/contract/value"
)

func parsed(t *testing.T, text string) value.Object {
	t.Helper()
	o, err := value.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The payload is pinned byte by byte: order and presence of fields are contract.
func TestPayload(t *testing.T) {
	input := parsed(t, `{"i": "<hi> & \u2028"}`).Field("i")
	cases := []struct {
		name  string
		event Event
		want  string
	}{
		{"the least", Event{Name: SessionEnd, Cwd: "/w"}, `{"protocol_version":2,"event":"SessionEnd","cwd":"/w"}`},
		{
			"the most of a session event",
			Event{Name: UserPromptSubmit, Cwd: "/w", SessionID: "s", TurnID: "t", Source: "resume", Input: input},
			`{"protocol_version":2,"event":"UserPromptSubmit","cwd":"/w","session_id":"s","turn_id":"t","source":"resume","input":"<hi> & ` + "\u2028" + `"}`,
		},
		{
			"a tool without effects, of nobody in particular",
			Event{Name: PreToolUse, Cwd: "/w", Tool: &Tool{Identity: "local/x", Name: "x", Arguments: parsed(t, "{}")}},
			`{"protocol_version":2,"event":"PreToolUse","cwd":"/w","tool":{"identity":"local/x","name":"x","source":"model","arguments":{}}}`,
		},
		{
			"a tool with everything, of a person",
			Event{Name: PostToolUse, Cwd: "/w", SessionID: "s", Tool: &Tool{
				Identity: "builtin/write", Name: "write", Source: "user_action",
				Arguments: parsed(t, `{"path": "a", "n": 12345678901234567890.10, "none": null}`),
				Effects:   []value.Object{parsed(t, `{"files":[{"path":"/w/a"}]}`), parsed(t, `{"files":[{"path":"/elsewhere"}]}`)},
				Result:    parsed(t, `{"content": [], "isError": false}`),
			}},
			`{"protocol_version":2,"event":"PostToolUse","cwd":"/w","session_id":"s","tool":{"identity":"builtin/write","name":"write","source":"user_action",` +
				`"arguments":{"n":12345678901234567890.10,"none":null,"path":"a"},"effects":{"files":[{"path":"/w/a"}]},"result":{"content":[],"isError":false}}}`,
		},
	}
	for _, tc := range cases {
		got, err := tc.event.Payload()
		if err != nil || string(got) != tc.want+"\n" {
			t.Errorf("%s: Payload() = %s, %v, want %s and a newline", tc.name, got, err, tc.want)
		}
		e, err := ParseEvent(got)
		if err != nil {
			t.Errorf("%s: ParseEvent of the payload: %v", tc.name, err)
			continue
		}
		if again, err := e.Payload(); err != nil || string(again) != string(got) {
			t.Errorf("%s: the payload read and written again is %s, %v, want %s", tc.name, again, err, got)
		}
	}
}

func TestParseEventFillsIn(t *testing.T) {
	e, err := ParseEvent([]byte(`{"event": "PreToolUse", "tool": {"identity": "builtin/bash"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if e.Tool.Arguments.JSON() != "{}" || e.Tool.Effects != nil {
		t.Errorf("ParseEvent = arguments %s, effects %v, want {} and none", e.Tool.Arguments.JSON(), e.Tool.Effects)
	}
}

func TestParseEventRefuses(t *testing.T) {
	cases := []struct{ text, want string }{
		{`{`, "parse JSON"},
		{`{}`, "/event: missing"},
		{`{"event": "Nope", "protocol_version": 1, "x": 1}`, "/x: unknown field"},
		{`{"event": "Stop", "protocol_version": 1}`, "/protocol_version: "},
		{`{"event": "PreToolUse"}`, "/tool: tool events have one"},
		{`{"event": "Stop", "tool": {"identity": "x"}}`, "/tool: tool events have one"},
		{`{"event": "PreToolUse", "tool": {}}`, "/tool/identity: missing"},
		{`{"event": "PreToolUse", "tool": {"identity": "x", "source": "cat"}}`, "/tool/source: "},
		{`{"event": "PreToolUse", "tool": {"identity": "x", "effects": []}}`, "/tool/effects: "},
	}
	for _, tc := range cases {
		if _, err := ParseEvent([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("ParseEvent(%s) = %v, want … %s", tc.text, err, tc.want)
		}
	}
}

func TestNames(t *testing.T) {
	cases := []struct {
		name         Name
		gate, ofTool bool
	}{
		{SessionStart, false, false},
		{UserPromptSubmit, true, false},
		{PreToolUse, true, true},
		{PostToolUse, false, true},
		{PostToolUseFailure, false, true},
		{Stop, false, false},
		{SessionEnd, false, false},
	}
	for _, tc := range cases {
		if tc.name.Gate() != tc.gate || tc.name.OfTool() != tc.ofTool {
			t.Errorf("%s: Gate() = %v, OfTool() = %v, want %v, %v", tc.name, tc.name.Gate(), tc.name.OfTool(), tc.gate, tc.ofTool)
		}
	}
}
