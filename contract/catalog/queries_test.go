package catalog_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// recording is what one published server declared. testdata/record.mjs made
// tools.json: it installs each package from npm at a fixed version, starts it over
// stdio without a network and with dummy credentials, and asks initialize and
// tools/list.
type recording struct {
	Server, NPM, Version string
	Tools                []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
}

// wanted is a query of queries.json and the tools, as server/name, any of which
// is right. The queries were written from tasks and committed before there was
// a ranker.
type wanted struct {
	Query string
	Tools []string
}

// practice.json has more of them, written after the held-out half was first
// measured and only to tune with.

// heldOut is the rule of the split of queries.json: with the first query counted as 0, the even
// ones tune the ranker, the odd ones are its claim and tune nothing.
func heldOut(i int) bool { return i%2 == 1 }

func load[T any](t testing.TB, file string) (all []T) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

func TestQueriesAskForRecordedTools(t *testing.T) {
	servers := load[recording](t, "testdata/tools.json")
	known := map[string]bool{}
	for _, s := range servers {
		if s.NPM == "" || s.Version == "" || len(s.Tools) == 0 {
			t.Errorf("%s: package %q, version %q, %d tools; want all three", s.Server, s.NPM, s.Version, len(s.Tools))
		}
		for _, tool := range s.Tools {
			known[s.Server+"/"+tool.Name] = true
		}
	}
	if len(servers) < 12 || len(known) < 300 {
		t.Errorf("%d servers with %d tools; want at least 12 with 300", len(servers), len(known))
	}
	asked := map[string]bool{}
	halves := map[bool]int{}
	queries := load[wanted](t, "testdata/queries.json")
	for i, q := range slices.Concat(queries, load[wanted](t, "testdata/practice.json")) {
		if key := strings.ToLower(q.Query); asked[key] {
			t.Errorf("%q is asked twice", q.Query)
		} else {
			asked[key] = true
		}
		if i < len(queries) {
			halves[heldOut(i)]++
		}
		if len(q.Tools) == 0 {
			t.Errorf("%q wants nothing", q.Query)
		}
		for _, tool := range q.Tools {
			if !known[tool] {
				t.Errorf("%q wants %s, which no server has", q.Query, tool)
			}
		}
	}
	if halves[false] < 40 || halves[true] < 40 {
		t.Errorf("%d queries to tune with and %d held out; want 40 of each", halves[false], halves[true])
	}
}
