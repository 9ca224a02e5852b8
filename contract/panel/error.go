package panel

import "fmt"

// Code names why an update was not accepted. The list is closed (PANELS.md §6).
type Code string

// The codes.
const (
	CodeInvalid          Code = "panel_invalid"
	CodeTooLarge         Code = "panel_too_large"
	CodeUndeclared       Code = "panel_undeclared"
	CodeNotOwned         Code = "panel_not_owned"
	CodeUnknown          Code = "panel_unknown"
	CodeRevisionConflict Code = "panel_revision_conflict"
	CodeRateLimited      Code = "panel_rate_limited"
	CodeLimit            Code = "panel_limit"
	CodeClosedContext    Code = "panel_closed_context"
)

// Codes lists every code.
func Codes() []Code {
	return []Code{
		CodeInvalid, CodeTooLarge, CodeUndeclared, CodeNotOwned, CodeUnknown,
		CodeRevisionConflict, CodeRateLimited, CodeLimit, CodeClosedContext,
	}
}

// Error is why an update was not accepted. It leaves the panel as it was.
type Error struct {
	Code Code
	// Message says what was found; of CodeInvalid it begins with the JSON
	// pointer of the first fault, ": ", and what is wrong there.
	Message string
}

func (e *Error) Error() string { return string(e.Code) + " " + e.Message }

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &panel.Error{Code: panel.CodeLimit}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == ""
}

func fail(code Code, format string, a ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, a...)}
}
