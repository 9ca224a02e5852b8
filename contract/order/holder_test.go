package order_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/order"
)

func told(h order.Holder) string {
	verb := "since"
	if h.Running {
		verb = "runs"
	}
	return fmt.Sprintf("%s %s %s", h.Label, verb, time.Since(h.Since))
}

// TestWaiting begins the calls a second apart; the last one writes down what it
// is told until it runs.
func TestWaiting(t *testing.T) {
	for _, tc := range []struct {
		name  string
		calls string // ? is asked about, ~ is a draft
		slots int
		wait  time.Duration
		want  []string
	}{
		{name: "not at once", calls: "x x", wait: 999 * time.Millisecond},
		{name: "the one that runs", calls: "x x", wait: 22 * time.Second, want: []string{"x runs 2s", "x runs 12s", "x runs 22s"}},
		{name: "not the next in line", calls: "sp x x s", wait: time.Second, want: []string{"sp runs 4s"}},
		{name: "the one that is asked about", calls: "sp x? s s", wait: time.Second, want: []string{"x? since 3s"}},
		{name: "who has the slot the longest", calls: "x@a s@b s@c s@a x@c s@d", slots: 3, wait: time.Second, want: []string{"x@a runs 6s"}},
		{name: "who has the slot that the first waits for", calls: "x@a x@b x@b", slots: 1, wait: time.Second, want: []string{"x@a runs 3s"}},
		{name: "not who needs no slot", calls: "sp@a x@b x@c", slots: 1, wait: time.Second, want: []string{"x@b runs 2s"}},
		{name: "a draft", calls: "x~ s", wait: time.Second, want: []string{"x~ since 2s"}},
		{name: "not the draft that is decided", calls: "s~ s? s", wait: time.Second, want: []string{"s? since 2s"}},
		{name: "nobody", calls: "s s", wait: 5 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := order.New(order.Options{Slots: tc.slots})
				var got []string
				var calls []*caller
				specs := strings.Fields(tc.calls)
				for i, spec := range specs {
					call := parse(spec)
					if i > 0 {
						time.Sleep(time.Second)
					}
					if i == len(specs)-1 {
						call.Waiting = func(h order.Holder) { got = append(got, told(h)) }
					}
					if strings.HasSuffix(spec, "~") {
						call.Turn = order.NewTurn()
					}
					calls = append(calls, begin(t, q, strings.HasSuffix(spec, "?"), call))
				}
				time.Sleep(tc.wait)
				synctest.Wait()
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("the last of %s was told (-want +got):\n%s", tc.calls, diff)
				}
				for _, c := range calls {
					c.cancel(nil)
					c.Leave()
					close(c.done)
				}
				checkIdle(t, q)
			})
		})
	}
}

// A call has run since it was let in, not since it came; and who was let in
// just now waits for nobody, not for itself.
func TestWaitingForALateStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := order.New(order.Options{})
		first, second := begin(t, q, false, parse("x")), begin(t, q, false, parse("x"))
		time.Sleep(5 * time.Second)
		finish(first)
		third := begin(t, q, false, parse("s"))
		time.Sleep(time.Second)
		if h, ok := third.Holder(); !ok || told(h) != "x runs 1s" {
			t.Errorf("the third waits for %s, %t; want x runs 1s", told(h), ok)
		}
		if h, ok := second.Holder(); ok {
			t.Errorf("the second waits for %s, and runs", told(h))
		}
		finish(second)
		finish(third)
	})
}
