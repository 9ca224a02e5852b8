package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"raw/contract/ledger"
	"raw/contract/window"
)

// recorded is a live session with the results as ex-1, ex-3, ex-5 …
func recorded(t *testing.T, results ...ledger.Receipt) (ledger.Store, *ledger.Log) {
	t.Helper()
	state := t.TempDir()
	l := openWith(t, ledger.Options{Folder: state, Session: "session-1", NoSync: true})
	for _, r := range results {
		run(t, l, r)
	}
	return ledger.Store{Folder: state}, l
}

func blocks(texts ...string) (r ledger.Receipt) {
	for _, s := range texts {
		r.Content = append(r.Content, ledger.Block{Type: "text", Text: s})
	}
	return r
}

func TestRecallParts(t *testing.T) {
	mixed := ledger.Receipt{Content: []ledger.Block{
		{Type: "json", JSON: json.RawMessage(`{"a":1}`)},
		{Type: "text", Text: "behind"},
		{Type: "image", MIME: "image/png", Data: []byte{1}},
	}}
	store, l := recorded(t, blocks("one\ntwo", "drei äöü\n", "", "vier"), mixed, ledger.Receipt{Content: mixed.Content[2:]}, ledger.Receipt{})
	open := start(t, l, "bash")
	part := func(start, end int) *ledger.Part { return &ledger.Part{Start: start, End: end} }
	for _, tc := range []struct {
		ask    ledger.Ask
		budget int
		want   string
		err    string
	}{
		{ask: ledger.Ask{ID: "ex-1"}, want: "one\ntwo\ndrei äöü\nvier"},
		{ask: ledger.Ask{ID: "1", Range: part(2, 3)}, want: "two\ndrei äöü\n"},
		{ask: ledger.Ask{ID: "session-1/ex-1", Range: part(4, 0)}, want: "vier"},
		{ask: ledger.Ask{ID: "ses/1", Range: part(4, 99)}, want: "vier"},
		{ask: ledger.Ask{ID: "ex-1", Chars: part(5, 15)}, want: "two\ndrei äö"},
		{ask: ledger.Ask{ID: "ex-1", Chars: part(18, 0)}, want: "vier"},
		{ask: ledger.Ask{ID: "ex-3"}, want: "[JSON, shown as text]\n{\"a\":1}\nbehind"},
		{ask: ledger.Ask{ID: "ex-3"}, budget: 7, want: "behind"},
		{ask: ledger.Ask{ID: "ex-5"}, want: "[the result of ex-5 has no text; its 1 other blocks, images for example, cannot be recalled]"},
		{ask: ledger.Ask{ID: "ex-7", Range: part(1, 1)}, want: "[the result of ex-7 is empty]"},
		{ask: ledger.Ask{ID: "ex-1", Query: "^t|vier"}, want: "ex-1:2: two\nex-1:4: vier\n"},
		{ask: ledger.Ask{Query: "i"}, want: "ex-1:3: drei äöü\nex-1:4: vier\nex-3:3: behind\n"},
		{ask: ledger.Ask{Query: "e(", ID: "ex-1"}, want: "[no line of 1 results matches]\n[\"e(\" is no valid RE2 expression, so it was looked for as it is]"},
		{ask: ledger.Ask{Query: "i", After: "ex-1:3"}, want: "ex-1:4: vier\nex-3:3: behind\n"},

		{ask: ledger.Ask{}, err: "give the id"},
		{ask: ledger.Ask{ID: "ex-1", Range: part(1, 1), Chars: part(1, 1)}, err: "give one of"},
		{ask: ledger.Ask{ID: "ex-1", Range: part(0, 1)}, err: "lines 0 to 1: ex-1 has lines 1 to 4"},
		{ask: ledger.Ask{ID: "ex-1", Range: part(3, 2)}, err: "lines 3 to 2"},
		{ask: ledger.Ask{ID: "ex-1", Range: part(5, 0)}, err: "lines 1 to 4"},
		{ask: ledger.Ask{ID: "ex-1", Chars: part(22, 0)}, err: "characters 1 to 21"},
		{ask: ledger.Ask{ID: open}, err: "still running"},
		{ask: ledger.Ask{ID: "ex-99"}, err: "no such execution"},
		{ask: ledger.Ask{ID: "last"}, err: "write ex-<n>"},
		{ask: ledger.Ask{ID: "other/ex-1"}, err: "no session has it"},
		{ask: ledger.Ask{Query: "x", After: "here"}, err: "want ex-<n>:<line>"},
		{ask: ledger.Ask{Query: strings.Repeat("x", 1001)}, err: "1001 bytes long"},
	} {
		got, err := store.Recall(ledger.Recall{Session: "session-1", Ask: tc.ask, Budget: tc.budget})
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("Recall(%+v) = %q, %v, want %q, %s", tc.ask, got, err, tc.want, tc.err)
		}
	}
}

var notice = regexp.MustCompile(`(?s)^(.*?)\n?\[(?:lines|characters|more)[^\n]*; please recall (\{.*\}) returns them\]$`)

// Going on as the notices say gives the whole, and no page is too long.
func TestRecallGoesOn(t *testing.T) {
	lines, matches := strings.Builder{}, strings.Builder{}
	for i := range 20_000 {
		line := fmt.Sprintf("%d äöü %s\n", i, strings.Repeat("x", i%50))
		lines.WriteString(line)
		if i%2 == 0 {
			fmt.Fprintf(&matches, "ex-1:%d: %s", i+1, line)
		}
	}
	long := strings.Repeat("ü", 100_000)
	store, _ := recorded(t, text(lines.String()), text("a\n"+long+"\nb\n"))
	for _, tc := range []struct {
		name string
		ask  ledger.Ask
		want string
	}{
		{"lines", ledger.Ask{ID: "ex-1"}, lines.String()},
		{"characters", ledger.Ask{ID: "ex-1", Chars: &ledger.Part{Start: 1}}, lines.String()},
		{"a line over the bound", ledger.Ask{ID: "ex-3"}, "a\n" + long + "\nb\n"},
		{"a query", ledger.Ask{Query: `^\d*[02468] `}, matches.String()},
		{"a query in one result", ledger.Ask{Query: `^\d*[02468] `, ID: "ex-1"}, matches.String()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var whole strings.Builder
			ask, pages := tc.ask, 0
			for more := true; more; pages++ {
				page, err := store.Recall(ledger.Recall{Session: "session-1", Ask: ask, Call: func(a string) string { return "please recall " + a }})
				must(t, err)
				if n := utf8.RuneCountInString(page); n > ledger.MaxRecall || pages > 50 {
					t.Fatalf("page %d has %d characters", pages, n)
				}
				m := notice.FindStringSubmatch(page)
				if more = m != nil; !more {
					whole.WriteString(page)
					break
				}
				if n := utf8.RuneCountInString(page); n < 25_000 && !strings.HasPrefix(page, "a\n") {
					t.Errorf("page %d has only %d characters", pages, n)
				}
				whole.WriteString(m[1])
				ask = ledger.Ask{}
				must(t, json.Unmarshal([]byte(m[2]), &ask))
				if ask.Chars == nil {
					whole.WriteByte('\n')
				}
			}
			// By characters a page may end before or behind a newline.
			squeeze := strings.NewReplacer("\n", "")
			if squeeze.Replace(whole.String()) != squeeze.Replace(tc.want) || ask.Chars == nil && whole.String() != tc.want {
				t.Errorf("%d pages have %d bytes together, want these %d", pages, whole.Len(), len(tc.want))
			}
		})
	}
}

// What a window says is omitted is what recall returns for its range.
func TestRecallFillsTheWindow(t *testing.T) {
	var a, b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&a, "first %d\n", i)
		fmt.Fprintf(&b, "second %d\n", i)
	}
	texts := []string{strings.TrimSuffix(a.String(), "\n"), "", "[JSON, shown as text]\n" + `{"k":"v"}`, b.String()}
	var first, last int
	shown := window.Apply(texts, window.Options{Limit: 500, Recall: func(f, l int) string {
		first, last = f, l
		return "THIS"
	}})
	r := blocks(texts...)
	r.Content[2] = ledger.Block{Type: "json", JSON: json.RawMessage(`{"k":"v"}`)}
	store, _ := recorded(t, r)
	gap, err := store.Recall(ledger.Recall{Session: "session-1", Ask: ledger.Ask{ID: "ex-1", Range: &ledger.Part{Start: first, End: last}}, Budget: 5})
	must(t, err)
	omitted := regexp.MustCompile(`\[lines.*THIS returns them\]`)
	got := omitted.ReplaceAllString(strings.Join(shown, "\n"), strings.TrimSuffix(gap, "\n"))
	noBlank := func(s string) string { return regexp.MustCompile(`\n+`).ReplaceAllString(s, "\n") }
	if d := cmp.Diff(noBlank(strings.Join(texts, "\n")), noBlank(got)); d != "" {
		t.Errorf("window and recall of lines %d–%d do not make the whole (-want +got):\n%s", first, last, d)
	}
}

func TestRecallOfLongLineShowsTheMatch(t *testing.T) {
	store, _ := recorded(t, text(strings.Repeat("ä", 9000)+"needle"+strings.Repeat("ö", 9000)))
	got, err := store.Recall(ledger.Recall{Session: "session-1", Ask: ledger.Ask{Query: "needle"}})
	if err != nil || !strings.HasPrefix(got, "ex-1:1: [characters 8801–10800 of 18006] ä") || !strings.Contains(got, "needle") {
		t.Errorf("Recall = %q, %v, want the 2000 characters around the match", got, err)
	}
}

func TestRecallTellsWhatIsLost(t *testing.T) {
	store, l := recorded(t, text("first"))
	closeLog(t, l)
	lines := segmentLines(t, store.Folder, "session-1", 1)
	broken := strings.Replace(strings.Join(lines, ""), "first", "FIRST", 1)
	must(t, os.WriteFile(segmentPath(store.Folder, "session-1", 1), []byte(broken), 0o600))
	_, err := store.Recall(ledger.Recall{Session: "session-1", Ask: ledger.Ask{ID: "ex-1"}})
	if !errors.Is(err, ledger.ErrUnknown) || !strings.Contains(err.Error(), "lost at 1 places") {
		t.Errorf("Recall of a corrupt receipt = %v, want one that says so", err)
	}
	got, err := store.Recall(ledger.Recall{Session: "session-1", Ask: ledger.Ask{Query: "(?i)first"}})
	if err != nil || !strings.Contains(got, "[1 places of the ledger cannot be read") {
		t.Errorf("a query beside a corrupt receipt = %q, %v, want a notice", got, err)
	}
}

func TestFind(t *testing.T) {
	state := t.TempDir()
	for i, name := range []string{"abc", "abd", "xyz", "xy"} {
		l := openWith(t, ledger.Options{Folder: state, Session: name, NoSync: true})
		for range i + 1 {
			run(t, l, text(name))
		}
	}
	store := ledger.Store{Folder: state}
	for _, tc := range []struct{ ref, current, want string }{
		{"ex-3", "here", "here/ex-3"},
		{"3", "here", "here/ex-3"},
		{"xyz/ex-3", "here", "xyz/ex-3"},
		{"xyz/3", "", "xyz/ex-3"},
		{"xy/3", "", "xy/ex-3"}, // exact before prefix
		{"abd/3", "", "abd/ex-3"},
		{"ab/3", "", "abd/ex-3"}, // only one has it
		{"ab/1", "", "error: may be any of abc/ex-1, abd/ex-1"},
		{"ex-7", "", "xy/ex-7"},
		{"ex-1", "", "error: may be any of"},
		{"ex-99", "", "error: no session has it"},
		{"q/ex-1", "", "error: no session has it"},
		{"../ex-1", "", "error: no session has it"},
		{"ex-0", "here", "error: names no execution"},
		{"ex--1", "here", "error: names no execution"},
		{"", "here", "error: names no execution"},
	} {
		session, ex, err := store.Find(tc.ref, tc.current)
		got := session + "/" + ex
		if err != nil {
			got = "error: " + err.Error()
		}
		if message, ok := strings.CutPrefix(tc.want, "error: "); got != tc.want && !(ok && err != nil && strings.Contains(got, message)) {
			t.Errorf("Find(%q, %q) = %s, want %s", tc.ref, tc.current, got, tc.want)
		}
	}
}

func TestSearch(t *testing.T) {
	store, l := recorded(t, text("a needle\nin"), text(strings.Repeat("hay", 9000)+"needle \"quoted\""))
	must(t, l.Note(ledger.Note{Text: "nothing"}))
	for _, tc := range []struct {
		what string
		want []string
	}{
		{"needle", []string{"2", "4"}},
		{`needle "q`, []string{"4"}},
		{"needle\nin", []string{"2"}},
		{"nothing", []string{"5"}},
		{"absent", nil},
	} {
		seq, err := store.Search("session-1", func(s string) bool { return strings.Contains(s, tc.what) })
		must(t, err)
		var got []string
		for r, fault := range seq {
			if fault != nil {
				t.Error(fault)
			}
			got = append(got, strconv.FormatUint(r.Seq, 10))
		}
		if want := fmt.Sprint(tc.want); want != fmt.Sprint(got) {
			t.Errorf("Search(%q) found the records %v, want %v", tc.what, got, want)
		}
	}
}
