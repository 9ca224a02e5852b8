package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// writer is the write tool of one session.
type writer struct {
	host  Host
	known *known
}

func writeTool(h Host, k *known) contract.Tool {
	w := writer{h, k}
	return contract.Define(contract.Tool{
		Identity: "builtin/write",
		Name:     "write",
		Title:    "Write a file",
		Description: "Write a whole file as UTF-8, byte for byte; missing folders are made, an existing file is replaced. " +
			"The path is relative to the working folder; ~/ is the home folder. Answers created, replaced or [unchanged], with bytes and lines. " +
			"The error conflict means that the file changed since it was last read or written here: read it again. " +
			"After an error the file is as it was.",
		Snippet:    "create a file or replace the whole of it",
		Guidelines: []string{"Use edit for a change to part of a file."},
		Class:      contract.ClassWrite,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["path", "content"],
			"properties": {"path": {"type": "string", "minLength": 1}, "content": {"type": "string"}}
		}`,
		EffectsSource: filesSchema,
		Idempotent:    true,
		Preview:       w.preview,
	}, func(in writeInput, cwd string) (any, error) { return writes(in.Path, cwd) }, w.run)
}

// writes is the effect of a tool that writes one file.
func writes(path, cwd string) (any, error) {
	lexical, err := workspace.Lexical(path, cwd)
	if err != nil {
		return nil, err
	}
	return fileEffects{Files: []file{{Path: lexical, Operation: "write"}}}, nil
}

func (w writer) run(ctx context.Context, c *contract.Call, in writeInput) contract.Result {
	p := c.Paths[0]
	unlock, err := w.host.Locks.Lock(ctx, p.Real)
	if err != nil {
		return unwritten(ctx, "write", in.Path, err)
	}
	defer unlock()
	old, err := w.look(p, in.Content)
	if err != nil {
		return unwritten(ctx, "write", in.Path, err)
	}
	measure := fmt.Sprintf("%s, %s", number(len(in.Content), "byte"), number(lineCount(in.Content), "line"))
	if old.same {
		return contract.Succeeded(fmt.Sprintf("%s already has this content: %s\n[unchanged]", visibleName(in.Path), measure))
	}
	out, err := atomicfile.Replace(ctx, w.host.replaceOptions(),
		atomicfile.Target{Path: p.Real, Root: p.Root, Parents: true}, old.expect,
		func(to io.Writer) error {
			_, err := io.WriteString(to, in.Content)
			return err
		})
	if err != nil {
		return unwritten(ctx, "write", in.Path, err)
	}
	w.known.note(p.Real, out.Snapshot)
	var notices []string
	did := "created"
	if !out.Created {
		did = "replaced"
		if old.encoding != "" {
			notices = append(notices, "[the old content was "+old.encoding+" text; the new one is UTF-8]")
		}
		if !old.known {
			notices = append(notices, "[the file existed, and had not been read or written in this session]")
		}
	}
	if n := inPlaceNotice(out); n != "" {
		notices = append(notices, n)
	}
	return contract.Succeeded(strings.Join(append([]string{fmt.Sprintf("%s %s: %s", did, visibleName(in.Path), measure)}, notices...), "\n"))
}

// standing is what a write finds at its path.
type standing struct {
	expect   atomicfile.Expect
	known    bool   // this session read or wrote it before
	same     bool   // it holds the new content already
	encoding string // a wide one, if it has one
}

// look compares what stands at p with the new content and with what the
// session saw there. Nothing stays open: some systems replace no open file.
func (w writer) look(p contract.Path, content string) (old standing, err error) {
	seen, known := w.known.of(p.Real)
	f, err := w.known.open(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return standing{}, nil
	case errors.Is(err, fs.ErrPermission) && !known:
		// It may be writable all the same, and nobody here knows what it holds.
		return standing{expect: atomicfile.Expect{Force: true}}, nil
	case err != nil:
		return standing{}, err
	}
	defer f.Close()
	now, err := atomicfile.Stat(f)
	if err != nil {
		return standing{}, err
	}
	if now.Size == int64(len(content)) {
		held, whole, err := atomicfile.Read(f)
		if err != nil {
			return standing{}, err
		}
		if string(held) == content {
			w.known.note(p.Real, whole)
			return standing{same: true}, nil
		}
	}
	head := make([]byte, 4)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return standing{}, err
	}
	old = standing{expect: atomicfile.Expect{Snapshot: &now}, known: known, encoding: wideEncoding(head[:n])}
	if known {
		old.expect.Snapshot = &seen
	}
	return old, nil
}

// preview shows the diff, or why there is none. What the file holds is for the
// person who is asked, so nothing of it may be told by an error.
func (w writer) preview(_ context.Context, c *contract.Call) (contract.Preview, error) {
	var in writeInput
	if err := c.Args.Decode(&in); err != nil {
		return contract.Preview{}, err
	}
	measure := fmt.Sprintf("%s, %s", number(len(in.Content), "byte"), number(lineCount(in.Content), "line"))
	shown := boundTo(c.Paths[0])
	f, err := w.known.open(c.Paths[0])
	if errors.Is(err, fs.ErrNotExist) {
		return contract.Preview{Unchanged: shown, Text: fmt.Sprintf("creates %s: %s\n%s", visibleName(in.Path), measure, wholeDiff(in.Path, nil, in.Content))}, nil
	}
	if err != nil {
		return contract.Preview{Unchanged: shown, Text: fmt.Sprintf("replaces %s with %s; the old content cannot be shown: %v", visibleName(in.Path), measure, err)}, nil
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, maxWholeDiff+1))
	if err != nil {
		return contract.Preview{Unchanged: shown, Text: fmt.Sprintf("replaces %s with %s; the old content cannot be shown: %v", visibleName(in.Path), measure, err)}, nil
	}
	return contract.Preview{Unchanged: shown, Text: fmt.Sprintf("replaces %s with %s\n%s", visibleName(in.Path), measure, wholeDiff(in.Path, old, in.Content))}, nil
}

// lineCount counts lines; text after the last line end is one too.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
