package hook

import (
	"fmt"
	"strings"

	"raw/contract/schema"
	"raw/contract/value"
)

// eventSchema is a payload as a person writes one to try a hook with.
const eventSchema = `{
	"type": "object", "additionalProperties": false, "required": ["event"],
	"properties": {
		"protocol_version": {"const": 2},
		"event": {"enum": ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]},
		"cwd": {"type": "string"}, "session_id": {"type": "string"}, "turn_id": {"type": "string"},
		"source": {"type": "string"}, "input": {},
		"tool": {
			"type": "object", "additionalProperties": false, "required": ["identity"],
			"properties": {
				"identity": {"type": "string"}, "name": {"type": "string"}, "source": {"enum": ["model", "user_action"]},
				"arguments": {"type": "object"}, "effects": {"type": "object"}, "result": {"type": "object"}
			}
		}
	}
}`

// ParseEvent reads an event that a person wrote to try a hook with: a payload,
// in which only the event and the identity of its tool have to stand. The
// error tells all faults. It is no way for an event of a session to come in.
func ParseEvent(text []byte) (Event, error) {
	o, err := value.ParseObject(text)
	if err != nil {
		return Event{}, fmt.Errorf("read the event: %w", err)
	}
	s, err := schema.Compile(eventSchema)
	if err != nil {
		return Event{}, err
	}
	if faults := s.Validate(o.Value); len(faults) > 0 {
		lines := make([]string, len(faults))
		for i, f := range faults {
			lines[i] = f.String()
		}
		return Event{}, fmt.Errorf("read the event:\n%s", strings.Join(lines, "\n"))
	}
	e := Event{
		Name: Name(str(o, "event")), Cwd: str(o, "cwd"), SessionID: str(o, "session_id"), TurnID: str(o, "turn_id"),
		Source: str(o, "source"), Input: o.Field("input"),
	}
	tool := o.Field("tool")
	if e.Name.OfTool() != (tool.Kind() != value.Absent) {
		return Event{}, fmt.Errorf("read the event: /tool: tool events have one and others have none; this is %s", e.Name)
	}
	if !e.Name.OfTool() {
		return e, nil
	}
	t := Tool{Identity: str(tool, "identity"), Name: str(tool, "name"), Source: str(tool, "source")}
	if t.Arguments, err = object(tool, "arguments"); err != nil {
		return Event{}, err
	}
	if t.Arguments.Kind() == value.Absent {
		if t.Arguments, err = value.ParseObject([]byte("{}")); err != nil {
			return Event{}, err
		}
	}
	effects, err := object(tool, "effects")
	if err != nil {
		return Event{}, err
	}
	if effects.Kind() != value.Absent {
		t.Effects = []value.Object{effects}
	}
	if t.Result, err = object(tool, "result"); err != nil {
		return Event{}, err
	}
	e.Tool = &t
	return e, nil
}

type fielder interface{ Field(string) value.Value }

func str(v fielder, name string) string {
	s, _ := v.Field(name).Str()
	return s
}

// object is the named field as an object, absent when there is none.
func object(v value.Value, name string) (value.Object, error) {
	f := v.Field(name)
	if f.Kind() == value.Absent {
		return value.Object{}, nil
	}
	return value.ParseObject([]byte(f.JSON()))
}
