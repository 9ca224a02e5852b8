package panel

import (
	"fmt"
	"strings"
)

const (
	maxReminder  = 2 << 10 // bytes of one
	maxReminders = 8 << 10 // bytes of all
)

// Reminders tell the model, after its conversation was compacted, what stands on
// the open panels that ask for it, the most recently updated first: at most 2 KiB
// each and 8 KiB together.
func (h *Host) Reminders() []string {
	var list []string
	total := 0
	for _, s := range h.States() {
		if s.Closed || s.Declaration.Context != ContextSummary {
			continue
		}
		text, ok := s.Document.Value().Field("context_summary").Str()
		if !ok {
			text = strings.TrimSuffix(s.Document.Text(), "\n")
		}
		text = cutBytes(fmt.Sprintf("Current state of %s (%s) at revision %d:\n%s", s.title(), s.Owner, s.Revision, text), maxReminder)
		if total += len(text); total > maxReminders {
			break
		}
		list = append(list, text)
	}
	return list
}
