package ledger

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
)

// Report is what a check of a session found.
type Report struct {
	Session  string
	Segments int
	Records  int
	Blobs    int // that records name
	Faults   []Fault
}

// Verify checks every record of a session against the chain, every segment
// against the one before, and every blob against its name. That the oldest
// segments were pruned is no fault. Errors are those of Records.
func (s Store) Verify(session string) (Report, error) {
	report := Report{Session: session}
	records, err := s.Records(session)
	if err != nil {
		return report, err
	}
	for r, fault := range records {
		switch {
		case fault != nil:
			report.Faults = append(report.Faults, *fault)
			continue
		case r.Kind == KindSegment:
			report.Segments++
		}
		report.Records++
		if r.Blob == nil {
			continue
		}
		report.Blobs++
		if _, err := s.Data(r); err != nil {
			report.Faults = append(report.Faults, asFault(err))
		}
	}
	return report, nil
}

// Export writes a session as JSON lines, one per record, with its hash, place
// and whole data, also what lies in blobs. A fault is a line {"fault":{…}} in its
// place. The error is that of w, or one of Records.
func (s Store) Export(session string, w io.Writer) error {
	records, err := s.Records(session)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for r, fault := range records {
		var line any = struct {
			Session string `json:"session"`
			Segment string `json:"segment"`
			Line    int    `json:"line"`
			Hash    string `json:"hash"`
			Record
		}{session, filepath.Base(r.File), r.Line, r.Hash, s.inlined(r, &fault)}
		if fault != nil {
			line = map[string]any{"fault": fault}
		}
		if err := out.Encode(line); err != nil {
			return fmt.Errorf("export session %s: %w", session, err)
		}
	}
	return nil
}

// inlined is r with its data in it. A blob that is lost makes it a fault.
func (s Store) inlined(r Record, fault **Fault) Record {
	data, err := s.Data(r)
	if err != nil {
		f := asFault(err)
		*fault = &f
	}
	r.Data, r.Blob = data, nil
	return r
}
