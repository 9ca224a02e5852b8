package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// Store reads the sessions of a state folder, of any process, while they are
// being written too. Its methods may be called at once.
type Store struct {
	// Folder is the state folder. One that is missing holds no sessions.
	Folder string
}

// Names lists the sessions by name.
func (s Store) Names() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.Folder, sessionsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && checkSession(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Records yields the records of a session in their order, over all segments,
// the first lines of segments included. What is missing or wrong is yielded as a
// fault in its place, with an empty Record. The error wraps ErrUnknown for a
// session that is not there.
func (s Store) Records(session string) (iter.Seq2[Record, *Fault], error) {
	numbers, err := s.segments(session)
	if err != nil {
		return nil, err
	}
	return func(yield func(Record, *Fault) bool) {
		for _, rec := range s.walk(session, numbers) {
			if !yield(rec.Record, rec.fault) {
				return
			}
		}
	}, nil
}

func (s Store) segments(session string) ([]uint64, error) {
	if err := checkSession(session); err != nil {
		return nil, err
	}
	numbers, err := segmentsIn(sessionFolder(s.Folder, session))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(numbers) == 0 {
		return nil, fmt.Errorf("session %q: %w", session, ErrUnknown)
	}
	if err != nil {
		return nil, fmt.Errorf("list the segments of session %s: %w", session, err)
	}
	return numbers, nil
}

// found is a record or a fault.
type found struct {
	Record
	fault *Fault
}

// walk yields what each of some segments holds, beside the scan of it.
func (s Store) walk(session string, numbers []uint64) iter.Seq2[*scanner, found] {
	return func(yield func(*scanner, found) bool) {
		last, begun := "", false
		for _, n := range numbers {
			scan := &scanner{session: session, path: filepath.Join(sessionFolder(s.Folder, session), segmentName(n))}
			for r, fault := range scan.all {
				if begun && r.Kind == KindSegment && scan.header.Previous != last {
					gap := &Fault{File: scan.path, Line: r.Line, Kind: Gap, Text: "it does not follow from the last record of the segment before; records or a segment between them are lost or changed"}
					if !yield(scan, found{fault: gap}) {
						return
					}
				}
				if !yield(scan, found{r, fault}) {
					return
				}
			}
			if scan.hash != "" {
				last, begun = scan.hash, true
			}
		}
	}
}

// Data is what the record's kind names, as JSON, wherever it lies. The error is
// a *Fault when a blob is missing or is not what the record says.
func (s Store) Data(r Record) (json.RawMessage, error) {
	if r.Blob == nil {
		return r.Data, nil
	}
	data, err := readBlob(filepath.Dir(r.File), r.Blob)
	if err != nil {
		return nil, &Fault{File: r.File, Line: r.Line, Kind: BadBlob, Text: err.Error()}
	}
	return data, nil
}

// Decode is Data, decoded into what Kind names.
func (s Store) Decode(r Record, into any) error {
	data, err := s.Data(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &Fault{File: r.File, Line: r.Line, Kind: Corrupt, Text: err.Error()}
	}
	return nil
}
