package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// expect awaits the message that pattern describes, marks it as taken and
// returns it. An answer is found by its id, and must match. Requests and
// notifications are found by method: the first that matches is taken.
func (p *program) expect(pattern string, captured map[string]any, timeout time.Duration) (json.RawMessage, error) {
	want, err := decode([]byte(pattern))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPattern, err)
	}
	var key struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.Unmarshal([]byte(pattern), &key); err != nil {
		return nil, fmt.Errorf("%w: %w", errPattern, err)
	}
	if key.Method == "" && (key.ID == nil || key.ID[0] == '{') {
		return nil, fmt.Errorf("%w: it needs an id or a method to be found by", errPattern)
	}
	var (
		found   *message
		nearest error // why the first candidate is not it
	)
	err = p.await(timeout, func(got []*message) bool {
		for _, m := range got {
			if m.taken || m.method != key.Method || m.method == "" && m.id != string(key.ID) {
				continue
			}
			caught := map[string]any{}
			value, err := decode(m.raw)
			if err == nil {
				err = match("message", want, value, caught)
			}
			if err == nil {
				maps.Copy(captured, caught)
				m.taken, found = true, m
				return true
			}
			if nearest == nil {
				nearest = err
			}
			if m.method == "" {
				return true // no other answer can stand in for this one
			}
		}
		return false
	})
	switch {
	case found != nil:
		return found.raw, nil
	case nearest != nil && (err == nil || errors.Is(err, errTimeout) || errors.Is(err, errEnded)):
		return nil, nearest
	}
	return nil, err
}

// answer awaits the answer with this id, whatever it says.
func (p *program) answer(id string, timeout time.Duration) (json.RawMessage, error) {
	return p.expect(fmt.Sprintf(`{"id":%s}`, id), nil, timeout)
}

// unanswered returns an error if there is an answer with this id.
func unanswered(got []*message, id string) error {
	for _, m := range got {
		if m.method == "" && m.id == id {
			return fmt.Errorf("there is an answer %s, want none: %s", id, clip(m.raw))
		}
	}
	return nil
}

// inOrder returns an error if any message first came after a message then. A
// name is an id as in JSON, or a method. missing says that one of them has not
// come at all.
func inOrder(got []*message, first, then string) (missing bool, err error) {
	last, start := -1, -1
	for i, m := range got {
		switch {
		case m.is(first):
			last = i
		case m.is(then) && start < 0:
			start = i
		}
	}
	if last < 0 || start < 0 {
		return true, nil
	}
	if last > start {
		return false, fmt.Errorf("%s came after %s, want all of it before", first, then)
	}
	return false, nil
}

func (m *message) is(name string) bool {
	return m.method == name || m.method == "" && m.id == name
}

// messages returns what has arrived so far, in wire order.
func (p *program) messages() []*message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got[:len(p.got):len(p.got)]
}
