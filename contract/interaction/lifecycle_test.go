package interaction

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// TestDeadline has nobody answer, and somebody answer just in time.
func TestDeadline(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, timeout := range []time.Duration{0, time.Millisecond, time.Hour, MaxTimeout} {
		synctest.Test(t, func(t *testing.T) {
			d := NewDesk(Options{})
			r := asks(t)
			r.Timeout = timeout
			late, intime := open(t, d, r), open(t, d, r)
			began, want := time.Now(), timeout
			if want == 0 {
				want = 30 * time.Minute
			}
			if v := late.View(); !v.Deadline.Equal(began.Add(want)) || !v.Asked.Equal(began) {
				t.Errorf("asked at %s until %s, want %s for %s", v.Asked, v.Deadline, began, want)
			}
			time.Sleep(want - 1)
			synctest.Wait()
			if n := len(d.Pending()); n != 2 {
				t.Fatalf("just before the deadline %d questions pend, want 2", n)
			}
			if _, err := d.Submit(answered(t, intime.View().ID, "", `{"a":"x"}`)); err != nil {
				t.Error(err)
			}
			if intime.timer.Stop() {
				t.Error("the clock of an answered question runs on")
			}
			<-late.Done()
			if took := time.Since(began); took != want {
				t.Errorf("it expired after %s, want %s", took, want)
			}
			reason := fmt.Sprintf(`{"status":"expired","reason":"nobody answered within %s"}`, want)
			if got := late.Outcome().JSON(); got != reason {
				t.Errorf("the outcome is %s, want %s", got, reason)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := intime.Outcome().State; got != StateAnswered {
				t.Errorf("an answered question is %s after its deadline", got)
			}
			if v, err := d.Submit(answered(t, late.View().ID, "", `{"a":"x"}`)); codeOf(err) != "interaction_conflict" || v.State != StateExpired {
				t.Errorf("an answer after the deadline: %s, %v", v.State, err)
			}
		})
	}
}

// TestOneTransition lets answers, cancellations, ends, an interruption and the
// deadline race: exactly one wins, is recorded once, told once after that, and is
// what everybody sees from then on.
func TestOneTransition(t *testing.T) {
	defer goleak.VerifyNone(t)
	won := map[State]int{}
	for seed := range uint64(400) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			var mu sync.Mutex
			var log []string
			note := func(what string, v View) {
				mu.Lock()
				defer mu.Unlock()
				log = append(log, fmt.Sprint(what, " ", v.State, v.Revision))
			}
			d := NewDesk(Options{
				Record: func(v View, o Outcome) error {
					if v.State != o.State {
						t.Errorf("recorded a question that is %s with an outcome that is %s", v.State, o.State)
					}
					note("record", v)
					return nil
				},
				Changed: func(v View) { note("changed", v) },
			})
			request := asks(t)
			request.Timeout = 3 // of the clock's least steps
			q := open(t, d, request)
			id := q.View().ID
			var wins atomic.Int32
			var winner atomic.Value
			win := func(s State) { wins.Add(1); winner.Store(s) }
			var tries sync.WaitGroup
			for i := range 2 + r.IntN(6) {
				what, pause := r.IntN(8), time.Duration(r.IntN(5))
				tries.Go(func() {
					time.Sleep(pause)
					key := fmt.Sprint("k", i)
					switch what {
					case 0, 1, 2:
						if v, err := d.Submit(answered(t, id, key, `{"a":"`+key+`"}`)); err == nil {
							win(StateAnswered)
							if got := q.Outcome(); v.State != StateAnswered || got.By != key {
								t.Errorf("answer %s was accepted, and the outcome is %s by %s", key, got.JSON(), got.By)
							}
						} else if codeOf(err) != "interaction_conflict" {
							t.Error(err)
						}
					case 3:
						if _, err := d.Submit(answered(t, id, key, `{"b":1}`)); codeOf(err) == "" {
							t.Error("an invalid answer was accepted")
						}
					case 4:
						if _, err := d.Submit(Submission{ID: id, ExpectedRevision: 1, Key: key, Reply: Reply{Cancel: true}}); err == nil {
							win(StateCancelled)
						}
					case 5, 6:
						state := []State{StateCancelled, StateExpired, StateInterrupted}[i%3]
						if q.End(state, "") {
							win(state)
						}
					case 7:
						d.Interrupt("over")
						if q.View().State == StatePending {
							t.Error("a question pends after the interruption")
						}
					}
				})
			}
			<-q.Done()
			first := q.Outcome()
			tries.Wait()
			time.Sleep(time.Second)
			synctest.Wait()
			// The deadline and the interruption tell nobody that they won.
			byItself := first.Reason == "nobody answered within 0s" || first.Reason == "over"
			if n := wins.Load(); byItself && n != 0 || !byItself && (n != 1 || winner.Load() != first.State) {
				t.Errorf("seed %d: %d won, the last %v; the outcome is %s", seed, n, winner.Load(), first.JSON())
			}
			if last := q.Outcome(); last.JSON() != first.JSON() || q.View().State != first.State || q.View().Revision != 2 {
				t.Errorf("seed %d: the outcome was %s, then %s", seed, first.JSON(), last.JSON())
			}
			want := fmt.Sprintf("[record pending1 changed pending1 record %s2 changed %s2]", first.State, first.State)
			if got := fmt.Sprint(log); got != want {
				t.Errorf("seed %d: %s, want %s", seed, got, want)
			}
			if byItself {
				won[first.State+" by itself"]++
			}
			won[first.State]++
		})
	}
	for _, s := range []State{StateAnswered, StateCancelled, StateExpired, StateInterrupted, StateExpired + " by itself", StateInterrupted + " by itself"} {
		if won[s] < 10 {
			t.Errorf("%s won %d times; want all ends to win: %v", s, won[s], won)
		}
	}
}

// TestSameAnswerAtOnce hands one answer in many times: all of them hear that it
// was accepted, and it is recorded once.
func TestSameAnswerAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	for range 50 {
		var records atomic.Int32
		d := NewDesk(Options{Record: func(View, Outcome) error { records.Add(1); return nil }})
		id := open(t, d, asks(t)).View().ID
		same := answered(t, id, "k", `{"a":"x"}`)
		var tries sync.WaitGroup
		for range 8 {
			tries.Go(func() {
				if v, err := d.Submit(same); err != nil || v.State != StateAnswered {
					t.Errorf("Submit = %+v, %v", v, err)
				}
			})
		}
		tries.Wait()
		if n := records.Load(); n != 2 {
			t.Errorf("%d records, want the question and the answer", n)
		}
	}
}

// TestInterruptWhileRecording ends a question that was about to be put.
func TestInterruptWhileRecording(t *testing.T) {
	defer goleak.VerifyNone(t)
	var d *Desk
	var told []State
	d = NewDesk(Options{
		Record: func(v View, _ Outcome) error {
			if v.State == StatePending {
				d.Interrupt("over")
			}
			return nil
		},
		Changed: func(v View) { told = append(told, v.State) },
	})
	q := open(t, d, asks(t))
	<-q.Done()
	if got := fmt.Sprint(q.Outcome().State, told); got != "interrupted[pending interrupted]" {
		t.Errorf("the outcome and what was told: %s", got)
	}
}

// TestInterruptWhileOpening leaves no question pending, whichever comes first.
func TestInterruptWhileOpening(t *testing.T) {
	defer goleak.VerifyNone(t)
	refused, ended := 0, 0
	for range 300 {
		d := NewDesk(Options{})
		questions := make([]*Question, 4)
		var all sync.WaitGroup
		for i := range questions {
			request := asks(t)
			all.Go(func() { questions[i], _ = d.Open(request) })
		}
		all.Go(func() { d.Interrupt("over") })
		all.Wait()
		for _, q := range questions {
			if q == nil {
				refused++
				continue
			}
			ended++
			<-q.Done()
			if got := q.Outcome().State; got != StateInterrupted {
				t.Errorf("a question is %s after the interruption", got)
			}
		}
		if n := len(d.Pending()); n > 0 {
			t.Fatalf("%d questions pend after the interruption", n)
		}
	}
	t.Logf("%d were refused, %d ended", refused, ended)
}
