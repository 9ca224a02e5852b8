package builtins

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strings"

	"raw/contract"
	"raw/contract/ledger"
	"raw/contract/order"
)

type recallInput struct {
	ID    string      `json:"id"`
	Query string      `json:"query"`
	Range *recallPart `json:"range"` // of lines
	Chars *recallPart `json:"chars"` // of characters
	After string      `json:"after"`
}

// recallPart is a part of a result, from 1; an End of zero is its end.
type recallPart struct {
	Start lineNumber `json:"start"`
	End   lineNumber `json:"end"`
}

func (p *recallPart) part() *ledger.Part {
	if p == nil {
		return nil
	}
	return &ledger.Part{Start: int(min(p.Start, math.MaxInt)), End: int(min(p.End, math.MaxInt))}
}

// recallTool returns what the ledger holds of this session's results. Those of
// other sessions come from other workspaces, and are for a person to read.
func recallTool(h Host) contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/recall",
		Name:     "recall",
		Title:    "Recall a result",
		Description: "Return results of this session again, whole, from its record. " +
			"id names an execution, as ex-12; range chooses its lines, chars its characters: start and end count from 1 and are included, no end is the end. " +
			"query (RE2) returns the lines that match, of one id or of all results; after ex-<n>:<line> goes on behind that line. " +
			"A page has at most 29,000 characters; if more is left, it ends with the call that returns it.",
		Snippet: "get back what was omitted from an earlier result",
		Class:   contract.ClassRead,
		Input: `{
			"type": "object", "additionalProperties": false,
			"properties": {
				"id": {"type": "string", "minLength": 1},
				"query": {"type": "string", "minLength": 1},
				"range": {
					"type": "object", "additionalProperties": false, "required": ["start"],
					"properties": {"start": {"type": "integer", "minimum": 1}, "end": {"type": "integer", "minimum": 1}}
				},
				"chars": {
					"type": "object", "additionalProperties": false, "required": ["start"],
					"properties": {"start": {"type": "integer", "minimum": 1}, "end": {"type": "integer", "minimum": 1}}
				},
				"after": {"type": "string", "minLength": 1}
			}
		}`,
		Idempotent: true,
		Deferred:   true,
		Certs:      order.Certs{Shared: true, PrecommitSafe: true},
	}, nil, h.recall)
}

func (h Host) recall(_ context.Context, c *contract.Call, in recallInput) contract.Result {
	if session, _, other := strings.Cut(in.ID, "/"); other && session != h.Session {
		return contract.FailedAs(contract.KindPrecondition, "recall "+visibleName(in.ID)+
			": only results of this session are returned; its ids are written ex-<n>")
	}
	text, err := h.Recall(ledger.Recall{
		Session: h.Session,
		Ask:     ledger.Ask{ID: in.ID, Query: in.Query, Range: in.Range.part(), Chars: in.Chars.part(), After: in.After},
		Budget:  c.Budget,
		Page:    c.Budget,
		Call:    func(arguments string) string { return c.Written("recall", arguments) },
	})
	if err != nil {
		return contract.FailedAs(recallKind(err), "recall: "+err.Error())
	}
	return contract.Succeeded(text)
}

// recallKind tells arguments that can never be right from what the ledger does
// not hold, or not any more.
func recallKind(err error) contract.Kind {
	_, lost := errors.AsType[*ledger.Fault](err)
	_, unread := errors.AsType[*fs.PathError](err)
	if lost || unread || errors.Is(err, ledger.ErrUnknown) {
		return contract.KindPrecondition
	}
	return contract.KindInvalidInput
}
