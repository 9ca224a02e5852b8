package panel

import (
	"encoding/json"
	"regexp"
	"testing"
	"unicode/utf8"

	"raw/contract/value"
)

var beginsWithPointer = regexp.MustCompile(`^(/|(/[^/]*)+): `)

// checkFault holds what is true of every fault.
func checkFault(t *testing.T, err *Error) {
	t.Helper()
	switch {
	case err.Code == CodeInvalid && !beginsWithPointer.MatchString(err.Message):
		t.Errorf("%q does not begin with a pointer", err.Message)
	case err.Code != CodeInvalid && err.Code != CodeTooLarge && err.Code != CodeUnknown:
		t.Errorf("code %s", err.Code)
	case !utf8.ValidString(err.Message) || len(err.Message) > 4096:
		t.Errorf("the message is %d bytes: %q", len(err.Message), err.Message)
	}
}

// checkAccepted holds what is true of every document.
func checkAccepted(t *testing.T, d Document) {
	t.Helper()
	text := d.JSON()
	if len(text) > 64<<10 {
		t.Errorf("accepted %d bytes", len(text))
	}
	if !json.Valid([]byte(text)) || text != d.Value().JSON() {
		t.Errorf("kept %s, the value is %s", text, d.Value().JSON())
	}
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("read again: %v", err)
	}
	again, fault := ParseDocument(v)
	if fault != nil || again.JSON() != text {
		t.Errorf("read again it is %s, %v; want %s", again.JSON(), fault, text)
	}
	if done, total, _ := d.Progress(); done > total {
		t.Errorf("progress %d/%d", done, total)
	}
	if s := d.Summary(); utf8.RuneCountInString(s) > maxSummary || oneLine(s) != s {
		t.Errorf("summary %q", s)
	}
	_ = d.Text()
}

func addSeeds(f *testing.F, add func(update string)) {
	m := newMaker(11)
	for range 40 {
		text, err := json.Marshal(m.update())
		if err != nil {
			f.Fatal(err)
		}
		add(string(text))
	}
	for range 40 {
		u := m.update()
		broken, _, ok := pick(m, updateFaults...).in(m, u)
		if !ok {
			continue
		}
		if text, err := json.Marshal(broken); err == nil {
			add(string(text))
		}
	}
}

func FuzzParseUpdate(f *testing.F) {
	addSeeds(f, func(update string) { f.Add(update) })
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse([]byte(text))
		if err != nil {
			return
		}
		u, fault := ParseUpdate(v)
		if fault != nil {
			checkFault(t, fault)
			return
		}
		d, closed, fault := u.Apply(Document{}, true)
		switch {
		case u.Op == OpReplace && (fault != nil || closed):
			t.Errorf("replace: closed %t, %v", closed, fault)
		case u.Op != OpReplace && (fault == nil || fault.Code != CodeUnknown):
			t.Errorf("%s of none: %v", u.Op, fault)
		case fault == nil:
			checkAccepted(t, d)
		}
	})
}

func FuzzApply(f *testing.F) {
	m := newMaker(12)
	addSeeds(f, func(update string) {
		document, err := json.Marshal(m.document())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(document), update)
	})
	for _, patch := range []string{
		`{"op":"upsert_items","block":"c","items":[{"id":"a1","label":"x"},{"id":"z","label":"z"}],"parent":"b"}`,
		`{"op":"remove_items","block":"c","ids":["a11","b"]}`, `{"op":"remove_items","block":"k","keys":["host"]}`,
		`{"op":"append_events","block":"e","events":[{"id":"e3","label":"3"},{"id":"e4","label":"4"}]}`,
		`{"op":"set_block","block":{"id":"n","kind":"x"},"before":"s"}`, `{"op":"set","field":"progress","value":null}`,
	} {
		f.Add(board, `{"panel":"p","op":"patch","patches":[`+patch+`]}`)
	}
	f.Fuzz(func(t *testing.T, document, update string) {
		dv, err := value.Parse([]byte(document))
		if err != nil {
			return
		}
		uv, err := value.Parse([]byte(update))
		if err != nil {
			return
		}
		d, fault := ParseDocument(dv)
		if fault != nil {
			checkFault(t, fault)
			return
		}
		checkAccepted(t, d)
		u, fault := ParseUpdate(uv)
		if fault != nil {
			checkFault(t, fault)
			return
		}
		before, given := d.JSON(), uv.JSON()
		next, _, fault := u.Apply(d, false)
		if d.Value().JSON() != before || d.JSON() != before {
			t.Errorf("the update changed the document to %s", d.Value().JSON())
		}
		if got := uv.JSON(); got != given {
			t.Errorf("the update changed itself to %s", got)
		}
		if fault != nil {
			checkFault(t, fault)
			if !next.IsZero() {
				t.Errorf("a rejected update gives %s", next.JSON())
			}
			return
		}
		checkAccepted(t, next)
		second, _, fault := u.Apply(d, false)
		if fault != nil || second.JSON() != next.JSON() {
			t.Errorf("applied again: %s, %v; want %s", second.JSON(), fault, next.JSON())
		}
	})
}
