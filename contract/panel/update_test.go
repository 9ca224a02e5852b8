package panel

import (
	"strconv"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	d := documentOf(t, `{"title":"old","blocks":[]}`)
	for _, c := range []struct {
		name, update string
		on           Document
		closed       bool
		want         string
		wantClosed   bool
		code         Code
	}{
		{name: "replace of none", update: `{"panel":"p","op":"replace","document":{"blocks":[]}}`, want: `{"blocks":[]}`},
		{name: "replace opens", update: `{"panel":"p","op":"replace","document":{"blocks":[]}}`, on: d, closed: true, want: `{"blocks":[]}`},
		{name: "close", update: `{"panel":"p","op":"close"}`, on: d, want: d.JSON(), wantClosed: true},
		{name: "close again", update: `{"panel":"p","op":"close"}`, on: d, closed: true, want: d.JSON(), wantClosed: true},
		{name: "close of none", update: `{"panel":"p","op":"close"}`, code: CodeUnknown},
		{name: "patch of none", update: `{"panel":"p","op":"patch","patches":[{"op":"set","field":"title","value":"x"}]}`, code: CodeUnknown},
		{name: "patch of an open one", update: `{"panel":"p","op":"patch","patches":[{"op":"set","field":"title","value":"x"}]}`, on: d, want: `{"blocks":[],"title":"x"}`},
		{name: "patch of a closed one", update: `{"panel":"p","op":"patch","patches":[{"op":"set","field":"title","value":"x"}]}`, on: d, closed: true, want: `{"blocks":[],"title":"x"}`, wantClosed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, closed, err := updateOf(t, c.update).Apply(c.on, c.closed)
			if c.code != "" {
				if err == nil || err.Code != c.code || err.Message != `panel "p" has no document yet` {
					t.Errorf("fault is %v, want %s", err, c.code)
				}
				return
			}
			if err != nil || got.JSON() != c.want || closed != c.wantClosed {
				t.Errorf("Apply = %s, closed %t, %v; want %s, closed %t", got.JSON(), closed, err, c.want, c.wantClosed)
			}
		})
	}
}

func TestParseUpdate(t *testing.T) {
	u := updateOf(t, `{"panel":"builtin/todo_write#todo","op":"patch","base_revision":7e0,"patches":[{"op":"remove_block","id":"b"}]}`)
	if u.Panel != "builtin/todo_write#todo" || u.Op != OpPatch || u.BaseRevision != 7 {
		t.Errorf("ParseUpdate = %+v", u)
	}
	for _, op := range []string{`"close"`, `"replace","document":{"blocks":[]}`} {
		if u := updateOf(t, `{"panel":"p","base_revision":3,"op":`+op+`}`); u.BaseRevision != 3 {
			t.Errorf("base revision of %s is %d, want 3", op, u.BaseRevision)
		}
	}
	for _, c := range []struct{ update, want string }{
		{`[]`, `/: found an array of 0, want an object`},
		{`{"type":"panel","panel":"p","op":"close"}`, `/type: unknown field; accepted: base_revision, op, panel`},
		{`{"panel":"p","op":"replace","document":{"blocks":[{"id":"b","kind":"steps"}]}}`, `/blocks/0/items: missing`},
		{
			`{"panel":"p","op":"replace","document":{"titel":"x","blocks":[]}}`,
			`/titel: unknown field; accepted: blocks, context_summary, progress, status, subtitle, summary, title; nearest: title`,
		},
	} {
		if _, err := ParseUpdate(jsonOf(t, c.update)); err == nil || err.Message != c.want {
			t.Errorf("ParseUpdate(%s): %v, want %s", c.update, err, c.want)
		}
	}
}

// TestPointer shows names in pointers that somebody made up.
func TestPointer(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"a/b~c", "/a~1b~0c"},
		{"", "/"},
		{"a\nb\x00", "/a\uFFFDb\uFFFD"},
		{strings.Repeat("ü", 40), "/" + strings.Repeat("ü", 32) + "…"},
		{"x" + strings.Repeat("ü", 40), "/x" + strings.Repeat("ü", 31) + "…"},
	} {
		_, err := ParseDocument(valueOf(t, object{c.name: 1, "blocks": []any{}}))
		if got := pointerOf(err); got != c.want {
			t.Errorf("pointer of %q = %q, want %q", c.name, got, c.want)
		}
	}
}

// TestBranches makes two documents of the same one: neither may write into what
// it shares with the other.
func TestBranches(t *testing.T) {
	add := func(d Document, op, id string) Document {
		u := updateOf(t, `{"panel":"p","op":"patch","patches":[`+strings.ReplaceAll(op, "#", id)+`]}`)
		next, _, err := u.Apply(d, false)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	for _, op := range []string{
		`{"op":"upsert_items","block":"c","items":[{"id":"#","label":"x"}]}`,
		`{"op":"upsert_items","block":"c","items":[{"id":"#","label":"x"}],"parent":"b"}`,
		`{"op":"upsert_items","block":"c","items":[{"id":"#","label":"x"}],"parent":"a1"}`,
		`{"op":"upsert_items","block":"c","items":[{"id":"a11","label":"#"}]}`,
		`{"op":"upsert_items","block":"k","items":[{"key":"#","value":"x"}]}`,
		`{"op":"append_events","block":"e","events":[{"id":"#","label":"x"}]}`,
		`{"op":"set_block","block":{"id":"#","kind":"x"}}`,
		`{"op":"set_block","block":{"id":"#","kind":"x"},"before":"c"}`,
		`{"op":"set","field":"summary","value":"#"}`,
	} {
		d := documentOf(t, board)
		all := []Document{d}
		for i := range 5 {
			left, right := add(d, op, "l"+strconv.Itoa(i)), add(d, op, "r"+strconv.Itoa(i))
			all = append(all, left, right)
			d = left
		}
		for _, d := range all {
			if got := d.Value().JSON(); got != d.JSON() {
				t.Errorf("%s: became %s, was %s", op, got, d.JSON())
			}
		}
	}
}
