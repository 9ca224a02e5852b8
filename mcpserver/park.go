package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
)

// In the era without a handshake the server sends no requests. A call that has
// to ask is parked: its request is answered with the question and a handle, and
// the retry that brings both the handle and the answer picks it up. It is never
// run a second time (MCP.md §2).

// visit is one call, over all requests that it takes.
type visit struct {
	name      string
	arguments string // as sent first; a retry must send the same
	able      bool   // the client of the first request can show a form

	cancel context.CancelFunc
	asks   chan *parkedAsk
	done   chan contract.Result // holds one
	ended  atomic.Bool          // done has it
}

// parkedAsk is a question that waits for a retry.
type parkedAsk struct {
	key    string               // in the result that asks
	params map[string]any       // of elicitation/create
	answer chan json.RawMessage // holds one

	// park takes the call out of the queue once its question is on the way, and
	// requeue back in when the answer arrives. Nil: the core does so itself.
	park, requeue func()
}

// approve asks the person behind the visit. It waits for the retry or for ctx.
func (v *visit) approve(ctx context.Context, a contract.Approval) (contract.Answer, error) {
	if !v.able {
		return 0, contract.ErrNobody
	}
	body, err := v.parked(ctx, &parkedAsk{
		key: approvalKey, params: elicitation(a, true), answer: make(chan json.RawMessage, 1), park: a.Park, requeue: a.Requeue,
	})
	if err != nil {
		return 0, err
	}
	return decided(body)
}

// parked has q answered by a retry.
func (v *visit) parked(ctx context.Context, q *parkedAsk) (json.RawMessage, error) {
	select {
	case v.asks <- q:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case body := <-q.answer:
		return body, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// parking holds the calls that wait for a retry, by their handles.
type parking struct {
	mu     sync.Mutex
	parked map[string]*parkedVisit
}

type parkedVisit struct {
	*visit
	ask *parkedAsk
}

// maxParked bounds the calls that wait for a retry.
const maxParked = 64

// park gives a waiting question a handle; false when too many wait.
func (p *parking) park(v *visit, q *parkedAsk) (handle string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.parked) >= maxParked {
		maps.DeleteFunc(p.parked, func(_ string, v *parkedVisit) bool { return v.ended.Load() })
	}
	if len(p.parked) >= maxParked {
		return "", false
	}
	if p.parked == nil {
		p.parked = map[string]*parkedVisit{}
	}
	handle = rand.Text() // 130 bits
	p.parked[handle] = &parkedVisit{v, q}
	return handle, true
}

// take gives a handle's call back, once.
func (p *parking) take(handle string) *parkedVisit {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.parked[handle]
	delete(p.parked, handle)
	return v
}

// cancelAll ends every call that waits for a retry: none will come.
func (p *parking) cancelAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.parked {
		v.cancel()
	}
}

// visitCall starts a call of the new era. The reader calls it.
func (c *conn) visitCall(ctx context.Context, p callParams, m callMeta, r contract.Request) func(context.Context) answer {
	v := &visit{
		name: p.Name, arguments: string(p.Arguments), able: elicits(m.capabilities()),
		asks: make(chan *parkedAsk), done: make(chan contract.Result, 1),
	}
	ctx, v.cancel = context.WithCancel(ctx)
	r.Approve, r.Asker = v.approve, c.asker(m, v.question)
	ticket := c.session.Accept(r)
	c.start(func() {
		defer v.cancel()
		v.done <- c.outcome(ctx, ticket.Run(ctx), r, m)
		v.ended.Store(true) // a retry that comes late gets what it came to
	})
	return func(ctx context.Context) answer { return c.await(ctx, v) }
}

// retry goes on with a parked call. The reader calls it.
func (c *conn) retry(p callParams) func(context.Context) answer {
	parked := c.parking.take(p.State)
	if parked != nil && parked.ask.requeue != nil {
		parked.ask.requeue()
	}
	return func(ctx context.Context) answer { return c.retried(ctx, p, parked) }
}

// retried picks a parked call up with the answer that it waits for.
func (c *conn) retried(ctx context.Context, p callParams, parked *parkedVisit) answer {
	if parked == nil {
		return answer{fault: &wireError{codeInvalidParams, errUnknownState.Error()}}
	}
	if parked.name != p.Name || parked.arguments != string(p.Arguments) {
		parked.cancel()
		return answer{fault: &wireError{codeInvalidParams, "the retry is another call than the one that asked; nothing was run"}}
	}
	body := p.Responses[parked.ask.key]
	if body == nil {
		body = json.RawMessage(`{"action":"cancel"}`)
	}
	parked.ask.answer <- body
	return c.await(ctx, parked.visit)
}

// These name what is asked in a result that asks.
const (
	approvalKey = "approval"
	questionKey = "question"
)

// await waits until the call has ended or asks. A cancelled request cancels
// the call.
func (c *conn) await(ctx context.Context, v *visit) answer {
	select {
	case res := <-v.done:
		return answer{result: encodeResult(res, c.core.stamp(true))}
	case q := <-v.asks:
		handle, ok := c.parking.park(v, q)
		if !ok {
			v.cancel()
			return answer{result: encodeResult(<-v.done, c.core.stamp(true))}
		}
		if q.park != nil {
			q.park()
		}
		return c.inputRequired(handle, q)
	case <-ctx.Done():
		v.cancel()
		return answer{result: encodeResult(<-v.done, c.core.stamp(true))}
	}
}

// inputRequired is the result that asks.
func (c *conn) inputRequired(handle string, q *parkedAsk) answer {
	body, err := encode(map[string]any{
		"resultType":    mcp.ResultTypeInputRequired,
		"requestState":  handle,
		"inputRequests": map[string]any{q.key: map[string]any{"method": mcp.MethodElicitationCreate, "params": q.params}},
		"_meta":         map[string]any{mcp.MetaKeyServerInfo: c.core.identity()},
	})
	if err != nil {
		return answer{fault: &wireError{codeInternal, "encode the question: " + err.Error()}}
	}
	return answer{result: body}
}
