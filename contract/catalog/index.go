package catalog

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"raw/contract/schema"
)

// Doc is what may be found of one tool.
type Doc struct {
	Name        string
	Description string
	Schema      schema.Source // of the arguments; one that is not JSON adds nothing
}

// Hit is a tool that was found.
type Hit struct {
	Doc   int     // its place among those given to NewIndex
	Score float64 // comparable within one search only; 0 from Match
}

// Index finds tools by words. It is immutable, and safe for concurrent use.
type Index struct {
	docs      []Doc
	thesaurus *thesaurus
	terms     map[string][]posting // by stem; in names also by number and stem
	named     []string             // the stems in names, sorted
	places    []int                // of each document in the order of names, which decides ties
	reads     []bool               // whether a document's name says that it reads
	changes   []bool               // whether it says that it changes something
}

// posting is what one term adds to the score of one document.
type posting struct {
	doc   int32
	score float32
}

// The weights of a search, fitted to the queries that are there to tune with.
const (
	synonymWeight = 0.9  // of a reading beside the word itself
	numberWeight  = 0.15 // of a name in the same number, plural or singular
	coverWeight   = 0.85 // of a tool that all parts of the query fit
	readBias      = 0.18 // against tools that change something, for a question
	changeBias    = 0.18 // against tools that read, when something is to change
	saturation    = 2.1  // of a term that a tool has often: k1 of BM25
)

// The fields of a tool.
const (
	inName = iota
	inLead // the first sentence of the description
	inRest
	inParamNames
	inParamTexts
	fields
)

// uses are how often each document has a term in each field.
type uses map[string][]use

type use struct {
	doc   int32
	count [fields]float64
}

func (u uses) add(term string, doc, field int) {
	all := u[term]
	if n := len(all); n == 0 || all[n-1].doc != int32(doc) {
		all = append(all, use{doc: int32(doc)})
		u[term] = all
	}
	all[len(all)-1].count[field]++
}

// NewIndex indexes tools. It keeps docs, which must not change any more.
func NewIndex(docs []Doc) *Index {
	x := &Index{
		docs:      docs,
		thesaurus: newThesaurus(),
		terms:     map[string][]posting{},
		places:    make([]int, len(docs)),
		reads:     make([]bool, len(docs)),
		changes:   make([]bool, len(docs)),
	}
	// How much a field counts, and how much less when it is long (BM25F).
	weights := [fields]struct{ weight, norm float64 }{
		inName: {10.5, 1}, inLead: {2.4, 0.65}, inRest: {0.75, 0.9}, inParamNames: {0.8, 0.05}, inParamTexts: {0.08, 0.05},
	}
	found := uses{}
	lengths := make([][fields]float64, len(docs))
	var total [fields]float64
	for doc, d := range docs {
		d.eachText(func(field int, text string) {
			for word := range words(text) {
				if x.thesaurus.ignored[word] {
					continue
				}
				term := stem(word)
				found.add(term, doc, field)
				lengths[doc][field]++
				total[field]++
				if field == inName {
					found.add(number(word)+term, doc, field)
					x.named = append(x.named, term)
					x.reads[doc] = x.reads[doc] || x.thesaurus.reading[term]
					x.changes[doc] = x.changes[doc] || x.thesaurus.changing[term]
				}
			}
		})
		x.changes[doc] = x.changes[doc] && !x.reads[doc]
	}
	slices.Sort(x.named)
	x.named = slices.Compact(x.named)

	for term, all := range found {
		n, has := float64(len(docs)), float64(len(all))
		rarity := math.Log(1 + (n-has+0.5)/(has+0.5))
		postings := make([]posting, len(all))
		for i, u := range all {
			var weighted float64
			for f, count := range u.count {
				if count > 0 {
					long := lengths[u.doc][f] * n / total[f]
					weighted += weights[f].weight * count / (1 + weights[f].norm*(long-1))
				}
			}
			postings[i] = posting{u.doc, float32(rarity * weighted / (saturation + weighted))}
		}
		x.terms[term] = postings
	}

	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(docs[a].Name, docs[b].Name) })
	for place, doc := range order {
		x.places[doc] = place
	}
	return x
}

// Search finds the tools that fit the words of a query best, at most limit of
// them, the best first, ties by name.
func (x *Index) Search(query string, limit int) []Hit {
	n := len(x.docs)
	scores, fits := make([]float32, n), make([]float32, n)
	best, sum := make([]float32, n), make([]float32, n) // of one part, of one reading
	q := x.ask(query)
	parts := float32(0)
	for _, p := range q.parts {
		clear(best)
		for _, r := range p.readings {
			clear(sum)
			for _, term := range r.terms {
				for _, post := range x.terms[term] {
					sum[post.doc] += post.score * r.weight
					best[post.doc] = max(best[post.doc], sum[post.doc])
				}
			}
		}
		if !p.hint {
			parts++
		}
		for i, s := range best {
			scores[i] += s
			if s > 0 && !p.hint {
				fits[i]++
			}
		}
	}
	var hits []Hit
	for i, s := range scores {
		if s == 0 {
			continue
		}
		if parts > 0 {
			s *= 1 + coverWeight*fits[i]/parts
		}
		switch {
		case q.reads && x.changes[i]:
			s *= 1 - readBias
		case q.changes && x.reads[i]:
			s *= 1 - changeBias
		}
		hits = append(hits, Hit{i, float64(s)})
	}
	return x.first(hits, limit)
}

// Match finds the tools whose name or description a regular expression (RE2, case
// ignored) matches, at most limit of them: those by their name first, then by name.
func (x *Index) Match(pattern string, limit int) ([]Hit, error) {
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("match tools: %w", err)
	}
	var named, described []Hit
	for i, d := range x.docs {
		switch {
		case re.MatchString(d.Name):
			named = append(named, Hit{Doc: i})
		case re.MatchString(d.Description):
			described = append(described, Hit{Doc: i})
		}
	}
	return append(x.first(named, limit), x.first(described, max(0, limit-len(named)))...), nil
}

func (x *Index) first(hits []Hit, limit int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(x.places[a.Doc], x.places[b.Doc]))
	})
	return hits[:min(len(hits), max(limit, 0))]
}
