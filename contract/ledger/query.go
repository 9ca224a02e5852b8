package ledger

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a line a query shows.
const maxShown = 2000

// answer collects the lines that match a query.
type answer struct {
	q         Recall
	pattern   *regexp.Regexp
	literally string // why the query is not taken as an expression
	seq       uint64 // go on behind this line of this execution
	line      int

	b       strings.Builder
	left    int // characters
	results int
	more    string // the notice when not everything had room
}

// query returns the lines that match, of one execution or of all. The query is
// an RE2 expression; one that is not valid is looked for as it is.
func (s Store) query(q Recall) (string, error) {
	a := &answer{q: q}
	var err error
	if a.pattern, err = regexp.Compile(q.Ask.Query); err != nil {
		a.pattern = regexp.MustCompile(regexp.QuoteMeta(q.Ask.Query))
		a.literally = fmt.Sprintf("[%q is no valid RE2 expression, so it was looked for as it is]", q.Ask.Query)
	}
	if q.Ask.After != "" {
		id, line, _ := strings.Cut(q.Ask.After, ":")
		seq, ok := executionSeq(id)
		n, err := strconv.Atoi(line)
		if !ok || err != nil || n < 0 {
			return "", fmt.Errorf("after %q: want ex-<n>:<line>", q.Ask.After)
		}
		a.seq, a.line = seq, n
	}
	a.left = q.most() - 500 - utf8.RuneCountInString(a.literally) - 2*utf8.RuneCountInString(q.call(q.Ask))
	lost := 0
	if q.Ask.ID != "" {
		text, err := s.result(q)
		if err != nil {
			return "", err
		}
		a.take(text)
	} else if lost, err = s.queryAll(a); err != nil {
		return "", err
	}
	return a.text(lost), nil
}

// queryAll looks through every receipt of the session that asks, in their order,
// and counts what cannot be read.
func (s Store) queryAll(a *answer) (lost int, err error) {
	records, err := s.Records(a.q.Session)
	if err != nil {
		return 0, err
	}
	for r, fault := range records {
		if fault != nil {
			lost++
		}
		if r.Kind != KindSucceeded && r.Kind != KindFailed {
			continue
		}
		text, err := s.text(r, a.q.Budget)
		if err != nil {
			lost++
			continue
		}
		if a.take(text); a.more != "" {
			break
		}
	}
	return lost, nil
}

// take adds the matching lines of one result. Receipts are in the order in which
// calls ended, so a later one can belong to an earlier execution: After names
// the place in that order.
func (a *answer) take(t resultText) {
	from := 0
	if a.seq != 0 {
		if seq, _ := executionSeq(t.execution); seq != a.seq {
			return
		}
		from, a.seq = a.line, 0
	}
	a.results++
	for i := from; i < len(t.all); i++ {
		line := strings.TrimSuffix(t.all[i], "\n")
		at := a.pattern.FindStringIndex(line)
		if at == nil {
			continue
		}
		shown := fmt.Sprintf("%s:%d: %s\n", t.execution, i+1, excerpt(line, at[0]))
		n := utf8.RuneCountInString(shown)
		if n > a.left {
			ask := a.q.Ask
			ask.After = fmt.Sprintf("%s:%d", t.execution, i)
			a.more = fmt.Sprintf("[more lines match; %s returns them]", a.q.call(ask))
			return
		}
		a.left -= n
		a.b.WriteString(shown)
	}
}

func (a *answer) text(lost int) string {
	text := a.b.String()
	if text == "" && a.more == "" {
		text = fmt.Sprintf("[no line of %d results matches]", a.results)
	}
	if a.more != "" {
		text = withNotice(text, a.more)
	}
	if a.literally != "" {
		text = withNotice(text, a.literally)
	}
	if lost > 0 {
		text = withNotice(text, fmt.Sprintf("[%d places of the ledger cannot be read; raw-mcp ledger verify %s tells]", lost, a.q.Session))
	}
	return text
}

// excerpt bounds a line, and keeps the match at byte at in sight.
func excerpt(line string, at int) string {
	n := utf8.RuneCountInString(line)
	if n <= maxShown {
		return line
	}
	from := max(0, min(utf8.RuneCountInString(line[:at])-maxShown/10, n-maxShown))
	return fmt.Sprintf("[characters %d–%d of %d] %s", from+1, from+maxShown, n, cutRunes(line, from, from+maxShown))
}
