package panel

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxReceipt       = 1024 // bytes
	maxRejectedLines = 5
	maxLine          = 240 // bytes
	maxLabel         = 64  // bytes, of a panel's name in a line
)

// Receipt is the small durable record of what a call has made of a panel, or of
// an update that was rejected. Its JSON has at most 1 KiB.
type Receipt struct {
	Panel    string `json:"panel"` // full id, of a rejected update as in its Rejection
	Owner    string `json:"owner,omitempty"`
	Revision int    `json:"revision,omitempty"`
	Closed   bool   `json:"closed,omitempty"`
	Title    string `json:"title,omitempty"`
	Summary  string `json:"summary,omitempty"`
	Code     Code   `json:"code,omitempty"` // why it was rejected
	Message  string `json:"message,omitempty"`
	View     *View  `json:"view,omitempty"`
}

// JSON is the receipt as it is recorded.
func (r Receipt) JSON() json.RawMessage {
	body, err := json.Marshal(r)
	if err != nil {
		panic("panel: encode a receipt: " + err.Error()) // it holds strings and numbers only
	}
	return body
}

// fitted cuts summary, then title, then message, until the receipt is small
// enough. Ids are never cut; but a host's id of the call, which can have any
// length, goes as a whole when nothing else is left.
func (r Receipt) fitted() Receipt {
	for _, text := range []*string{&r.Summary, &r.Title, &r.Message} {
		for len(r.JSON()) > maxReceipt && *text != "" {
			*text = cutBytes(*text, len(*text)/2)
		}
	}
	if r.View != nil && len(r.JSON()) > maxReceipt {
		view := *r.View
		view.ToolCallID = ""
		r.View = &view
	}
	return r
}

// Receipts are the records of a call: one for each panel that it changed and for
// each panel of which an update was rejected.
func (s Settled) Receipts() []Receipt {
	var list []Receipt
	for _, c := range s.Committed {
		list = append(list, Receipt{
			Panel: c.ID, Owner: c.Owner, Revision: c.Revision, Closed: c.Closed, Title: c.title(), Summary: c.Document.Summary(), View: c.View,
		}.fitted())
	}
	seen := map[string]bool{}
	for _, r := range s.Rejected {
		if !seen[r.Panel] {
			seen[r.Panel] = true
			list = append(list, Receipt{Panel: r.Panel, Code: r.Err.Code, Message: r.Err.Message}.fitted())
		}
	}
	return list
}

// Lines confirm to the model what was committed, a line for each panel.
func (s Settled) Lines() []string {
	var lines []string
	for _, c := range s.Committed {
		lines = append(lines, fmt.Sprintf("panel %s updated (revision %d): %s", c.Panel, c.Revision, c.Document.Summary()))
	}
	return lines
}

// RejectionLines tell the model what was rejected: at most 5 lines of at most
// 240 bytes.
func (s Settled) RejectionLines() []string {
	var lines []string
	for _, r := range s.Rejected[:min(len(s.Rejected), maxRejectedLines)] {
		line := fmt.Sprintf("panel %s update rejected: %s %s", cutBytes(r.Panel, maxLabel), r.Err.Code, r.Err.Message)
		lines = append(lines, cutBytes(strings.Map(unbroken, line), maxLine))
	}
	return lines
}

// unbroken keeps names that a tool has made up from breaking their line.
func unbroken(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// cutBytes bounds a text to n bytes and splits no character.
func cutBytes(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	if n < len(mark) {
		return ""
	}
	n -= len(mark)
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
