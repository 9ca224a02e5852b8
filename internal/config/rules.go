package config

import (
	"reflect"
	"slices"
)

// A file may have ten thousand rules, and BurntSushi/toml takes 12 µs for one
// where the checker takes less than 1 µs. So the checker, which sees every
// value anyway, fills in the plain rules itself, and their lines are cut from
// the text that is decoded. A rule is plain when it is a [[tools.rules]] without
// headers below it and without examples that are tables; any other rule is
// decoded as the rest of the file is. FuzzParse compares the two ways.

// draft is a rule under way.
type draft struct {
	Rule
	node    *node
	end     int  // of its lines; 0: they are not known
	decoded bool // it is not plain
}

var (
	ruleType = reflect.TypeFor[Rule]()
	whenType = reflect.TypeFor[When]()
)

// draftOf joins a new node to the draft that it is a part of.
func (c *checker) draftOf(n *node) {
	switch n.shape.typ {
	case ruleType:
		n.draft = &draft{node: n}
		c.drafts = append(c.drafts, n.draft)
	case whenType:
		n.draft = n.parent.draft
		n.draft.When = &When{}
	}
}

// take keeps a string of a plain rule.
func (d *draft) take(t reflect.Type, name, value string) {
	switch {
	case t == whenType && name == "source":
		d.When.Source = value
	case t == whenType && name == "any":
		d.When.Any = value
	case t == whenType && name == "regex":
		d.When.Regex = value
	case name == "match":
		d.Match = value
	case name == "effect":
		d.Effect = value
	case name == "reason":
		d.Reason = value
	case name == "match_examples":
		d.MatchExamples = append(d.MatchExamples, value)
	case name == "no_match_examples":
		d.NoMatchExamples = append(d.NoMatchExamples, value)
	}
}

// cut is the text without the plain rules.
func (c *checker) cut() *excerpt {
	x := &excerpt{}
	from := 0
	for _, d := range c.drafts {
		if d.end == 0 {
			d.decoded = true
		}
		if !d.decoded {
			x.keep(c.text, from, d.node.offset)
			from = d.end
		}
	}
	x.keep(c.text, from, len(c.text))
	return x
}

// merge puts the rules in the order of the text, with their places.
func (c *checker) merge(decoded []Rule) []Rule {
	if len(c.drafts) == 0 {
		return decoded
	}
	at := places{text: c.text}
	rules := make([]Rule, len(c.drafts))
	for i, d := range c.drafts {
		if d.decoded {
			rules[i], decoded = decoded[0], decoded[1:]
		} else {
			rules[i] = d.Rule
		}
		rules[i].File = c.file
		rules[i].Line, rules[i].Column = at.place(d.node.offset)
	}
	return rules
}

// excerpt is parts of a text, one after the other.
type excerpt struct {
	text  []byte
	parts []part
}

// part begins at start in the excerpt and at from in the whole text.
type part struct{ start, from int }

func (x *excerpt) keep(text []byte, from, to int) {
	if from < to {
		x.parts = append(x.parts, part{len(x.text), from})
		x.text = append(x.text, text[from:to]...)
	}
}

// whole is the offset in the whole text of one in the excerpt.
func (x *excerpt) whole(offset int) int {
	for _, p := range slices.Backward(x.parts) {
		if p.start <= offset {
			return p.from + offset - p.start
		}
	}
	return 0
}
