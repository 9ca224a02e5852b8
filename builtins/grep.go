package builtins

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"sync/atomic"

	"raw/contract"
	"raw/contract/order"
	"raw/internal/grepengine"
	"raw/internal/pathglob"
	"raw/internal/walk"
	"raw/internal/workspace"
)

const (
	maxGrepLines = 300
	// maxLineShown is how many bytes of a matching line are shown.
	maxLineShown = 500
)

type grepInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`    // empty means the working folder
	Include    string `json:"include"` // empty means every file
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	Mode       string `json:"mode"` // empty means lines
	Literal    bool   `json:"literal"`
	Hidden     bool   `json:"hidden"`
	Ignored    bool   `json:"ignored"`
}

const (
	modeLines = "lines"
	modeFiles = "files"
	modeCount = "count"
)

// grepTool finds lines in files.
func grepTool(h Host) contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/grep",
		Name:     "grep",
		Title:    "Search in files",
		Description: "Find the lines that match pattern (RE2: no lookaround, no backreferences; literal: true takes it as text) in the files below path, or in the file path (default: the working folder). " +
			"include is a glob for files, as *.{go,md} or src/**/*.ts. mode: lines (default; path:line:text, at most 300, context adds up to 20 lines around each as path-line-text), " +
			"files (paths with a match, at most 500), count (path:matching lines). Lines are matched one by one, without their line end; long ones are cut around the match. " +
			"Left out unless path or include names them: what gitignore files exclude, .git, node_modules and target (ignored: true), names with a leading dot (hidden: true); always binary files and links. " +
			"The last lines, in brackets, say what was left out and how to get it. Error: a bad pattern, nothing at path.",
		Snippet: "search file contents by regular expression",
		Class:   contract.ClassRead,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["pattern"],
			"properties": {
				"pattern": {"type": "string", "minLength": 1, "maxLength": 4096},
				"path": {"type": "string", "minLength": 1},
				"include": {"type": "string", "minLength": 1, "maxLength": 4096},
				"ignore_case": {"type": "boolean"},
				"context": {"type": "integer", "minimum": 0, "maximum": 20},
				"mode": {"enum": ["lines", "files", "count"]},
				"literal": {"type": "boolean"},
				"hidden": {"type": "boolean"},
				"ignored": {"type": "boolean"}
			}
		}`,
		EffectsSource: filesSchema,
		Idempotent:    true,
		Deferred:      true,
		Certs:         order.Certs{Shared: true, PrecommitSafe: true},
	}, func(in grepInput, cwd string) (any, error) { return searchEffects(in.Path, cwd) }, h.grep)
}

func (h Host) grep(ctx context.Context, c *contract.Call, in grepInput) contract.Result {
	p := c.Paths[0]
	pattern, err := grepengine.Compile(in.Pattern, grepengine.Options{Literal: in.Literal, IgnoreCase: in.IgnoreCase})
	if err != nil {
		return contract.FailedAs(contract.KindInvalidInput, "grep: "+badRegexp(in.Pattern, err))
	}
	include, err := pathglob.Compile(anyDepth(in.Include), in.Hidden)
	if err != nil {
		return badPattern("grep", "include", in.Include, err)
	}
	g := newGrepRun(in, pattern)
	g.mayRead = func(path string) bool { return c.MayRead(filepath.Join(p.Lexical, path), filepath.Join(p.Real, path)) }
	t, err := h.openTree(c, in.Ignored)
	if _, ok := errors.AsType[*workspace.SpecialError](err); ok {
		return g.oneFile(ctx, c)
	}
	if err != nil {
		return searchFailed(ctx, "grep", p, err)
	}
	defer t.root.Close()
	o := t.options(in.Ignored)
	o.Pattern, o.Batch = include, 16
	o.Visit = func(worker int, e walk.Entry) { g.visit(ctx, worker, e) }
	stop := searchProgress(c, o.Seen, "entries looked at")
	skipped, err := walk.Walk(ctx, t.root, o)
	stop()
	if err != nil {
		return searchFailed(ctx, "grep", p, err)
	}
	return contract.Succeeded(t.grepAnswer(g, skipped, c.Budget))
}

// oneFile searches the file that the call names, whatever rules exclude it.
func (g *grepRun) oneFile(ctx context.Context, c *contract.Call) contract.Result {
	p := c.Paths[0]
	g.single, g.read = true, new(atomic.Int64)
	defer searchProgress(c, g.read, "bytes searched")()
	f, err := open(p)
	if err == nil {
		err = g.file(ctx, &g.workers[0], "", f)
		f.Close()
	}
	if special, ok := errors.AsType[*workspace.SpecialError](err); ok {
		return contract.FailedAs(contract.KindInvalidInput, fmt.Sprintf("grep in %s: it is a %s, which has no lines; nothing was read", visibleName(p.Lexical), special.Kind))
	}
	if err != nil {
		return searchFailed(ctx, "grep", p, err)
	}
	t := &tree{shown: shownAs(p.Lexical, c.Cwd)}
	return contract.Succeeded(t.grepAnswer(g, walk.Skipped{}, c.Budget))
}

// anyDepth is include as a pattern of paths: one without a slash is for names.
func anyDepth(include string) string {
	switch {
	case include == "":
		return "**"
	case strings.HasSuffix(include, "/"):
		return include + "**"
	case !strings.Contains(include, "/"):
		return "**/" + include
	}
	return include
}

// badRegexp explains what cannot be a pattern.
func badRegexp(pattern string, err error) string {
	said := fmt.Sprintf("pattern %s is not valid: ", visibleName(pattern))
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return said + err.Error() + `; search for one of its lines, with context to see those around it`
	}
	said += visibleName(fmt.Sprintf("%s: %s", fault.Code, fault.Expr))
	switch fault.Code {
	case syntax.ErrInvalidPerlOp:
		return said + "; RE2 has no lookaround: search for the wider pattern"
	case syntax.ErrInvalidEscape:
		return said + "; RE2 has no backreferences and no such escape; a backslash itself is \\\\"
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge:
		return said + "; repeat at most 1000 times in all"
	}
	return said + `; put a backslash before a character that stands for itself, or set "literal":true to search for the text`
}
