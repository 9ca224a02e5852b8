package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"raw/contract/nearest"
	"raw/contract/value"
)

// Fault is one thing that is wrong with a value.
type Fault struct {
	Pointer string // JSON pointer; empty is the whole value
	Message string // what is wrong and what was found
}

// String is "<pointer>: <message>", with / for the whole value.
func (f Fault) String() string {
	return cmp.Or(f.Pointer, "/") + ": " + f.Message
}

// explain turns the library's tree of causes into faults.
func explain(err *jsonschema.ValidationError, v value.Value, parts map[string]*part) []Fault {
	return sorted(explainer{v, parts}.faults(err))
}

func sorted(faults []Fault) []Fault {
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(faults)
}

type explainer struct {
	value value.Value
	parts map[string]*part
}

func (x explainer) faults(err *jsonschema.ValidationError) []Fault {
	at := join(err.InstanceLocation)
	missing := func(names []string, why string) []Fault {
		var faults []Fault
		for _, name := range names {
			faults = append(faults, Fault{at + "/" + pointerEscape.Replace(name), "missing" + why})
		}
		return faults
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		return missing(k.Missing, "")
	case *kind.Dependency:
		return missing(k.Missing, "; needed because "+k.Prop+" is given")
	case *kind.DependentRequired:
		return missing(k.Missing, "; needed because "+k.Prop+" is given")
	case *kind.AdditionalProperties:
		accepted := x.accepted(err.SchemaURL)
		var faults []Fault
		for _, name := range k.Properties {
			faults = append(faults, unknownField(at, name, accepted))
		}
		return faults
	case *kind.FalseSchema:
		if owner, ok := strings.CutSuffix(err.SchemaURL, "/unevaluatedProperties"); ok && len(err.InstanceLocation) > 0 {
			last := len(err.InstanceLocation) - 1
			return []Fault{unknownField(join(err.InstanceLocation[:last]), err.InstanceLocation[last], x.accepted(owner))}
		}
	case *kind.PropertyNames:
		if lookup(x.value, at).Field(k.Property).Kind() == value.Absent {
			// The library keeps this location in memory that it uses again.
			return []Fault{{"", fmt.Sprintf("the field name %q is not accepted", clip(k.Property)) + because(k.Property, err.Causes)}}
		}
		return []Fault{{at + "/" + pointerEscape.Replace(k.Property), "this field name is not accepted" + because(k.Property, err.Causes)}}
	case *kind.AnyOf:
		return x.choice(at, err)
	case *kind.OneOf:
		if k.Subschemas == nil {
			return x.choice(at, err)
		}
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var faults []Fault
		for _, cause := range err.Causes {
			faults = append(faults, x.faults(cause)...)
		}
		return faults
	}
	return []Fault{{at, words(err.ErrorKind, lookup(x.value, at))}}
}

// because is what is wrong with a field name.
func because(name string, causes []*jsonschema.ValidationError) string {
	o, err := value.Of(map[string]string{"name": name})
	if err != nil || len(causes) == 0 {
		return ""
	}
	faults := explainer{value: o.Field("name")}.faults(causes[0])
	if len(faults) == 0 {
		return ""
	}
	return ": " + faults[0].Message
}

// choice explains that no branch fits: by the faults of the one that was
// clearly meant, else by what each of them wants.
func (x explainer) choice(at string, err *jsonschema.ValidationError) []Fault {
	var branches [][]Fault
	least, best := 0, -1 // best is negative while several are equally near
	for i, cause := range err.Causes {
		branches = append(branches, sorted(x.faults(cause)))
		switch m := misfit(cause, len(err.InstanceLocation)); {
		case i == 0 || m < least:
			least, best = m, i
		case m == least:
			best = -1
		}
	}
	if best >= 0 && least < otherForm {
		return branches[best]
	}
	var all []string
	for _, faults := range branches {
		for _, f := range faults {
			text := f.Message
			if rest := strings.TrimPrefix(f.Pointer, at); rest != "" {
				text = rest + " " + text
			}
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return []Fault{{at, "fits none of the accepted forms: " + strings.Join(all, "; or ")}}
}

// otherForm is the weight of a branch that is for another form of the value.
const otherForm = 100

// misfit weighs how far a branch is from what was meant: another type of the
// value itself, which is depth steps below the root, rules it out; another
// const nearly does, because that is how forms are told apart; anything else is
// a mistake within the right form.
func misfit(err *jsonschema.ValidationError, depth int) int {
	switch k := err.ErrorKind.(type) {
	case *kind.Type:
		if len(err.InstanceLocation) == depth {
			return 100 * otherForm
		}
	case *kind.Const:
		return otherForm
	case *kind.Enum:
		if len(k.Want) == 1 {
			return otherForm
		}
	}
	sum := 0
	for _, cause := range err.Causes {
		sum += misfit(cause, depth)
	}
	return max(sum, 1)
}

// unknownField names the accepted fields and the nearest.
func unknownField(at, name string, accepted []string) Fault {
	message := "unknown field"
	if len(accepted) == 0 {
		message += "; no field is accepted here"
	} else {
		message += "; accepted: " + strings.Join(accepted, ", ")
	}
	if near := nearest.Names(name, accepted, 1); len(near) > 0 {
		message += "; nearest: " + near[0]
	}
	return Fault{at + "/" + pointerEscape.Replace(clip(name)), message}
}

// accepted are the names of the fields that the schema at a location has.
func (x explainer) accepted(location string) []string {
	p := x.parts[location]
	if p == nil {
		return nil
	}
	names := map[string]bool{}
	for _, s := range (Node{p.Schema}).branches() {
		for name := range s.Properties {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
