package ledger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// FaultKind says what is wrong with a ledger.
type FaultKind string

// The kinds of faults.
const (
	Torn       FaultKind = "torn"       // the last record was written in part
	Corrupt    FaultKind = "corrupt"    // a record was changed, or what stood before it was; it is skipped
	Gap        FaultKind = "gap"        // records are missing, or cannot be checked against those before
	Unreadable FaultKind = "unreadable" // a segment cannot be read on from here
	BadBlob    FaultKind = "blob"       // data that a record names is missing or changed
)

// Fault tells of something that is lost or wrong, where it was found.
type Fault struct {
	File string    `json:"file"`
	Line int       `json:"line,omitempty"` // from 1; zero is the whole file
	Kind FaultKind `json:"kind"`
	// First and Last are the sequences of the records that are lost. First zero
	// means none, Last zero that their number is not known.
	First uint64 `json:"first,omitempty"`
	Last  uint64 `json:"last,omitempty"`
	Text  string `json:"text"`
}

func (f Fault) Error() string {
	where := f.File
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s: %s: %s", where, f.Kind, f.Text)
}

// scanner reads one segment. Its other fields mean something once all has run.
type scanner struct {
	session, path string

	live   bool // its writer held the lock before the first byte was read
	header Segment
	hash   string // of the last intact record; empty when there is none
	seq    uint64 // the last that was used, those of lost records included
	torn   *Fault
	end    int64 // where the torn record begins

	line int
	// before are the hashes that the next record may follow. After a bad line
	// there are two: either the line or its hash may be what has changed.
	before []string
	astray bool   // the line before has not the form of a record and may have been several
	lost   uint64 // bad lines since the last record
}

// all yields each intact record and, in its place, each fault. A record that is
// being written while we read is not there yet, which is no fault.
func (s *scanner) all(yield func(Record, *Fault) bool) {
	f, err := os.Open(s.path)
	if err != nil {
		yield(Record{}, s.fault(Unreadable, err.Error()))
		return
	}
	defer f.Close()
	// The lock first: a segment that is free now changes no more, so that what
	// it lacks will never come.
	if s.live, err = lockedElsewhere(f); err != nil {
		yield(Record{}, s.fault(Unreadable, "whether its writer lives cannot be seen: "+err.Error()))
		return
	}
	s.before = []string{""}
	in := bufio.NewReaderSize(f, maxLine)
	for {
		line, size, err := nextLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			yield(Record{}, s.fault(Unreadable, err.Error()))
			return
		}
		s.line++
		if err != nil {
			if size > 0 && !s.live {
				s.torn = s.fault(Torn, fmt.Sprintf("the last record ends after %d bytes", size))
				s.lost++
				yield(Record{}, s.torn)
			}
			s.seq += s.lost
			return
		}
		s.end += size
		r, fault := s.take(line)
		if fault != nil && !yield(Record{}, fault) {
			return
		}
		if fault != nil && fault.Kind == Unreadable {
			return
		}
		if r.Kind != "" && !yield(r, nil) {
			return
		}
	}
}

// nextLine reads a line and says how long it is with its newline. One that is
// longer than any record comes back empty. The last one, without a newline,
// comes with io.EOF.
func nextLine(in *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil && size == int64(len(part)) {
			line = part[:len(part)-1]
		}
		return line, size, err
	}
}

// take judges a line. A record that could not be checked comes with a fault.
func (s *scanner) take(line []byte) (Record, *Fault) {
	r, body, err := decode(line)
	proven := err == nil && slices.ContainsFunc(s.before, func(h string) bool { return chain(h, body) == r.Hash })
	var fault *Fault
	switch {
	case err != nil:
		fault = s.fault(Corrupt, err.Error())
	case !proven && s.astray && r.Seq > s.seq:
		fault = s.fault(Gap, "what stands before this record is lost, so it cannot be checked whether it was changed")
		if fault.Last = r.Seq - 1; fault.Last < fault.First {
			fault.First, fault.Last = 0, 0 // all of them were told
		}
	case !proven:
		fault = s.fault(Corrupt, "its hash does not follow from the record before; it was changed, or what stood before it was")
	}
	if fault != nil && fault.Kind == Corrupt {
		s.lost++
		s.astray = err != nil
		before := s.before
		s.before = nil
		if body != nil {
			s.before = append(s.before, r.Hash)
			if len(before) > 0 {
				s.before = append(s.before, chain(before[0], body))
			}
		}
		return Record{}, fault
	}
	r.Session, r.File, r.Line = s.session, s.path, s.line
	if r.Kind == KindStarted {
		r.Execution = ExecutionID(r.Seq)
	}
	if s.line == 1 {
		if err := s.open(r); err != nil {
			return Record{}, s.fault(Unreadable, err.Error())
		}
	}
	s.before, s.lost, s.astray, s.seq, s.hash = []string{r.Hash}, 0, false, r.Seq, r.Hash
	return r, fault
}

// open reads the first line.
func (s *scanner) open(r Record) error {
	if r.Kind != KindSegment {
		return fmt.Errorf("its first record is %q and not %q", r.Kind, KindSegment)
	}
	if err := json.Unmarshal(r.Data, &s.header); err != nil {
		return fmt.Errorf("its first record: %w", err)
	}
	if s.header.Format != Format {
		return fmt.Errorf("its format is %q; this program reads %q", s.header.Format, Format)
	}
	if s.header.Session != s.session {
		return fmt.Errorf("it belongs to session %q", s.header.Session)
	}
	return nil
}

// asFault is a fault that came as an error.
func asFault(err error) Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return *f
	}
	return Fault{Kind: Unreadable, Text: err.Error()}
}

// fault is one at the line in hand, with the sequence it would have had.
func (s *scanner) fault(kind FaultKind, text string) *Fault {
	f := &Fault{File: s.path, Line: s.line, Kind: kind, Text: text}
	if kind == Torn || kind == Corrupt || kind == Gap {
		f.First = s.seq + 1 + s.lost
	}
	return f
}
