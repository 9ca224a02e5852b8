package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"raw/contract/catalog"
)

// toolbox is what a conversation has activated.
func (s *Session) toolbox(lane string) *catalog.Toolbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.toolboxes[lane]
	if b == nil {
		b = &catalog.Toolbox{}
		s.toolboxes[lane] = b
	}
	return b
}

// Active are the deferred tools that a conversation has activated, in the order
// in which it did: those that are still there, that policy still shows, and that
// are still deferred.
func (s *Session) Active(lane string) []string {
	v := s.view()
	return s.toolbox(lane).Names(func(name string) bool {
		e := s.registry.byName[name]
		return e != nil && e.Deferred && !v.hidden(e)
	})
}

// SyncTools forgets what every conversation has activated: the client begins
// anew.
func (s *Session) SyncTools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.toolboxes)
}

// reached: a deferred tool was found before it is called. One that was not is
// activated instead of run, as the model has not seen what it takes.
func (t *Ticket) reached() *Refusal {
	if !t.tool.Deferred || t.request.Reached || t.request.Source != SourceModel {
		return nil
	}
	if t.session.toolbox(t.request.Lane).Has(t.tool.Name) {
		return nil
	}
	if t.trace == nil {
		if err := t.session.activate(t.request.Lane, t.tool); err != nil {
			return refuse(CodeToolActivated, "%s was not found by a search yet, and cannot be activated: %v\n%s", t.tool.Name, err, t.howTo())
		}
	}
	return refuse(CodeToolActivated, "%s was not found by a search before, so it was activated and not run; call it again\n%s", t.tool.Name, t.howTo())
}

// howTo says what the tool takes, and what is wrong with what was sent.
func (t *Ticket) howTo() string {
	lines := []string{t.tool.Description, "input schema: " + compactSchema(t.tool.spec())}
	if ref := t.parsed(); ref != nil {
		lines = append(lines, ref.Text)
	} else {
		lines = append(lines, "the arguments that were sent are valid")
	}
	return strings.Join(lines, "\n")
}

// activate puts a tool into a conversation's toolbox.
func (s *Session) activate(lane string, e *entry) error {
	b := s.toolbox(lane)
	known := b.Has(e.Name)
	if _, err := b.Activate(e.Name, definitionBytes(e.spec())); err != nil {
		return err
	}
	if changed := s.options.Surface.CatalogChanged; !known && changed != nil {
		changed()
	}
	return nil
}

// definitionBytes is the size of a definition as a model gets it.
func definitionBytes(s Spec) int {
	definition, err := json.Marshal(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{s.Name, s.Description, json.RawMessage(compactSchema(s))})
	if err != nil {
		return len(s.Name) + len(s.Description) + len(s.Input) // a schema that does not even parse
	}
	return len(definition)
}

func compactSchema(s Spec) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s.Input)) != nil {
		return string(s.Input)
	}
	return b.String()
}

// MaxAlwaysBytes bounds the definitions that are loaded always.
const MaxAlwaysBytes = 16 << 10

// AlwaysLoad makes the named tools eager, in the order of the names, as long as
// their definitions have room together. The notices tell what was not done.
func AlwaysLoad(tools []Tool, names []string) (notices []string) {
	total := 0
	for _, name := range names {
		at := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
		if at < 0 {
			notices = append(notices, fmt.Sprintf("tools.always_load: there is no tool %q", name))
			continue
		}
		t := &tools[at]
		size := definitionBytes(t.spec())
		switch {
		case !t.Deferred:
		case total+size > MaxAlwaysBytes:
			notices = append(notices, fmt.Sprintf("tools.always_load: %s has %d bytes and finds no room beside %d; at most %d are loaded always", name, size, total, MaxAlwaysBytes))
		default:
			t.Deferred = false
			total += size
		}
	}
	return notices
}
