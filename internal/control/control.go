// Package control is the way from a person's command line to a running server:
// a local socket per server, over which refused calls are approved and
// remembered answers are listed and taken back.
//
// A server answers processes of its own user that it did not start, neither
// directly nor by a command that detached itself. That keeps the model's
// commands from deciding for a person as long as they use no further help; it
// is no sandbox. The package decides nothing about calls, keeps nothing of what
// it carries, and asks nobody: whoever sends VerbApprove has asked.
package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Handler is the session that a server speaks for: a method for each verb. Its
// methods may be called at once, and should return at once.
type Handler interface {
	// Approvals returns the refused calls that a person may still approve, and
	// the answers that hold for the session.
	Approvals() ([]Call, []Grant)
	// Approve lets a refused call through once, when it is made again. It
	// reports whether there is such a call.
	Approve(id string) bool
	// Revoke takes an answer for the session back. It reports whether there was
	// one.
	Revoke(id string) bool
	// Questions returns the questions that wait for a person.
	Questions() []Question
	// Answer hands an answer in: the object that VerbAnswer carries. The error
	// says why it is not accepted.
	Answer(submission json.RawMessage) error
	// Attach says that a person watches in a terminal and can answer, until
	// detach is called.
	Attach() (detach func())
}

// Question is a question that waits for a person.
type Question struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Panel    string          `json:"panel"`
	Deadline time.Time       `json:"deadline"`
	Body     json.RawMessage `json:"body,omitempty"` // all of it, when it is shown
}

// Call is a call that was refused because nobody could be asked.
type Call struct {
	ID        string    `json:"id"`
	Tool      string    `json:"tool"`     // as the model calls it
	Identity  string    `json:"identity"` // as rules name it
	Arguments string    `json:"arguments"`
	Hidden    int       `json:"hidden,omitempty"` // bytes that Arguments lacks at its end; set by the server
	Reasons   []string  `json:"reasons,omitempty"`
	Until     time.Time `json:"until"`              // when it can no longer be approved
	Approved  bool      `json:"approved,omitempty"` // it was; the model has not made it again yet
}

// Grant is an answer that holds for the session.
type Grant struct {
	ID    string    `json:"id"`
	Text  string    `json:"text"` // what it covers
	Since time.Time `json:"since"`
	Allow bool      `json:"allow"` // false: what it covers is declined
}

// Verb is what a server is asked to do.
type Verb string

// The verbs.
const (
	// VerbList asks for everything; arguments of calls come as a short start.
	VerbList Verb = "list"
	// VerbShow asks for the call or the grant with an id, arguments whole up to
	// 64 KiB.
	VerbShow Verb = "show"
	// VerbApprove lets the call with an id through once.
	VerbApprove Verb = "approve"
	// VerbRevoke takes the grant with an id back.
	VerbRevoke Verb = "revoke"
	// VerbAnswer answers the question with an id.
	VerbAnswer Verb = "answer"
	// VerbAttach says that a person watches, for as long as the connection is
	// open.
	VerbAttach Verb = "attach"
)

// Request is what servers are asked.
type Request struct {
	Verb Verb   `json:"verb"`
	ID   string `json:"id,omitempty"` // for all verbs but VerbList and VerbAttach

	// Submission is what VerbAnswer hands in.
	Submission json.RawMessage `json:"submission,omitempty"`

	// Server asks only the server of that name: Response.Server, or its process
	// id. Empty asks all.
	Server string `json:"-"`
}

// Response is the answer of one server that did what it was asked.
type Response struct {
	Server string // its name: the process id, and a part that tells reuses apart
	PID    string // the process id
	Calls  []Call
	Grants []Grant

	Questions []Question
}

// InvalidAnswerError says why a server did not accept an answer.
type InvalidAnswerError struct{ Why string }

func (e *InvalidAnswerError) Error() string { return "the answer was not accepted: " + e.Why }

var (
	// ErrNoServer says that no server is there to be asked.
	ErrNoServer = errors.New("no server is running")
	// ErrUnknownID says that every server that was asked has nothing with the id.
	ErrUnknownID = errors.New("no running server knows this id")
)

// RefusedError says that a server does not answer this process.
type RefusedError struct {
	PID string // of the server
	Why string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("server %s refuses: %s", e.PID, e.Why) }

// maxRequest bounds a request line; maxArguments and shortArguments bound the
// arguments of a call that is shown and listed; maxReply bounds all that a
// server answers, and has room for maxArguments with every byte escaped.
const (
	maxRequest     = 64 << 10
	maxArguments   = 64 << 10
	shortArguments = 200
	maxReply       = 1 << 20
)

// patience is how long either side waits for the other.
const patience = 5 * time.Second

// reply is a server's answer on the wire.
type reply struct {
	Fault  fault   `json:"fault,omitempty"`
	Why    string  `json:"why,omitempty"` // with a fault
	Calls  []Call  `json:"calls,omitempty"`
	Grants []Grant `json:"grants,omitempty"`

	Questions []Question `json:"questions,omitempty"`
}

// fault is why a server did not do what it was asked. Empty: it did.
type fault string

const (
	faultInvalid fault = "invalid" // no such request
	faultRefused fault = "refused" // not for this peer
	faultUnknown fault = "unknown" // no such id
	faultAnswer  fault = "answer"  // the answer is not accepted
)
