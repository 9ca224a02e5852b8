package panel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const checklistBlock = `{"id":"c","kind":"checklist","title":"Work","items":[
	{"id":"1","label":"one","status":"done"},
	{"id":"2","label":"two","status":"done","children":[
		{"id":"3","label":"three","status":"skipped"},
		{"id":"4","label":"four","status":"blocked","children":[]},
		{"id":"5","label":"five","priority":"high","status":"in_progress","children":[{"id":"6","label":"six","status":"in_progress"}]}]}]}`

const stepsBlock = `{"id":"s","kind":"steps","title":"Steps","items":[
	{"id":"1","label":"build","status":"done"},{"id":"2","label":"test","status":"in_progress"},{"id":"3","label":"send","status":"failed"}]}`

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name, document string
		done, total    int
		ok             bool
	}{
		{"nothing", `{"blocks":[{"id":"m","kind":"markdown","text":"x"}]}`, 0, 0, false},
		{"no items", `{"blocks":[{"id":"c","kind":"checklist","items":[]},{"id":"s","kind":"steps","items":[]}]}`, 0, 0, false},
		{"given", `{"progress":{"done":7,"total":9},"blocks":[` + checklistBlock + `]}`, 7, 9, true},
		{"given 0 of 0", `{"progress":{"done":0,"total":0},"blocks":[` + checklistBlock + `]}`, 0, 0, true},
		{"leaves", `{"blocks":[` + stepsBlock + `,` + checklistBlock + `]}`, 2, 4, true},
		{"all checklists", `{"blocks":[` + checklistBlock + `,{"id":"d","kind":"checklist","items":[{"id":"1","label":"x","status":"skipped"}]}]}`, 3, 5, true},
		{"steps", `{"blocks":[` + stepsBlock + `]}`, 1, 3, true},
		{"steps after an empty checklist", `{"blocks":[{"id":"c","kind":"checklist","items":[]},` + stepsBlock + `]}`, 1, 3, true},
		{"items of an unknown kind", `{"blocks":[{"id":"c","kind":"chart","items":[{"id":"1","label":"x"}]}]}`, 0, 0, false},
	} {
		done, total, ok := documentOf(t, c.document).Progress()
		if done != c.done || total != c.total || ok != c.ok {
			t.Errorf("%s: Progress = %d, %d, %t; want %d, %d, %t", c.name, done, total, ok, c.done, c.total, c.ok)
		}
	}
	if _, _, ok := (Document{}).Progress(); ok {
		t.Error("no document has progress")
	}
}

func TestSummary(t *testing.T) {
	label := long(200)
	for _, c := range []struct{ name, document, want string }{
		{"nothing", `{"blocks":[]}`, ``},
		{"given", `{"summary":"given","title":"T","blocks":[` + checklistBlock + `]}`, `given`},
		{"given empty", `{"summary":"","title":"T","blocks":[]}`, `T`},
		{"given in lines", `{"summary":"a\nb\tc","blocks":[]}`, `a b c`},
		{"first in progress", `{"title":"T","blocks":[` + checklistBlock + `]}`, `2/4 · five`},
		{"a step in progress", `{"title":"T","blocks":[` + stepsBlock + `]}`, `1/3 · test`},
		{"in document order", `{"title":"T","blocks":[` + stepsBlock + `,` + checklistBlock + `]}`, `2/4 · test`},
		{"none in progress", `{"title":"T","blocks":[{"id":"c","kind":"checklist","title":"B","items":[{"id":"1","label":"x","status":"done"}]}]}`, `1/1`},
		{"given progress", `{"progress":{"done":1,"total":2},"title":"T","blocks":[{"id":"m","kind":"markdown","title":"B","text":""}]}`, `1/2`},
		{"block title", `{"title":"T","blocks":[{"id":"m","kind":"markdown","text":""},{"id":"n","kind":"chart","title":"B"}]}`, `B`},
		{"title", `{"title":"T","blocks":[{"id":"m","kind":"markdown","text":""}]}`, `T`},
		{"label of 114", `{"blocks":[{"id":"s","kind":"steps","items":[{"id":"1","label":"` + long(114) + `","status":"in_progress"}]}]}`, `0/1 · ` + long(114)},
		{"label of 115", `{"blocks":[{"id":"s","kind":"steps","items":[{"id":"1","label":"` + long(115) + `","status":"in_progress"}]}]}`, `0/1 · ` + long(113) + `…`},
		{"label of 200", `{"blocks":[{"id":"s","kind":"steps","items":[{"id":"1","label":"` + label + `","status":"in_progress"}]}]}`, `0/1 · ` + long(113) + `…`},
	} {
		if got := documentOf(t, c.document).Summary(); got != c.want {
			t.Errorf("%s: Summary = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPlan(t *testing.T) {
	d := documentOf(t, `{"blocks":[`+stepsBlock+`,`+checklistBlock+`,{"id":"d","kind":"checklist","items":[{"id":"1","label":"other"}]}]}`)
	got, ok := d.Plan()
	want := []PlanEntry{
		{"one", "medium", "completed"},
		{"two", "medium", "completed"},
		{"three", "medium", "completed"},
		{"four", "medium", "pending"},
		{"five", "high", "in_progress"},
		{"six", "medium", "in_progress"},
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("Plan: %t %s", ok, diff)
	}
	if _, ok := documentOf(t, `{"blocks":[`+stepsBlock+`]}`).Plan(); ok {
		t.Error("steps are a plan")
	}
	statuses := map[string]string{
		"pending": "pending", "in_progress": "in_progress", "done": "completed", "skipped": "completed", "blocked": "pending", "failed": "pending",
	}
	for _, status := range itemStatuses {
		d := documentOf(t, `{"blocks":[{"id":"c","kind":"checklist","items":[{"id":"1","label":"x","status":"`+status+`"}]}]}`)
		if got, _ := d.Plan(); got[0].Status != statuses[status] {
			t.Errorf("%s is %s in a plan, want %s", status, got[0].Status, statuses[status])
		}
	}
}

func TestLookups(t *testing.T) {
	d := documentOf(t, board)
	for _, c := range []struct{ block, item, want string }{
		{"c", "a", "A"},
		{"c", "a11", "A11"},
		{"s", "s1", "S1"},
		{"e", "e2", "2"},
		{"c", "q", ""},
		{"q", "a", ""},
		{"m", "a", ""},
		{"k", "host", ""},
		{"f", "a.go", ""},
	} {
		v, ok := d.Item(c.block, c.item)
		if got, _ := v.Field("label").Str(); got != c.want || ok != (c.want != "") {
			t.Errorf("Item(%q, %q) = %s, %t; want label %q", c.block, c.item, v.JSON(), ok, c.want)
		}
	}
	if v, ok := d.Item("t", "r1"); !ok || v.JSON() != `{"cells":{"x":"1","y":"2"},"id":"r1"}` {
		t.Errorf("Item of a row = %s, %t", v.JSON(), ok)
	}
	if _, ok := d.Block("q"); ok {
		t.Error("there is no block q")
	}
	if len(d.Forms()) != 0 || d.Title() != "T" || d.IsZero() || !(Document{}).IsZero() {
		t.Errorf("Forms = %v, Title = %q, IsZero = %t", d.Forms(), d.Title(), d.IsZero())
	}
	forms := documentOf(t, `{"blocks":[{"id":"b","kind":"form","fields":[{"id":"x","label":"x","kind":"text"}]},{"id":"m","kind":"x"},{"id":"a","kind":"form","fields":[{"id":"x","label":"x","kind":"text"}]}]}`).Forms()
	var ids []string
	for _, f := range forms {
		id, _ := f.Field("id").Str()
		ids = append(ids, id)
	}
	if strings.Join(ids, " ") != "b a" {
		t.Errorf("Forms are %v, want b a", ids)
	}
}
