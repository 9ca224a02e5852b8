package interaction

import (
	"fmt"
	"strings"
	"testing"

	"raw/contract/value"
)

// valueOf is a text as a value.
func valueOf(tb testing.TB, text string) value.Value {
	tb.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		tb.Fatalf("Parse(%s): %v", text, err)
	}
	return v
}

// formOf is a form of fields, which have to be valid.
func formOf(tb testing.TB, fields string) Form {
	tb.Helper()
	f, err := ParseForm(valueOf(tb, `{"id":"f","kind":"form","fields":[`+fields+`]}`))
	if err != nil {
		tb.Fatalf("ParseForm(%s): %v", fields, err)
	}
	return f
}

// trip is a form with a field of each kind, of which the name and the way have to
// be answered.
func trip(tb testing.TB) Form {
	tb.Helper()
	return formOf(tb, `
		{"id":"name","label":"Name","kind":"text","required":true,"max_bytes":8},
		{"id":"note","label":"Note","kind":"text","multiline":true},
		{"id":"way","label":"Way","kind":"single_select","required":true,"options":[{"id":"sea","label":"By sea"},{"id":"air","label":"By air"}]},
		{"id":"with","label":"With","kind":"multi_select","min_selected":1,"max_selected":2,"options":[{"id":"a","label":"A"},{"id":"b","label":"B"},{"id":"c","label":"C"}]}`)
}

// answered hands answers in that have to be JSON.
func answered(tb testing.TB, id, key, answers string) Submission {
	tb.Helper()
	return Submission{ID: id, ExpectedRevision: 1, Key: key, Reply: Reply{Answers: valueOf(tb, answers), By: key}}
}

// asks is a request for a form with one field that has to be answered.
func asks(tb testing.TB) Request {
	tb.Helper()
	return Request{Panel: "local/trip#ask", Owner: "local/trip", Title: "Trip", Form: formOf(tb, `{"id":"a","label":"A","kind":"text","required":true}`)}
}

// open puts a question that has to be accepted.
func open(tb testing.TB, d *Desk, r Request) *Question {
	tb.Helper()
	q, err := d.Open(r)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	return q
}

// codeOf is the code of an error, and its faults' pointers; "" for none.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	e, ok := err.(*Error)
	if !ok {
		return fmt.Sprintf("%T", err)
	}
	parts := []string{string(e.Code)}
	for _, f := range e.Faults {
		parts = append(parts, f.Pointer)
	}
	return strings.Join(parts, " ")
}
