package ledger

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Shown is a panel as a session recorded it last.
type Shown struct {
	ID        string // full, with @<instance> behind it for the view of one call
	Execution string // of the call that updated it last
	At        time.Time
	State     json.RawMessage // as surfaces get it
}

// Asked is a question as a session recorded it last.
type Asked struct {
	Interaction
	At   time.Time // of the last change
	Live bool      // the process that asked still runs
}

// Interrupted is the state of a question whose process ended before it had an
// answer: nobody recorded that, as nobody was left.
const Interrupted = "interrupted"

// Panels are the panels of a session, the one that changed last first, and its
// questions, in their order. Errors are those of Records; what cannot be read is
// left out.
func (s Store) Panels(session string) ([]Shown, []Asked, error) {
	numbers, err := s.segments(session)
	if err != nil {
		return nil, nil, err
	}
	var panels []Shown
	var asked []Asked
	for scan, found := range s.walk(session, numbers) {
		switch r := found.Record; {
		case found.fault != nil:
		case r.Kind == KindSucceeded || r.Kind == KindFailed:
			for _, p := range s.panelsOf(r) {
				panels = slices.DeleteFunc(panels, func(o Shown) bool { return o.ID == p.ID })
				panels = append(panels, p)
			}
		case r.Kind == KindInteraction:
			asked = s.questionOf(asked, r, scan.live)
		}
	}
	slices.Reverse(panels)
	return panels, asked, nil
}

func (s Store) panelsOf(r Record) (list []Shown) {
	data, err := s.Data(r)
	if err != nil || !bytes.Contains(data, []byte(`"panels":[`)) {
		return nil
	}
	var receipt struct {
		Panels []Panel `json:"panels"`
	}
	if json.Unmarshal(data, &receipt) != nil {
		return nil
	}
	for _, p := range receipt.Panels {
		var id struct {
			Panel string `json:"panel"`
			View  struct {
				InstanceID string `json:"instanceId"`
			} `json:"view"`
		}
		if p.State == nil || json.Unmarshal(p.State, &id) != nil {
			continue
		}
		if id.View.InstanceID != "" {
			id.Panel += "@" + id.View.InstanceID
		}
		list = append(list, Shown{ID: id.Panel, Execution: r.Execution, At: r.At, State: p.State})
	}
	return list
}

func (s Store) questionOf(asked []Asked, r Record, live bool) []Asked {
	change := Asked{At: r.At, Live: live}
	if s.Decode(r, &change.Interaction) != nil {
		return asked
	}
	change.Execution = r.Execution
	if change.Question != nil && !live {
		change.State = Interrupted
	}
	at := slices.IndexFunc(asked, func(a Asked) bool { return a.ID == change.ID && a.Execution == change.Execution })
	if at < 0 {
		return append(asked, change)
	}
	change.Question = asked[at].Question
	asked[at] = change
	return asked
}
