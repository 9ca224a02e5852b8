package panel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"empty", `{"blocks":[]}`, ``},
		{"title", `{"title":"Plan","blocks":[]}`, "Plan\n"},
		{"head", `{"title":"Plan","subtitle":"for today","progress":{"done":1,"total":3},"blocks":[]}`, "Plan (1/3) — for today\n"},
		{"head without title", `{"subtitle":"for today","blocks":[]}`, "for today\n"},
		{"head in one line", `{"title":"a\nb","subtitle":"c\n\td","blocks":[]}`, "a b — c d\n"},
		{"checklist", `{"title":"T","blocks":[{"id":"b","kind":"checklist","title":"Work","items":[
			{"id":"1","label":"one","status":"done","note":"quick","ref":{"path":"a.go","line":3}},
			{"id":"2","label":"two","children":[
				{"id":"3","label":"three","status":"in_progress","ref":{"path":"b.go"}},
				{"id":"4","label":"four","status":"skipped","children":[{"id":"5","label":"five","status":"blocked"},{"id":"6","label":"six","status":"failed"}]}
			]},
			{"id":"7","label":"two\nlines","status":"pending","note":"x\ny"}]}]}`, `
T (1/5)

## Work
[x] one — quick (a.go:3)
[ ] two
  [~] three (b.go)
  [-] four
    [!] five
    [✗] six
[ ] two lines — x y
`},
		{"steps", `{"blocks":[{"id":"b","kind":"steps","items":[
			{"id":"1","label":"build","status":"done","detail":"all","started_at":1000,"ended_at":601000},
			{"id":"2","label":"test","status":"failed","started_at":0,"ended_at":90000},
			{"id":"3","label":"pack","started_at":0,"ended_at":999},
			{"id":"4","label":"sign","started_at":0,"ended_at":1000},
			{"id":"5","label":"send","started_at":0,"ended_at":7200000},
			{"id":"6","label":"wait","started_at":0,"ended_at":9000000},
			{"id":"7","label":"long","started_at":0,"ended_at":3605000},
			{"id":"8","label":"ends first","started_at":9,"ended_at":3},
			{"id":"9","label":"runs","status":"in_progress","started_at":9}]}]}`, `
(1/9)
1. [x] build — all (10m)
2. [✗] test (1m30s)
3. [ ] pack (999ms)
4. [ ] sign (1s)
5. [ ] send (2h)
6. [ ] wait (2h30m)
7. [ ] long (1h0m5s)
8. [ ] ends first
9. [~] runs
`},
		{"progress", `{"blocks":[
			{"id":"1","kind":"progress","label":"Load","value":42,"max":100},
			{"id":"2","kind":"progress","label":"Nearly","value":99.99,"max":100},
			{"id":"3","kind":"progress","value":3,"max":3},
			{"id":"4","kind":"progress","label":"Wait","indeterminate":true}]}`, `
Load 42%
Nearly 99%
100%
Wait …
`},
		{"key_value", `{"blocks":[{"id":"b","kind":"key_value","title":"Facts","entries":[{"key":"host","value":"a b"},{"key":"file","value":"x","ref":{"path":"a.go","line":1}},{"key":"none","value":""}]}]}`, `
## Facts
host: a b
file: x (a.go:1)
none:
`},
		{"table", `{"blocks":[{"id":"b","kind":"table","columns":[{"id":"n","label":"Name"},{"id":"c","label":"Count","align":"end"},{"id":"m","align":"center"}],"rows":[
			{"id":"1","cells":{"n":"größer","c":"7","m":"abcd"}},
			{"id":"2","cells":{"n":"a","c":"1000000"}},
			{"id":"3","cells":{"m":"x"},"ref":{"path":"a.go","line":2}}]}]}`, `
Name      Count   m
größer        7  abcd
a       1000000
                  x    (a.go:2)
`},
		{"table with status", `{"blocks":[{"id":"b","kind":"table","columns":[{"id":"n"}],"rows":[{"id":"1","status":"done","cells":{"n":"x"}},{"id":"2","cells":{"n":"y"}}]}]}`, `
     n
[x]  x
     y
`},
		{"markdown", `{"blocks":[{"id":"b","kind":"markdown","text":"# Hi\n\n- a\n- b\n\n"}]}`, `
# Hi

- a
- b
`},
		{"timeline", `{"blocks":[{"id":"b","kind":"timeline","events":[{"id":"1","label":"old","level":"error","detail":"why"},{"id":"2","label":"new"}]}]}`, `
[info] new
[error] old — why
`},
		{"files", `{"blocks":[{"id":"b","kind":"files","entries":[
			{"path":"a.go","status":"modified","line":12,"label":"the parser"},{"path":"b.go","status":"added"},
			{"path":"c.go","status":"deleted"},{"path":"d.go","status":"referenced","line":1},{"path":"e.go"}]}]}`, `
M a.go:12 the parser
A b.go
D c.go
R d.go:1
R e.go
`},
		{"form", `{"blocks":[{"id":"b","kind":"form","title":"Ask","fields":[
			{"id":"1","label":"Name","kind":"text"},
			{"id":"2","label":"Colour","kind":"single_select","options":[{"id":"r","label":"Red"},{"id":"g","label":"Green"}]},
			{"id":"3","label":"Sizes","kind":"multi_select","options":[{"id":"s","label":"Small"}]}]}]}`, `
## Ask
Name: [text]
Colour: [single_select] Red, Green
Sizes: [multi_select] Small
`},
		{
			"mermaid", `{"blocks":[{"id":"b","kind":"mermaid","fallback":"A leads to B.","source":"graph TD\nA-->B\n"},{"id":"c","kind":"mermaid","source":"%% ` + "```" + ` x"}]}`,
			"\nA leads to B.\n```mermaid\ngraph TD\nA-->B\n```\n````mermaid\n%% ``` x\n````\n",
		},
		{"unknown", `{"blocks":[{"id":"b","kind":"chart","title":"Load","fallback":"up\nand down","items":[{"id":"x","label":"y"}]},{"id":"c","kind":"cha\"rt"}]}`, `
## Load
up
and down
Unsupported block "cha\"rt"
`},
		{"fallback of a known kind is not shown", `{"blocks":[{"id":"b","kind":"markdown","fallback":"f","text":"t"}]}`, "\nt\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := documentOf(t, c.document).Text()
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got); diff != "" {
				t.Errorf("Text: %s", diff)
			}
		})
	}
}

func TestTextOfManyRows(t *testing.T) {
	for _, c := range []struct {
		rows, lines int
		last        string
	}{{50, 51, "n49"}, {51, 52, "… 1 more rows"}, {200, 52, "… 150 more rows"}} {
		rows := many(c.rows, func(i int) any {
			id := of(i+1, "id", nil)[i].(object)["id"]
			return object{"id": id, "cells": object{"x": id}}
		})
		d, err := ParseDocument(valueOf(t, withBlock("table", object{"columns": []any{object{"id": "x"}}, "rows": rows})))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(d.Text(), "\n"), "\n")
		if len(lines) != c.lines || lines[len(lines)-1] != c.last {
			t.Errorf("%d rows: %d lines, the last %q; want %d, %q", c.rows, len(lines), lines[len(lines)-1], c.lines, c.last)
		}
	}
}

// TestTextLines shows that a text in one line of the form cannot make another.
func TestTextLines(t *testing.T) {
	m := newMaker(7)
	for range 500 {
		block := m.block(pick(m, "checklist", "steps", "progress", "key_value", "table", "timeline", "files", "form"))
		block["title"] = "a\nb"
		d, err := ParseDocument(valueOf(t, object{"title": "x\ny", "blocks": []any{block}}))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(d.Text(), "\n")
		items := 0
		for _, list := range []string{"items", "rows", "entries", "events", "fields"} {
			list, _ := block[list].([]any)
			items += countItems(list)
		}
		switch block["kind"] {
		case "progress", "table": // one more line
			items++
		}
		if want := 3 + items; lines != want {
			t.Errorf("%d lines, want %d:\n%s", lines, want, d.Text())
		}
	}
}
