package catalog

import (
	"slices"
	"strings"
)

// asked is a query as it is sought.
type asked struct {
	parts []part
	// reads says that it is a question or has no verb, changes that it has one for
	// changing something.
	reads, changes bool
}

// part is a word or phrase of a query with its readings, of which the best counts.
// A hint counts less: a tool need not fit it.
type part struct {
	readings []reading
	hint     bool
}

// reading is terms that count together.
type reading struct {
	terms  []string
	weight float32
}

func (x *Index) ask(query string) (a asked) {
	t := x.thesaurus
	var said []string
	seen := map[string]bool{}
	for field := range strings.FieldsSeq(query) {
		thing := shape(field)
		if thing == "" {
			said = slices.AppendSeq(said, words(field))
		} else if !seen[thing] {
			seen[thing] = true
			a.parts = append(a.parts, part{readings: []reading{{[]string{stem(thing)}, 1}}})
		}
	}
	question := len(said) > 0 && t.asking[said[0]]
	said = slices.DeleteFunc(said, func(word string) bool { return t.ignored[word] && !t.phrased[word] })
	verb, changes := false, false
	for i := 0; i < len(said); {
		n, key := t.longest(said[i:])
		last := said[i+n-1]
		i += n
		if n == 1 && t.ignored[last] || seen[key] {
			continue
		}
		seen[key] = true
		readings := slices.Clone(t.readings[key])
		if n == 1 {
			readings = append(readings, reading{[]string{key}, 1})
			readings = append(readings, x.longer(key)...)
			if i < len(said) { // drop down, written dropdown
				readings = append(readings, reading{[]string{stem(last + said[i])}, 1})
			}
		}
		a.parts = append(a.parts, part{readings: readings}, agreement(last, readings))
		if i > n && strings.HasSuffix(last, "ed") {
			continue // a participle tells of something and asks for nothing
		}
		verb = verb || t.verbs[key]
		for _, r := range readings {
			changes = changes || slices.ContainsFunc(r.terms, func(term string) bool { return t.changing[term] })
		}
	}
	a.reads = question || !verb
	a.changes = changes && !a.reads
	return a
}

// agreement is the hint that names have the number of a word, as list_issues and
// get_issue do.
func agreement(word string, readings []reading) part {
	p := part{hint: true}
	for _, r := range readings {
		if len(r.terms) == 1 {
			p.readings = append(p.readings, reading{[]string{number(word) + r.terms[0]}, numberWeight * r.weight})
		}
	}
	return p
}

// longer are readings of a term that is in no name: those in names which it begins.
func (x *Index) longer(term string) (all []reading) {
	at, exact := slices.BinarySearch(x.named, term)
	for ; !exact && len(term) > 3 && at < len(x.named) && strings.HasPrefix(x.named[at], term); at++ {
		all = append(all, reading{[]string{x.named[at]}, synonymWeight})
	}
	return all
}

// shape is what a word that names a thing by its form stands for: a file by its
// ending, a page by its address. It is empty for others.
func shape(word string) string {
	word = strings.ToLower(strings.Trim(word, `,;:!?'"()`))
	if strings.Contains(word, "://") {
		return "url"
	}
	at, slash := strings.LastIndexByte(word, '.'), strings.LastIndexByte(word, '/')
	if at <= slash {
		if len(word) > 1 && (slash == 0 || slash == len(word)-1) {
			return "directory"
		}
		return ""
	}
	switch ending := word[at+1:]; {
	case ending == "" || ending == "js" || len(ending) > 5 || ending[0] < 'a' || ending[0] > 'z':
		return ""
	case slices.Contains([]string{"com", "org", "net", "io", "dev"}, ending):
		return "url"
	}
	return "file"
}
