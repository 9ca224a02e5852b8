package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
	"raw/internal/proc/termtext"
)

// choices are the answers to an approval, as its form names them.
var choices = [...]struct {
	name, title string
	answer      contract.Answer
	session     bool
}{
	{"allow_once", "Allow once", contract.AllowOnce, false},
	{"allow_session", "Allow for this session", contract.AllowSession, true},
	{"reject_once", "Reject", contract.RejectOnce, false},
	{"reject_session", "Reject for this session", contract.RejectSession, true},
}

// elicits reports whether a client that declared c can show a form.
func elicits(c *mcp.ClientCapabilities) bool {
	// A client of an early revision declares an empty object, and means forms.
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// elicitation is an approval as the parameters of elicitation/create. Clients
// older than 2025-11-25 know titled choices in another form only.
func elicitation(a contract.Approval, titled bool) map[string]any {
	var names, titles []string
	var options []map[string]string
	for _, c := range choices {
		if c.session && a.Scope == "" {
			continue
		}
		title := c.title
		if c.session {
			title += ": " + shown(a.Scope)
		}
		names, titles = append(names, c.name), append(titles, title)
		options = append(options, map[string]string{"const": c.name, "title": title})
	}
	decision := map[string]any{"type": "string", "title": "Decision"}
	if titled {
		decision["oneOf"] = options
	} else {
		decision["enum"], decision["enumNames"] = names, titles
	}
	return map[string]any{
		"mode":    "form",
		"message": shown(a.Question()),
		"requestedSchema": map[string]any{
			"type": "object", "required": []string{"decision"}, "properties": map[string]any{"decision": decision},
		},
	}
}

// shown is text that a terminal may print: nothing in it moves a cursor or
// hides what was written.
func shown(s string) string {
	text, _ := termtext.Plain([]byte(s))
	return text
}

// decided reads the answer to an elicitation.
func decided(body json.RawMessage) (contract.Answer, error) {
	var res struct {
		Action  string `json:"action"`
		Content struct {
			Decision string `json:"decision"`
		} `json:"content"`
	}
	if err := json.Unmarshal(body, &res); err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
	}
	switch res.Action {
	case string(mcp.ElicitationResponseActionDecline):
		return contract.RejectOnce, nil
	case string(mcp.ElicitationResponseActionCancel):
		return contract.Dismissed, nil
	case string(mcp.ElicitationResponseActionAccept):
		for _, c := range choices {
			if c.name == res.Content.Decision {
				return c.answer, nil
			}
		}
		return 0, fmt.Errorf("read the answer: decision %q is none of the choices", res.Content.Decision)
	}
	return 0, fmt.Errorf("read the answer: unknown action %q", res.Action)
}

// elicit asks the person in the old era, by a request of the server.
func (c *conn) elicit(ctx context.Context, a contract.Approval) (contract.Answer, error) {
	capabilities := c.core.session.GetClientCapabilities()
	version := c.core.session.ProtocolVersion()
	if version == "" || !elicits(&capabilities) {
		return 0, contract.ErrNobody
	}
	params := elicitation(a, version >= mcp.ProtocolVersion20251125)
	if version < mcp.ProtocolVersion20251125 {
		delete(params, "mode")
	}
	body, err := c.ask(ctx, string(mcp.MethodElicitationCreate), params)
	if err != nil {
		return 0, err
	}
	return decided(body)
}

// errUnknownState says that a parked call cannot be picked up.
var errUnknownState = errors.New("this requestState is unknown, used up or too old; make the call again without it")
