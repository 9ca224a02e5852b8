package predicate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"raw/contract/schema"
	"raw/contract/value"
)

// gen makes schemas, each with a maker of values that it accepts, so that the
// binder can be held against what can really stand in a call.
type gen struct {
	*rand.Rand
	defs map[string]any
}

// maker makes a value with the string "here" where the parts lead, if the
// schema has such a value. Parts are names of fields and "[*]".
type maker func(parts []string) any

func (g *gen) schema(depth int) (map[string]any, maker) {
	kinds := 8
	if depth <= 0 {
		kinds = 3
	}
	switch g.IntN(kinds) {
	case 0:
		return map[string]any{"type": "string"}, func([]string) any { return "here" }
	case 1:
		return map[string]any{"type": "integer"}, func([]string) any { return 7 }
	case 2:
		return map[string]any{"enum": []any{nil, "here"}}, func([]string) any { return "here" }
	case 3:
		items, item := g.schema(depth - 1)
		return map[string]any{"type": "array", "items": items}, func(parts []string) any { return []any{item(nil), item(rest(parts))} }
	case 4:
		items, item := g.schema(depth - 1)
		return map[string]any{"type": "array", "prefixItems": []any{items}}, func(parts []string) any { return []any{item(rest(parts))} }
	case 5:
		one, value := g.schema(depth - 1)
		name := fmt.Sprintf("d%d", len(g.defs))
		g.defs[name] = one
		return map[string]any{"$ref": "#/$defs/" + name}, value
	case 6:
		// What one branch accepts is accepted, so any of them will do.
		one, first := g.schema(depth - 1)
		two, second := g.schema(depth - 1)
		return map[string]any{"anyOf": []any{one, two}}, func(parts []string) any {
			if v := first(parts); leads(v, parts) {
				return v
			}
			return second(parts)
		}
	default:
		return g.object(depth)
	}
}

func (g *gen) object(depth int) (map[string]any, maker) {
	properties, fields := map[string]any{}, map[string]maker{}
	for _, name := range []string{"a", "b", "c_1"}[:1+g.IntN(3)] {
		properties[name], fields[name] = g.schema(depth - 1)
	}
	s := map[string]any{"type": "object", "properties": properties}
	var more maker
	if g.IntN(3) == 0 {
		s["additionalProperties"], more = g.schema(depth - 1)
	}
	return s, func(parts []string) any {
		v := map[string]any{}
		for name, field := range fields {
			v[name] = field(nil)
		}
		if len(parts) == 0 || parts[0] == "[*]" {
			return v
		}
		if field := fields[parts[0]]; field != nil {
			v[parts[0]] = field(parts[1:])
		} else if more != nil {
			v[parts[0]] = more(parts[1:])
		}
		return v
	}
}

func rest(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return parts[1:]
}

func leads(v any, parts []string) bool {
	if len(parts) == 0 {
		return v == "here"
	}
	switch v := v.(type) {
	case map[string]any:
		field, ok := v[parts[0]]
		return ok && leads(field, parts[1:])
	case []any:
		return parts[0] == "[*]" && slices.ContainsFunc(v, func(item any) bool { return leads(item, parts[1:]) })
	}
	return false
}

// FuzzBind: when a path binds, a value that the schema accepts has a string
// there and the predicate finds it; when it does not bind, no generated value
// has one.
func FuzzBind(f *testing.F) {
	for seed := range uint64(64) {
		f.Add(seed, "a")
		f.Add(seed, "a[*].b")
		f.Add(seed, "b.a[*]")
		f.Add(seed, "a.zzz.c_1")
		f.Add(seed, "zzz")
		f.Add(seed, "a[*].zzz")
	}
	f.Fuzz(func(t *testing.T, seed uint64, path string) {
		c, err := Compile(Predicate{Arguments, path, "^here$"})
		if err != nil {
			return
		}
		g := &gen{rand.New(rand.NewPCG(seed, 0)), map[string]any{}}
		tree, makeValue := g.object(5)
		tree["$defs"] = g.defs
		src, err := value.Of(tree)
		if err != nil {
			t.Fatal(err)
		}
		s, err := schema.Compile(schema.Source(src.Source()))
		if err != nil {
			t.Fatalf("generated schema %s: %v", src.Source(), err)
		}
		parts := strings.FieldsFunc(strings.ReplaceAll(path, "[*]", ".[*]"), func(r rune) bool { return r == '.' })
		args, err := value.Of(makeValue(parts))
		if err != nil {
			t.Fatal(err)
		}
		if faults := s.Validate(args.Value); len(faults) > 0 {
			t.Fatalf("generated value %s is refused by %s: %v", args.Source(), src.Source(), faults)
		}
		got := c.Any(Input{Arguments: args})
		if bound := c.Bind(Sources{Arguments: s}); (bound == nil) != (got.Outcome == Yes) {
			t.Errorf("path %q in %s: Bind = %v, but for %s Any = %v", path, src.Source(), bound, args.Source(), got.Outcome)
		}
		if got.Outcome == Yes && (got.Value != "here" || !strings.HasPrefix(got.Path, c.steps[0].name)) {
			t.Errorf("path %q: Any = %+v", path, got)
		}
	})
}

// FuzzLiterals: the short cuts before the regex change no answer, and a start
// that excludes a pattern is the start of nothing that matches it.
func FuzzLiterals(f *testing.F) {
	for _, regex := range []string{
		`^git clean`, `^(rm|dd)$`, `(?i)^kill`, `^a|^b`, `^(?:ab?c|ad+)e`, `\Ax`, `(?m)^x`, `^[a-c]x`, `(?i)^[k]s`, `^(^a)+b`, `^$`, `^\bx`,
		`^(a{2,3})b`, `(^a|b)`, `^é`, `(?i)^ſ`, `x*^a`, `^(|a)b`, `^.a`, `^(sudo )?rm`,
	} {
		for _, text := range []string{"git clean", "rm", "\u212aill", "b", "abce", "ace", "x", "aab", "ſ", "", "\U0001F600"} {
			f.Add(regex, text, 2)
		}
	}
	f.Fuzz(func(t *testing.T, regex, text string, cut int) {
		c, err := Compile(Predicate{Arguments, "a", regex})
		if err != nil {
			return
		}
		args, err := value.Of(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		text, _ = args.Field("a").Str() // valid UTF-8, as all values are
		want := regexp.MustCompile(regex).MatchString(text)
		if got := c.Any(Input{Arguments: args}).Outcome == Yes; got != want {
			t.Errorf("%q on %q = %v, regexp says %v", regex, text, got, want)
		}
		r := c.Read(Input{Arguments: args})
		if want && r.Excludes(c.Probe()) {
			t.Errorf("the probe of %q excludes %q, which matches", regex, text)
		}
		if cut = max(0, min(cut, len(text))); want && c.excludes(text[:cut]) {
			t.Errorf("%q is excluded by the start %q of %q, which matches", regex, text[:cut], text)
		}
	})
}
