package builtins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"raw/contract"
	"raw/contract/schema"
	"raw/contract/value"
	"raw/internal/patch"
	"raw/internal/workspace"
)

// batchInput is one of two forms.
type batchInput struct {
	Operations []operation `json:"operations"`
	Patch      string      `json:"patch"`
}

// batcher is the write_file tool of one session.
type batcher struct {
	host  Host
	known *known
}

func writeFileTool(h Host, k *known) contract.Tool {
	b := batcher{h, k}
	return contract.Define(contract.Tool{
		Identity: "builtin/write_file",
		Name:     "write_file",
		Title:    "Change several files",
		Deferred: true,
		Description: "Change several files in one call, by exactly one of operations and patch. Paths are relative to the working folder; ~/ is the home folder.\n" +
			"operations (1 to 16), done in order, each on the file as the ones before it left it; one that fails stops none of the others. " +
			"overwrite: content is the whole file; append: content goes to its end; both make a missing file and its folders. " +
			"replace_text: old_text, which occurs exactly once, becomes new_text. " +
			"replace_lines: lines start_line to end_line (from 1, both included) become content; expected_sha256 is the hex SHA-256 of their bytes now, line ends included; a line end that content lacks at its end is put in. " +
			"In replace_text and replace_lines LF stands for CRLF where the file has CRLF.\n" +
			"patch (at most 1 MiB, 64 paths, files of 16 MiB): between *** Begin Patch and *** End Patch any of *** Add File: PATH with + lines; " +
			"*** Update File: PATH, then *** Move to: PATH if it moves, then hunks; *** Delete File: PATH. " +
			"A hunk is a line with only @@, then lines that begin with a blank (stays), - (goes) or + (comes); " +
			"*** End of File behind it holds it to the end, *** No newline at end of file behind a line says that it has no line end. " +
			"The old lines of a hunk stand exactly once in the file behind the hunk before it. " +
			"Nothing is changed unless all of a patch fits; links, binary files and paths that exist already are refused. " +
			"Should a change fail then all the same, the ones behind it are skipped.\n" +
			"Answers a line for each operation or section, counted from 0. It is an error when any failed; the lines say what was done.",
		Snippet: "change, add, move and delete files by a list of operations or a patch",
		Guidelines: []string{
			"Use edit for one file; use write_file for a change that goes through several.",
			"A patch is all or nothing; operations are not.",
		},
		Class: contract.ClassWrite,
		Input: `{
			"type": "object", "additionalProperties": false,
			"properties": {
				"operations": {"type": "array", "minItems": 1, "maxItems": 16, "items": {
					"type": "object", "additionalProperties": false, "required": ["op", "path"],
					"properties": {
						"op": {"enum": ["overwrite", "append", "replace_text", "replace_lines"]},
						"path": {"type": "string", "minLength": 1},
						"content": {"type": "string"},
						"old_text": {"type": "string"},
						"new_text": {"type": "string"},
						"start_line": {"type": "integer", "minimum": 1},
						"end_line": {"type": "integer", "minimum": 1},
						"expected_sha256": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"}
					}
				}},
				"patch": {"type": "string"}
			}
		}`,
		EffectsSource: filesSchema,
		Validate:      validateBatch,
		Preview:       b.preview,
	}, batchEffects, b.run)
}

// validateBatch finds what needs no file to be wrong.
func validateBatch(args value.Object) []schema.Fault {
	operations, text := args.Field("operations"), args.Field("patch")
	switch given := text.Kind() != value.Absent; {
	case given && operations.Kind() != value.Absent:
		return []schema.Fault{{Message: "both operations and patch are given; give one of them"}}
	case given:
		s, _ := text.Str()
		if _, err := patch.Parse(s); err != nil {
			return []schema.Fault{{Pointer: "/patch", Message: err.Error()}}
		}
		return nil
	case operations.Kind() == value.Absent:
		return []schema.Fault{{Message: "neither operations nor patch is given; give one of them"}}
	}
	var faults []schema.Fault
	for i := range operations.Len() {
		faults = append(faults, operationFaults("/operations/"+strconv.Itoa(i), operations.At(i))...)
	}
	return faults
}

// batchEffects names every path of the call once for each thing done to it.
func batchEffects(in batchInput, cwd string) (any, error) {
	var named []file
	for _, o := range in.Operations {
		named = append(named, file{o.Path, "write"})
	}
	if in.Operations == nil {
		changes, err := patch.Parse(in.Patch)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			switch {
			case c.Kind == patch.Delete:
				named = append(named, file{c.Path, "delete"})
			case c.MoveTo != "":
				named = append(named, file{c.Path, "rename_source"}, file{c.MoveTo, "rename_destination"})
			default:
				named = append(named, file{c.Path, "write"})
			}
		}
	}
	var effects fileEffects
	for _, f := range named {
		var err error
		if f.Path, err = workspace.Lexical(f.Path, cwd); err != nil {
			return nil, err
		}
		if !slices.Contains(effects.Files, f) {
			effects.Files = append(effects.Files, f)
		}
	}
	return effects, nil
}

func (b batcher) run(ctx context.Context, c *contract.Call, in batchInput) contract.Result {
	unlock, err := b.lock(ctx, c.Paths)
	if err != nil {
		return contract.Failed(contract.CodeAborted, "write_file: cancelled while it waited for another call; nothing was done")
	}
	defer unlock()
	paths := pathsOf(c)
	if in.Operations != nil {
		return b.operate(ctx, c, paths, in.Operations)
	}
	return b.patch(ctx, c, paths, in.Patch)
}

func (b batcher) preview(ctx context.Context, c *contract.Call) (contract.Preview, error) {
	var in batchInput
	if err := c.Args.Decode(&in); err != nil {
		return contract.Preview{}, err
	}
	p := contract.Preview{Unchanged: boundTo(c.Paths...)}
	if in.Operations != nil {
		p.Text = b.previewOperations(ctx, pathsOf(c), in.Operations)
	} else {
		p.Text = b.previewPatch(ctx, pathsOf(c), in.Patch)
	}
	return p, context.Cause(ctx)
}

// lock takes the locks of all files, in an order that every call keeps.
func (b batcher) lock(ctx context.Context, paths []contract.Path) (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, u := range slices.Backward(held) {
			u()
		}
	}
	var names []string
	for _, p := range paths {
		names = append(names, p.Real)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		u, err := b.host.Locks.Lock(ctx, name)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, u)
	}
	return unlock, nil
}

// resolved finds the path that the dispatcher resolved for a spelling.
type resolved func(path string) contract.Path

// pathsOf gives the paths of a call by the spelling in its arguments.
func pathsOf(c *contract.Call) resolved {
	byLexical := map[string]contract.Path{}
	for _, p := range c.Paths {
		byLexical[p.Lexical] = p
	}
	return func(path string) contract.Path {
		// The effects were made of the same spelling and folder.
		lexical, _ := workspace.Lexical(path, c.Cwd)
		return byLexical[lexical]
	}
}

// row is what became of one operation or section of a patch.
type row struct {
	name    string // what was to be done with what
	text    string // what became of it
	failure *contract.Failure
	changed bool // files were changed by it
}

// rowFault says why an operation or a section does not fit its file.
type rowFault struct {
	text     string
	conflict bool // the file is not what the caller thinks
}

// Error implements error.
func (f rowFault) Error() string { return f.text }

// failed is the row of something that an error ended; verb and path are as the
// model gave them.
func failed(ctx context.Context, name, verb, path string, err error) row {
	if fault, ok := errors.AsType[rowFault](err); ok {
		failure := contract.Failure{Kind: contract.KindPrecondition}
		if fault.conflict {
			failure.Code = contract.CodeConflict
		}
		return row{name: name, text: "failed: " + fault.text, failure: &failure}
	}
	r := unwritten(ctx, verb, path, err)
	text := fmt.Sprint(r.Content[0])
	return row{name: name, text: "failed: " + strings.TrimPrefix(text, name+": "), failure: r.Failure}
}

// answer is a line for each row below a line about all of them. It is an error
// when a row failed: a refusal when nothing was changed and all that failed was
// refused.
func answer(summary string, rows []row) contract.Result {
	var text strings.Builder
	text.WriteString(summary)
	var failures []contract.Failure
	changed := false
	for i, r := range rows {
		fmt.Fprintf(&text, "\n[%d] %s: %s", i, r.name, strings.ReplaceAll(r.text, "\n", "; "))
		changed = changed || r.changed
		if r.failure != nil {
			failures = append(failures, *r.failure)
		}
	}
	result := contract.Succeeded(text.String())
	if len(failures) > 0 {
		failure := failures[0]
		for _, f := range failures[1:] {
			if f.Code != failure.Code {
				failure.Code = ""
			}
			if f.Kind != failure.Kind {
				failure = contract.Failure{Kind: contract.KindFatal}
				break
			}
		}
		if changed {
			failure = contract.Failure{Kind: contract.KindFatal}
		}
		result.Failure = &failure
	}
	return result
}

// ticker reports once a second how many rows are done.
type ticker struct {
	call  *contract.Call
	total int
	last  time.Time
}

func newTicker(c *contract.Call, total int) *ticker { return &ticker{c, total, time.Now()} }

func (t *ticker) done(n int) {
	if time.Since(t.last) >= time.Second {
		t.last = time.Now()
		t.call.Report(contract.Progress{Done: float64(n), Total: float64(t.total), Message: "writing"})
	}
}
