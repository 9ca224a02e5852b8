package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"raw/contract/predicate"
	"raw/contract/value"
)

// examples checks that each example of r means what it says on every tool that
// takes it, and that one does.
func (b *binder) examples(r *rule, applies []int) {
	for _, list := range []struct {
		name     string
		examples []any
		matches  bool
	}{
		{"match_examples", r.MatchExamples, true},
		{"no_match_examples", r.NoMatchExamples, false},
	} {
		for i, example := range list.examples {
			if err := b.example(r, applies, example, list.matches); err != nil {
				b.fault(r, fmt.Errorf("%s, number %d, %s: %w", list.name, i+1, quote(example), err))
			}
		}
	}
}

func (b *binder) example(r *rule, applies []int, example any, want bool) error {
	var refused error
	taken := false
	for _, i := range applies {
		t := b.tools[i]
		in, err := t.prepare(example)
		if err != nil {
			refused = fmt.Errorf("%s does not take it: %w", t.Identity, err)
			continue
		}
		taken = true
		if matches(r, in) != want {
			if want {
				return fmt.Errorf("the rule does not match it on %s", t.Identity)
			}
			return fmt.Errorf("the rule matches it on %s", t.Identity)
		}
	}
	if !taken {
		return refused
	}
	return nil
}

// matches reports whether the rule would take part in the decision.
func matches(r *rule, in predicate.Input) bool {
	switch {
	case r.when == nil:
		return true
	case r.Effect == Allow:
		return r.when.Every(in).Outcome == predicate.Yes
	default:
		return r.when.Any(in).Outcome != predicate.No
	}
}

func (t *Tool) prepare(example any) (predicate.Input, error) {
	if text, ok := example.(string); ok {
		field := ""
		if t.OnlyString != nil {
			field = t.OnlyString()
		}
		if field == "" {
			return predicate.Input{}, fmt.Errorf("it has no single required string; write an object of arguments")
		}
		example = map[string]any{field: text}
	}
	args, err := value.Of(example)
	if err != nil {
		return predicate.Input{}, err
	}
	if t.Prepare == nil {
		return predicate.Input{Arguments: args}, nil
	}
	return t.Prepare(args)
}

func quote(example any) string {
	const limit = 80
	text, err := json.Marshal(example)
	if err != nil {
		return fmt.Sprintf("%T", example)
	}
	if len(text) > limit {
		return strings.ToValidUTF8(string(text[:limit]), "") + "…"
	}
	return string(text)
}
