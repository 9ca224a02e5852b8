package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"raw/contract"
	"raw/contract/schema"
	"raw/contract/value"
	"raw/internal/atomicfile"
)

// maxEdit bounds the size of a file that is edited in memory, in bytes.
const maxEdit = 1 << 30

type editInput struct {
	Path  string        `json:"path"`
	Edits []replacement `json:"edits"`
}

// replacement is one edit of a call.
type replacement struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
}

// editor is the edit tool of one session.
type editor struct {
	host  Host
	known *known
}

func editTool(h Host, k *known) contract.Tool {
	e := editor{h, k}
	return contract.Define(contract.Tool{
		Identity: "builtin/edit",
		Name:     "edit",
		Title:    "Edit a file",
		Description: "Replace exact text in a file, byte for byte, 1 to 100 edits at once, all or none. " +
			"Each old_text must occur exactly once in the file as it is now; edits must not overlap. " +
			"LF in old_text and new_text stands for CRLF where the file has CRLF. No patterns, no fuzzy match. " +
			"Answers counts and a unified diff. An error names each edit at fault with the places found or the nearest line; nothing was written then.",
		Snippet: "replace exact, unique pieces of a file",
		Guidelines: []string{
			"Give several changes of one file in one edit call; keep each old_text short but unique.",
		},
		Class: contract.ClassWrite,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["path", "edits"],
			"properties": {
				"path": {"type": "string", "minLength": 1},
				"edits": {"type": "array", "minItems": 1, "maxItems": 100, "items": {
					"type": "object", "additionalProperties": false, "required": ["old_text", "new_text"],
					"properties": {"old_text": {"type": "string"}, "new_text": {"type": "string"}}
				}}
			}
		}`,
		EffectsSource: filesSchema,
		Validate:      validateEdits,
		Preview:       e.preview,
	}, func(in editInput, cwd string) (any, error) { return writes(in.Path, cwd) }, e.run)
}

// validateEdits finds what needs no file to be wrong.
func validateEdits(args value.Object) []schema.Fault {
	var faults []schema.Fault
	edits := args.Field("edits")
	for i := range edits.Len() {
		old, _ := edits.At(i).Field("old_text").Str()
		text, _ := edits.At(i).Field("new_text").Str()
		switch old {
		case "":
			faults = append(faults, oldFault(i, "empty; to insert, give the text beside the place; to create a file or replace all of it, use write"))
		case text:
			faults = append(faults, oldFault(i, "equal to new_text, so nothing would change"))
		}
	}
	return faults
}

func oldFault(edit int, format string, a ...any) schema.Fault {
	return schema.Fault{Pointer: "/edits/" + strconv.Itoa(edit) + "/old_text", Message: fmt.Sprintf(format, a...)}
}

func newFault(edit int, format string, a ...any) schema.Fault {
	return schema.Fault{Pointer: "/edits/" + strconv.Itoa(edit) + "/new_text", Message: fmt.Sprintf(format, a...)}
}

func (e editor) run(ctx context.Context, c *contract.Call, in editInput) contract.Result {
	p := c.Paths[0]
	unlock, err := e.host.Locks.Lock(ctx, p.Real)
	if err != nil {
		return unwritten(ctx, "edit", in.Path, err)
	}
	defer unlock()
	content, seen, err := e.load(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent(in.Path, p)
	case err != nil:
		return unwritten(ctx, "edit", in.Path, err)
	}
	plan, err := planEdits(ctx, content, in.Edits)
	if err != nil {
		return unplanned(ctx, in.Path, err)
	}
	out, err := atomicfile.Replace(ctx, e.host.replaceOptions(),
		atomicfile.Target{Path: p.Real, Root: p.Root}, atomicfile.Expect{Snapshot: &seen},
		func(to io.Writer) error { return plan.writeTo(withProgress(c, to, plan.size())) })
	if err != nil {
		return unwritten(ctx, "edit", in.Path, err)
	}
	e.known.note(p.Real, out.Snapshot)
	return contract.Succeeded(plan.answer("edited", in.Path, inPlaceNotice(out)))
}

// errTooLarge is wrapped by the error for a file that is not edited in memory.
var errTooLarge = errors.New("too large to edit")

// load reads the file once.
func (e editor) load(p contract.Path) ([]byte, atomicfile.Snapshot, error) {
	f, err := e.known.open(p)
	if err != nil {
		return nil, atomicfile.Snapshot{}, err
	}
	defer f.Close()
	s, err := atomicfile.Stat(f)
	if err == nil && s.Size > maxEdit {
		err = fmt.Errorf("it has %d bytes: %w (at most %d bytes); change it with a command", s.Size, errTooLarge, maxEdit)
	}
	if err != nil {
		return nil, atomicfile.Snapshot{}, err
	}
	return atomicfile.Read(f)
}

// unplanned is the answer to edits that do not fit the file.
func unplanned(ctx context.Context, path string, err error) contract.Result {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		return unwritten(ctx, "edit", path, err)
	}
	return contract.FailedAs(contract.KindPrecondition, fmt.Sprintf("edit %s: nothing was written\n%v", visibleName(path), err))
}

// preview shows the same diff as the answer. That edits do not fit is shown
// too: an error would tell the model of a file that nobody has let it see.
func (e editor) preview(ctx context.Context, c *contract.Call) (contract.Preview, error) {
	var in editInput
	if err := c.Args.Decode(&in); err != nil {
		return contract.Preview{}, err
	}
	shown := boundTo(c.Paths[0])
	content, _, err := e.load(c.Paths[0])
	if err != nil {
		return contract.Preview{Unchanged: shown, Text: fmt.Sprintf("cannot edit %s: %v", visibleName(in.Path), err)}, nil
	}
	plan, err := planEdits(ctx, content, in.Edits)
	if err != nil {
		return contract.Preview{Unchanged: shown, Text: fmt.Sprintf("cannot edit %s as it is now:\n%v", visibleName(in.Path), err)}, context.Cause(ctx)
	}
	return contract.Preview{Unchanged: shown, Text: plan.answer("edits", in.Path, "")}, nil
}

// answer is the counts, the diff and the notices.
func (p plan) answer(did, path, notice string) string {
	d := p.diff(path)
	text := fmt.Sprintf("%s %s: %s, %s added, %s removed\n%s", did, visibleName(path),
		number(len(p.splices), "replacement"), number(d.added, "line"), number(d.removed, "line"), d.text)
	notices := p.notices
	if d.cut {
		notices = append(notices, "[long lines are shown in part]")
	}
	if notice != "" {
		notices = append(notices, notice)
	}
	return strings.TrimSuffix(text+strings.Join(notices, "\n"), "\n")
}
