package contract

import (
	"encoding/json"
	"fmt"

	"raw/contract/panel"
)

// Kind tells the model what a failure means for its next step.
type Kind string

// The closed list of kinds.
const (
	KindInvalidInput Kind = "invalid_input"
	KindPrecondition Kind = "precondition" // refused before anything was done
	KindTransient    Kind = "transient"    // a retry may help
	KindFatal        Kind = "fatal"        // the work failed
)

// TagDenied marks what a person, a rule or law refused.
const TagDenied = "denied"

// Block is one part of a result: Text, JSON, Image, Opaque or Panel.
type Block interface{ block() }

// Text is text for the model.
type Text string

// JSON is a value for the model; an adapter may show it as text.
type JSON json.RawMessage

// Image is a picture; Data is the encoded file.
type Image struct {
	MIME string
	Data []byte
}

// Opaque is a block of a foreign protocol: an adapter of that protocol emits
// Raw, every other one Text.
type Opaque struct {
	Protocol string
	Raw      json.RawMessage
	Text     string
}

func (Text) block()   {}
func (JSON) block()   {}
func (Image) block()  {}
func (Opaque) block() {}

// Failure says that a result is an error. Code may be empty: a command that
// exits with 1 has failed, and no rule of ours has a name for it.
type Failure struct {
	Kind Kind
	Code Code
}

// Result is the outcome of a call. Without a Failure it is a success, so an
// error kind on a success cannot be expressed.
type Result struct {
	Content []Block
	Failure *Failure
	Tags    []string
	Meta    map[string]json.RawMessage // for adapters; never shown to the model

	// Panels are what the call has made of its panels.
	Panels []panel.State

	// Execution is ex-<n> when the handler was started, else empty.
	Execution string
}

// IsError reports whether the call failed or was refused.
func (r Result) IsError() bool { return r.Failure != nil }

// Code is the code of a failure, empty when there is none.
func (r Result) Code() Code {
	if r.Failure == nil {
		return ""
	}
	return r.Failure.Code
}

// Succeeded is a success with one text block.
func Succeeded(text string) Result { return Result{Content: []Block{Text(text)}} }

// Failed is a failure with a code, its kind, and a text that says what was
// being done, what was found, and what to do next.
func Failed(code Code, text string) Result {
	return Result{Content: []Block{Text(text)}, Failure: &Failure{Kind: code.Kind(), Code: code}}
}

// FailedAs is a failure that no code names.
func FailedAs(kind Kind, text string) Result {
	return Result{Content: []Block{Text(text)}, Failure: &Failure{Kind: kind}}
}

// Refusal is why a step stopped a call before its handler.
type Refusal struct {
	Code Code
	Text string
	Tags []string

	Rule string // file:line of the rule that decided, if one did
	Hook string // the hook that decided, if one did
}

func refuse(code Code, format string, a ...any) *Refusal {
	return &Refusal{Code: code, Text: Visible(fmt.Sprintf(format, a...))}
}

func deny(code Code, format string, a ...any) *Refusal {
	return &Refusal{Code: code, Text: Visible(fmt.Sprintf(format, a...)), Tags: []string{TagDenied}}
}

// Result is the refusal as the answer to the call.
func (r *Refusal) Result() Result {
	res := Failed(r.Code, r.Text)
	res.Tags = r.Tags
	return res
}
