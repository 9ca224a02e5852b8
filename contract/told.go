package contract

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// told are the lines that the model is to get with what it hears next. The zero
// told is empty; its methods may be called at once.
type told struct {
	mu    sync.Mutex
	lines []string
}

const (
	maxTold       = 16   // lines that wait; the oldest go first
	maxToldReturn = 1024 // bytes of what an action returned
)

func (l *told) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	l.lines = l.lines[max(0, len(l.lines)-maxTold):]
}

// TakeNotices returns the lines that wait for the model, once: what a person has
// run on a panel (PANELS.md §7). A surface puts them before the model's next
// message, or behind its next result.
func (s *Session) TakeNotices() []string {
	s.told.mu.Lock()
	defer s.told.mu.Unlock()
	lines := s.told.lines
	s.told.lines = nil
	return lines
}

// tellOfAction leaves a line for the model when a person has made the call.
func (t *Ticket) tellOfAction(res Result) {
	p := t.request.action
	if p == nil {
		return
	}
	title := p.State.Document.Title()
	if title == "" {
		title = p.State.Declaration.Title
	}
	t.session.told.add(fmt.Sprintf("The user ran %q on %s; %s returned: %s", p.Action.Label, strings.Join(strings.Fields(title), " "), p.State.Owner, returned(res)))
}

func returned(res Result) string {
	var texts []string
	for _, b := range res.Content {
		if text, ok := b.(Text); ok {
			texts = append(texts, strings.Join(strings.Fields(string(text)), " "))
		}
	}
	line := strings.Join(texts, " ")
	if len(line) <= maxToldReturn {
		return line
	}
	cut := maxToldReturn - len("…")
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "…"
}
