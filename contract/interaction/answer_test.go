package interaction

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCheck shows each thing that can be wrong with an answer, and what holds.
func TestCheck(t *testing.T) {
	ok := `"name":"Ada","way":"sea"`
	for _, tc := range []struct {
		name, answers string
		want          string // the faults, a line each
	}{
		{"least", `{` + ok + `}`, ``},
		{"all", `{` + ok + `,"note":"a\nb","with":["c","a"]}`, ``},
		{"an empty text where none is needed", `{` + ok + `,"note":""}`, ``},
		{"as long as may be", `{"name":"üüüü","way":"air"}`, ``},
		{"no object", `["sea"]`, `/answers: found array, want an object with a member for each field`},
		{"null", `null`, `/answers: found null, want an object with a member for each field`},
		{"unknown field", `{` + ok + `,"wya":"sea"}`, `/answers/wya: unknown field; there are name, note, way, with; nearest: way`},
		{"unknown field like no other", `{` + ok + `,"a~/b":1}`, `/answers/a~0~1b: unknown field; there are name, note, way, with`},
		{"nothing", `{}`, "/answers/name: missing; it has to be answered\n/answers/way: missing; it has to be answered"},
		{"empty text", `{"name":"","way":"sea"}`, `/answers/name: empty; it has to be answered`},
		{"null text", `{"name":null,"way":"sea"}`, `/answers/name: found null, want a text`},
		{"number for a text", `{"name":7,"way":"sea"}`, `/answers/name: found number, want a text`},
		{"text too long in bytes", `{"name":"üüüüü","way":"sea"}`, `/answers/name: 10 bytes; at most 8 are accepted`},
		{"text too long without a bound of its own", `{` + ok + `,"note":"` + strings.Repeat("x", 8193) + `"}`, `/answers/note: 8193 bytes; at most 8192 are accepted`},
		{"unknown option", `{"name":"Ada","way":"rail"}`, `/answers/way: no option "rail"; there are sea, air`},
		{"a label for an option", `{"name":"Ada","way":"By sea"}`, `/answers/way: no option "By sea"; there are sea, air`},
		{"list for a choice", `{"name":"Ada","way":["sea"]}`, `/answers/way: found array, want the id of an option`},
		{"choice for a list", `{` + ok + `,"with":"a"}`, `/answers/with: found string, want a list of option ids`},
		{"unknown option of a list", `{` + ok + `,"with":["a","d"]}`, `/answers/with/1: no option "d"; there are a, b, c`},
		{"repeated option", `{` + ok + `,"with":["a","a"]}`, `/answers/with/1: option "a" is chosen twice`},
		{"no text in a list", `{` + ok + `,"with":[1]}`, `/answers/with/0: found number, want the id of an option`},
		{"too many", `{` + ok + `,"with":["a","b","c"]}`, `/answers/with: 3 options are chosen; want 1 to 2`},
		{"too few", `{` + ok + `,"with":[]}`, `/answers/with: 0 options are chosen; want 1 to 2`},
		{"an option that is long", `{"name":"Ada","way":"` + strings.Repeat("ü", 99) + `"}`, `/answers/way: no option "` + strings.Repeat("ü", 32) + `…"; there are sea, air`},
		{
			"all at once", `{"name":"","note":1,"way":"rail","with":[],"x":1}`, `/answers/x: unknown field; there are name, note, way, with
/answers/name: empty; it has to be answered
/answers/note: found number, want a text
/answers/way: no option "rail"; there are sea, air
/answers/with: 0 options are chosen; want 1 to 2`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var lines []string
			for _, f := range trip(t).Check(valueOf(t, tc.answers)) {
				lines = append(lines, f.String())
			}
			if got := strings.Join(lines, "\n"); got != tc.want {
				t.Errorf("Check(%s) =\n%s\nwant\n%s", tc.answers, got, tc.want)
			}
		})
	}
}

// TestCheckCounts shows how many options a list wants.
func TestCheckCounts(t *testing.T) {
	const options = `"options":[{"id":"a","label":"A"},{"id":"b","label":"B"},{"id":"c","label":"C"}]`
	answers := []string{`{}`, `{"m":[]}`, `{"m":["a"]}`, `{"m":["a","b"]}`, `{"m":["c","b","a"]}`}
	for _, tc := range []struct{ field, want string }{ // want: which of the answers hold
		{``, "yyyyy"},
		{`"required":true,`, "nnyyy"},
		{`"min_selected":2,`, "ynnyy"},
		{`"max_selected":1,`, "yyynn"},
		{`"required":true,"min_selected":2,"max_selected":2,`, "nnnyn"},
		{`"required":true,"max_selected":1,`, "nnynn"},
	} {
		form := formOf(t, `{"id":"m","label":"M","kind":"multi_select",`+tc.field+options+`}`)
		got := ""
		for _, a := range answers {
			got += map[bool]string{true: "y", false: "n"}[len(form.Check(valueOf(t, a))) == 0]
		}
		if got != tc.want {
			t.Errorf("with %s the answers %v hold as %s, want %s", tc.field, answers, got, tc.want)
		}
	}
}

// TestParseForm reads whole numbers in each way that a panel accepts.
func TestParseForm(t *testing.T) {
	got := formOf(t, `
		{"id":"t","label":"T","description":"D","required":true,"kind":"text","multiline":true,"max_bytes":1e3},
		{"id":"m","label":"M","kind":"multi_select","options":[{"id":"a","label":"A"}],"min_selected":1.0,"max_selected":1}`)
	want := Form{Block: "f", Fields: []Field{
		{ID: "t", Label: "T", Description: "D", Required: true, Kind: Text, Multiline: true, MaxBytes: 1000},
		{ID: "m", Label: "M", Kind: MultiSelect, Options: []Option{{"a", "A"}}, MinSelected: 1, MaxSelected: 1},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ParseForm (-want +got):\n%s", diff)
	}
	body, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const encoded = `{"block":"f","fields":[{"id":"t","label":"T","description":"D","required":true,"kind":"text","multiline":true,"max_bytes":1000},` +
		`{"id":"m","label":"M","required":false,"kind":"multi_select","options":[{"id":"a","label":"A"}],"min_selected":1,"max_selected":1}]}`
	if string(body) != encoded {
		t.Errorf("encoded = %s, want %s", body, encoded)
	}
	for _, block := range []string{`{}`, `{"id":"f","fields":[]}`, `{"id":"f","fields":"no"}`, `[]`} {
		if f, err := ParseForm(valueOf(t, block)); err == nil || len(f.Fields) > 0 || strings.Contains(err.Error(), "%!") {
			t.Errorf("ParseForm(%s) = %+v, %v, want an error", block, f, err)
		}
	}
}
