package builtins

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"raw/contract"
	"raw/contract/ledger"
)

// recalls is a session with recall over a ledger that holds texts as the results
// of ex-1 and so on, and one execution more that is still running.
func recalls(t *testing.T, texts ...string) *contract.Session {
	t.Helper()
	state := t.TempDir()
	l, err := ledger.Open(ledger.Options{Folder: state, Session: "here", NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for i := range len(texts) + 1 {
		ex, err := l.Started(ledger.Start{Identity: "builtin/x", Name: "x", Idempotent: true})
		if err != nil {
			t.Fatal(err)
		}
		if i == len(texts) {
			break
		}
		r := ledger.Receipt{Content: []ledger.Block{{Type: "text", Text: texts[i]}}}
		if err := l.Settled(ex, r); err != nil {
			t.Fatal(err)
		}
	}
	h := Host{Recall: ledger.Store{Folder: state}.Recall, Session: "here"}
	s, err := contract.Open(contract.Options{Tools: []contract.Tool{recallTool(h)}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRecall(t *testing.T) {
	s := recalls(t, "äb\ncd\nef\n", "second\n") // ex-1, ex-3; ex-5 runs
	for _, tc := range []struct {
		arguments, want string
		kind            contract.Kind
	}{
		{`{"id":"ex-1"}`, "äb\ncd\nef\n", ""},
		{`{"id":"1"}`, "äb\ncd\nef\n", ""},
		{`{"id":"here/ex-3"}`, "second\n", ""},
		{`{"id":"ex-1","range":{"start":2,"end":2}}`, "cd\n", ""},
		{`{"id":"ex-1","range":{"start":2}}`, "cd\nef\n", ""},
		{`{"id":"ex-1","range":{"start":2.0,"end":2e3}}`, "cd\nef\n", ""},
		{`{"id":"ex-1","range":{"start":2,"end":99999999999999999999}}`, "cd\nef\n", ""},
		{`{"id":"ex-1","chars":{"start":1,"end":4}}`, "äb\nc", ""},
		{`{"query":"^(cd|s)"}`, "ex-1:2: cd\nex-3:1: second\n", ""},
		{`{"id":"ex-3","query":"c"}`, "ex-3:1: second\n", ""},
		{`{"query":"^(cd|s)","after":"ex-1:2"}`, "ex-3:1: second\n", ""},
		{`{"query":"zz"}`, "[no line of 2 results matches]", ""},
		{`{}`, "give the id of an execution, or a query", contract.KindInvalidInput},
		{`{"id":"ex-1","range":{"start":1},"chars":{"start":1}}`, "give one of range, chars and query", contract.KindInvalidInput},
		{`{"id":"ex-1","range":{"start":4}}`, "ex-1 has lines 1 to 3", contract.KindInvalidInput},
		{`{"id":"ex-1","lines":{"start":4}}`, "lines", contract.KindInvalidInput}, // the schema is closed
		{`{"id":"ex-9"}`, "there is no such execution", contract.KindPrecondition},
		{`{"id":"ex-5"}`, "it is still running", contract.KindPrecondition},
		{`{"id":"first"}`, "write ex-<n>", contract.KindPrecondition},
		{`{"id":"other/ex-1"}`, "only results of this session are returned", contract.KindPrecondition},
		{`{"id":"/ex-1"}`, "only results of this session are returned", contract.KindPrecondition},
	} {
		res := s.Call(t.Context(), contract.Request{Name: "recall", Reached: true, Arguments: json.RawMessage(tc.arguments)})
		got := string(res.Content[0].(contract.Text))
		var kind contract.Kind
		if res.Failure != nil {
			kind = res.Failure.Kind
		}
		if kind != tc.kind || tc.kind == "" && got != tc.want || !strings.Contains(got, tc.want) {
			t.Errorf("recall %s = %q, kind %q; want %q, kind %q", tc.arguments, got, kind, tc.want, tc.kind)
		}
	}
}

// The calls that notices name, made as they stand, return the whole of a result.
func TestRecallFollowsItsNotices(t *testing.T) {
	var lines strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&lines, "line %d of ä lot\n", i)
	}
	long := strings.Repeat("0123456789äöü", 6000)
	s := recalls(t, lines.String(), long) // ex-1, ex-3
	notice := regexp.MustCompile(`\n?\[(?:lines|characters|more lines)[^\n]*; recall (\{.*\}) returns them\]$`)
	for _, tc := range []struct{ arguments, whole string }{
		{`{"id":"ex-1"}`, lines.String()},
		{`{"id":"ex-1","chars":{"start":1}}`, lines.String()},
		{`{"id":"ex-3"}`, long},
		{`{"id":"ex-1","query":"lot"}`, lines.String()},
	} {
		var whole strings.Builder
		pages := 0
		for arguments := tc.arguments; arguments != "" && pages < 100; pages++ {
			res := s.Call(t.Context(), contract.Request{Name: "recall", Reached: true, Arguments: json.RawMessage(arguments)})
			page := string(res.Content[0].(contract.Text))
			if n := len([]rune(page)); n > ledger.MaxRecall || res.IsError() {
				t.Fatalf("recall %s has %d characters, failure %v: %.200s", arguments, n, res.Failure, page)
			}
			arguments = ""
			if m := notice.FindStringSubmatchIndex(page); m != nil {
				arguments, page = page[m[2]:m[3]], page[:m[0]]
				if strings.Contains(arguments, `"range"`) || strings.Contains(arguments, `"query"`) {
					page += "\n" // the end of the last line, no separator
				}
			}
			whole.WriteString(page)
		}
		got := whole.String()
		if strings.Contains(tc.arguments, "query") {
			got = regexp.MustCompile(`(?m)^ex-1:\d+: `).ReplaceAllString(got, "")
		}
		if pages < 3 || squeezed(tc.arguments, got) != squeezed(tc.arguments, tc.whole) {
			t.Errorf("recall %s: %d pages make %d bytes, want these %d", tc.arguments, pages, len(got), len(tc.whole))
		}
	}
}

// squeezed is text without line ends where pages are cut by characters: a page
// that ends before or behind one looks the same.
func squeezed(arguments, text string) string {
	if strings.Contains(arguments, "chars") {
		return strings.ReplaceAll(text, "\n", "")
	}
	return text
}
