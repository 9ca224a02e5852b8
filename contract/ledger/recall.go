package ledger

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRecall is how many characters one Recall returns at most.
const MaxRecall = 29_000

// minRecall leaves room for the notice beside at least something of a result.
const minRecall = 1_000

// maxQuery bounds what a notice has to repeat.
const maxQuery = 1000

// Ask says what to recall, in the words of the tool. Range or Chars choose a part
// of one result; Query chooses the lines that match, of one result or of all of
// the session.
type Ask struct {
	ID    string `json:"id,omitempty"` // see Store.Find
	Query string `json:"query,omitempty"`
	Range *Part  `json:"range,omitempty"` // of lines
	Chars *Part  `json:"chars,omitempty"` // of characters
	// After goes on with a query behind a line, as ex-<n>:<line>.
	After string `json:"after,omitempty"`
}

// Part is a part of a text, from 1, both ends included. An End of zero is the end
// of the text.
type Part struct {
	Start int `json:"start"`
	End   int `json:"end,omitempty"`
}

// Recall is a call of the recall tool.
type Recall struct {
	Session string // the session that asks
	Ask     Ask
	// Budget is the output_chars of the session: a JSON block of more bytes was
	// shown as text, and its lines count. Zero counts those of every JSON block.
	Budget int
	// Page is how many characters the answer may have. Zero, and anything above,
	// means MaxRecall.
	Page int
	// Call writes a call of the tool for the catalog in use. Nil writes
	// recall {…}.
	Call func(arguments string) string
}

// most is how many characters one page has: a window must not cut it.
func (q Recall) most() int {
	if q.Page > 0 {
		return min(MaxRecall, max(q.Page, minRecall))
	}
	return MaxRecall
}

func (q Recall) call(a Ask) string {
	text, _ := encodeData(a) // strings and numbers only
	if q.Call == nil {
		return "recall " + string(text)
	}
	return q.Call(string(text))
}

// Recall returns what is asked for of recorded results, at most MaxRecall
// characters, or Page if that is less, with the notice that says how to go on. Lines are those of the
// window: over all text blocks, each of which ends its last line. What was masked
// is masked. The error is for the model: it says what was wrong and what there is.
func (s Store) Recall(q Recall) (string, error) {
	a := q.Ask
	switch {
	case a.Range != nil && a.Chars != nil, a.Query != "" && (a.Range != nil || a.Chars != nil):
		return "", errors.New("give one of range, chars and query")
	case a.ID == "" && a.Query == "":
		return "", errors.New("give the id of an execution, or a query over all results of the session")
	case len(a.Query) > maxQuery:
		return "", fmt.Errorf("the query is %d bytes long; at most %d are looked for", len(a.Query), maxQuery)
	case a.Query != "":
		return s.query(q)
	}
	text, err := s.result(q)
	if err != nil {
		return "", err
	}
	// Twice: a call of the catalog may repeat the name and need more digits.
	room := q.most() - 300 - 2*utf8.RuneCountInString(q.call(a))
	if a.Chars != nil {
		return text.chars(q, *a.Chars, room)
	}
	part := Part{Start: 1}
	if a.Range != nil {
		part = *a.Range
	}
	return text.lines(q, part, room)
}

// result is the text of one execution's receipt.
func (s Store) result(q Recall) (resultText, error) {
	session, execution, err := s.Find(q.Ask.ID, q.Session)
	if err != nil {
		return resultText{}, err
	}
	numbers, err := s.segments(session)
	if err != nil {
		return resultText{}, err
	}
	state, faults := "", 0
	for scan, r := range s.walk(session, numbers) {
		if r.fault != nil {
			faults++
			continue
		}
		if r.Execution != execution {
			continue
		}
		switch r.Kind {
		case KindSucceeded, KindFailed:
			return s.text(r.Record, q.Budget)
		case KindStarted:
			if state = "its process ended before it had a result"; scan.live {
				state = "it is still running"
			}
		case KindVoided:
			state = "it was not run"
		}
	}
	if state == "" {
		state = "there is no such execution"
	}
	if faults > 0 {
		state += fmt.Sprintf(", or its record is among what is lost at %d places of the ledger (raw-mcp ledger verify %s tells)", faults, session)
	}
	return resultText{}, fmt.Errorf("%s/%s has no result: %s: %w", session, execution, state, ErrUnknown)
}

// resultText is the text of a result, in lines.
type resultText struct {
	execution string
	all       []string // each ends with a newline, but perhaps the last
	other     int      // blocks that are no text
}

func (s Store) text(r Record, budget int) (resultText, error) {
	var receipt Receipt
	if err := s.Decode(r, &receipt); err != nil {
		return resultText{}, fmt.Errorf("the result of %s is lost: %w", r.Execution, err)
	}
	t := resultText{execution: r.Execution}
	for _, b := range receipt.Content {
		switch {
		case b.Type == "text":
			t.add(b.Text)
		case b.Type == "json" && len(b.JSON) > budget:
			t.add("[JSON, shown as text]\n" + string(b.JSON))
		default:
			t.other++
		}
	}
	return t, nil
}

func (t *resultText) add(text string) {
	if n := len(t.all); n > 0 && text != "" && !strings.HasSuffix(t.all[n-1], "\n") {
		t.all[n-1] += "\n"
	}
	for line := range strings.Lines(text) {
		t.all = append(t.all, line)
	}
}

// lines returns whole lines while there is room. A line that is longer than that
// is returned by characters.
func (t resultText) lines(q Recall, p Part, room int) (string, error) {
	if len(t.all) == 0 {
		return t.nothing(), nil
	}
	if p.Start < 1 || p.Start > len(t.all) || p.End != 0 && p.End < p.Start {
		return "", fmt.Errorf("lines %d to %d: %s has lines 1 to %d", p.Start, p.End, t.execution, len(t.all))
	}
	end := len(t.all)
	if p.End > 0 {
		end = min(end, p.End)
	}
	var b strings.Builder
	i := p.Start - 1
	for left := room; i < end; i++ {
		n := utf8.RuneCountInString(t.all[i])
		if n > left {
			break
		}
		left -= n
		b.WriteString(t.all[i])
	}
	switch {
	case i == p.Start-1:
		before := characters(t.all[:i])
		return t.chars(q, Part{before + 1, before + characters(t.all[i:end])}, room)
	case i < end:
		return withNotice(b.String(), fmt.Sprintf("[lines %d–%d of %d are left; %s returns them]", i+1, end, len(t.all),
			q.call(Ask{ID: q.Ask.ID, Range: &Part{i + 1, end}}))), nil
	}
	return b.String(), nil
}

func (t resultText) chars(q Recall, p Part, room int) (string, error) {
	if len(t.all) == 0 {
		return t.nothing(), nil
	}
	total := characters(t.all)
	if p.Start < 1 || p.Start > total || p.End != 0 && p.End < p.Start {
		return "", fmt.Errorf("characters %d to %d: %s has characters 1 to %d", p.Start, p.End, t.execution, total)
	}
	end := total
	if p.End > 0 {
		end = min(end, p.End)
	}
	last := min(end, p.Start-1+room)
	var b strings.Builder
	at := 0 // characters before the line
	for _, line := range t.all {
		n := utf8.RuneCountInString(line)
		if from, to := max(p.Start-1-at, 0), min(last-at, n); from < to {
			b.WriteString(cutRunes(line, from, to))
		}
		at += n
	}
	if last < end {
		return withNotice(b.String(), fmt.Sprintf("[characters %d–%d of %d are left; %s returns them]", last+1, end, total,
			q.call(Ask{ID: q.Ask.ID, Chars: &Part{last + 1, end}}))), nil
	}
	return b.String(), nil
}

func (t resultText) nothing() string {
	if t.other > 0 {
		return fmt.Sprintf("[the result of %s has no text; its %d other blocks, images for example, cannot be recalled]", t.execution, t.other)
	}
	return fmt.Sprintf("[the result of %s is empty]", t.execution)
}

func characters(lines []string) (n int) {
	for _, l := range lines {
		n += utf8.RuneCountInString(l)
	}
	return n
}

// cutRunes is the part of s from one character to before another.
func cutRunes(s string, from, to int) string {
	start, n := len(s), 0
	for i := range s {
		if n == from {
			start = i
		}
		if n == to {
			return s[start:i]
		}
		n++
	}
	return s[start:]
}

func withNotice(text, notice string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + notice
}
