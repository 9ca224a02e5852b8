package panel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// screen keeps the frames that it gets, with their time.
type screen struct {
	began time.Time
	mu    sync.Mutex
	lines []string
	all   []Frame
	at    []time.Duration
}

func (s *screen) frame(f Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Since(s.began)
	line := fmt.Sprintf("%d %s", at.Milliseconds(), glance(f.State))
	if f.Live {
		line += " live"
	}
	s.lines, s.all, s.at = append(s.lines, line), append(s.all, f), append(s.at, at)
}

// told are the frames since the last time.
func (s *screen) told() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.lines, ", ")
	s.lines = nil
	return text
}

// TestFrames plays calls against the clock.
func TestFrames(t *testing.T) {
	defer goleak.VerifyNone(t)
	type stage struct {
		h    *Host
		a, b *Call
	}
	set := func(c *Call, panel, title string) { _, _ = c.Update(replaces(panel, title)) }
	for _, tc := range []struct {
		name string
		at   []int // ms
		do   []func(*stage)
		want string
	}{
		{
			"one",
			[]int{0},
			[]func(*stage){func(s *stage) { set(s.a, "p", "1") }},
			"0 p 1 1 live",
		},
		{
			"the latest wins",
			[]int{0, 10, 20, 249, 300},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { set(s.a, "p", "2") },
				func(s *stage) { set(s.a, "p", "3") },
				func(s *stage) { set(s.a, "p", "4") },
				func(s *stage) { set(s.a, "p", "5") },
			},
			"0 p 1 1 live, 250 p 4 4 live, 500 p 5 5 live",
		},
		{
			"slow ones go at once",
			[]int{0, 300, 700},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { set(s.a, "p", "2") },
				func(s *stage) { set(s.a, "p", "3") },
			},
			"0 p 1 1 live, 300 p 2 2 live, 700 p 3 3 live",
		},
		{
			"the last one at once",
			[]int{0, 10, 20},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { set(s.a, "p", "2") },
				func(s *stage) { s.a.Settle() },
			},
			"0 p 1 1 live, 20 p 2 2",
		},
		{
			"the last one also when all was shown",
			[]int{0, 900},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { s.a.Settle() },
			},
			"0 p 1 1 live, 900 p 1 1",
		},
		{
			"after the last one the pace is kept",
			[]int{0, 20, 30, 40},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { s.a.Settle() },
				func(s *stage) { set(s.b, "p", "2") },
				func(s *stage) { set(s.b, "p", "3") },
			},
			"0 p 1 1 live, 20 p 1 1, 250 p 3 3 live",
		},
		{
			"panels apart",
			[]int{0, 10, 20, 30},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { set(s.a, "q", "1") },
				func(s *stage) { set(s.a, "q", "2") },
				func(s *stage) { set(s.a, "p", "2") },
			},
			"0 p 1 1 live, 10 q 1 1 live, 250 p 2 2 live, 260 q 2 2 live",
		},
		{
			"last ones in the order of their first update",
			[]int{0, 10, 20},
			[]func(*stage){
				func(s *stage) { set(s.a, "q", "1") },
				func(s *stage) { set(s.a, "p", "1"); set(s.a, "q", "2") },
				func(s *stage) { s.a.Settle() },
			},
			"0 q 1 1 live, 10 p 1 1 live, 20 q 2 2, 20 p 1 1",
		},
		{
			"views of calls apart",
			[]int{0, 10, 20, 30},
			[]func(*stage){
				func(s *stage) { set(s.a, "v", "1") },
				func(s *stage) { set(s.b, "v", "1") },
				func(s *stage) { set(s.a, "v", "2") },
				func(s *stage) { s.b.Settle() },
			},
			"0 v 1 1 live, 10 v 1 1 live, 30 v 1 1, 250 v 2 2 live",
		},
		{
			"two calls share the pace of a panel",
			[]int{0, 10, 20},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "A") },
				func(s *stage) { set(s.b, "p", "B") },
				func(s *stage) { set(s.a, "p", "AA") },
			},
			"0 p 1 A live, 250 p 2 AA live",
		},
		{
			"rejected ones are not shown",
			[]int{0, 10},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { _, _ = s.a.Update(basedOn(9, replaces("p", "2"))); set(s.a, "zz", "2") },
			},
			"0 p 1 1 live",
		},
		{
			"a refused call is taken back",
			[]int{0, 10, 20, 30, 40},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "A") },
				func(s *stage) { set(s.b, "p", "B") },
				func(s *stage) { _, _ = s.b.Update(basedOn(1, replaces("p", "BB"))); set(s.b, "q", "B") },
				func(s *stage) { s.a.Settle() },
				func(s *stage) { s.b.Settle() },
			},
			"0 p 1 A live, 20 q 1 B live, 30 p 1 A, 40 q 0 ",
		},
		{
			"what was live over the committed is taken back",
			[]int{0, 10, 300, 310},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "A"); _, _ = s.b.Update(replaces("p", "B")) },
				func(s *stage) { s.a.Settle() },
				func(s *stage) { _, _ = s.b.Update(basedOn(1, replaces("p", "BB"))) },
				func(s *stage) { s.b.Settle() },
			},
			"0 p 1 A live, 10 p 1 A, 300 p 2 BB live, 310 p 1 A",
		},
		{
			"nothing after Close",
			[]int{0, 10, 20, 400},
			[]func(*stage){
				func(s *stage) { set(s.a, "p", "1") },
				func(s *stage) { set(s.a, "p", "2") },
				func(s *stage) { s.h.Close(); s.h.Close() },
				func(s *stage) { set(s.a, "p", "3"); s.a.Settle(); set(s.b, "p", "4") },
			},
			"0 p 1 1 live",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &screen{began: time.Now()}
				s := &stage{h: NewHost(Options{Frame: out.frame})}
				o := owns("local/spec", "p", "q")
				o.Declared = append(o.Declared, inChat(owns("", "v")).Declared...)
				s.a, s.b = s.h.Begin(o, "a"), s.h.Begin(o, "b")
				for i, do := range tc.do {
					time.Sleep(time.Until(out.began.Add(time.Duration(tc.at[i]) * time.Millisecond)))
					do(s)
				}
				time.Sleep(time.Minute)
				if got := out.told(); got != tc.want {
					t.Errorf("frames:\n%s\nwant\n%s", got, tc.want)
				}
			})
		})
	}
}

// TestFrameReads lets a surface read the host while it gets a frame: what it finds
// is that state or a later one.
func TestFrameReads(t *testing.T) {
	var h *Host
	var reads []string
	h = NewHost(Options{Frame: func(f Frame) {
		s, _ := h.Lookup(f.ID)
		changed, _, _ := h.Since(f.Seq - 1)
		reads = append(reads, glance(s)+"; "+glances(changed)+"; "+glances(h.States()))
	}})
	defer h.Close()
	made(t, h, owns("local/spec", "p"), replaces("p", "T"))
	const want = "p 1 T; p 1 T; p 1 T"
	if !slices.Equal(reads, []string{want, want}) {
		t.Errorf("a surface reads %q, want %q twice", reads, want)
	}
}

// TestFrameOrder lets many calls change the same panels at once. Each panel's
// frames come in the order of its changes and at their pace, and the last one
// is what is committed.
func TestFrameOrder(t *testing.T) {
	defer goleak.VerifyNone(t)
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			out := &screen{began: time.Now()}
			h := NewHost(Options{Frame: out.frame})
			o := owns("local/spec", "p", "q", "r")
			var calls sync.WaitGroup
			for i := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, i))
				calls.Go(func() {
					time.Sleep(time.Duration(r.IntN(3)) * 200 * time.Millisecond)
					c := h.Begin(o, "")
					for n := range 1 + r.IntN(9) {
						u := replaces([]string{"p", "q", "r"}[r.IntN(3)], fmt.Sprint(i, " ", n))
						if r.IntN(9) == 0 {
							u = basedOn(1+r.IntN(4), u)
						}
						_, _ = c.Update(u)
						time.Sleep(time.Duration(r.IntN(3)) * 100 * time.Millisecond)
					}
					c.Settle()
				})
			}
			calls.Wait()
			time.Sleep(time.Minute)
			synctest.Wait()
			seq, live, last := map[string]uint64{}, map[string]time.Duration{}, map[string]Frame{}
			for i, f := range out.all {
				if f.Seq <= seq[f.ID] {
					t.Fatalf("seed %d: frame %s has place %d after %d", seed, glance(f.State), f.Seq, seq[f.ID])
				}
				seq[f.ID], last[f.ID] = f.Seq, f
				if before, ok := live[f.ID]; f.Live && ok && out.at[i]-before < frameEvery {
					t.Fatalf("seed %d: live frames of %s at %s and %s", seed, f.ID, before, out.at[i])
				}
				if f.Live {
					live[f.ID] = out.at[i]
				}
			}
			for _, s := range h.States() {
				if f := last[s.ID]; f.Live || glance(f.State) != glance(s) || f.Seq != s.Seq {
					t.Errorf("seed %d: the last frame is %s (live: %t), and the panel %s", seed, glance(f.State), f.Live, glance(s))
				}
			}
			h.Close()
		})
	}
}

// TestCloseWaits lets no frame be on its way when Close has returned.
func TestCloseWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	for range 200 {
		var mu sync.Mutex
		closed, late := false, 0
		h := NewHost(Options{Frame: func(Frame) {
			mu.Lock()
			defer mu.Unlock()
			if closed {
				late++
			}
		}})
		c := h.Begin(owns("local/spec", "p"), "")
		var both sync.WaitGroup
		both.Go(func() {
			for i := range 5 {
				_, _ = c.Update(replaces("p", fmt.Sprint(i)))
			}
			c.Settle()
		})
		both.Go(func() {
			h.Close()
			mu.Lock()
			closed = true
			mu.Unlock()
		})
		both.Wait()
		if late > 0 {
			t.Fatalf("%d frames after Close", late)
		}
	}
}
