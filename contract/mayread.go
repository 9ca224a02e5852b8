package contract

import (
	"sync"

	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/value"
)

// MayRead reports whether the rules would let the tool read a file that it met
// below a folder which its effects name: a rule on files[*].path looks at what is
// opened, however a call gets there. lexical and real are the two spellings of
// the file's path. A file that a rule asks about is not read, unless the same
// rule was asked about the call. It may be called by many at once.
func (c *Call) MayRead(lexical, real string) bool {
	return c.mayRead == nil || c.mayRead(lexical, real)
}

// readable is MayRead for the call; nil for a tool that declares no effects.
func (t *Ticket) readable() func(lexical, real string) bool {
	if t.session == nil || t.view == nil || t.view.policy == nil || t.effects.Kind() != value.ObjectKind {
		return nil
	}
	decide := func(effects ...value.Object) policy.Decision {
		return t.view.policy.Decide(string(t.tool.Identity), predicate.Input{Arguments: t.args, Effects: effects})
	}
	whole := sync.OnceValue(func() policy.Decision { return decide(t.spellings...) }) // hardly any tool asks
	return func(lexical, real string) bool {
		var spellings []value.Object
		for _, path := range []string{lexical, real} {
			effects, err := value.Of(map[string]any{"files": []any{map[string]string{"path": path, "operation": "read"}}})
			if err != nil {
				return false
			}
			spellings = append(spellings, effects)
		}
		d := decide(spellings...)
		return d.Effect == policy.Allow || d.Effect == policy.Ask && d.Rule == whole().Rule
	}
}
