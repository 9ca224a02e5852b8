package panel

import (
	"encoding/json"
	"strings"
	"time"
)

// State is what a panel is at one moment. It is never changed.
type State struct {
	ID          string // full: <owner>#<panel>
	Panel       string // within its owner
	Owner       string // identity of the tool
	Revision    int    // zero: there was no document yet
	Closed      bool
	Declaration Declaration
	Document    Document
	Updated     time.Time
	Seq         uint64 // its place among all changes that surfaces see
	View        *View  // of a chat panel

	changed uint64 // the Seq of its last update: one that is taken back is none
}

// View ties a chat panel to the call that it shows.
type View struct {
	InstanceID string `json:"instanceId"`
	ToolCallID string `json:"toolCallId"`
	Owner      string `json:"owner"`
	Panel      string `json:"panel"`
}

// Frame is a State on its way to surfaces. Live says that the call which makes
// it has not settled: a later frame may take it back.
type Frame struct {
	State
	Live bool
}

// key tells the views of calls apart, where ID does not.
func (s State) key() string {
	if s.View != nil {
		return s.ID + "@" + s.View.InstanceID
	}
	return s.ID
}

// JSON is the state as surfaces send it. Summary and progress are given or
// derived.
func (s State) JSON() json.RawMessage {
	type progress struct {
		Done  int `json:"done"`
		Total int `json:"total"`
	}
	head := struct {
		Panel       string          `json:"panel"`
		Owner       string          `json:"owner"`
		Revision    int             `json:"revision"`
		Closed      bool            `json:"closed"`
		Declaration json.RawMessage `json:"declaration"`
		Summary     string          `json:"summary"`
		Progress    *progress       `json:"progress,omitempty"`
		View        *View           `json:"view,omitempty"`
	}{Panel: s.ID, Owner: s.Owner, Revision: s.Revision, Closed: s.Closed, Declaration: s.Declaration.JSON(), Summary: s.Document.Summary(), View: s.View}
	if done, total, ok := s.Document.Progress(); ok {
		head.Progress = &progress{done, total}
	}
	body, err := json.Marshal(head)
	if err != nil {
		panic("panel: encode a state: " + err.Error()) // it holds strings, numbers and JSON of ours
	}
	// The document is spliced in as it was encoded when it was accepted.
	document := s.Document.JSON()
	if document == "" {
		document = "null"
	}
	out := make([]byte, 0, len(body)+len(document)+len(`,"document":`))
	out = append(out, body[:len(body)-1]...)
	out = append(out, `,"document":`...)
	out = append(out, document...)
	return append(out, '}')
}

// title is what a person calls the panel.
func (s State) title() string {
	if t := s.Document.Title(); t != "" {
		return t
	}
	return s.Declaration.Title
}

// split takes a full id apart; ok is false for a panel's own id.
func split(id string) (owner, panel string, ok bool) {
	return strings.Cut(id, "#")
}

// maxID is the most bytes of a full id that is quoted whole.
const maxID = 512

// isID reports whether a text has the form of a panel's id, in either spelling.
func isID(s string) bool {
	owner, panel, full := split(s)
	if !full {
		return grammarPanel.matches(s)
	}
	return len(s) <= maxID && grammarPanel.matches(panel) && !strings.ContainsFunc(owner, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("/_.:-", r)
	})
}
