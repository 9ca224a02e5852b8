package interaction

import (
	"errors"
	"testing"
	"time"
)

// TestViewJSON is a question as surfaces get it.
func TestViewJSON(t *testing.T) {
	v := View{
		ID: "q-1", Revision: 1, State: StatePending, Panel: "local/trip#ask", PanelRevision: 3, Instance: "X", Owner: "local/trip", Title: "Trip",
		Form:  formOf(t, `{"id":"a","label":"A","kind":"text"}`),
		Asked: time.UnixMilli(1000), Deadline: time.UnixMilli(61000), Call: "7", Execution: "ex-1", Lane: "main",
	}
	const head, tail = `{"id":"q-1","revision":1,"state":"pending","panel":"local/trip#ask",`, `"owner":"local/trip","title":"Trip",` +
		`"form":{"block":"f","fields":[{"id":"a","label":"A","required":false,"kind":"text"}]},"asked":1000,"deadline":61000}`
	if got, want := string(v.JSON()), head+`"view":"X",`+tail; got != want {
		t.Errorf("JSON() = %s, want %s", got, want)
	}
	v.Instance = ""
	if got, want := string(v.JSON()), head+tail; got != want {
		t.Errorf("JSON() = %s, want %s", got, want)
	}
}

func TestErrorIs(t *testing.T) {
	err := error(invalid([]Fault{{"/answers/a", "missing"}, {"/answers/b", "empty"}}))
	if got, want := err.Error(), "/answers/a: missing\n/answers/b: empty"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	for _, code := range Codes() {
		if got, want := errors.Is(err, &Error{Code: code}), code == CodeInvalid; got != want {
			t.Errorf("errors.Is(err, %s) = %t, want %t", code, got, want)
		}
	}
	if errors.Is(err, &Error{Code: CodeInvalid, Message: "another"}) {
		t.Error("an error matches one with another message")
	}
}
