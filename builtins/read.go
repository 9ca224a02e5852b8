package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"raw/contract"
	"raw/contract/order"
	"raw/internal/atomicfile"
	"raw/internal/lineindex"
	"raw/internal/workspace"
)

type readInput struct {
	Path   string     `json:"path"`
	Offset lineNumber `json:"offset"` // the first line, from 1; zero means 1
	Limit  lineNumber `json:"limit"`  // lines; zero means maxPageLines
}

// lineNumber takes every positive integer that a schema lets through, also
// written as 2.0 or 2e3. What is over the largest int64 counts as that: no file
// is so long.
type lineNumber int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *lineNumber) UnmarshalJSON(text []byte) error {
	f, _, err := big.ParseFloat(string(text), 10, 64, big.ToZero)
	if err != nil {
		return err
	}
	i, _ := f.Int64() // the nearest there is
	*n = lineNumber(i)
	return nil
}

// readTool shows a page of a text file, an image or the entries of a folder.
// Its cost follows the page, not the file.
func readTool(_ Host, k *known) contract.Tool {
	return newReader(k, time.Now).tool()
}

// reader is what the reads of one session share.
type reader struct {
	known *known
	index lineindex.Cache
	now   func() time.Time
}

func newReader(k *known, now func() time.Time) *reader { return &reader{known: k, now: now} }

func (r *reader) tool() contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/read",
		Name:     "read",
		Title:    "Read a file",
		Description: "Read a text file, show an image (png, jpeg, gif, webp), or list a folder (500 entries). " +
			"Each line comes as number, tab, exact text. offset is the first line (default 1), limit the most lines (default and maximum 2000). " +
			"A page also ends at the output limit; its last line then names the next offset. " +
			"Error: missing (similar names given), pipe, socket or device, or offset past the end (line count given).",
		Snippet: "read files by line number; also images and folders",
		Class:   contract.ClassRead,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["path"],
			"properties": {
				"path": {"type": "string", "minLength": 1},
				"offset": {"type": "integer", "minimum": 1},
				"limit": {"type": "integer", "minimum": 1}
			}
		}`,
		EffectsSource: filesSchema,
		Idempotent:    true,
		Certs:         order.Certs{Shared: true, PrecommitSafe: true},
	}, readEffects, r.run)
}

func readEffects(in readInput, cwd string) (any, error) {
	path, err := workspace.Lexical(in.Path, cwd)
	if err != nil {
		return nil, err
	}
	return fileEffects{Files: []file{{Path: path, Operation: "read"}}}, nil
}

func (r *reader) run(ctx context.Context, c *contract.Call, in readInput) contract.Result {
	p := c.Paths[0]
	f, err := r.known.open(p)
	if err != nil {
		special, ok := errors.AsType[*workspace.SpecialError](err)
		switch {
		case ok && special.Kind == "directory":
			return listFolder(ctx, c)
		case ok:
			return contract.FailedAs(contract.KindInvalidInput, fmt.Sprintf("read %s: it is a %s, which has no end and no lines; nothing was read", visibleName(p.Lexical), special.Kind))
		case errors.Is(err, fs.ErrNotExist):
			return missing(p)
		}
		return readFailed(ctx, p, err)
	}
	defer f.Close()
	seen, err := atomicfile.Stat(f)
	if err != nil {
		return readFailed(ctx, p, err)
	}
	v := view{path: p.Lexical, first: max(1, int64(in.Offset)), limit: maxPageLines, budget: c.Budget}
	if in.Limit > 0 {
		v.limit = int(min(in.Limit, maxPageLines))
	}
	if seen.Size <= wholeSize {
		return r.small(ctx, p, f, seen, v)
	}
	return r.large(ctx, c, f, seen, v)
}

// readFailed is the answer when the system or another program stopped a read.
func readFailed(ctx context.Context, p contract.Path, err error) contract.Result {
	name := visibleName(p.Lexical)
	switch {
	case ctx.Err() != nil:
		return contract.Failed(contract.CodeAborted, fmt.Sprintf("read %s: cancelled; nothing is shown", name))
	case errors.Is(err, workspace.ErrChanged), errors.Is(err, lineindex.ErrChanged):
		return contract.FailedAs(contract.KindTransient, fmt.Sprintf("read %s: it changed meanwhile; read it again", name))
	case errors.Is(err, fs.ErrPermission):
		return contract.FailedAs(contract.KindFatal, fmt.Sprintf("read %s: this user may not read it", name))
	}
	return contract.FailedAs(contract.KindFatal, fmt.Sprintf("read %s: %s", name, visibleName(err.Error())))
}

// missing names what may have been meant instead.
func missing(p contract.Path) contract.Result {
	parent := filepath.Dir(p.Real)
	text := fmt.Sprintf("read %s: there is no such file", visibleName(p.Lexical))
	if _, err := os.Lstat(parent); errors.Is(err, fs.ErrNotExist) {
		text += ", and no folder " + visibleName(parent)
	} else if near := workspace.Near(p.Real, 3); len(near) > 0 {
		for i, name := range near {
			near[i] = nearName(name)
		}
		text += "; in its folder there is:\n" + strings.Join(near, "\n")
	} else {
		text += "; list its folder to see what there is"
	}
	return contract.FailedAs(contract.KindInvalidInput, text)
}
