package panelbridge

import (
	"encoding/json"
	"strconv"

	"raw/contract/interaction"
	"raw/contract/panel"
)

// MetaKey is where panels ride in the _meta of results. The model never sees it.
const MetaKey = "raw/panel"

// Payload is what the panel view gets: with the result of a call what the call
// has made of its panels, and with a poll what has changed since its cursor.
type Payload struct {
	Session   string            `json:"session"` // cursors hold within it
	Cursor    string            `json:"cursor"`
	Token     string            `json:"token,omitempty"` // lets the view act and answer
	Panels    []json.RawMessage `json:"panels"`
	Removed   []string          `json:"removed,omitempty"`
	Questions []json.RawMessage `json:"questions"` // all that wait
}

// NewPayload projects panels and questions.
func NewPayload(session, token string, cursor uint64, panels []panel.State, removed []string, questions []interaction.View) Payload {
	p := Payload{
		Session: session, Token: token, Cursor: strconv.FormatUint(cursor, 10), Removed: removed,
		Panels: []json.RawMessage{}, Questions: []json.RawMessage{},
	}
	for _, s := range panels {
		p.Panels = append(p.Panels, s.JSON())
	}
	for _, q := range questions {
		p.Questions = append(p.Questions, q.JSON())
	}
	return p
}
