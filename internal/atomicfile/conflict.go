package atomicfile

import "fmt"

// ConflictError says what was found in the place of what was expected. It wraps
// ErrConflict.
type ConflictError struct {
	// Found is a short sentence about the target, such as "it was removed".
	Found string
}

// Error implements error.
func (e *ConflictError) Error() string { return fmt.Sprintf("%s: %v", e.Found, ErrConflict) }

// Unwrap returns ErrConflict.
func (e *ConflictError) Unwrap() error { return ErrConflict }

func conflict(found string) error { return &ConflictError{found} }

// KeptError says that a change from outside was met in the middle of a swap, and
// that what somebody else wrote meanwhile could not go back to the target. It
// is in a file beside it. It wraps ErrConflict.
type KeptError struct {
	// Kept is the path of that file.
	Kept string
	// Found is as in ConflictError.
	Found string
	// Err is what stopped the way back, nil when the target has got back what
	// was there, and Kept is the caller's content with what was written into it.
	Err error
}

// Error implements error.
func (e *KeptError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v; what was there is kept in %s: %v", e.Found, ErrConflict, e.Kept, e.Err)
	}
	return fmt.Sprintf("%s: %v; what was written into the new content is kept in %s", e.Found, ErrConflict, e.Kept)
}

// Unwrap returns ErrConflict and the cause.
func (e *KeptError) Unwrap() []error {
	if e.Err != nil {
		return []error{ErrConflict, e.Err}
	}
	return []error{ErrConflict}
}
