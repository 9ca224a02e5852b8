package panel

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestLines tells the model of a call's panels.
func TestLines(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	c := h.Begin(o, "")
	list := object{"document": object{"blocks": []any{object{"id": "b", "kind": "checklist", "items": []any{
		object{"id": "1", "label": "One", "status": "done"}, object{"id": "2", "label": "Two", "status": "in_progress"},
	}}}}}
	accepted(t, c, updateTree("local/spec#q", "replace", list), replaces("p", "two\nlines"), replaces("p", "two\nlines"))
	refused(t, c, updateTree("p", "replace", object{"document": object{"x": 1}}), CodeInvalid, "")
	refused(t, c, replaces("mcp/s/t#p", "T"), CodeNotOwned, "")
	s := c.Settle()
	if diff := cmp.Diff([]string{"panel q updated (revision 1): 1/2 · Two", "panel p updated (revision 2): two lines"}, s.Lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	want := []string{
		"panel p update rejected: panel_invalid /blocks: missing",
		`panel mcp/s/t#p update rejected: panel_not_owned panel "mcp/s/t#p" belongs to another tool than local/spec`,
	}
	if got := s.RejectionLines(); len(got) != 2 || !strings.HasPrefix(got[0], "panel p update rejected: panel_invalid /") || got[1] != want[1] {
		t.Errorf("rejections: %q, want like %q", got, want)
	}
}

// TestRejectionLines bounds what made-up names and long messages can do.
func TestRejectionLines(t *testing.T) {
	for name, panel := range map[string]string{
		"id":                 "p",
		"long":               strings.Repeat("x", 5000),
		"long characters":    strings.Repeat("日", 5000),
		"another long one":   "x" + strings.Repeat("🙂", 5000),
		"a line of its own":  "p\npanel q updated (revision 7): all is well",
		"control characters": "\x00\x1b[31m\r\u0085\x7f",
		"invisible":          "",
		"long id":            "mcp/" + strings.Repeat("s", 5000) + "/t#p",
	} {
		c := NewHost(Options{}).Begin(owns("local/spec", "p"), "")
		for range 9 {
			_, _ = c.Update(updateTree(panel, "replace", object{"document": object{panel: 1, "blocks": []any{}}}))
		}
		s := c.Settle()
		lines := s.RejectionLines()
		if len(lines) != 5 {
			t.Errorf("%s: %d lines, want 5", name, len(lines))
		}
		for _, line := range lines {
			label, rest, ok := strings.Cut(strings.TrimPrefix(line, "panel "), " update rejected: ")
			if len(line) > 240 || !ok || len(label) > 64 || !strings.HasPrefix(rest, "panel_") || !utf8.ValidString(line) {
				t.Errorf("%s: a line of %d bytes with a label of %d: %q", name, len(line), len(label), line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				t.Errorf("%s: the line %q breaks", name, line)
			}
		}
		for _, r := range s.Receipts() {
			if body := r.JSON(); len(body) > 1024 || !utf8.Valid(body) {
				t.Errorf("%s: a receipt of %d bytes: %s", name, len(body), body)
			}
		}
	}
}

// TestLongestLine cuts a line to its last byte, and a label.
func TestLongestLine(t *testing.T) {
	for _, tc := range []struct{ panel, message, want string }{
		{"p", strings.Repeat("x", 900), "panel p update rejected: panel_invalid " + strings.Repeat("x", 198) + "…"},
		{"p", strings.Repeat("x", 201), "panel p update rejected: panel_invalid " + strings.Repeat("x", 201)},
		{"p", strings.Repeat("日", 300), "panel p update rejected: panel_invalid " + strings.Repeat("日", 66) + "…"},
		{"o/" + strings.Repeat("x", 90), "short", "panel o/" + strings.Repeat("x", 59) + "… update rejected: panel_invalid short"},
	} {
		s := Settled{Rejected: []Rejection{{tc.panel, fail(CodeInvalid, "%s", tc.message)}}}
		if got := s.RejectionLines()[0]; got != tc.want || len(got) > 240 {
			t.Errorf("a line of %d bytes: %q, want %q", len(got), got, tc.want)
		}
	}
	r := Receipt{Panel: "local/spec#p", Summary: "s"}
	for len(r.JSON()) < 1024 {
		r.Message += "m"
	}
	if got := r.fitted(); got != r {
		t.Errorf("a receipt of 1024 bytes was cut: %s", got.JSON())
	}
	r.Message += "m"
	if got := r.fitted(); got.Summary != "" || got.Message != r.Message {
		t.Errorf("a receipt of 1025 bytes became %s, want it without its summary", got.JSON())
	}
}

// TestRejectionsAreBounded keeps of a flood what lines and receipts need.
func TestRejectionsAreBounded(t *testing.T) {
	c := NewHost(Options{}).Begin(owns("local/spec", "p"), "")
	for i := range 1000 {
		_, _ = c.Update(closes("p"))
		_, _ = c.Update(closes(fmt.Sprint("n", i)))
	}
	s := c.Settle()
	if n := len(s.Rejected); n != maxRejections {
		t.Errorf("%d rejections are kept, want %d", n, maxRejections)
	}
	if want := "p panel_unknown, n0 panel_undeclared, p panel_unknown, n1 panel_undeclared, p panel_unknown, n2 panel_undeclared, n3 panel_undeclared"; !strings.HasPrefix(codesOf(s), want) {
		t.Errorf("rejected: %s, want %s and so on", codesOf(s), want)
	}
	if n := len(s.Receipts()); n != maxRejections-2 {
		t.Errorf("%d receipts, want one for each of %d panels", n, maxRejections-2)
	}
}

// TestReceipts records what a call has made.
func TestReceipts(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p", "q")
	o.Declared = append(o.Declared, inChat(owns("", "v")).Declared...)
	c := h.Begin(o, "7")
	accepted(t, c, replaces("p", "Title"), closes("p"), updateTree("v", "replace", object{"document": object{"summary": "All is well", "blocks": []any{}}}))
	refused(t, c, closes("q"), CodeUnknown, "")
	refused(t, c, closes("q"), CodeUnknown, "")
	refused(t, c, closes("local/spec#q"), CodeUnknown, "")
	s := c.Settle()
	instance := s.Committed[1].View.InstanceID
	want := []string{
		`{"panel":"local/spec#p","owner":"local/spec","revision":2,"closed":true,"title":"Title","summary":"Title"}`,
		`{"panel":"local/spec#v","owner":"local/spec","revision":1,"title":"Panel v","summary":"All is well","view":{"instanceId":"` + instance + `","toolCallId":"7","owner":"local/spec","panel":"v"}}`,
		`{"panel":"q","code":"panel_unknown","message":"panel \"q\" has no document yet"}`,
		`{"panel":"local/spec#q","code":"panel_unknown","message":"panel \"q\" has no document yet"}`,
	}
	var got []string
	for _, r := range s.Receipts() {
		got = append(got, string(r.JSON()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
}

// TestReceiptSize cuts texts at random: at most 1 KiB, ids whole, no character
// split, nothing cut that need not be, and the summary before the title.
func TestReceiptSize(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	texts := []string{"x", "<", "\"", "ü", "日", "🙂", "\\", " "}
	text := func(most int) string { return strings.Repeat(texts[r.IntN(len(texts))], r.IntN(most)) }
	whole, cutOnes := 0, 0
	for range 3000 {
		owner := "mcp/" + strings.Repeat("s", 1+r.IntN(60)) + "/" + strings.Repeat("t", 1+r.IntN(60))
		full := Receipt{Panel: owner + "#panel", Owner: owner, Revision: 1 + r.IntN(1e9), Closed: r.IntN(2) == 0, Title: text(80), Summary: text(120)}
		if r.IntN(2) == 0 {
			full.Code, full.Message = CodeInvalid, text(900)
		}
		if r.IntN(2) == 0 {
			full.View = &View{InstanceID: strings.Repeat("I", 26), ToolCallID: strings.Repeat("c", r.IntN(90)), Owner: owner, Panel: "panel"}
		}
		got := full.fitted()
		size, before := len(got.JSON()), len(full.JSON())
		if size > 1024 {
			t.Fatalf("a receipt of %d bytes: %s", size, got.JSON())
		}
		if before <= 1024 {
			whole++
			if size != before {
				t.Fatalf("a receipt of %d bytes was cut to %d", before, size)
			}
			continue
		}
		cutOnes++
		if !utf8.Valid(got.JSON()) || strings.ContainsRune(string(got.JSON()), utf8.RuneError) || strings.Contains(string(got.JSON()), `\ufffd`) {
			t.Fatalf("a character is split: %s", got.JSON())
		}
		same := got
		same.Title, same.Summary, same.Message = full.Title, full.Summary, full.Message
		if diff := cmp.Diff(full, same); diff != "" {
			t.Fatalf("more than a text is cut: %s", diff)
		}
		for _, p := range [][2]string{{got.Title, full.Title}, {got.Summary, full.Summary}, {got.Message, full.Message}} {
			if p[0] != p[1] && p[0] != "" && !strings.HasPrefix(p[1], strings.TrimSuffix(p[0], "…")) {
				t.Fatalf("%q was cut to %q", p[1], p[0])
			}
		}
		if got.Title != full.Title && got.Summary != "" || got.Message != full.Message && got.Title != "" {
			t.Fatalf("cut in another order: %+v of %+v", got, full)
		}
	}
	if whole < 100 || cutOnes < 100 {
		t.Errorf("%d receipts were whole and %d were cut; want many of each", whole, cutOnes)
	}
}

// TestReceiptOfEndlessCall lets a host name its call with a book.
func TestReceiptOfEndlessCall(t *testing.T) {
	h := NewHost(Options{})
	c := h.Begin(inChat(owns("local/spec", "v")), strings.Repeat("c", 5000))
	accepted(t, c, replaces("v", "T"))
	r := c.Settle().Receipts()[0]
	if len(r.JSON()) > 1024 || r.View.InstanceID == "" || r.View.ToolCallID != "" {
		t.Errorf("a receipt of %d bytes: %s", len(r.JSON()), clip(string(r.JSON())))
	}
	if v := h.Views()[0].View; len(v.ToolCallID) != 5000 {
		t.Errorf("the view itself names a call of %d bytes", len(v.ToolCallID))
	}
}

func TestCutBytes(t *testing.T) {
	for n := range 14 {
		for _, s := range []string{"", "plain text", "üüüü", "日本語", "🙂🙂", "a🙂b🙂"} {
			got := cutBytes(s, n)
			if len(got) > n || !utf8.ValidString(got) || len(s) <= n && got != s || len(s) > n && n >= 3 && !strings.HasSuffix(got, "…") {
				t.Errorf("cutBytes(%q, %d) = %q", s, n, got)
			}
		}
	}
}

// TestStateJSON is what surfaces send of a panel.
func TestStateJSON(t *testing.T) {
	h := NewHost(Options{})
	o := owns("local/spec", "p")
	o.Declared = append(o.Declared, inChat(owns("", "v")).Declared...)
	c := h.Begin(o, "7")
	accepted(t, c,
		updateTree("p", "replace", object{"document": object{"progress": object{"done": 1, "total": 2}, "blocks": []any{}}}),
		replaces("v", "<T>"), closes("v"))
	s := c.Settle()
	declared := func(id, placement string) string {
		return `{"acp_plan":false,"actions":[],"context":"none","icon":"panel","id":"` + id + `","open":"never","placement":"` + placement + `","title":"Panel ` + id + `"}`
	}
	for i, want := range []string{
		`{"panel":"local/spec#p","owner":"local/spec","revision":1,"closed":false,"declaration":` + declared("p", "sidebar") +
			`,"summary":"1/2","progress":{"done":1,"total":2},"document":{"blocks":[],"progress":{"done":1,"total":2}}}`,
		`{"panel":"local/spec#v","owner":"local/spec","revision":2,"closed":true,"declaration":` + declared("v", "chat") +
			`,"summary":"\u003cT\u003e","view":{"instanceId":"` + s.Committed[1].View.InstanceID + `","toolCallId":"7","owner":"local/spec","panel":"v"},"document":{"blocks":[],"title":"<T>"}}`,
	} {
		got := string(s.Committed[i].JSON())
		if got != want || !json.Valid([]byte(got)) {
			t.Errorf("JSON() = %s, want %s", got, want)
		}
	}
	none := State{ID: "local/spec#q", Declaration: Declaration{ID: "q", Title: "Q"}}
	if got := none.JSON(); !json.Valid(got) || !strings.HasSuffix(string(got), `"document":null}`) {
		t.Errorf("without a document: %s", got)
	}
}
