package schema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"raw/contract/value"
)

// words says what k found wrong with v.
func words(k jsonschema.ErrorKind, v value.Value) string {
	got := show(v)
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("found %s, want %s", typed(v), wanted(k.Want))
	case *kind.Enum:
		return fmt.Sprintf("%s is not one of %s", got, list(k.Want))
	case *kind.Const:
		return fmt.Sprintf("%s is not %s", got, list([]any{k.Want}))
	case *kind.Format:
		return fmt.Sprintf("%s is not a valid %s: %v", got, k.Want, k.Err)
	case *kind.Pattern:
		return fmt.Sprintf("%s does not match the pattern %s", got, k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("%s has %s, fewer than the minimum %d", got, plural(k.Got, "character"), k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %s, more than the maximum %d", plural(k.Got, "character"), k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %s, fewer than the minimum %d", plural(k.Got, "item"), k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %s, more than the maximum %d", plural(k.Got, "item"), k.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("has %s, fewer than the minimum %d", plural(k.Got, "field"), k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %s, more than the maximum %d", plural(k.Got, "field"), k.Want)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s more than accepted", plural(k.Count, "item"))
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal, want each only once", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "has no item of the wanted form"
	case *kind.MinContains:
		return fmt.Sprintf("has %s of the wanted form, fewer than the minimum %d", plural(len(k.Got), "item"), k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("has %s of the wanted form, more than the maximum %d", plural(len(k.Got), "item"), k.Want)
	case *kind.Minimum:
		return fmt.Sprintf("%s is less than the minimum %s", got, number(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s is more than the maximum %s", got, number(k.Want))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s is not more than %s", got, number(k.Want))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("%s is not less than %s", got, number(k.Want))
	case *kind.MultipleOf:
		return fmt.Sprintf("%s is not a multiple of %s", got, number(k.Want))
	case *kind.Not:
		return fmt.Sprintf("%s is of a form that is not accepted", got)
	case *kind.OneOf:
		return fmt.Sprintf("%s fits forms %d and %d at once, want exactly one", got, k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.FalseSchema:
		return "nothing is accepted here"
	case *kind.RefCycle:
		return "the schema refers to itself without end"
	default:
		return k.LocalizedString(message.NewPrinter(language.English))
	}
}

// show is v as a message may carry it: short.
func show(v value.Value) string {
	switch v.Kind() {
	case value.Absent:
		return "nothing"
	case value.Array:
		return "an array of " + plural(v.Len(), "item")
	case value.ObjectKind:
		return "an object of " + plural(v.Len(), "field")
	case value.String:
		s, _ := v.Str()
		return strconv.Quote(clip(s))
	default:
		return clip(v.JSON())
	}
}

// typed is show with the type, where a value alone might not tell it.
func typed(v value.Value) string {
	switch v.Kind() {
	case value.String, value.Number, value.Bool:
		return fmt.Sprintf("the %s %s", v.Kind(), show(v))
	default:
		return show(v)
	}
}

// clip keeps what a message quotes short.
func clip(s string) string {
	const limit = 64
	if len(s) <= limit {
		return s
	}
	cut := limit
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func article(kind string) string {
	switch kind {
	case "null":
		return "null"
	case "array", "object":
		return "an " + kind
	default:
		return "a " + kind
	}
}

func wanted(types []string) string {
	all := make([]string, len(types))
	for i, t := range types {
		all[i] = article(t)
		if t == "integer" {
			all[i] = "an integer"
		}
	}
	return strings.Join(all, " or ")
}

func list(values []any) string {
	const limit = 20
	var all []string
	for i, v := range values {
		if i == limit {
			all = append(all, fmt.Sprintf("and %d more", len(values)-limit))
			break
		}
		text := "?"
		if o, err := value.Of(map[string]any{"v": v}); err == nil {
			text = show(o.Field("v"))
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
