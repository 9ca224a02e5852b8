package interaction

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/value"
)

func TestSubmit(t *testing.T) {
	d := NewDesk(Options{})
	r := asks(t)
	r.Form = trip(t)
	q := open(t, d, r)
	defer q.End(StateCancelled, "")
	id := q.View().ID
	if v := q.View(); !strings.HasPrefix(id, "q-") || v.Revision != 1 || v.State != StatePending || q.Outcome().State != StatePending || v.Deadline.Sub(v.Asked) != DefaultTimeout {
		t.Errorf("a new question is %+v with %+v", v, q.Outcome())
	}

	for _, tc := range []struct {
		name string
		s    Submission
		want string
	}{
		{"unknown", answered(t, "q-0", "k", `{"name":"A","way":"sea"}`), "interaction_unknown"},
		{"another revision", Submission{ID: id, ExpectedRevision: 2, Reply: Reply{Cancel: true}}, "interaction_conflict"},
		{"invalid", answered(t, id, "k", `{"name":"A","way":"rail"}`), "interaction_invalid /answers/way"},
		{"no answers", Submission{ID: id, ExpectedRevision: 1}, "interaction_invalid /answers"},
	} {
		v, err := d.Submit(tc.s)
		if got := codeOf(err); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
		if tc.s.ID == id && v.ID != id {
			t.Errorf("%s: with the error comes %+v, want the question", tc.name, v)
		}
		if v := q.View(); v.State != StatePending || v.Revision != 1 {
			t.Fatalf("%s: the question is %s at revision %d, want it pending", tc.name, v.State, v.Revision)
		}
	}
	select {
	case <-q.Done():
		t.Fatal("a pending question is done")
	default:
	}

	v, err := d.Submit(answered(t, id, "k", `{"with":["c","a"],"way":"sea","name":"A"}`))
	if err != nil || v.State != StateAnswered || v.Revision != 2 {
		t.Fatalf("Submit = %+v, %v, want it answered at revision 2", v, err)
	}
	<-q.Done()
	want := `{"status":"answered","answers":{"name":"A","way":"sea","with":["a","c"]}}` // with in the form's order
	if o := q.Outcome(); o.JSON() != want || o.By != "k" {
		t.Errorf("the outcome is %s by %q, want %s by k", o.JSON(), o.By, want)
	}
	if q.End(StateCancelled, "too late") || q.Outcome().State != StateAnswered {
		t.Errorf("an answered question ended as %s", q.Outcome().State)
	}
}

// TestIdempotency hands a second submission in when the first has settled the
// question.
func TestIdempotency(t *testing.T) {
	const yes, no = `{"a":"yes"}`, `{"a":"no"}`
	keyed := func(s Submission, key string) Submission { s.Key = key; return s }
	revised := func(s Submission, n int) Submission { s.ExpectedRevision = n; return s }
	cancel := Submission{ID: "q-1", ExpectedRevision: 1, Key: "k", Reply: Reply{Cancel: true}}
	answer := answered(t, "q-1", "k", yes)
	for _, tc := range []struct {
		name          string
		first, second Submission // a first without id: the question ends in another way
		replays       bool
	}{
		{"same", answer, answer, true},
		{"same on another way", answer, Submission{ID: "q-1", ExpectedRevision: 1, Key: "k", Reply: Reply{Answers: valueOf(t, yes), By: "terminal"}}, true},
		{"same cancellation", cancel, cancel, true},
		{"another body", answer, answered(t, "q-1", "k", no), false},
		{"an invalid body", answer, answered(t, "q-1", "k", `{}`), false},
		{"another key", answer, keyed(answer, "l"), false},
		{"no key", answer, keyed(answer, ""), false},
		{"no key twice", keyed(answer, ""), keyed(answer, ""), false},
		{"another revision", answer, revised(answer, 2), false},
		{"another reason", cancel, Submission{ID: "q-1", ExpectedRevision: 1, Key: "k", Reply: Reply{Cancel: true, Reason: "later"}}, false},
		{"a cancellation of an answer", answer, cancel, false},
		{"an answer to a cancellation", cancel, answer, false},
		{"after another end", Submission{}, answer, false},
		{"without a key after another end", Submission{}, keyed(answer, ""), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes := 0
			d := NewDesk(Options{Changed: func(View) { changes++ }})
			q := open(t, d, asks(t))
			ends := tc.first.ID == ""
			tc.first.ID, tc.second.ID = q.View().ID, q.View().ID
			if ends {
				q.End(StateCancelled, "the call ended")
			} else if _, err := d.Submit(tc.first); err != nil {
				t.Fatal(err)
			}
			settled, outcome := q.View(), q.Outcome()
			v, err := d.Submit(tc.second)
			if tc.replays && err != nil || !tc.replays && codeOf(err) != "interaction_conflict" {
				t.Errorf("the second submission: %v", err)
			}
			if diff := cmp.Diff(settled, v); diff != "" {
				t.Errorf("the second submission gives another question: %s", diff)
			}
			if got := q.Outcome(); got.JSON() != outcome.JSON() || got.By != outcome.By || changes != 2 {
				t.Errorf("the outcome is %s by %s after %d changes, want %s by %s after 2", got.JSON(), got.By, changes, outcome.JSON(), outcome.By)
			}
		})
	}
}

// TestRecordedBeforeSeen shows that a change is in the record before anybody can
// see it: not in Get, not in Done, not in Changed.
func TestRecordedBeforeSeen(t *testing.T) {
	for _, settle := range []string{"answer", "cancel", "end"} {
		var log []string
		var d *Desk
		var q *Question
		d = NewDesk(Options{
			Record: func(v View, o Outcome) error {
				seen := "not there"
				if old, ok := d.Get(v.ID); ok {
					seen = string(old.State)
				}
				if q != nil {
					select {
					case <-q.Done():
						seen = "done"
					default:
					}
				}
				log = append(log, fmt.Sprintf("recorded %s %s %d, is %s", v.State, o.State, v.Revision, seen))
				return nil
			},
			Changed: func(v View) {
				seen, _ := d.Get(v.ID)
				log = append(log, fmt.Sprintf("changed %s %d, is %s", v.State, v.Revision, seen.State))
			},
		})
		q = open(t, d, asks(t))
		state := StateAnswered
		switch settle {
		case "answer":
			_, _ = d.Submit(answered(t, q.View().ID, "", `{"a":"x"}`))
		case "cancel":
			state = StateCancelled
			_, _ = d.Submit(Submission{ID: q.View().ID, ExpectedRevision: 1, Reply: Reply{Cancel: true, Reason: "no"}})
		case "end":
			state = StateExpired
			q.End(state, "late")
		}
		want := []string{
			"recorded pending pending 1, is not there", "changed pending 1, is pending",
			fmt.Sprintf("recorded %s %s 2, is pending", state, state), fmt.Sprintf("changed %s 2, is %s", state, state),
		}
		if diff := cmp.Diff(want, log); diff != "" {
			t.Errorf("%s (-want +got):\n%s", settle, diff)
		}
	}
}

// TestRecordFails refuses a question that cannot be recorded, and keeps an answer
// that cannot.
func TestRecordFails(t *testing.T) {
	full := errors.New("the disk is full")
	fails, changes := true, 0
	d := NewDesk(Options{
		Record: func(View, Outcome) error {
			if fails {
				return full
			}
			return nil
		},
		Changed: func(View) { changes++ },
	})
	q, err := d.Open(asks(t))
	if q != nil || codeOf(err) != "interaction_unavailable" || !strings.Contains(err.Error(), full.Error()) {
		t.Errorf("Open = %v, %v, want interaction_unavailable with the reason", q, err)
	}
	if got := d.Pending(); len(got) > 0 || changes > 0 {
		t.Errorf("%d questions pend after %d changes, want none", len(got), changes)
	}
	fails = false
	q = open(t, d, asks(t))
	fails = true
	if v, err := d.Submit(answered(t, q.View().ID, "", `{"a":"x"}`)); err != nil || v.State != StateAnswered {
		t.Errorf("Submit = %+v, %v, want it answered", v, err)
	}
	<-q.Done()
}

// TestKept remembers the 64 questions that ended last, and pending ones for ever.
func TestKept(t *testing.T) {
	d := NewDesk(Options{})
	defer d.Interrupt("the end of the test")
	late := open(t, d, asks(t))
	var ids, pending []string
	for i := range 75 {
		id := open(t, d, asks(t)).View().ID
		if i%15 == 0 {
			pending = append(pending, id)
			continue
		}
		ids = append(ids, id)
		if _, err := d.Submit(answered(t, id, "k", `{"a":"x"}`)); err != nil {
			t.Fatal(err)
		}
	}
	ids = append(ids, late.View().ID) // opened first, ended last: the 71st
	if _, err := d.Submit(answered(t, ids[70], "k", `{"a":"x"}`)); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, id := range ids {
		if _, ok := d.Get(id); ok {
			kept = append(kept, id)
		}
	}
	if diff := cmp.Diff(ids[7:], kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if _, err := d.Submit(answered(t, ids[6], "k", `{"a":"x"}`)); codeOf(err) != "interaction_unknown" {
		t.Errorf("an answer to a question that is gone: %v", err)
	}
	for _, id := range []string{ids[7], ids[70]} {
		if _, err := d.Submit(answered(t, id, "k", `{"a":"x"}`)); err != nil {
			t.Errorf("the same answer to a question that is kept: %v", err)
		}
	}
	var waiting []string
	for _, v := range d.Pending() {
		waiting = append(waiting, v.ID)
	}
	if diff := cmp.Diff(pending, waiting); diff != "" {
		t.Errorf("pending, the oldest first (-want +got):\n%s", diff)
	}
}

// TestInterrupt ends all questions and lets none begin.
func TestInterrupt(t *testing.T) {
	d := NewDesk(Options{})
	first, second := open(t, d, asks(t)), open(t, d, asks(t))
	first.End(StateCancelled, "the call ended")
	d.Interrupt("the input ended")
	d.Interrupt("again")
	<-second.Done()
	if o := second.Outcome(); o.JSON() != `{"status":"interrupted","reason":"the input ended"}` || first.Outcome().State != StateCancelled {
		t.Errorf("outcomes: %s and %s", first.Outcome().JSON(), o.JSON())
	}
	if _, err := d.Open(asks(t)); codeOf(err) != "interaction_unavailable" || !strings.Contains(err.Error(), "the input ended") {
		t.Errorf("Open after the end of input: %v", err)
	}
	if _, err := d.Submit(answered(t, second.View().ID, "", `{"a":"x"}`)); codeOf(err) != "interaction_conflict" {
		t.Errorf("an answer after the end of input: %v", err)
	}
}

// TestTimeout refuses deadlines that are none.
func TestTimeout(t *testing.T) {
	d := NewDesk(Options{})
	defer d.Interrupt("the end of the test")
	for _, tc := range []struct {
		timeout time.Duration
		ok      bool
	}{{0, true}, {1, true}, {MaxTimeout, true}, {MaxTimeout + 1, false}, {-1, false}} {
		r := asks(t)
		r.Timeout = tc.timeout
		q, err := d.Open(r)
		if (err == nil) != tc.ok || (q != nil) != tc.ok || !tc.ok && codeOf(err) != "interaction_invalid" {
			t.Errorf("Open with a timeout of %s: %v", tc.timeout, err)
		}
	}
}

// TestEnd bounds the reason, and ends no question as anything that is no end.
func TestEnd(t *testing.T) {
	d := NewDesk(Options{})
	q := open(t, d, asks(t))
	for _, s := range []State{StatePending, StateAnswered, ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a question ends as %q", s)
				}
			}()
			q.End(s, "")
		}()
	}
	if !q.End(StateCancelled, strings.Repeat("ü", 5000)) {
		t.Fatal("a pending question does not end")
	}
	if got := q.Outcome().Reason; len(got) > 1030 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("the reason has %d bytes and ends in %q", len(got), got[len(got)-6:])
	}
	d.Interrupt("")
	if _, err := d.Open(asks(t)); codeOf(err) != "interaction_unavailable" {
		t.Errorf("Open after an interruption without a reason: %v", err)
	}
}

// TestAnswersAreFrozen gives nobody a way to change an answer.
func TestAnswersAreFrozen(t *testing.T) {
	d := NewDesk(Options{})
	q := open(t, d, asks(t))
	tree := map[string]any{"a": "x"}
	s := Submission{ID: q.View().ID, ExpectedRevision: 1, Reply: Reply{Answers: value.FromTree(tree)}}
	if _, err := d.Submit(s); err != nil {
		t.Fatal(err)
	}
	tree["a"] = "y"
	if got := q.Outcome().JSON(); got != `{"status":"answered","answers":{"a":"x"}}` {
		t.Errorf("the outcome became %s", got)
	}
}
