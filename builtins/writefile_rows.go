package builtins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"raw/contract"
	"raw/contract/schema"
	"raw/contract/value"
	"raw/internal/atomicfile"
	"raw/internal/patch"
	"raw/internal/workspace"
)

// operation is one row of the operations form.
type operation struct {
	Op       string     `json:"op"`
	Path     string     `json:"path"`
	Content  string     `json:"content"`
	Old      string     `json:"old_text"`
	New      string     `json:"new_text"`
	Start    lineNumber `json:"start_line"`
	End      lineNumber `json:"end_line"`
	Expected string     `json:"expected_sha256"`
}

// fieldsOf are the fields that an operation has beside op and path: all of
// them, and no others.
func fieldsOf(op string) []string {
	switch op {
	case "replace_text":
		return []string{"old_text", "new_text"}
	case "replace_lines":
		return []string{"start_line", "end_line", "content", "expected_sha256"}
	}
	return []string{"content"}
}

// operationFaults are the faults of one row that needs no file.
func operationFaults(at string, o value.Value) (faults []schema.Fault) {
	op, _ := o.Field("op").Str()
	fault := func(field, format string, a ...any) {
		faults = append(faults, schema.Fault{Pointer: at + "/" + field, Message: fmt.Sprintf(format, a...)})
	}
	wanted := map[string]bool{"op": true, "path": true}
	for _, field := range fieldsOf(op) {
		wanted[field] = true
		if o.Field(field).Kind() == value.Absent {
			fault(field, "missing; %s needs %s", op, strings.Join(fieldsOf(op), ", "))
		}
	}
	for field := range o.Fields() {
		if !wanted[field] {
			fault(field, "not a field of %s, which has %s", op, strings.Join(fieldsOf(op), ", "))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	switch op {
	case "append":
		if s, _ := o.Field("content").Str(); s == "" {
			fault("content", "empty, so nothing would change")
		}
	case "replace_text":
		old, _ := o.Field("old_text").Str()
		text, _ := o.Field("new_text").Str()
		switch old {
		case "":
			fault("old_text", "empty; to insert, give the text beside the place; to write the whole file, use overwrite")
		case text:
			fault("old_text", "equal to new_text, so nothing would change")
		}
	case "replace_lines":
		if first, last := lineField(o, "start_line"), lineField(o, "end_line"); last < first {
			fault("end_line", "%d is before start_line %d", last, first)
		}
	}
	return faults
}

func lineField(o value.Value, field string) lineNumber {
	var n lineNumber
	_ = n.UnmarshalJSON(fmt.Append(nil, o.Field(field).Tree())) // the schema has seen an integer
	return n
}

// operate does the rows one by one, each on the file as the rows before it left
// it. All arguments were found valid before the first; a row that fails stops
// none of the others.
func (b batcher) operate(ctx context.Context, c *contract.Call, paths resolved, operations []operation) contract.Result {
	rows := make([]row, len(operations))
	tick := newTicker(c, len(rows))
	done := 0
	for i, o := range operations {
		tick.done(i)
		rows[i] = b.operation(ctx, o, paths(o.Path), fmt.Sprintf("/operations/%d", i))
		if rows[i].failure == nil {
			done++
		}
	}
	return answer(fmt.Sprintf("%d of %s done", done, number(len(rows), "operation")), rows)
}

func (b batcher) operation(ctx context.Context, o operation, p contract.Path, at string) row {
	name := o.Op + " " + visibleName(o.Path)
	change, expect, same, err := b.planned(ctx, o, p)
	if err != nil {
		return failed(ctx, name, o.Op, o.Path, err)
	}
	measure := fmt.Sprintf("%s, %s", number(int(change.size()), "byte"), number(change.lines(), "line"))
	if same {
		return row{name: name, text: "unchanged: " + measure}
	}
	out, err := b.replace(ctx, p, expect, change)
	if err != nil {
		return failed(ctx, name, o.Op, o.Path, err)
	}
	did := "replaced"
	switch {
	case out.Created:
		did = "created"
	case o.Op == "append":
		did = "appended"
	}
	r := row{name: name, text: did + ": " + measure, changed: true}
	for _, n := range append(change.notices, inPlaceNotice(out)) {
		if n != "" {
			r.text += " " + strings.ReplaceAll(n, "/edits/0/", at+"/")
		}
	}
	return r
}

// planned is what an operation makes of its file, and what the file must still
// be then. Same says that it holds the new content already.
func (b batcher) planned(ctx context.Context, o operation, p contract.Path) (change plan, expect atomicfile.Expect, same bool, err error) {
	if o.Op == "overwrite" {
		old, err := writer(b).look(p, o.Content)
		change = whole(o.Content)
		if old.encoding != "" {
			change.notices = append(change.notices, "[the old content was "+old.encoding+" text; the new one is UTF-8]")
		}
		if old.expect.Snapshot != nil && !old.known {
			change.notices = append(change.notices, "[the file existed, and had not been read or written in this session]")
		}
		return change, old.expect, old.same, err
	}
	content, seen, err := b.load(p)
	switch {
	case err == nil:
		change, err = o.plan(ctx, content)
		expect.Snapshot = &seen
	case o.Op == "append" && errors.Is(err, fs.ErrNotExist):
		change, err = whole(o.Content), nil
	case errors.Is(err, fs.ErrNotExist):
		err = rowFault{text: "there is no such file; overwrite creates one" + nearNames(p)}
	}
	return change, expect, false, err
}

// whole is a plan that puts a content in the place of nothing.
func whole(content string) plan {
	return plan{splices: []splice{{text: []byte(content)}}}
}

// plan is what the operation changes in a content: all but overwrite do not
// touch the rest. The error is a rowFault, or the cause of ctx.
func (o operation) plan(ctx context.Context, content []byte) (plan, error) {
	if o.Op == "replace_text" {
		p, err := planEdits(ctx, content, []replacement{{o.Old, o.New}})
		if faults, ok := errors.AsType[editFaults](err); ok {
			return plan{}, rowFault{text: strings.TrimPrefix(faults[0].Pointer, "/edits/0/") + ": " + faults[0].Message}
		}
		if err != nil && context.Cause(ctx) == nil {
			err = rowFault{text: err.Error()}
		}
		return p, err
	}
	if err := wide(content); err != nil {
		return plan{}, rowFault{text: err.Error()}
	}
	p := plan{content: content}
	if f := newSearch(content).foreign(0, o.Content); f != nil {
		return plan{}, rowFault{text: f.Message}
	}
	if o.Op == "append" {
		p.splices = []splice{{start: len(content), end: len(content), text: []byte(o.Content)}}
		return p, nil
	}
	sp, err := o.span(content)
	if err == nil && bytes.Equal(content[sp.start:sp.end], sp.text) {
		err = rowFault{text: "nothing would change"}
	}
	p.splices = []splice{sp}
	return p, err
}

// span is the splice of replace_lines. A byte order mark is part of the first
// line for its hash, and stays.
func (o operation) span(content []byte) (splice, error) {
	var at, start int
	line := lineNumber(0)
	for text := range bytes.Lines(content) {
		if line++; line == o.Start {
			start = at
		}
		if at += len(text); line == o.End {
			break
		}
	}
	if line < o.End {
		return splice{}, rowFault{text: fmt.Sprintf("lines %d–%d are past the end: the file has %s", o.Start, o.End, number(int(line), "line"))}
	}
	old := content[start:at]
	if sum := sha256.Sum256(old); !strings.EqualFold(hex.EncodeToString(sum[:]), o.Expected) {
		// Not the whole sum: it is to be had by looking at the lines.
		return splice{}, rowFault{conflict: true, text: fmt.Sprintf(
			"lines %d–%d are not what was expected: their SHA-256 begins %x, not %.8s; nothing was written; read them again, for example with bash: sed -n '%d,%dp' FILE | sha256sum",
			o.Start, o.End, sum[:4], strings.ToLower(o.Expected), o.Start, o.End)}
	}
	text := []byte(o.Content)
	if start == 0 && bytes.HasPrefix(old, []byte(byteOrderMark)) {
		start += len(byteOrderMark)
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	if len(text) > 0 && bytes.HasSuffix(old, []byte("\n")) && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if containsCRLF(old) && !hasBareLF(string(old)) {
		text = withCRLF(string(text))
	}
	return splice{start: start, end: at, text: text}, nil
}

// shown is the diff for a person.
func (p plan) shown(path string) string {
	d := p.diff(path)
	if d.cut {
		d.text += "[long lines are shown in part]"
	}
	return strings.TrimSuffix(d.text, "\n")
}

// lines is how many lines the new content has.
func (p plan) lines() int {
	var c lineCounter
	_ = p.writeTo(&c) // never fails
	if c.last != '\n' && c.last != 0 {
		c.ends++
	}
	return c.ends
}

// lineCounter counts line ends.
type lineCounter struct {
	ends int
	last byte // zero before the first
}

// Write implements io.Writer.
func (c *lineCounter) Write(p []byte) (int, error) {
	c.ends += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		c.last = p[len(p)-1]
	}
	return len(p), nil
}

// load reads a file that is small enough to be held beside others.
func (b batcher) load(p contract.Path) ([]byte, atomicfile.Snapshot, error) {
	f, err := b.known.open(p)
	if err != nil {
		return nil, atomicfile.Snapshot{}, err
	}
	defer f.Close()
	s, err := atomicfile.Stat(f)
	if err == nil && s.Size > patch.MaxSource {
		err = rowFault{text: fmt.Sprintf("it has %d bytes, and at most %d are changed here; use edit or a command", s.Size, patch.MaxSource)}
	}
	if err != nil {
		return nil, atomicfile.Snapshot{}, err
	}
	return atomicfile.Read(f)
}

// nearNames are the names that a missing file may have been meant to have.
func nearNames(p contract.Path) string {
	near := workspace.Near(p.Real, 3)
	if len(near) == 0 {
		return ""
	}
	for i, name := range near {
		near[i] = nearName(name)
	}
	return "; in its folder there is: " + strings.Join(near, ", ")
}

// previewOperations shows what each row would do, on files as the rows before
// it would leave them.
func (b batcher) previewOperations(ctx context.Context, paths resolved, operations []operation) string {
	type state struct {
		content []byte
		err     error
	}
	files := map[string]state{}
	var text strings.Builder
	for i, o := range operations {
		p := paths(o.Path)
		old, ok := files[p.Real]
		if !ok {
			old.content, _, old.err = b.load(p)
		}
		fmt.Fprintf(&text, "[%d] %s %s", i, o.Op, visibleName(o.Path))
		var change plan
		err := old.err
		switch missing := errors.Is(err, fs.ErrNotExist); {
		case o.Op == "overwrite", o.Op == "append" && missing:
			change, err = whole(o.Content), nil
			before := "an existing file that cannot be shown: " + fmt.Sprint(old.err)
			if missing {
				before = "creates the file"
			} else if old.err == nil {
				before = "replaces the file"
			}
			fmt.Fprintf(&text, ": %s\n%s\n", before, strings.TrimSuffix(wholeDiff(o.Path, old.content, o.Content), "\n"))
		case err == nil:
			if change, err = o.plan(ctx, old.content); err == nil {
				fmt.Fprintf(&text, "\n%s\n", change.shown(o.Path))
			}
		}
		if err != nil {
			fmt.Fprintf(&text, ": cannot be done as things are: %v\n", err)
			continue
		}
		var after bytes.Buffer
		_ = change.writeTo(&after) // never fails
		files[p.Real] = state{content: after.Bytes()}
	}
	return strings.TrimSuffix(text.String(), "\n")
}
