package predicate

import (
	"strconv"
	"strings"

	"raw/contract/value"
)

// Reading is what stands under one path of one call: read once, it answers
// every predicate on that path. It is not changed after Read.
type Reading struct {
	steps     []step
	spellings []value.Value // one, or the lexical one and the resolved one
	values    []string      // of the first spelling, then of the second
	heads     []Head        // of values
	resolved  int           // where the values of the last spelling begin
	unread    *open         // no value under the path is certain
	open      []open        // values of which only a start is certain
}

// open is a value that the text of the call does not fix.
type open struct {
	entry string // as the effects name it
	text  string // the value as written
	fixed string // the start that is certain
}

// Read finds the values under c's path.
func (c *Compiled) Read(in Input) Reading {
	r := Reading{steps: c.steps}
	if c.source == Arguments {
		r.collect(in.Arguments.Value)
	} else if n := len(in.Effects); n == 0 {
		r.unread = &open{entry: Effects}
	} else {
		r.collect(in.Effects[0].Value)
		r.readUnknown(in.Effects[0].Field("unknown"))
		if n > 1 {
			r.resolved = len(r.values)
			r.collect(in.Effects[n-1].Value)
		}
	}
	r.heads = make([]Head, len(r.values))
	for i, v := range r.values {
		r.heads[i] = HeadOf(v)
	}
	return r
}

// Excludes reports, cheaply, that no value that was read can match what has
// this probe, and that all of them are certain.
func (r *Reading) Excludes(p Probe) bool {
	if r.unread != nil || len(r.open) > 0 {
		return false
	}
	for _, h := range r.heads {
		if !p.excludes(h) {
			return false
		}
	}
	return true
}

func (r *Reading) collect(v value.Value) {
	r.spellings = append(r.spellings, v)
	walk(v, r.steps, func(_ []int, text string) bool {
		r.values = append(r.values, text)
		return true
	})
}

// place is where value i stands, with the indexes in place of [*].
func (r *Reading) place(i int) string {
	spelling := r.spellings[0]
	if len(r.spellings) > 1 && i >= r.resolved {
		spelling, i = r.spellings[1], i-r.resolved
	}
	var found []int
	walk(spelling, r.steps, func(at []int, _ string) bool {
		found = at
		i--
		return i >= 0
	})
	var place strings.Builder
	for n, st := range r.steps {
		if n > 0 {
			place.WriteByte('.')
		}
		place.WriteString(st.name)
		if st.each {
			place.WriteString("[" + strconv.Itoa(found[0]) + "]")
			found = found[1:]
		}
	}
	return place.String()
}

// walk yields each string under steps with the array indexes that lead to it.
// It reports false when yield did.
func walk(v value.Value, steps []step, yield func(at []int, text string) bool) bool {
	var at [maxParts]int
	return descend(v, steps, at[:0], yield)
}

func descend(v value.Value, steps []step, at []int, yield func([]int, string) bool) bool {
	if len(steps) == 0 {
		if text, ok := v.Str(); ok {
			return yield(at, text)
		}
		return true
	}
	v = v.Field(steps[0].name)
	if !steps[0].each {
		return descend(v, steps[1:], at, yield)
	}
	if v.Kind() != value.Array {
		return true
	}
	for i := range v.Len() {
		if !descend(v.At(i), steps[1:], append(at, i), yield) {
			return false
		}
	}
	return true
}
