package interaction

import (
	"fmt"
	"slices"
	"strings"

	"raw/contract/value"
)

// maxEscaped is the longest that one byte of a text becomes in an answer: a
// control character is written \u00xx.
const maxEscaped = 6

// Smallest is the length of the shortest valid answer as the model gets it, in
// characters.
func (f Form) Smallest() int {
	tree := map[string]any{}
	for _, field := range f.Fields {
		switch {
		case !field.Required: // it may be left out
		case field.Kind == MultiSelect:
			tree[field.ID] = field.chosen(field.least(), shortest)
		case field.Kind == SingleSelect:
			tree[field.ID] = field.chosen(1, shortest)[0]
		default:
			tree[field.ID] = "x"
		}
	}
	return length(tree)
}

// largest is the length of the longest valid answer without its texts.
func (f Form) largest() int {
	tree := map[string]any{}
	for _, field := range f.Fields {
		switch field.Kind {
		case SingleSelect:
			tree[field.ID] = field.chosen(1, longest)[0]
		case MultiSelect:
			tree[field.ID] = field.chosen(field.most(), longest)
		default:
			tree[field.ID] = ""
		}
	}
	return length(tree)
}

// Fit lowers the bounds of text fields until every valid answer fits a budget of
// characters, whatever its bytes: what the choices leave is shared evenly, and a
// field that needs less than its share leaves the rest to the others. Choices
// have no bounds to lower: when an answer with the longest of them does not fit,
// or one byte for each text, the error has CodeBudgetTooSmall. An answer that a
// person has given is so never refused for its length.
func (f Form) Fit(budget int) (Form, error) {
	tooSmall := func(needed int) error {
		return &Error{Code: CodeBudgetTooSmall, Message: fmt.Sprintf("the answer could not be returned: it needs %d characters at least, and the call may return %d; ask for less in one form", needed, budget)}
	}
	if n := f.Smallest(); n > budget {
		return f, tooSmall(n)
	}
	var texts []int // fields, the one that needs least first
	for i, field := range f.Fields {
		if field.Kind == Text {
			texts = append(texts, i)
		}
	}
	slices.SortStableFunc(texts, func(a, b int) int { return f.Fields[a].Limit() - f.Fields[b].Limit() })
	left := budget - f.largest()
	if least := len(texts) * maxEscaped; left < least {
		return f, tooSmall(f.largest() + least)
	}
	fitted := f
	fitted.Fields = slices.Clone(f.Fields)
	for i, at := range texts {
		share := left / (len(texts) - i) / maxEscaped
		field := &fitted.Fields[at]
		field.MaxBytes = min(field.Limit(), share)
		left -= field.MaxBytes * maxEscaped
	}
	return fitted, nil
}

// chosen are n options, by the length of their ids.
func (f Field) chosen(n int, by func(a, b Option) int) []any {
	sorted := slices.SortedStableFunc(slices.Values(f.Options), by)
	var ids []any
	for _, o := range sorted[:min(n, len(sorted))] {
		ids = append(ids, o.ID)
	}
	return ids
}

func shortest(a, b Option) int { return len(a.ID) - len(b.ID) }
func longest(a, b Option) int  { return len(b.ID) - len(a.ID) }

func length(answers map[string]any) int {
	return len(Outcome{State: StateAnswered, Answers: value.FromTree(answers)}.JSON())
}

// JSON is the outcome as the model gets it: one object, and nothing else.
func (o Outcome) JSON() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"status":%q`, o.State)
	if o.State == StateAnswered {
		b.WriteString(`,"answers":` + o.Answers.JSON())
	} else if o.Reason != "" {
		b.WriteString(`,"reason":` + value.FromTree(o.Reason).JSON())
	}
	b.WriteByte('}')
	return b.String()
}
