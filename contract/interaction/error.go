package interaction

import "strings"

// Code names why a question or an answer was not accepted. The list is closed.
type Code string

// The codes.
const (
	CodeUnavailable    Code = "interaction_unavailable"      // nobody can be asked
	CodeBudgetTooSmall Code = "interaction_budget_too_small" // no valid answer would fit the call's output
	CodeConflict       Code = "interaction_conflict"         // another revision, or settled otherwise
	CodeInvalid        Code = "interaction_invalid"          // the answer does not fit the form, and the question waits; or what is asked is no question
	CodeUnknown        Code = "interaction_unknown"          // there is no such question
)

// Codes lists every code.
func Codes() []Code {
	return []Code{CodeUnavailable, CodeBudgetTooSmall, CodeConflict, CodeInvalid, CodeUnknown}
}

// Error is why a question was not put or an answer not accepted.
type Error struct {
	Code    Code
	Message string
	Faults  []Fault // of CodeInvalid: what is wrong with the answer
}

func (e *Error) Error() string { return e.Message }

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &interaction.Error{Code: interaction.CodeConflict}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == ""
}

// Fault is one thing that is wrong with an answer.
type Fault struct {
	Pointer string // into the submission: /answers/<field>, and /<index> of a list
	Message string
}

func (f Fault) String() string { return f.Pointer + ": " + f.Message }

func invalid(faults []Fault) *Error {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = f.String()
	}
	return &Error{Code: CodeInvalid, Message: strings.Join(lines, "\n"), Faults: faults}
}
