package builtins

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"raw/contract/schema"
)

// splice puts text in the place of the bytes from start to end.
type splice struct {
	edit       int // index in the call
	start, end int
	text       []byte
	crlf       bool // LF stands for CRLF in it
}

// plan is what a call changes in one snapshot of a file. The splices are in
// the order of the file and do not overlap.
type plan struct {
	content []byte
	splices []splice
	notices []string
}

// editFaults is every reason why edits do not fit a file.
type editFaults []schema.Fault

// Error implements error: one line for each fault.
func (f editFaults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// byteOrderMark is that of UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// planEdits finds the place of each edit in content. The error is editFaults
// when some do not fit, or the cause of ctx.
func planEdits(ctx context.Context, content []byte, edits []replacement) (plan, error) {
	if err := wide(content); err != nil {
		return plan{}, err
	}
	p := plan{content: content}
	s := newSearch(content)
	var faults editFaults
	places, like := s.find(edits), newLikeness(content)
	for i, e := range edits {
		if err := context.Cause(ctx); err != nil {
			return plan{}, err
		}
		found := places[i]
		if found.count != 1 {
			faults = append(faults, oldFault(i, "%s", found.fault(like, e.Old)))
			continue
		}
		sp := splice{edit: i, start: found.first[0].start, end: found.first[0].end, text: []byte(e.New)}
		if found.first[0].crlf {
			sp.text, sp.crlf = withCRLF(e.New), true
		}
		if sp.start == 0 && strings.HasPrefix(e.Old, byteOrderMark) { // the mark stays, whatever is said of it
			sp.start = len(byteOrderMark)
			sp.text = bytes.TrimPrefix(sp.text, []byte(byteOrderMark))
		}
		if bytes.Equal(content[sp.start:sp.end], sp.text) {
			faults = append(faults, newFault(i, "nothing would change: line ends are adapted and a byte order mark stays"))
			continue
		}
		if f := s.foreign(i, e.New); f != nil {
			faults = append(faults, *f)
		}
		if n := s.lineEndNotice(i, e, sp); n != "" {
			p.notices = append(p.notices, n)
		}
		p.splices = append(p.splices, sp)
	}
	slices.SortStableFunc(p.splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	faults = append(faults, overlaps(content, p.splices)...)
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b schema.Fault) int { return cmp.Compare(index(a), index(b)) })
		return plan{}, faults
	}
	return p, nil
}

// index is the edit that a fault is about.
func index(f schema.Fault) (i int) {
	_, _ = fmt.Sscanf(f.Pointer, "/edits/%d/", &i) // pointers are made here
	return i
}

// overlaps finds the splices that share bytes with one before them.
func overlaps(content []byte, splices []splice) (faults []schema.Fault) {
	for i, widest := 1, 0; i < len(splices); i++ {
		before, this := splices[widest], splices[i]
		if this.start < before.end {
			later, other := max(this.edit, before.edit), min(this.edit, before.edit)
			faults = append(faults, oldFault(later, "overlaps /edits/%d/old_text at line %d; make one edit of the two",
				other, lineOf(content, this.start)))
		}
		if this.end > before.end {
			widest = i
		}
	}
	return faults
}

// size is that of the new content in bytes.
func (p plan) size() int64 {
	n := len(p.content)
	for _, s := range p.splices {
		n += len(s.text) - (s.end - s.start)
	}
	return int64(n)
}

// writeTo writes the new content.
func (p plan) writeTo(w io.Writer) error {
	at := 0
	for _, s := range p.splices {
		if _, err := w.Write(p.content[at:s.start]); err != nil {
			return err
		}
		if _, err := w.Write(s.text); err != nil {
			return err
		}
		at = s.end
	}
	_, err := w.Write(p.content[at:])
	return err
}

// foreign refuses to put UTF-8 into a text of another encoding.
func (s *search) foreign(edit int, text string) *schema.Fault {
	at := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
	if at < 0 {
		return nil
	}
	bad := s.invalid()
	if bad < 0 {
		return nil
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	f := newFault(edit, "%q (U+%04X) cannot be put in, as the file is not UTF-8: line %d has the byte 0x%02X; use ASCII, or convert the file first, for example with iconv",
		r, r, lineOf(s.content, bad), s.content[bad])
	return &f
}

// lineEndNotice says that an edit puts LF line ends between CRLF ones: its
// old_text has no line end, which would tell how to read new_text, or only CRLF.
func (s *search) lineEndNotice(edit int, e replacement, sp splice) string {
	if sp.crlf || hasBareLF(e.Old) || !hasBareLF(e.New) || !s.hasCRLF() {
		return ""
	}
	advice := "take a line end into old_text to have them adapted"
	around := s.content[sp.start:sp.end]
	if !bytes.Contains(around, []byte("\r\n")) {
		around = s.content[sp.end:]
		if end := bytes.IndexByte(around, '\n'); end > 0 {
			around = around[:end+1]
		}
	} else {
		advice = "write LF in old_text too to have them adapted, or CRLF in both"
	}
	if !bytes.Contains(around, []byte("\r\n")) {
		return ""
	}
	return fmt.Sprintf("[/edits/%d/new_text: its line ends are LF, those around it CRLF; %s]", edit, advice)
}

// lineOf is the 1-based line of an offset.
func lineOf(content []byte, at int) int { return bytes.Count(content[:at], []byte("\n")) + 1 }
