package panel

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxSummary is the most characters of a summary.
const maxSummary = 120

// Progress is the progress as given, else how many leaf items of all checklists
// are done or skipped; a document without such items counts those of its steps.
// ok is false when there is nothing to count.
func (d Document) Progress() (done, total int, ok bool) {
	if given := d.root.Field("progress"); given.Len() > 0 {
		done, _ := integer(given.Field("done").Tree())
		total, _ := integer(given.Field("total").Tree())
		return int(done), int(total), true
	}
	for _, kind := range [...]string{"checklist", "steps"} {
		for _, b := range d.blocks() {
			if textOf(b, "kind") == kind {
				count(itemsOf(b), &done, &total)
			}
		}
		if total > 0 {
			return done, total, true
		}
	}
	return 0, 0, false
}

// itemsOf are the items of a block that has them in a field of that name.
func itemsOf(block any) []any {
	fields, _ := block.(map[string]any)
	items, _ := fields["items"].([]any)
	return items
}

func count(items []any, done, total *int) {
	for _, item := range items {
		if children := childrenOf(item); len(children) > 0 {
			count(children, done, total)
			continue
		}
		*total++
		if s := textOf(item, "status"); s == statusDone || s == statusSkipped {
			*done++
		}
	}
}

// Summary is one line of at most 120 characters: the summary as given, else the
// progress with the first item that is in progress, else the first title of
// a block, else the title. "" is possible.
func (d Document) Summary() string {
	if given := textOf(d.root.Tree(), "summary"); given != "" {
		return oneLine(given)
	}
	if done, total, ok := d.Progress(); ok {
		text := fmt.Sprintf("%d/%d", done, total)
		if label := d.current(); label != "" {
			text += " · " + label
		}
		return cut(oneLine(text), maxSummary)
	}
	for _, b := range d.blocks() {
		if title := textOf(b, "title"); title != "" {
			return cut(oneLine(title), maxSummary)
		}
	}
	return cut(oneLine(d.Title()), maxSummary)
}

// current is the label of the first item that is in progress, in the order of
// the document and of its trees.
func (d Document) current() string {
	for _, b := range d.blocks() {
		switch textOf(b, "kind") {
		case "checklist", "steps":
			if label := inProgress(itemsOf(b)); label != "" {
				return label
			}
		}
	}
	return ""
}

func inProgress(items []any) string {
	for _, item := range items {
		if textOf(item, "status") == statusInProgress {
			return textOf(item, "label")
		}
		if label := inProgress(childrenOf(item)); label != "" {
			return label
		}
	}
	return ""
}

// oneLine is s without line breaks and tabs, so that it stays the one line that
// it is shown in.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// cut is s in at most limit characters, with … when something is gone.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// PlanEntry is one entry of a plan as ACP has it.
type PlanEntry struct {
	Content  string
	Priority string // high, medium or low
	Status   string // pending, in_progress or completed
}

// Plan is the first checklist, depth first; false when there is none.
func (d Document) Plan() ([]PlanEntry, bool) {
	for _, b := range d.blocks() {
		if textOf(b, "kind") == "checklist" {
			return planned(nil, itemsOf(b)), true
		}
	}
	return nil, false
}

func planned(to []PlanEntry, items []any) []PlanEntry {
	for _, item := range items {
		e := PlanEntry{
			Content:  textOf(item, "label"),
			Priority: cmp.Or(textOf(item, "priority"), "medium"),
			Status:   statusPending,
		}
		switch s := textOf(item, "status"); s {
		case statusDone, statusSkipped:
			e.Status = "completed"
		case statusInProgress:
			e.Status = s
		}
		to = planned(append(to, e), childrenOf(item))
	}
	return to
}
