package interaction

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"raw/contract/value"
)

// State is where a question stands.
type State string

// The states. StatePending is the first; each other one is the last.
const (
	StatePending     State = "pending"
	StateAnswered    State = "answered"
	StateCancelled   State = "cancelled"
	StateExpired     State = "expired"
	StateInterrupted State = "interrupted" // nobody was left to answer, or to hear it
)

// How long a person may take.
const (
	DefaultTimeout = 30 * time.Minute
	MaxTimeout     = 24 * time.Hour
)

// View is a question as a surface shows it.
type View struct {
	ID            string // also a person's command line knows one server's from another's by it
	Revision      int    // 1 while it is pending, then 2
	State         State
	Panel         string // full id
	PanelRevision int
	Instance      string // of a chat panel
	Owner         string // identity of the tool that asks
	Title         string
	Form          Form
	Asked         time.Time
	Deadline      time.Time

	Call, Execution, Lane string
}

// JSON is the view as surfaces send it. Times are milliseconds since 1970.
func (v View) JSON() json.RawMessage {
	body, err := json.Marshal(struct {
		ID       string `json:"id"`
		Revision int    `json:"revision"`
		State    State  `json:"state"`
		Panel    string `json:"panel"`
		View     string `json:"view,omitempty"`
		Owner    string `json:"owner"`
		Title    string `json:"title"`
		Form     Form   `json:"form"`
		Asked    int64  `json:"asked"`
		Deadline int64  `json:"deadline"`
	}{v.ID, v.Revision, v.State, v.Panel, v.Instance, v.Owner, v.Title, v.Form, v.Asked.UnixMilli(), v.Deadline.UnixMilli()})
	if err != nil {
		panic("interaction: encode a view: " + err.Error()) // it holds strings and numbers only
	}
	return body
}

// Reply is what a person said to a question that was put on a surface.
type Reply struct {
	Cancel  bool
	Reason  string      // of a cancellation
	Answers value.Value // an object, unless it cancels
	By      string      // the way on which it came, recorded
}

// Outcome is what became of a question.
type Outcome struct {
	State   State
	Answers value.Value // when it was answered; lists in the form's order
	Reason  string      // when it was not
	By      string
}

// Submission is an answer or a cancellation that is handed in.
type Submission struct {
	ID               string
	ExpectedRevision int
	Key              string // makes handing in twice safe; may be empty
	Reply
}

// maxKey bounds an idempotency key.
const maxKey = 128

// ParseSubmission reads {"requestId","expectedRevision","idempotencyKey"?} with
// either "answers" or "cancel": true.
func ParseSubmission(v value.Value) (s Submission, err error) {
	fail := func(pointer, message string) (Submission, error) {
		return Submission{}, invalid([]Fault{{pointer, message}})
	}
	if v.Kind() != value.ObjectKind {
		return fail("/", fmt.Sprintf("found %s, want an object", v.Kind()))
	}
	for name, field := range v.Fields() {
		ok := true
		switch name {
		case "requestId":
			s.ID, ok = field.Str()
		case "expectedRevision":
			s.ExpectedRevision, ok = whole(field)
		case "idempotencyKey":
			s.Key, ok = field.Str()
			ok = ok && s.Key != "" && len(s.Key) <= maxKey
		case "answers":
			s.Answers = field
		case "cancel":
			s.Cancel, ok = field.Tree().(bool)
		default:
			return fail("/"+escape(clip(name)), "unknown member")
		}
		if !ok {
			return fail("/"+name, "found "+clip(field.JSON())+", which is not what belongs here")
		}
	}
	switch {
	case s.ID == "":
		return fail("/requestId", "missing")
	case s.ExpectedRevision < 1:
		return fail("/expectedRevision", "missing")
	case s.Cancel == (s.Answers.Kind() != value.Absent):
		return fail("/answers", "want either answers or cancel: true")
	}
	return s, nil
}

func whole(v value.Value) (int, bool) {
	n, ok := v.Tree().(json.Number)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(n), 64)
	return int(f), err == nil && f == math.Trunc(f) && f >= 1 && f < math.MaxInt32
}
