package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract/catalog"
	"raw/contract/schema"
)

// recorded are the tools as a gateway names them, and as the queries do.
func recorded(t testing.TB) (docs []catalog.Doc, names []string) {
	t.Helper()
	for _, s := range load[recording](t, "testdata/tools.json") {
		for _, tool := range s.Tools {
			docs = append(docs, catalog.Doc{
				Name:        "mcp_" + s.Server + "_" + tool.Name,
				Description: tool.Description,
				Schema:      schema.Source(tool.InputSchema),
			})
			names = append(names, s.Server+"/"+tool.Name)
		}
	}
	return docs, names
}

// TestFindsTheRightTool measures the ranker among all recorded tools. The held-out
// queries are its claim. What is wanted of it is 80 % first and 95 % among five: it
// is not there yet, so the floors only keep what was reached. Words that the
// thesaurus does not know are what is missing; the sets that it was tuned with
// show nothing of that.
func TestFindsTheRightTool(t *testing.T) {
	docs, names := recorded(t)
	x := catalog.NewIndex(docs)
	var tuned, held []wanted
	for i, q := range load[wanted](t, "testdata/queries.json") {
		if heldOut(i) {
			held = append(held, q)
		} else {
			tuned = append(tuned, q)
		}
	}
	for _, set := range []struct {
		name          string
		queries       []wanted
		first, ofFive float64 // percent
	}{
		{"tuned", tuned, 80, 95},
		{"practice", load[wanted](t, "testdata/practice.json"), 70, 90},
		{"held out", held, 68, 86},
	} {
		var first, ofFive, ofEight float64
		one := 100 / float64(len(set.queries))
		for _, q := range set.queries {
			place := slices.IndexFunc(x.Search(q.Query, 8), func(h catalog.Hit) bool {
				return slices.Contains(q.Tools, names[h.Doc])
			})
			switch {
			case place < 0:
				continue
			case place == 0:
				first += one
				fallthrough
			case place < 5:
				ofFive += one
			}
			ofEight += one
		}
		t.Logf("%s, %d queries among %d tools: first %.1f %%, of five %.1f %%, of eight %.1f %%",
			set.name, len(set.queries), len(docs), first, ofFive, ofEight)
		if first < set.first || ofFive < set.ofFive {
			t.Errorf("%s: first %.1f %%, of five %.1f %%; want %v and %v", set.name, first, ofFive, set.first, set.ofFive)
		}
	}
}

func found(docs []catalog.Doc, hits []catalog.Hit) []string {
	names := []string{}
	for _, h := range hits {
		names = append(names, docs[h.Doc].Name)
	}
	return names
}

func TestSearch(t *testing.T) {
	docs := []catalog.Doc{
		{Name: "zoo_feed", Description: "Feed an animal."},
		{Name: "bank_list_accounts", Description: "Accounts of a customer"},
		{Name: "bank_get_account", Description: "One account"},
		{Name: "bank_deleteAccount", Description: "Closes it for good"},
		{Name: "aquarium_feed", Description: "Feed an animal."},
		{Name: "convert", Description: "Changes units.\nKnows kelvin.", Schema: `{"type":"object","properties":{"targetUnit":{"enum":["furlong"],"description":"what to arrive at"},"of":{"items":{"properties":{"vintage":{}}}}}}`},
		{Name: "broken", Description: "Odd", Schema: `{"type":`},
		{Name: "tenki", Description: "東京の天気"},
		{Name: "yard_add_gate"},
		{Name: "yard_get_gate"},
		{Name: "yard_oil_gate"},
	}
	x := catalog.NewIndex(docs)
	for _, c := range []struct {
		query string
		limit int
		want  []string
	}{
		{"feed animals", 8, []string{"aquarium_feed", "zoo_feed"}}, // a tie, by name
		{"feed animals", 1, []string{"aquarium_feed"}},
		{"feed animals", 0, []string{}},
		{"feed animals", -1, []string{}},
		{"", 8, []string{}},
		{"the of to", 8, []string{}},
		{"entirely unheard", 8, []string{}},
		{"which accounts are there", 1, []string{"bank_list_accounts"}},
		{"get the account", 1, []string{"bank_get_account"}},
		{"get rid of the ACCOUNT", 1, []string{"bank_deleteAccount"}},
		{"deleting an account", 1, []string{"bank_deleteAccount"}},
		{"gate", 8, []string{"yard_get_gate", "yard_oil_gate", "yard_add_gate"}},
		{"update the gate", 3, []string{"yard_add_gate", "yard_oil_gate", "yard_get_gate"}},
		{"kelvin", 8, []string{"convert"}},
		{"target", 8, []string{"convert"}},
		{"vintage", 8, []string{"convert"}},
		{"furlong", 8, []string{"convert"}},
		{"arrive", 8, []string{"convert"}},
		{"odd", 8, []string{"broken"}},
		{"天気", 8, []string{"tenki"}},
		{strings.Repeat("feed ", 10_000), 1, []string{"aquarium_feed"}},
	} {
		if diff := cmp.Diff(c.want, found(docs, x.Search(c.query, c.limit))); diff != "" {
			t.Errorf("Search(%.30q, %d) (-want +got):\n%s", c.query, c.limit, diff)
		}
	}
	if hits := catalog.NewIndex(nil).Search("feed", 8); len(hits) != 0 {
		t.Errorf("an empty index found %v", hits)
	}
}

func TestMatch(t *testing.T) {
	docs := []catalog.Doc{
		{Name: "b_read", Description: "x"},
		{Name: "c", Description: "Reads a file"},
		{Name: "a", Description: "a file that is read"},
		{Name: "Read", Description: "read"},
	}
	x := catalog.NewIndex(docs)
	for _, c := range []struct {
		pattern string
		limit   int
		want    []string
	}{
		{"READ", 8, []string{"Read", "b_read", "a", "c"}},
		{"read", 3, []string{"Read", "b_read", "a"}},
		{"^read$|^c$", 8, []string{"Read", "c"}},
		{"read", 0, []string{}},
		{"read", -1, []string{}},
		{"none", 8, []string{}},
	} {
		hits, err := x.Match(c.pattern, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, found(docs, hits)); diff != "" {
			t.Errorf("Match(%q, %d) (-want +got):\n%s", c.pattern, c.limit, diff)
		}
	}
	for _, bad := range []string{"(", "a)(b", `\1`, "a{1001}"} {
		if hits, err := x.Match(bad, 8); err == nil {
			t.Errorf("Match(%q) = %v, want an error", bad, hits)
		}
	}
}

// TestSearchIsDeterministic: the order in which tools are given decides nothing,
// and searches do not disturb each other.
func TestSearchIsDeterministic(t *testing.T) {
	docs, _ := recorded(t)
	turned := slices.Clone(docs)
	slices.Reverse(turned)
	x, y := catalog.NewIndex(docs), catalog.NewIndex(turned)
	var searches sync.WaitGroup
	for _, q := range load[wanted](t, "testdata/queries.json") {
		searches.Go(func() {
			if diff := cmp.Diff(found(docs, x.Search(q.Query, 8)), found(turned, y.Search(q.Query, 8))); diff != "" {
				t.Errorf("Search(%q), tools forwards and backwards (-forwards +backwards):\n%s", q.Query, diff)
			}
		})
	}
	searches.Wait()
}

func thousand(b *testing.B) []catalog.Doc {
	docs, _ := recorded(b)
	for i := 0; len(docs) < 1000; i++ {
		d := docs[i]
		d.Name = fmt.Sprintf("%s_%d", d.Name, i)
		docs = append(docs, d)
	}
	return docs[:1000]
}

func BenchmarkNewIndex(b *testing.B) {
	docs := thousand(b)
	for b.Loop() {
		catalog.NewIndex(docs)
	}
}

func BenchmarkSearch(b *testing.B) {
	x := catalog.NewIndex(thousand(b))
	queries := load[wanted](b, "testdata/queries.json")
	for i := 0; b.Loop(); i++ {
		x.Search(queries[i%len(queries)].Query, 8)
	}
}

func BenchmarkMatch(b *testing.B) {
	x := catalog.NewIndex(thousand(b))
	for b.Loop() {
		if _, err := x.Match("pull.*request", 8); err != nil {
			b.Fatal(err)
		}
	}
}
