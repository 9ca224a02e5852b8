package panel

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Text is the text form: a line with title, progress and subtitle, then every
// block, each under its title when it has one. Lines end with a newline. It is
// for people and terminals; what a terminal would act on beyond the control
// characters that no document has, its reader must escape.
func (d Document) Text() string {
	var t textForm
	head := oneLine(d.Title())
	if done, total, ok := d.Progress(); ok {
		head = spaced(head, fmt.Sprintf("(%d/%d)", done, total))
	}
	t.line(dashed(head, textOf(d.root.Tree(), "subtitle")))
	for _, b := range d.blocks() {
		block, _ := b.(map[string]any)
		t.block(block)
	}
	return t.String()
}

type textForm struct{ strings.Builder }

// line writes a line unless it is empty.
func (t *textForm) line(s string) {
	if s != "" {
		t.WriteString(s)
		t.WriteByte('\n')
	}
}

// lines writes a text of several lines.
func (t *textForm) lines(s string) {
	t.line(strings.TrimRight(s, "\n"))
}

func (t *textForm) block(b map[string]any) {
	if title := oneLine(textOf(b, "title")); title != "" {
		if t.Len() > 0 {
			t.WriteByte('\n')
		}
		t.line("## " + title)
	}
	items := itemsOf(b)
	switch kind := textOf(b, "kind"); kind {
	case "checklist":
		t.checklist(items, "")
	case "steps":
		t.steps(items)
	case "progress":
		t.line(spaced(oneLine(textOf(b, "label")), percent(b)))
	case "key_value":
		t.entries(b)
	case "table":
		t.table(b)
	case "markdown":
		t.lines(textOf(b, "text"))
	case "timeline":
		t.timeline(b)
	case "files":
		t.files(b)
	case "form":
		t.form(b)
	case "mermaid":
		t.lines(textOf(b, "fallback"))
		t.fenced("mermaid", textOf(b, "source"))
	default:
		t.lines(cmp.Or(textOf(b, "fallback"), fmt.Sprintf("Unsupported block %q", kind)))
	}
}

func (t *textForm) checklist(items []any, indent string) {
	for _, item := range items {
		line := spaced(glyph(item), oneLine(textOf(item, "label")))
		t.line(indent + spaced(dashed(line, textOf(item, "note")), place(item)))
		t.checklist(childrenOf(item), indent+"  ")
	}
}

func (t *textForm) steps(items []any) {
	for i, item := range items {
		line := fmt.Sprintf("%d. %s %s", i+1, glyph(item), oneLine(textOf(item, "label")))
		t.line(spaced(dashed(line, textOf(item, "detail")), took(item)))
	}
}

func (t *textForm) entries(b map[string]any) {
	entries, _ := b["entries"].([]any)
	for _, e := range entries {
		line := spaced(oneLine(textOf(e, "key"))+":", oneLine(textOf(e, "value")))
		t.line(spaced(line, place(e)))
	}
}

func (t *textForm) timeline(b map[string]any) {
	events, _ := b["events"].([]any)
	for i := len(events) - 1; i >= 0; i-- {
		level := cmp.Or(textOf(events[i], "level"), "info")
		t.line(dashed("["+level+"] "+oneLine(textOf(events[i], "label")), textOf(events[i], "detail")))
	}
}

func (t *textForm) files(b map[string]any) {
	entries, _ := b["entries"].([]any)
	for _, e := range entries {
		status := cmp.Or(textOf(e, "status"), "referenced")
		line := strings.ToUpper(status[:1]) + " " + located(e)
		t.line(spaced(line, oneLine(textOf(e, "label"))))
	}
}

func (t *textForm) form(b map[string]any) {
	fields, _ := b["fields"].([]any)
	for _, f := range fields {
		list, _ := f.(map[string]any)["options"].([]any)
		var options []string
		for _, o := range list {
			options = append(options, oneLine(textOf(o, "label")))
		}
		line := fmt.Sprintf("%s: [%s]", oneLine(textOf(f, "label")), textOf(f, "kind"))
		t.line(spaced(line, strings.Join(options, ", ")))
	}
}

// fenced writes a source in a fence that nothing in it can close.
func (t *textForm) fenced(language, source string) {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	t.line(fence + language)
	t.lines(source)
	t.line(fence)
}

func glyph(item any) string {
	switch textOf(item, "status") {
	case statusInProgress:
		return "[~]"
	case statusDone:
		return "[x]"
	case statusSkipped:
		return "[-]"
	case statusBlocked:
		return "[!]"
	case statusFailed:
		return "[✗]"
	default:
		return "[ ]"
	}
}

// place is the ref of an item in parentheses, "" when it has none.
func place(item any) string {
	fields, _ := item.(map[string]any)
	if fields["ref"] == nil {
		return ""
	}
	return "(" + located(fields["ref"]) + ")"
}

// located is path:line.
func located(at any) string {
	fields, _ := at.(map[string]any)
	path := oneLine(textOf(at, "path"))
	if line, ok := integer(fields["line"]); ok {
		return fmt.Sprintf("%s:%d", path, line)
	}
	return path
}

// took is how long a step took, "" when that is not known.
func took(step any) string {
	fields, _ := step.(map[string]any)
	from, started := integer(fields["started_at"])
	to, ended := integer(fields["ended_at"])
	ms := to - from
	if !started || !ended || ms < 0 {
		return ""
	}
	if ms < 1000 {
		return fmt.Sprintf("(%dms)", ms)
	}
	const longest = int64(1<<63-1) / int64(time.Millisecond)
	text := (time.Duration(min(ms, longest)) * time.Millisecond).Round(time.Second).String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return "(" + text + ")"
}

// percent is how far a progress block is, rounded down, so that 100% is the end.
func percent(b map[string]any) string {
	if flagOf(b, "indeterminate") {
		return "…"
	}
	value, _ := rational(b["value"])
	most, _ := rational(b["max"])
	part := new(big.Rat).Mul(new(big.Rat).Quo(value, most), big.NewRat(100, 1))
	return new(big.Int).Quo(part.Num(), part.Denom()).String() + "%"
}

// spaced joins what is not empty by a space.
func spaced(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// dashed adds a part in one line after a dash.
func dashed(a, b string) string {
	b = oneLine(b)
	if a == "" || b == "" {
		return a + b
	}
	return a + " — " + b
}
