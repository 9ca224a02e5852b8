package interaction

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"raw/contract/value"
)

func TestParseSubmission(t *testing.T) {
	long := strings.Repeat("ü", 64)
	for _, c := range []struct {
		name, text string
		want       Submission
		fault      string // at the pointer
	}{
		{name: "answers", text: `{"requestId":"q-1","expectedRevision":1,"answers":{"a":"x"}}`, want: Submission{ID: "q-1", ExpectedRevision: 1}},
		{name: "a key", text: `{"requestId":"q-1","expectedRevision":1.0,"idempotencyKey":"k","answers":{}}`, want: Submission{ID: "q-1", ExpectedRevision: 1, Key: "k"}},
		{name: "the longest key", text: `{"requestId":"q-1","expectedRevision":1,"idempotencyKey":"` + long + `","answers":{}}`, want: Submission{ID: "q-1", ExpectedRevision: 1, Key: long}},
		{name: "cancel", text: `{"requestId":"q-1","expectedRevision":2,"cancel":true}`, want: Submission{ID: "q-1", ExpectedRevision: 2, Reply: Reply{Cancel: true}}},
		{name: "no cancel", text: `{"requestId":"q-1","expectedRevision":1,"cancel":false,"answers":{}}`, want: Submission{ID: "q-1", ExpectedRevision: 1}},

		{name: "no object", text: `"q-1"`, fault: "/"},
		{name: "no id", text: `{"expectedRevision":1,"answers":{}}`, fault: "/requestId"},
		{name: "an empty id", text: `{"requestId":"","expectedRevision":1,"answers":{}}`, fault: "/requestId"},
		{name: "an id of a wrong type", text: `{"requestId":1,"expectedRevision":1,"answers":{}}`, fault: "/requestId"},
		{name: "no revision", text: `{"requestId":"q-1","answers":{}}`, fault: "/expectedRevision"},
		{name: "revision 0", text: `{"requestId":"q-1","expectedRevision":0,"answers":{}}`, fault: "/expectedRevision"},
		{name: "revision 1.5", text: `{"requestId":"q-1","expectedRevision":1.5,"answers":{}}`, fault: "/expectedRevision"},
		{name: "revision 1e99", text: `{"requestId":"q-1","expectedRevision":1e99,"answers":{}}`, fault: "/expectedRevision"},
		{name: "a revision in quotes", text: `{"requestId":"q-1","expectedRevision":"1","answers":{}}`, fault: "/expectedRevision"},
		{name: "an empty key", text: `{"requestId":"q-1","expectedRevision":1,"idempotencyKey":"","answers":{}}`, fault: "/idempotencyKey"},
		{name: "a key too long", text: `{"requestId":"q-1","expectedRevision":1,"idempotencyKey":"` + long + `x","answers":{}}`, fault: "/idempotencyKey"},
		{name: "a null key", text: `{"requestId":"q-1","expectedRevision":1,"idempotencyKey":null,"answers":{}}`, fault: "/idempotencyKey"},
		{name: "neither", text: `{"requestId":"q-1","expectedRevision":1}`, fault: "/answers"},
		{name: "both", text: `{"requestId":"q-1","expectedRevision":1,"cancel":true,"answers":{}}`, fault: "/answers"},
		{name: "cancel of a wrong type", text: `{"requestId":"q-1","expectedRevision":1,"cancel":"true"}`, fault: "/cancel"},
		{name: "a long value", text: `{"requestId":["` + strings.Repeat("x", 9999) + `"],"expectedRevision":1,"answers":{}}`, fault: "/requestId"},
		{name: "an unknown member", text: `{"requestId":"q-1","expectedRevision":1,"answers":{},"a/b":1}`, fault: "/a~1b"},
		{name: "another spelling", text: `{"requestID":"q-1","expectedRevision":1,"answers":{}}`, fault: "/requestID"},
		{name: "the way is not said", text: `{"requestId":"q-1","expectedRevision":1,"answers":{},"by":"view"}`, fault: "/by"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseSubmission(valueOf(t, c.text))
			if c.fault != "" {
				e, ok := errors.AsType[*Error](err)
				if !ok || e.Code != CodeInvalid || len(e.Faults) != 1 || e.Faults[0].Pointer != c.fault {
					t.Fatalf("ParseSubmission = %+v, %v, want a fault at %s", got, err, c.fault)
				}
				if size := len(e.Message); size > 200 {
					t.Errorf("the fault has %d bytes", size)
				}
				return
			}
			c.want.Answers = valueOf(t, c.text).Field("answers")
			if err != nil || !same(got, c.want) {
				t.Errorf("ParseSubmission = %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

// same compares what a peer can say of a submission.
func same(a, b Submission) bool {
	return a.ID == b.ID && a.ExpectedRevision == b.ExpectedRevision && a.Key == b.Key && a.Cancel == b.Cancel && a.Answers.Equal(b.Answers)
}

// FuzzSubmission: what is accepted says everything that a desk needs, and reads
// the same when it is written again.
func FuzzSubmission(f *testing.F) {
	for _, seed := range []string{
		`{"requestId":"q-1","expectedRevision":1,"answers":{"a":"x"}}`,
		`{"requestId":"q-1","expectedRevision":2e0,"idempotencyKey":"k","cancel":true}`,
		`{"requestId":"\u0000","expectedRevision":1,"answers":null}`,
		`{"a~/b":[]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse([]byte(text))
		if err != nil {
			return
		}
		s, err := ParseSubmission(v)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || len(e.Faults) == 0 || len(e.Message) > 500 {
				t.Errorf("ParseSubmission(%q): %v, want a short *Error with faults", text, err)
			}
			return
		}
		if s.ID == "" || s.ExpectedRevision < 1 || len(s.Key) > maxKey || s.Cancel == (s.Answers.Kind() != value.Absent) {
			t.Fatalf("ParseSubmission(%q) = %+v", text, s)
		}
		again := map[string]any{"requestId": s.ID, "expectedRevision": s.ExpectedRevision}
		if s.Key != "" {
			again["idempotencyKey"] = s.Key
		}
		if s.Cancel {
			again["cancel"] = true
		} else {
			again["answers"] = json.RawMessage(s.Answers.JSON())
		}
		o, err := value.Of(again)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseSubmission(o.Value); err != nil || !same(got, s) {
			t.Errorf("read again: %+v, %v, want %+v", got, err, s)
		}
	})
}
