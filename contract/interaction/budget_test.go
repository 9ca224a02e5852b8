package interaction

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"raw/contract/value"
)

// randomForm is a form as panels accept it.
func randomForm(r *rand.Rand) Form {
	form := Form{Block: "f"}
	for i := range 1 + r.IntN(8) {
		field := Field{ID: fmt.Sprintf("%d%s", i, strings.Repeat("i", r.IntN(20))), Label: "L", Required: r.IntN(2) > 0}
		switch r.IntN(3) {
		case 0:
			field.Kind = Text
			if r.IntN(2) > 0 {
				field.MaxBytes = 1 + r.IntN(1+r.IntN(MaxTextBytes))
			}
		default:
			field.Kind = SingleSelect
			for o := range 1 + r.IntN(8) {
				field.Options = append(field.Options, Option{fmt.Sprintf("%s.%d", strings.Repeat("o", r.IntN(12)), o), "L"})
			}
			if r.IntN(2) > 0 {
				field.Kind = MultiSelect
				field.MinSelected = r.IntN(len(field.Options) + 1)
				if r.IntN(2) > 0 {
					field.MaxSelected = max(field.MinSelected, 1+r.IntN(len(field.Options)))
				}
			}
		}
		form.Fields = append(form.Fields, field)
	}
	return form
}

// randomText has up to n bytes, from those that cost most in JSON to those that
// cost least, and n often.
func randomText(r *rand.Rand, n int, required bool) string {
	least := 0
	if required {
		least = 1
	}
	if r.IntN(2) > 0 {
		n = least + r.IntN(n-least+1)
	}
	parts := [...]string{"\x01", "\x1f", `"`, `\`, "\n", "\x7f", "a", "ü", "日", "🙂", "\u2028"}
	if r.IntN(2) > 0 {
		return strings.Repeat("\x01", n)
	}
	var b strings.Builder
	for b.Len() < n {
		part := parts[r.IntN(len(parts))]
		if b.Len()+len(part) > n {
			part = parts[r.IntN(7)]
		}
		b.WriteString(part)
	}
	return b.String()
}

// randomAnswers are valid; often as long as they can be.
func randomAnswers(r *rand.Rand, form Form) value.Value {
	tree := map[string]any{}
	for _, f := range form.Fields {
		if !f.Required && r.IntN(4) == 0 {
			continue
		}
		options := f.Options
		if r.IntN(2) > 0 {
			options = make([]Option, len(options))
			for to, from := range r.Perm(len(options)) {
				options[to] = f.Options[from]
			}
		}
		switch f.Kind {
		case Text:
			tree[f.ID] = randomText(r, f.Limit(), f.Required)
		case SingleSelect:
			tree[f.ID] = options[0].ID
		case MultiSelect:
			n := f.most()
			if r.IntN(2) > 0 {
				n = f.least() + r.IntN(n-f.least()+1)
			}
			list := []any{}
			for _, o := range options[:n] {
				list = append(list, o.ID)
			}
			tree[f.ID] = list
		}
	}
	return value.FromTree(tree)
}

// TestFit: whatever a fitted form accepts fits, nothing is lowered without need,
// and a form is refused only when one byte for each text is too much.
func TestFit(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		form := randomForm(r)
		least := form
		least.Fields = nil
		texts := 0
		for _, f := range form.Fields {
			if f.Kind == Text {
				f.MaxBytes = 1
				texts++
			}
			least.Fields = append(least.Fields, f)
		}
		needed := 0 // by the answers themselves
		for range 100 {
			needed = max(needed, len(Outcome{State: StateAnswered, Answers: randomAnswers(r, least)}.JSON()))
		}
		for _, budget := range []int{0, form.Smallest() - 1, form.Smallest(), needed - 1, needed, needed + 5, needed + 6, needed + 7*texts, needed + 500, 30_000, 1 << 20} {
			fitted, err := form.Fit(budget)
			if err != nil {
				if !errors.Is(err, &Error{Code: CodeBudgetTooSmall}) {
					t.Fatalf("seed %d: Fit(%d): %v, want %s", seed, budget, err, CodeBudgetTooSmall)
				}
				if worst := form.largest() + 6*texts; budget >= worst {
					t.Fatalf("seed %d: Fit(%d): %v, but %d are enough", seed, budget, err, worst)
				}
				continue
			}
			if budget < needed {
				t.Fatalf("seed %d: Fit(%d) accepts a form that can need %d", seed, budget, needed)
			}
			used := fitted.largest()
			for i, f := range fitted.Fields {
				want := form.Fields[i]
				if f.Kind == Text {
					used += f.Limit() * maxEscaped
					if f.MaxBytes < 1 || f.MaxBytes > want.Limit() {
						t.Fatalf("seed %d: Fit(%d): field %d may have %d bytes, want 1 to %d", seed, budget, i, f.MaxBytes, want.Limit())
					}
					if free := budget - fitted.worst(); f.MaxBytes < want.Limit() && free >= maxEscaped*texts {
						t.Fatalf("seed %d: Fit(%d): field %d has %d of %d bytes, and %d characters are left", seed, budget, i, f.MaxBytes, want.Limit(), free)
					}
				}
			}
			if used > budget {
				t.Fatalf("seed %d: Fit(%d): the longest answer has %d", seed, budget, used)
			}
			for range 20 {
				answers := randomAnswers(r, fitted)
				if faults := fitted.Check(answers); len(faults) > 0 {
					t.Fatalf("seed %d: the answers are not valid: %v", seed, faults)
				}
				if faults := form.Check(answers); len(faults) > 0 {
					t.Fatalf("seed %d: the fitted form accepts more than the form: %v", seed, faults)
				}
				text := Outcome{State: StateAnswered, Answers: fitted.ordered(answers)}.JSON()
				if len(text) > budget {
					t.Fatalf("seed %d: Fit(%d) accepts an answer of %d: %.200s", seed, budget, len(text), text)
				}
				if len(text) < form.Smallest() {
					t.Fatalf("seed %d: Smallest is %d, but this has %d: %s", seed, form.Smallest(), len(text), text)
				}
			}
		}
	}
}

// worst is the longest valid answer in JSON.
func (f Form) worst() int {
	n := f.largest()
	for _, field := range f.Fields {
		if field.Kind == Text {
			n += field.Limit() * maxEscaped
		}
	}
	return n
}

// TestFitShares has by hand what two texts get.
func TestFitShares(t *testing.T) {
	form := formOf(t, `{"id":"a","label":"A","kind":"text"},{"id":"b","label":"B","kind":"text","max_bytes":10}`)
	frame := len(`{"status":"answered","answers":{"a":"","b":""}}`)
	for _, c := range []struct{ budget, a, b int }{
		{frame + 6*2, 1, 1},
		{frame + 6*2 + 5, 1, 1},
		{frame + 6*3, 2, 1},
		{frame + 6*19, 10, 9},
		{frame + 6*20, 10, 10},
		{frame + 6*100, 90, 10},
		{frame + 6*(8192+10), 8192, 10},
		{1 << 30, 8192, 10},
	} {
		fitted, err := form.Fit(c.budget)
		if err != nil {
			t.Errorf("Fit(%d): %v", c.budget, err)
			continue
		}
		if a, b := fitted.Fields[0].MaxBytes, fitted.Fields[1].MaxBytes; a != c.a || b != c.b {
			t.Errorf("Fit(%d) gives %d and %d bytes, want %d and %d", c.budget, a, b, c.a, c.b)
		}
	}
	_, err := form.Fit(frame + 6*2 - 1)
	want := fmt.Sprintf("the answer could not be returned: it needs %d characters at least, and the call may return %d; ask for less in one form", frame+12, frame+11)
	if err == nil || err.Error() != want {
		t.Errorf("Fit(%d): %v, want %s", frame+11, err, want)
	}
	if form.Fields[0].MaxBytes != 0 {
		t.Error("Fit has changed the form")
	}
}

// TestSmallest has the least that a form accepts.
func TestSmallest(t *testing.T) {
	options := `"options":[{"id":"long","label":"L"},{"id":"s","label":"S"},{"id":"mid","label":"M"}]`
	for fields, want := range map[string]string{
		`{"id":"a","label":"A","kind":"text"}`:                                                          `{}`,
		`{"id":"a","label":"A","kind":"text","required":true}`:                                          `{"a":"x"}`,
		`{"id":"a","label":"A","kind":"single_select","required":true,` + options + `}`:                 `{"a":"s"}`,
		`{"id":"a","label":"A","kind":"multi_select",` + options + `,"min_selected":2}`:                 `{}`,
		`{"id":"a","label":"A","kind":"multi_select","required":true,` + options + `}`:                  `{"a":["s"]}`,
		`{"id":"a","label":"A","kind":"multi_select","required":true,` + options + `,"min_selected":2}`: `{"a":["s","mid"]}`,
		`{"id":"a","label":"A","kind":"text"},{"id":"b","label":"B","kind":"text","required":true}`:     `{"b":"x"}`,
	} {
		form, answers := formOf(t, fields), valueOf(t, want)
		if faults := form.Check(answers); len(faults) > 0 {
			t.Errorf("%s: %v", want, faults)
		}
		if got, size := form.Smallest(), len(Outcome{State: StateAnswered, Answers: answers}.JSON()); got != size {
			t.Errorf("%s: Smallest = %d, want %d", fields, got, size)
		}
	}
}

func TestOutcomeJSON(t *testing.T) {
	for _, c := range []struct {
		outcome Outcome
		want    string
	}{
		{Outcome{State: StateAnswered, Answers: valueOf(t, `{"b":["x"],"a":"<\u0001\"&\n"}`), By: "view"}, `{"status":"answered","answers":{"a":"<\u0001\"&\n","b":["x"]}}`},
		{Outcome{State: StateAnswered, Answers: valueOf(t, `{}`), Reason: "no matter"}, `{"status":"answered","answers":{}}`},
		{Outcome{State: StateCancelled}, `{"status":"cancelled"}`},
		{Outcome{State: StateExpired, Reason: "nobody\t\"there\""}, `{"status":"expired","reason":"nobody\t\"there\""}`},
	} {
		if got := c.outcome.JSON(); got != c.want {
			t.Errorf("JSON = %s, want %s", got, c.want)
		}
	}
}
