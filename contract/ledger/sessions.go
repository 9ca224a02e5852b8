package ledger

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// Summary is a session at a glance.
type Summary struct {
	Session     string
	Live        bool // a process writes it now
	Process     int  // that wrote last
	First, Last time.Time
	Records     int
	Calls       int // that were started
	Refused     int
	Uncertain   []Execution
	Faults      []Fault
}

// Execution is a call that was started.
type Execution struct {
	Session string
	ID      string // ex-<n>
	At      time.Time
	Start   Start // without its parts when its data is lost

	file string // the segment
}

// Sessions sums up every session: those with uncertain executions first, then
// the one that was written last. What cannot be read is told in Faults.
func (s Store) Sessions() ([]Summary, error) {
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, name := range names {
		sum, err := s.Session(name)
		if errors.Is(err, ErrUnknown) {
			continue // pruned meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, sum)
	}
	slices.SortStableFunc(all, func(a, b Summary) int {
		return cmp.Or(
			cmp.Compare(min(len(b.Uncertain), 1), min(len(a.Uncertain), 1)),
			b.Last.Compare(a.Last),
			strings.Compare(a.Session, b.Session),
		)
	})
	return all, nil
}

// Uncertain lists the executions of a session that were started and have neither
// a receipt nor a verdict, and whose process is gone. Whether they had an effect
// nobody knows; a person has to look.
func (s Store) Uncertain(session string) ([]Execution, error) {
	sum, err := s.Session(session)
	return sum.Uncertain, err
}

// Session sums up one session.
func (s Store) Session(session string) (Summary, error) {
	sum := Summary{Session: session}
	numbers, err := s.segments(session)
	if err != nil {
		return sum, err
	}
	open := map[string]Record{}
	for scan, found := range s.walk(session, numbers) {
		if found.fault != nil {
			sum.Faults = append(sum.Faults, *found.fault)
			continue
		}
		r := found.Record
		sum.Records++
		if sum.First.IsZero() {
			sum.First = r.At
		}
		sum.Last, sum.Live = r.At, scan.live
		switch r.Kind {
		case KindSegment:
			sum.Process = scan.header.Process
		case KindStarted:
			sum.Calls++
			if !scan.live {
				open[r.Execution] = r
			}
		case KindSucceeded, KindFailed, KindVoided, KindResolved:
			delete(open, r.Execution)
		case KindRefused:
			sum.Refused++
		}
	}
	for _, r := range open {
		e := Execution{Session: session, ID: r.Execution, At: r.At, file: r.File}
		if err := s.Decode(r, &e.Start); err != nil {
			sum.Faults = append(sum.Faults, asFault(err))
		}
		sum.Uncertain = append(sum.Uncertain, e)
	}
	slices.SortFunc(sum.Uncertain, func(a, b Execution) int {
		m, _ := executionSeq(a.ID)
		n, _ := executionSeq(b.ID)
		return cmp.Compare(m, n)
	})
	return sum, nil
}
