package panel

import "slices"

// shape is the kind of JSON that a rule wants.
type shape int

const (
	shapeText   shape = iota
	shapeWhole        // a whole number
	shapeNumber       // any number
	shapeFlag
	shapeList
	shapeMap // an object of any names, each with the rule of items
	shapeObject
	shapeAny // checked elsewhere
)

// rule says what may stand in one place of a document, a declaration or an
// update. The tables of rules are data; walk reads them.
type rule struct {
	shape shape

	// The least and the most characters of a text (0 for most is no limit),
	// items of a list, or the number itself.
	min, max int64
	bytes    int      // the most bytes of a text; 0 is no limit
	words    []string // the only texts; nil means any
	grammar  grammar

	items  *rule  // of a list or a map
	unique string // the field that no two items of a list may share, or itself

	fields []field // of an object
	tag    string  // the field that names the one of cases that adds its fields
	cases  []variant
	open   bool // keeps unknown fields of an object; with a tag, of an unknown case

	also extra
}

// field is one field of an object.
type field struct {
	name string
	need bool
	rule rule
}

// variant is what an object has beside its common fields when its tag is word.
type variant struct {
	word   string
	fields []field
	also   extra
}

// extra names a rule on how the fields of an object fit together.
type extra int

const (
	extraNone      extra = iota
	extraTotal           // done <= total
	extraChecklist       // items of all levels: how many, and unique ids
	extraMeasure         // value and max, or indeterminate
	extraTable           // cells of known columns
	extraTimeline        // as many events as max
	extraChoice          // min_selected <= max_selected <= options
	extraPrimary         // one primary action
	extraAction          // scope against the other fields, placeholders
	extraSet             // the value against the field
	extraSelector        // one of ids, keys, paths
)

// itself stands for the item where unique names a field.
const itself = "."

// grammar is the form of an identifier. The zero grammar is any text.
type grammar string

const (
	grammarPanel grammar = "^[a-z][a-z0-9_-]{0,31}$"
	grammarBlock grammar = "^[A-Za-z0-9_-]{1,32}$"
	grammarItem  grammar = "^[A-Za-z0-9_.-]{1,64}$"
)

func (g grammar) matches(s string) bool {
	most, dots := 64, true
	switch g {
	case "":
		return true
	case grammarPanel:
		most, dots = 32, false
		if s == "" || s[0] < 'a' || s[0] > 'z' {
			return false
		}
	case grammarBlock:
		most, dots = 32, false
	}
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-':
		case 'A' <= c && c <= 'Z':
			if g == grammarPanel {
				return false
			}
		case c == '.' && dots:
		default:
			return false
		}
	}
	return true
}

// known finds a field.
func known(fields []field, name string) *rule {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i].rule
		}
	}
	return nil
}

// named finds the case of r for a word.
func (r *rule) named(word string) *variant {
	for i := range r.cases {
		if r.cases[i].word == word {
			return &r.cases[i]
		}
	}
	return nil
}

// caseWords are the words of the cases of r.
func (r *rule) caseWords() []string {
	words := make([]string, len(r.cases))
	for i, c := range r.cases {
		words[i] = c.word
	}
	return words
}

// fieldNames are the accepted names, sorted.
func fieldNames(lists ...[]field) []string {
	var names []string
	for _, list := range lists {
		for _, f := range list {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}
