package ledger

import (
	"fmt"
	"iter"
	"strings"
)

// Find says which execution ref names: <session>/ex-<n>, where the session may
// be cut short and ex- left out, or ex-<n> alone, of the session current. When
// current is empty too, it has to be the only ex-<n> of all sessions.
//
// The error wraps ErrUnknown when nothing or more than one thing fits. That the
// execution is recorded is looked at only where several sessions fit.
func (s Store) Find(ref, current string) (session, execution string, err error) {
	prefix, id, ok := strings.Cut(ref, "/")
	if !ok {
		prefix, id = "", ref
	}
	seq, ok := executionSeq(id)
	if !ok {
		return "", "", fmt.Errorf("%q names no execution; write ex-<n> or <session>/ex-<n>: %w", ref, ErrUnknown)
	}
	execution = ExecutionID(seq)
	if prefix == "" && current != "" {
		return current, execution, nil
	}
	names, err := s.Names()
	if err != nil {
		return "", "", err
	}
	var fit []string
	for _, n := range names {
		if n == prefix {
			return n, execution, nil
		}
		if strings.HasPrefix(n, prefix) {
			fit = append(fit, n)
		}
	}
	if len(fit) > 1 {
		var have []string
		for _, n := range fit {
			if s.started(n, execution) {
				have = append(have, n)
			}
		}
		fit = have
	}
	switch len(fit) {
	case 0:
		return "", "", fmt.Errorf("%q: no session has it: %w", ref, ErrUnknown)
	case 1:
		return fit[0], execution, nil
	}
	return "", "", fmt.Errorf("%q may be any of %s/%s; write more of the session: %w", ref, strings.Join(fit, "/"+execution+", "), execution, ErrUnknown)
}

func (s Store) started(session, execution string) bool {
	records, err := s.Records(session)
	if err != nil {
		return false
	}
	for r := range records {
		if r.Kind == KindStarted && r.Execution == execution {
			return true
		}
	}
	return false
}

// Search yields the records of a session in which some text satisfies match,
// names of members included, and every fault. Errors are those of Records.
func (s Store) Search(session string, match func(string) bool) (iter.Seq2[Record, *Fault], error) {
	records, err := s.Records(session)
	if err != nil {
		return nil, err
	}
	return func(yield func(Record, *Fault) bool) {
		for r, fault := range records {
			var hit bool
			if fault == nil {
				data, err := s.Data(r)
				if err != nil {
					f := asFault(err)
					r, fault = Record{}, &f
				}
				for text := range texts(data) {
					if hit = match(text); hit {
						break
					}
				}
			}
			if (hit || fault != nil) && !yield(r, fault) {
				return
			}
		}
	}, nil
}

// texts yields the strings of a JSON text.
func texts(data []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(data); i++ {
			if data[i] != '"' {
				continue
			}
			end := stringEnd(data, i)
			text, err := unquote(data[i:end])
			if err == nil && !yield(text) {
				return
			}
			i = end - 1
		}
	}
}
