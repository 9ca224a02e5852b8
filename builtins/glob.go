package builtins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"raw/contract"
	"raw/contract/order"
	"raw/internal/pathglob"
	"raw/internal/walk"
	"raw/internal/workspace"
)

// maxPaths is how many paths an answer names.
const maxPaths = 500

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"` // empty means the working folder
	Hidden  bool   `json:"hidden"`
	Ignored bool   `json:"ignored"`
}

// globTool finds paths by their names. It reads folders and gitignore files,
// and no other file.
func globTool(h Host) contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/glob",
		Name:     "glob",
		Title:    "Find files by name",
		Description: "Find files whose path matches pattern, relative to path (default: the working folder). " +
			"* and ? stay within a name, ** is any number of folders, also [a-z] and {a,b}; \\ makes the next character ordinary, and a name written as it is matches too. " +
			"A pattern that ends with / finds folders. Paths come sorted, at most 500, ready for other tools; links are listed and not followed. " +
			"Left out unless the pattern or path names them: what gitignore files exclude, .git, node_modules and target (ignored: true), names with a leading dot (hidden: true). " +
			"The last lines, in brackets, say what was left out and how to get it. Error: no such folder, or a bad pattern.",
		Snippet:       "find files by name pattern",
		Class:         contract.ClassRead,
		Input:         globSchema,
		EffectsSource: filesSchema,
		Idempotent:    true,
		Deferred:      true,
		Certs:         order.Certs{Shared: true, PrecommitSafe: true},
	}, func(in globInput, cwd string) (any, error) { return searchEffects(in.Path, cwd) }, h.glob)
}

const globSchema = `{
	"type": "object", "additionalProperties": false, "required": ["pattern"],
	"properties": {
		"pattern": {"type": "string", "minLength": 1, "maxLength": 4096},
		"path": {"type": "string", "minLength": 1},
		"hidden": {"type": "boolean"},
		"ignored": {"type": "boolean"}
	}
}`

func searchEffects(path, cwd string) (any, error) {
	path, err := workspace.Lexical(cmp.Or(path, "."), cwd)
	if err != nil {
		return nil, err
	}
	return fileEffects{Files: []file{{Path: path, Operation: "read"}}}, nil
}

// badPattern explains a glob that cannot be one.
func badPattern(tool, field, pattern string, err error) contract.Result {
	return contract.FailedAs(contract.KindInvalidInput, fmt.Sprintf("%s: %s %s: %s", tool, field, visibleName(pattern), visibleName(err.Error())))
}

func (h Host) glob(ctx context.Context, c *contract.Call, in globInput) contract.Result {
	pattern, err := pathglob.Compile(in.Pattern, in.Hidden)
	if err != nil {
		return badPattern("glob", "pattern", in.Pattern, err)
	}
	p := c.Paths[0]
	t, err := h.openTree(c, in.Ignored)
	if special, ok := errors.AsType[*workspace.SpecialError](err); ok {
		return contract.FailedAs(contract.KindInvalidInput, fmt.Sprintf("glob in %s: it is a %s; give the folder that holds it as path", visibleName(p.Lexical), special.Kind))
	}
	if err != nil {
		return searchFailed(ctx, "glob", p, err)
	}
	defer t.root.Close()

	found := newFoundPaths()
	o := t.options(in.Ignored)
	o.Pattern = pattern
	o.Visit = found.visit
	stop := searchProgress(c, o.Seen, "entries looked at")
	skipped, err := walk.Walk(ctx, t.root, o)
	stop()
	if err != nil {
		return searchFailed(ctx, "glob", p, err)
	}
	return contract.Succeeded(t.globAnswer(in, found, skipped, o.Seen.Load(), c.Budget))
}

// foundPaths keeps the first paths in byte order and counts all.
type foundPaths struct {
	workers []foundPart
}

type foundPart struct {
	first []walk.Entry
	total int
	where *spread
	_     [64]byte // workers write to their own cache lines
}

func newFoundPaths() *foundPaths {
	f := &foundPaths{workers: make([]foundPart, walk.Workers())}
	for i := range f.workers {
		f.workers[i].where = newSpread()
	}
	return f
}

func byPath(a, b walk.Entry) int { return strings.Compare(a.Path, b.Path) }

func (f *foundPaths) visit(worker int, e walk.Entry) {
	w := &f.workers[worker]
	w.total++
	w.where.add(e.Path, 1)
	if w.first = append(w.first, e); len(w.first) == 8*maxPaths {
		slices.SortFunc(w.first, byPath)
		clear(w.first[maxPaths:])
		w.first = w.first[:maxPaths]
	}
}

// merged is what all workers found.
func (f *foundPaths) merged() foundPart {
	all := foundPart{where: newSpread()}
	for _, w := range f.workers {
		all.first = append(all.first, w.first...)
		all.total += w.total
		all.where.join(w.where)
	}
	slices.SortFunc(all.first, byPath)
	all.first = all.first[:min(len(all.first), maxPaths)]
	return all
}

func (t *tree) globAnswer(in globInput, f *foundPaths, skipped walk.Skipped, seen int64, budget int) string {
	all := f.merged()
	lines := make([]string, len(all.first))
	escaped := false
	for i, e := range all.first {
		lines[i] = t.show(e.Path) + entryMark(e.Type&^fs.ModeDir)
		escaped = escaped || visibleName(e.Path) != e.Path
		if e.Type.IsDir() {
			lines[i] += "/"
		}
	}
	notices := []string{t.coveredNotice(), t.skippedNotice(skipped)}
	if all.total == 0 {
		none := fmt.Sprintf("[nothing in %s matches %s; %d entries were looked at]", t.name(), visibleName(in.Pattern), seen)
		if n := skipped.Folders.N; n > 0 {
			none = fmt.Sprintf("[no file in %s matches %s, but %d %s: %s; a pattern that ends with / finds folders, one with /** what is in them]",
				t.name(), visibleName(in.Pattern), n, plural(n, "folder does", "folders do"), t.examples(skipped.Folders))
		}
		notices = append([]string{none}, notices...)
	}
	if escaped {
		notices = append([]string{escapedNotice}, notices...)
	}
	cut := func(shown int) string {
		return fmt.Sprintf("[%d of %d paths, in byte order. Most are in: %s. Narrow pattern or path to see others.]", shown, all.total, all.where.top(t))
	}
	reserved := utf8.RuneCountInString(withNotices(cut(all.total), notices...)) + 10
	text, shown := fitted(lines, budget, reserved)
	if shown < all.total {
		notices = append([]string{cut(shown)}, notices...)
	}
	return strings.TrimSuffix(withNotices(text, notices...), "\n")
}
