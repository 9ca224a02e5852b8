// Package interaction holds the questions that tools ask a person (PANELS.md
// §8): forms, what answers fit them, and the life of a question until exactly
// one answer, cancellation, deadline or end settles it. It shows nothing and
// knows no surface; an answer is information and permits nothing.
package interaction

import (
	"cmp"
	"errors"
	"fmt"

	"raw/contract/value"
)

// Kind is the kind of a field.
type Kind string

// The kinds.
const (
	Text         Kind = "text"
	SingleSelect Kind = "single_select"
	MultiSelect  Kind = "multi_select"
)

// MaxTextBytes bounds the answer to a text field that has no bound of its own.
const MaxTextBytes = 8192

// Form is what a question asks: the fields of one block of a panel.
type Form struct {
	Block  string  `json:"block"` // the block's id
	Fields []Field `json:"fields"`
}

// Field is one thing that is asked.
type Field struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required"`
	Kind        Kind   `json:"kind"`

	Multiline bool `json:"multiline,omitempty"` // text
	MaxBytes  int  `json:"max_bytes,omitempty"` // text; zero means MaxTextBytes

	Options []Option `json:"options,omitempty"` // of a choice

	MinSelected int `json:"min_selected,omitempty"` // multi_select
	MaxSelected int `json:"max_selected,omitempty"` // multi_select; zero means all
}

// Option is one choice.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Limit is how many bytes the answer to a text field may have.
func (f Field) Limit() int { return cmp.Or(f.MaxBytes, MaxTextBytes) }

// least and most bound how many options are chosen. A field that is required
// wants one at least.
func (f Field) least() int {
	if f.Required {
		return max(f.MinSelected, 1)
	}
	return f.MinSelected
}

func (f Field) most() int { return cmp.Or(f.MaxSelected, len(f.Options)) }

// ParseForm reads a form block that a panel has accepted. The error is an *Error.
func ParseForm(block value.Value) (form Form, err error) {
	id, _ := block.Field("id").Str()
	source, err := value.ParseObject([]byte(block.JSON()))
	if err == nil {
		err = source.Decode(&form)
	}
	if err == nil && len(form.Fields) == 0 {
		err = errors.New("it has no fields")
	}
	if err != nil {
		return Form{}, &Error{Code: CodeInvalid, Message: fmt.Sprintf("read the form %q: %v", clip(id), err)}
	}
	form.Block = id
	return form, nil
}
