package hook

import (
	"bytes"
	"encoding/json"
	"fmt"

	"raw/contract/value"
)

// Version is the protocol that hooks declare and payloads carry: raw.hook/2.
const Version = 2

// Name is the name of an event.
type Name string

// The closed list of events.
const (
	SessionStart       Name = "SessionStart"
	UserPromptSubmit   Name = "UserPromptSubmit"
	PreToolUse         Name = "PreToolUse"
	PostToolUse        Name = "PostToolUse"
	PostToolUseFailure Name = "PostToolUseFailure"
	Stop               Name = "Stop"
	SessionEnd         Name = "SessionEnd"
)

// Gate reports whether hooks decide about n. Every other event only tells them.
func (n Name) Gate() bool { return n == UserPromptSubmit || n == PreToolUse }

// OfTool reports whether n is about a tool, so that subscriptions to it may have
// match and when.
func (n Name) OfTool() bool {
	return n == PreToolUse || n == PostToolUse || n == PostToolUseFailure
}

// Event is what hooks are asked about or told.
type Event struct {
	Name      Name
	Cwd       string      // of the session, absolute; hooks run there
	SessionID string      // empty: not told
	TurnID    string      // empty: not told
	Source    string      // how the session came to be; empty: not told
	Input     value.Value // what a person sent, of UserPromptSubmit; absent: not told
	Tool      *Tool       // of tool events, else nil
}

// Tool is the call that a tool event is about.
type Tool struct {
	Identity string
	Name     string
	// Source is "model" or "user_action"; empty means "model".
	Source    string
	Arguments value.Object
	// Effects are as in predicate.Input: none when they were not prepared, else
	// as declared, then resolved. Hooks are shown the first.
	Effects []value.Object
	// Result is {content, isError, errorKind?, code?}; absent before there is one.
	Result value.Object
}

// payload is an Event as hooks read it, in the order of CONTRACT.md §9.
type payload struct {
	ProtocolVersion int          `json:"protocol_version"`
	Event           Name         `json:"event"`
	Cwd             string       `json:"cwd"`
	SessionID       string       `json:"session_id,omitempty"`
	TurnID          string       `json:"turn_id,omitempty"`
	Source          string       `json:"source,omitempty"`
	Input           value.Value  `json:"input,omitzero"`
	Tool            *toolPayload `json:"tool,omitempty"`
}

type toolPayload struct {
	Identity  string       `json:"identity"`
	Name      string       `json:"name"`
	Source    string       `json:"source"`
	Arguments value.Object `json:"arguments"`
	Effects   value.Object `json:"effects,omitzero"`
	Result    value.Object `json:"result,omitzero"`
}

// modelSource is the source of a call of which nothing else is said.
const modelSource = "model"

// Payload is what a hook gets on stdin: one JSON object and a newline. Numbers
// stand in it as they were written.
func (e Event) Payload() ([]byte, error) {
	p := payload{
		ProtocolVersion: Version, Event: e.Name, Cwd: e.Cwd,
		SessionID: e.SessionID, TurnID: e.TurnID, Source: e.Source, Input: e.Input,
	}
	if t := e.Tool; t != nil {
		p.Tool = &toolPayload{Identity: t.Identity, Name: t.Name, Source: t.Source, Arguments: t.Arguments, Result: t.Result}
		if t.Source == "" {
			p.Tool.Source = modelSource
		}
		if len(t.Effects) > 0 {
			p.Tool.Effects = t.Effects[0]
		}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, fmt.Errorf("encode the payload of %s: %w", e.Name, err)
	}
	return text.Bytes(), nil
}
