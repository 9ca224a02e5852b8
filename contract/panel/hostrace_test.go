package panel

import (
	"fmt"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestCallsAtOnce has calls add entries to one panel at once, each several of
// them, while others read: no entry is lost, and the revision counts them all.
func TestCallsAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	const calls, updates = 24, 6
	for range 10 {
		h := NewHost(Options{Frame: func(f Frame) { _ = f.JSON() }})
		o := owns("local/spec", "p")
		made(t, h, o, holds("p"))
		var all sync.WaitGroup
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						_, _, _ = h.Since(0)
						_, _ = h.States(), h.Reminders()
						_, _ = h.Lookup("local/spec#p")
					}
				}
			})
		}
		for i := range calls {
			all.Go(func() {
				c := h.Begin(o, "")
				var within sync.WaitGroup
				for n := range updates {
					within.Go(func() {
						if _, err := c.Update(upserts("p", fmt.Sprint("k", (i*updates+n)%50), fmt.Sprint(i))); err != nil {
							t.Error(err)
						}
						_, _ = c.Get("p")
					})
				}
				within.Wait()
				if s := c.Settle(); len(s.Rejected) > 0 || len(s.Committed) != 1 {
					t.Errorf("Settle = %+v", s)
				}
			})
		}
		all.Wait()
		close(stop)
		readers.Wait()
		s, _ := h.Lookup("local/spec#p")
		b, _ := s.Document.Block("b")
		if n := b.Field("entries").Len(); s.Revision != 1+calls*updates || n != 50 {
			t.Errorf("revision %d with %d entries, want %d with 50", s.Revision, n, 1+calls*updates)
		}
		h.Close()
	}
}

// TestUpdateAgainstSettle lets a handler write on while its call settles: each
// update is either committed or refused as too late.
func TestUpdateAgainstSettle(t *testing.T) {
	defer goleak.VerifyNone(t)
	for range 300 {
		h := NewHost(Options{})
		c := h.Begin(owns("local/spec", "p"), "")
		counted, began := 0, make(chan struct{})
		var writing sync.WaitGroup
		writing.Go(func() {
			for {
				n, err := c.Update(replaces("p", "T"))
				if err != nil {
					if err.Code != CodeClosedContext && err.Code != CodeRateLimited {
						t.Error(err)
					}
					return
				}
				if counted = n; n == 20 {
					close(began)
				}
			}
		})
		<-began
		c.Settle()
		writing.Wait()
		if s, _ := h.Lookup("local/spec#p"); s.Revision != counted {
			t.Fatalf("the panel is at revision %d, and %d updates were accepted", s.Revision, counted)
		}
	}
}
