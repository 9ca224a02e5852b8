package panel

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxReminder  = 2 << 10 // bytes of one
	maxReminders = 8 << 10 // bytes of all
)

// Reminders tell the model, after its conversation was compacted, what stands on
// the open panels that ask for it, the most recently updated first: at most 2 KiB
// each and 8 KiB together. What running calls have not committed is not in them.
func (h *Host) Reminders() []string {
	var list []string
	total := 0
	for _, s := range h.open() {
		if s.Declaration.Context != ContextSummary {
			continue
		}
		text, _ := s.Document.Value().Field("context_summary").Str()
		if text == "" {
			text = strings.TrimSuffix(s.Document.Text(), "\n")
		}
		text = cutBytes(fmt.Sprintf("Current state of %s (%s) at revision %d:\n%s", oneLine(s.title()), s.Owner, s.Revision, text), maxReminder)
		if total += len(text); total > maxReminders {
			break
		}
		list = append(list, text)
	}
	return list
}

// open are the open panels as they are committed, the most recently updated first.
func (h *Host) open() []State {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []State
	for _, s := range h.panels {
		if !s.Closed {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b State) int { return byAge(b, a) })
	return list
}
