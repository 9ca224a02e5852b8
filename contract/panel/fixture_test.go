package panel

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"raw/contract/value"
)

type object = map[string]any

// jsonOf is a text as a value.
func jsonOf(tb testing.TB, text string) value.Value {
	tb.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		tb.Fatalf("Parse(%s): %v", clip(text), err)
	}
	return v
}

// valueOf is what was put together in Go, as a wire would bring it.
func valueOf(tb testing.TB, x any) value.Value {
	tb.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		tb.Fatal(err)
	}
	return jsonOf(tb, string(text))
}

// documentOf is a document that has to be valid.
func documentOf(tb testing.TB, text string) Document {
	tb.Helper()
	d, err := ParseDocument(jsonOf(tb, text))
	if err != nil {
		tb.Fatalf("ParseDocument(%s): %v", clip(text), err)
	}
	return d
}

// updateOf is an update that has to be valid.
func updateOf(tb testing.TB, text string) Update {
	tb.Helper()
	u, err := ParseUpdate(jsonOf(tb, text))
	if err != nil {
		tb.Fatalf("ParseUpdate(%s): %v", clip(text), err)
	}
	return u
}

// pointerOf is the pointer that a fault begins with; "" for none.
func pointerOf(err *Error) string {
	if err == nil {
		return ""
	}
	if err.Code != CodeInvalid {
		return string(err.Code)
	}
	at, _, _ := strings.Cut(err.Message, ": ")
	return at
}

// maker makes valid documents, updates and declarations at random.
type maker struct {
	*rand.Rand
	ids int
}

func newMaker(seed uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (m *maker) often() bool { return m.IntN(3) > 0 }

func (m *maker) id(prefix string) string {
	m.ids++
	return fmt.Sprintf("%s%d", prefix, m.ids)
}

func pick[T any](m *maker, of ...T) T { return of[m.IntN(len(of))] }

func (m *maker) words(most int) string {
	var b strings.Builder
	for b.Len() < 3 || m.often() {
		b.WriteString(pick(m, "lint", "grün ", "日本", "a\tb", "x\ny", "\"q\"", "🙂 ", "done", "/~"))
	}
	runes := []rune(b.String())
	return string(runes[:min(len(runes), most)])
}

// maybe sets a field in two of three cases.
func (m *maker) maybe(o object, name string, v any) {
	if m.often() {
		o[name] = v
	}
}

func (m *maker) status() string { return pick(m, itemStatuses...) }

func (m *maker) ref() object {
	o := object{"path": "src/" + m.words(9)}
	m.maybe(o, "line", 1+m.IntN(900))
	return o
}

// some makes one to four.
func (m *maker) some(one func() any) []any {
	var list []any
	for range 1 + m.IntN(4) {
		list = append(list, one())
	}
	return list
}

func (m *maker) checklistItem(below int) object {
	o := object{"id": m.id("i"), "label": m.words(200)}
	m.maybe(o, "status", m.status())
	m.maybe(o, "priority", pick(m, "high", "medium", "low"))
	m.maybe(o, "note", m.words(500))
	m.maybe(o, "ref", m.ref())
	if below > 0 {
		m.maybe(o, "children", m.some(func() any { return m.checklistItem(below - 1) }))
	}
	return o
}

func (m *maker) step() object {
	o := object{"id": m.id("s"), "label": m.words(200)}
	m.maybe(o, "status", m.status())
	m.maybe(o, "detail", m.words(200))
	m.maybe(o, "started_at", 1700000000000)
	m.maybe(o, "ended_at", 1700000000000+m.IntN(9000000))
	return o
}

func (m *maker) entry() object {
	o := object{"key": m.id("key "), "value": m.words(500)}
	m.maybe(o, "ref", m.ref())
	return o
}

func (m *maker) event() object {
	o := object{"id": m.id("e"), "label": m.words(200)}
	m.maybe(o, "at", 1700000000000+m.IntN(9000000))
	m.maybe(o, "level", pick(m, "info", "success", "warning", "error"))
	m.maybe(o, "detail", m.words(1000))
	return o
}

func (m *maker) file() object {
	o := object{"path": m.id("src/")}
	m.maybe(o, "status", pick(m, "added", "modified", "deleted", "referenced"))
	m.maybe(o, "line", 1+m.IntN(900))
	m.maybe(o, "label", m.words(200))
	return o
}

func (m *maker) table(o object) {
	columns := m.some(func() any {
		c := object{"id": m.id("c")}
		m.maybe(c, "label", m.words(60))
		m.maybe(c, "align", pick(m, "start", "end", "center"))
		return c
	})
	o["columns"] = columns
	o["rows"] = m.some(func() any {
		cells := object{}
		for _, c := range columns {
			m.maybe(cells, c.(object)["id"].(string), m.words(300))
		}
		row := object{"id": m.id("r")}
		m.maybe(row, "cells", cells)
		m.maybe(row, "status", m.status())
		m.maybe(row, "ref", m.ref())
		return row
	})
}

func (m *maker) option() any { return object{"id": m.id("o"), "label": m.words(200)} }

func (m *maker) formField(kind string) object {
	o := object{"id": m.id("f"), "label": m.words(200), "kind": kind}
	m.maybe(o, "description", m.words(500))
	m.maybe(o, "required", m.often())
	switch kind {
	case "text":
		m.maybe(o, "multiline", m.often())
		m.maybe(o, "max_bytes", 1+m.IntN(8192))
	case "single_select":
		o["options"] = m.some(m.option)
	case "multi_select":
		options := m.some(m.option)
		o["options"] = options
		most := 1 + m.IntN(len(options))
		m.maybe(o, "max_selected", most)
		m.maybe(o, "min_selected", m.IntN(most+1))
	}
	return o
}

func (m *maker) block(kind string) object {
	o := object{"id": m.id("b"), "kind": kind}
	m.maybe(o, "title", m.words(80))
	m.maybe(o, "fallback", m.words(100))
	switch kind {
	case "checklist":
		o["items"] = m.some(func() any { return m.checklistItem(2) })
	case "steps":
		o["items"] = m.some(func() any { return m.step() })
	case "progress":
		m.maybe(o, "label", m.words(200))
		if m.often() {
			o["value"], o["max"] = m.IntN(50), 50+m.IntN(9)
		} else {
			o["indeterminate"] = true
		}
	case "key_value":
		o["entries"] = m.some(func() any { return m.entry() })
	case "table":
		m.table(o)
	case "markdown":
		o["text"] = m.words(300)
	case "timeline":
		m.maybe(o, "max", 4+m.IntN(190))
		o["events"] = m.some(func() any { return m.event() })
	case "files":
		o["entries"] = m.some(func() any { return m.file() })
	case "form":
		o["fields"] = []any{m.formField("text"), m.formField("single_select"), m.formField("multi_select")}
	case "mermaid":
		o["source"] = m.words(300)
	default:
		m.maybe(o, "data", []any{1.5, nil, true, object{"a": m.words(9), "b": []any{object{"c": m.words(9)}}}})
		m.maybe(o, "items", m.words(9))
	}
	return o
}

var kindsAndOne = append(blockRule.caseWords(), "chart")

func (m *maker) document() object {
	o := object{}
	m.maybe(o, "title", m.words(80))
	m.maybe(o, "subtitle", m.words(120))
	m.maybe(o, "status", pick(m, "idle", "active", "done", "failed"))
	total := m.IntN(50)
	m.maybe(o, "progress", object{"done": m.IntN(total + 1), "total": total})
	m.maybe(o, "summary", m.words(120))
	m.maybe(o, "context_summary", m.words(500))
	o["blocks"] = m.some(func() any { return m.block(pick(m, kindsAndOne...)) })
	return o
}

func (m *maker) patch(op string) object {
	o := object{"op": op}
	switch op {
	case "set":
		field := pick(m, "title", "subtitle", "status", "summary", "context_summary", "progress")
		o["field"], o["value"] = field, nil
		switch {
		case !m.often():
		case field == "status":
			o["value"] = "done"
		case field == "progress":
			o["value"] = object{"done": 1, "total": 2}
		default:
			o["value"] = m.words(80)
		}
	case "set_block":
		o["block"] = m.block(pick(m, kindsAndOne...))
		m.maybe(o, "before", m.id("b"))
	case "remove_block":
		o["id"] = m.id("b")
	case "upsert_items":
		o["block"] = m.id("b")
		o["items"] = m.some(func() any { return m.checklistItem(1) })
		m.maybe(o, "parent", m.id("i"))
	case "remove_items":
		o["block"] = m.id("b")
		o[pick(m, "ids", "keys", "paths")] = m.some(func() any { return m.id("x") })
	case "append_events":
		o["block"] = m.id("b")
		o["events"] = m.some(func() any { return m.event() })
	}
	return o
}

var patchOps = patchRule.caseWords()

func (m *maker) update() object {
	o := object{"panel": m.id("p"), "op": pick(m, "replace", "patch", "patch", "patch", "close")}
	m.maybe(o, "base_revision", 1+m.IntN(99))
	switch o["op"] {
	case "replace":
		o["document"] = m.document()
	case "patch":
		o["patches"] = m.some(func() any { return m.patch(pick(m, patchOps...)) })
	}
	return o
}

func (m *maker) action(kind, scope string) object {
	o := object{"id": m.id("a"), "label": m.words(32), "scope": scope, "kind": kind}
	if scope != "panel" {
		m.maybe(o, "blocks", []any{"b1", "b2"})
	}
	m.maybe(o, "confirm", "really {{item.label}}?")
	m.maybe(o, "when", object{"status": []any{m.status(), m.status()}})
	m.maybe(o, "primary", false)
	switch kind {
	case "prompt":
		o["text"] = "do {{item.id}} of {{block.id}} {{"
		m.maybe(o, "send", m.often())
	case "tool":
		m.maybe(o, "arguments", object{"item": "{{item.id}}", "n": 2, "deep": []any{object{"p": "{{panel.id}}"}}})
	case "response":
		o["response"] = pick(m, "submit", "cancel")
	}
	return o
}

func (m *maker) declaration() any {
	o := object{"id": m.id("p"), "title": m.words(40)}
	m.maybe(o, "icon", pick(m, icons...))
	m.maybe(o, "placement", pick(m, "sidebar", "chat"))
	m.maybe(o, "open", pick(m, "never", "first_update"))
	m.maybe(o, "context", pick(m, "none", "summary"))
	m.maybe(o, "acp_plan", m.often())
	m.maybe(o, "actions", []any{
		m.action("prompt", "panel"), m.action("tool", "block"), m.action("tool", "item"), m.action("response", "block"),
	})
	return o
}

func (m *maker) declarations() []any {
	return m.some(m.declaration)
}
