package contract_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/ledger"
	"raw/contract/order"
)

// diary writes down what happens and when, in seconds of the bubble.
type diary struct {
	begin time.Time

	mu    sync.Mutex
	lines []string
	last  time.Time
}

func (d *diary) note(format string, a ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%g ", time.Since(d.begin).Seconds())+fmt.Sprintf(format, a...))
	// In the same instant, anything may come first.
	if now := time.Now(); now.Equal(d.last) {
		if n := len(d.lines); d.lines[n-1] < d.lines[n-2] {
			d.lines[n-1], d.lines[n-2] = d.lines[n-2], d.lines[n-1]
		}
	} else {
		d.last = now
	}
}

// check lets a minute pass.
func (d *diary) check(t *testing.T, what string, want ...string) {
	t.Helper()
	time.Sleep(time.Minute)
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.lines); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// sleeper is a tool that takes three seconds.
func sleeper(d *diary, name string, class contract.Class, certs order.Certs) contract.Tool {
	tool := plainTool(name, class, func(ctx context.Context, c *contract.Call) contract.Result {
		d.note("%s starts", c.ID)
		time.Sleep(3 * time.Second)
		return contract.Succeeded("done")
	})
	tool.Certs = certs
	return tool
}

// TestOrder accepts calls a tenth of a second apart and says when each starts.
func TestOrder(t *testing.T) {
	shared := order.Certs{Shared: true}
	for _, tc := range []struct {
		name    string
		options contract.Options
		calls   string // name@lane
		want    []string
	}{
		{name: "exclusive", calls: "write write", want: []string{"0 0 starts", "3 1 starts"}},
		{name: "shared", calls: "read read write read", want: []string{"0 0 starts", "0.1 1 starts", "3.1 2 starts", "6.1 3 starts"}},
		{name: "lanes", calls: "write write@b", want: []string{"0 0 starts", "0.1 1 starts"}},
		{name: "no barrier", calls: "write write", options: contract.Options{NoBarrier: true}, want: []string{"0 0 starts", "0.1 1 starts"}},
		{name: "slots", calls: "read read read", options: contract.Options{Running: 2}, want: []string{"0 0 starts", "0.1 1 starts", "3 2 starts"}},
		{name: "behind a question", calls: "read ask read", want: []string{"0 0 starts", "0.1 ask", "5.1 1 starts", "8.1 2 starts"}},
		{name: "two questions", calls: "ask ask", want: []string{"0 ask", "5 0 starts", "5 ask", "10 1 starts"}},
		{name: "a question of another lane", calls: "ask@b read", want: []string{"0 ask", "0.1 1 starts", "5 0 starts"}},
		{name: "a refused call", calls: "nothing invalid write", want: []string{"0.2 2 starts"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{begin: time.Now()}
				o := tc.options
				o.Tools = []contract.Tool{
					sleeper(d, "write", contract.ClassWrite, order.Certs{}), sleeper(d, "read", contract.ClassRead, shared),
					sleeper(d, "ask", contract.ClassNetwork, order.Certs{}),
					pathTool("invalid", contract.ClassWrite, nil),
				}
				o.Baseline = []string{string(contract.ClassNetwork)}
				o.Surface.Approve = func(context.Context, contract.Approval) (contract.Answer, error) {
					d.note("ask")
					time.Sleep(5 * time.Second)
					return contract.AllowOnce, nil
				}
				s, err := contract.Open(o)
				if err != nil {
					t.Fatal(err)
				}
				for i, spec := range strings.Fields(tc.calls) {
					name, lane, _ := strings.Cut(spec, "@")
					ticket := s.Accept(contract.Request{Name: name, Lane: lane, ID: fmt.Sprint(i)})
					go ticket.Run(t.Context())
					time.Sleep(100 * time.Millisecond)
				}
				d.check(t, tc.calls, tc.want...)
			})
		})
	}
}

// A parked call lets those behind it go on, and comes back behind them.
func TestParkedApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{begin: time.Now()}
		o := contract.Options{
			Tools: []contract.Tool{
				sleeper(d, "write", contract.ClassWrite, order.Certs{}), sleeper(d, "ask", contract.ClassNetwork, order.Certs{}),
			},
			Baseline: []string{string(contract.ClassNetwork)},
		}
		o.Surface.Approve = func(_ context.Context, a contract.Approval) (contract.Answer, error) {
			a.Park()
			time.Sleep(2 * time.Second)
			a.Requeue()
			return contract.AllowOnce, nil
		}
		s, err := contract.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"ask", "write", "write"} {
			ticket := s.Accept(contract.Request{Name: name, ID: fmt.Sprint(i)})
			go ticket.Run(t.Context())
		}
		d.check(t, "with the first call parked", "0 1 starts", "3 2 starts", "6 0 starts")
	})
}

// A handler that waits for somebody holds up nobody.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{begin: time.Now()}
		s, err := contract.Open(contract.Options{Running: 1, Tools: []contract.Tool{
			sleeper(d, "write", contract.ClassWrite, order.Certs{}),
			plainTool("question", contract.ClassSession, func(ctx context.Context, c *contract.Call) contract.Result {
				if err := c.Yield(ctx, func(context.Context) { time.Sleep(time.Second) }); err != nil {
					return contract.Failed(contract.CodeAborted, err.Error())
				}
				d.note("the question goes on")
				return contract.Succeeded("done")
			}),
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"question", "write"} {
			ticket := s.Accept(contract.Request{Name: name, ID: name})
			go ticket.Run(t.Context())
		}
		d.check(t, "a call behind one that yields", "0 write starts", "3 the question goes on")
	})
}

// A call that waits says for what, before its result; one that does not wait
// says nothing.
func TestWaitingIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{begin: time.Now()}
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{
				sleeper(d, "write", contract.ClassWrite, order.Certs{}), sleeper(d, "ask", contract.ClassNetwork, order.Certs{}),
			},
			Baseline: []string{string(contract.ClassNetwork)},
			Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) {
				time.Sleep(5 * time.Second)
				return contract.RejectOnce, nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"ask", "write", "write"} {
			ticket := s.Accept(contract.Request{Name: name, ID: fmt.Sprint(i), Progress: func(p contract.Progress) { d.note("%d: %s", i, p.Message) }})
			go ticket.Run(t.Context())
			time.Sleep(500 * time.Millisecond)
		}
		d.check(t, "progress",
			"1.5 1: waiting for ask (being decided 1 s)",
			"2 2: waiting for ask (being decided 2 s)",
			"5 1 starts",
			"6 2: waiting for write (running 1 s)", // the last one, at the barrier
			"8 2 starts",
		)
	})
}

// starts is a journal of what was started.
type starts struct{ list []ledger.Start }

func (j *starts) Started(s ledger.Start) (string, error) {
	j.list = append(j.list, s)
	return "ex-1", nil
}
func (j *starts) Settled(string, ledger.Receipt) error { return nil }
func (j *starts) Note(ledger.Event) error              { return nil }

// A voided turn leaves the starts of precommitSafe calls, marked as drafts.
func TestVoidedTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, j, asked := &diary{begin: time.Now()}, &starts{}, false
		s, err := contract.Open(contract.Options{
			Tools: []contract.Tool{
				sleeper(d, "read", contract.ClassRead, order.Certs{Shared: true, PrecommitSafe: true}),
				sleeper(d, "write", contract.ClassWrite, order.Certs{}), sleeper(d, "ask", contract.ClassNetwork, order.Certs{}),
			},
			Baseline: []string{string(contract.ClassNetwork)}, Journal: j,
			Surface: contract.Surface{Approve: func(context.Context, contract.Approval) (contract.Answer, error) {
				asked = true
				return contract.AllowOnce, nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		turn := order.NewTurn()
		for _, name := range []string{"read", "write", "ask"} {
			ticket := s.Accept(contract.Request{Name: name, ID: name, Turn: turn})
			go func() { d.note("%s: %s", name, textOf(ticket.Run(t.Context()))) }()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		turn.Void()
		d.check(t, "a voided turn",
			"0 read starts",
			"1 ask: the turn of ask was taken back before it started; nothing was done\n[aborted]",
			"1 write: the turn of write was taken back before it started; nothing was done\n[aborted]",
			"3 read: done",
		)
		if len(j.list) != 1 || j.list[0].Name != "read" || !j.list[0].Draft || asked {
			t.Errorf("started %+v, asked %t; want the read only, as a draft, and nobody asked", j.list, asked)
		}
	})
}

// slow is a workspace that takes five seconds to come.
type slow struct{ *world }

func (w slow) Workspace(ctx context.Context) (*contract.Workspace, error) {
	time.Sleep(5 * time.Second)
	return w.world.Workspace(ctx)
}

// Explain takes no place: nobody waits for it.
func TestExplainTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{begin: time.Now()}
		s, err := contract.Open(contract.Options{Workspace: slow{newWorld()}, Tools: []contract.Tool{
			pathTool("edit", contract.ClassWrite, nil), sleeper(d, "write", contract.ClassWrite, order.Certs{}),
		}})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			e := s.Explain(t.Context(), contract.Request{Name: "edit", Arguments: []byte(`{"path":"a"}`)})
			d.note("edit %s", e.Verdict)
		}()
		synctest.Wait()
		s.Call(t.Context(), contract.Request{Name: "write", ID: "write"})
		d.check(t, "a call behind an explanation", "0 write starts", "5 edit would run")
	})
}
