package panel

import "testing"

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
