package builtins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/patch"
	"raw/internal/workspace"
)

// staged is a section of a patch that fits the files as they are.
type staged struct {
	change patch.Change
	from   contract.Path // its file
	to     contract.Path // of a move, the new path
	plan   plan          // the new content of an update, the old one of a deletion
	seen   sighting      // what stood at from
}

// sighting is what was found at a path.
type sighting struct {
	path contract.Path
	file *atomicfile.Snapshot // nil: nothing stood there
}

// title is what a section does with what.
func title(c patch.Change) string {
	if c.MoveTo != "" {
		return fmt.Sprintf("move %s to %s", visibleName(c.Path), visibleName(c.MoveTo))
	}
	return string(c.Kind) + " " + visibleName(c.Path)
}

// patch applies all sections of a patch, or none when one does not fit.
// Everything is staged in memory and looked at once more before the first
// change. What fails then all the same stops the rest; what was applied stays.
func (b batcher) patch(ctx context.Context, c *contract.Call, paths resolved, text string) contract.Result {
	changes, err := patch.Parse(text)
	if err != nil {
		return contract.Failed(contract.CodeInvalidArguments, err.Error())
	}
	sections, rows := b.stage(ctx, paths, changes)
	if ctx.Err() != nil {
		return contract.Failed(contract.CodeAborted, "write_file: cancelled; nothing was changed")
	}
	if misfits := count(rows); misfits > 0 {
		return answer(fmt.Sprintf("nothing was changed: %d of %s do not fit, and a patch is all or nothing",
			misfits, number(len(rows), "section")), rows)
	}
	if err := b.recheck(sights(sections)); err != nil {
		return contract.Failed(contract.CodeConflict, fmt.Sprintf("nothing was changed: %v; read it again and decide anew", err))
	}
	tick := newTicker(c, len(rows))
	stopped := -1
	for i, s := range sections {
		tick.done(i)
		rows[i].text = "skipped"
		if stopped < 0 {
			if rows[i] = b.apply(ctx, s); rows[i].failure != nil {
				stopped = i
			}
		}
	}
	if stopped >= 0 {
		return answer(fmt.Sprintf("the patch was stopped: %d applied, 1 failed, %d skipped", stopped, len(rows)-stopped-1), rows)
	}
	return answer(fmt.Sprintf("applied %s", number(len(rows), "section")), rows)
}

// count is how many rows failed.
func count(rows []row) (failed int) {
	for _, r := range rows {
		if r.failure != nil {
			failed++
		}
	}
	return failed
}

// stage finds out what each section makes of its file, and has a row for each
// that says why it does not fit.
func (b batcher) stage(ctx context.Context, paths resolved, changes []patch.Change) ([]staged, []row) {
	sections, rows := make([]staged, len(changes)), make([]row, len(changes))
	left := maxStaged
	for i, c := range changes {
		s := staged{change: c, from: paths(c.Path)}
		if c.MoveTo != "" {
			s.to = paths(c.MoveTo)
		}
		name := title(c)
		rows[i] = row{name: name, text: "fits"}
		err := apart(s, sections[:i])
		if err == nil {
			err = b.fit(ctx, &s)
		}
		if left -= len(s.plan.content); err == nil && left < 0 {
			err = rowFault{text: fmt.Sprintf("the files of the patch have more than %d bytes together; split it", maxStaged)}
		}
		if err != nil {
			s.plan = plan{}
			rows[i] = failed(ctx, name, string(c.Kind), c.Path, err)
			if rows[i].failure.Kind == contract.KindFatal { // nothing was begun
				rows[i].failure.Kind = contract.KindPrecondition
			}
		}
		sections[i] = s
	}
	return sections, rows
}

// maxStaged bounds what a patch holds in memory, in bytes.
const maxStaged = 128 << 20

// apart refuses a path that is the same file as one of a section before, or
// lies below it: each would need what the other has done.
func apart(s staged, before []staged) error {
	ends := func(s staged) []contract.Path {
		if s.change.MoveTo != "" {
			return []contract.Path{s.from, s.to}
		}
		return []contract.Path{s.from}
	}
	mine := ends(s)
	if len(mine) == 2 && (workspace.Contains(mine[0].Real, mine[1].Real) || workspace.Contains(mine[1].Real, mine[0].Real)) {
		return rowFault{text: "the new path is the old one, or lies below it"}
	}
	for i, other := range before {
		for _, theirs := range ends(other) {
			for _, p := range mine {
				if workspace.Contains(theirs.Real, p.Real) || workspace.Contains(p.Real, theirs.Real) {
					return rowFault{text: fmt.Sprintf("%s is, contains or lies below a file of [%d]; put all changes of a file into one section, or make two patches",
						visibleName(p.Lexical), i)}
				}
			}
		}
	}
	return nil
}

// fit completes a section, or says why it does not fit. The error is a
// rowFault, the cause of ctx, or that of reading the file.
func (b batcher) fit(ctx context.Context, s *staged) error {
	s.seen.path = s.from
	if err := noLink(s.from); err != nil {
		return err
	}
	if s.change.Kind == patch.Add {
		s.plan = whole(s.change.Content)
		return vacant(s.from, "to change it, use *** Update File")
	}
	if s.change.MoveTo != "" {
		if err := noLink(s.to); err != nil {
			return err
		}
		if err := vacant(s.to, "move it elsewhere, or delete that file first, in a patch of its own"); err != nil {
			return err
		}
	}
	content, seen, err := b.load(s.from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rowFault{text: "there is no such file" + nearNames(s.from)}
	case err != nil:
		return err
	}
	s.seen.file = &seen
	s.plan.content = content
	if err := wide(content); err != nil {
		return rowFault{text: err.Error()}
	}
	if at := bytes.IndexByte(content, 0); at >= 0 {
		return rowFault{text: fmt.Sprintf("it is a binary file: byte %d is NUL; a patch changes, moves and deletes text only", at)}
	}
	if s.change.Kind == patch.Delete {
		return b.unseen(s.from)
	}
	return s.place(ctx)
}

// noLink refuses a path that is a link: what a patch says is about the file
// that it names. Links on the way to it are resolved as for every tool.
func noLink(p contract.Path) error {
	info, err := os.Lstat(p.Lexical)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return rowFault{text: fmt.Sprintf("%s is a symbolic link, to %s; name the file itself", visibleName(p.Lexical), visibleName(p.Real))}
	}
	return nil
}

// vacant refuses a path at which something stands.
func vacant(p contract.Path, advice string) error {
	_, err := os.Lstat(p.Real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return rowFault{text: fmt.Sprintf("%s exists already; %s", visibleName(p.Lexical), advice)}
}

// unseen refuses to delete what is not as this session has last seen it.
func (b batcher) unseen(p contract.Path) error {
	last, ok := b.known.of(p.Real)
	if !ok {
		return nil
	}
	f, err := b.known.open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	if same, err := last.Matches(f); err != nil || same {
		return err
	}
	return rowFault{conflict: true, text: "it changed since it was last read or written here; read it again and decide anew"}
}

// place finds the places of the hunks.
func (s *staged) place(ctx context.Context) error {
	content := s.plan.content
	edits, err := s.change.Edits(ctx, content)
	if lost, ok := errors.AsType[*patch.PlaceError](err); ok {
		text := lost.Error()
		if len(lost.Places) == 0 && lost.Before == 0 && !lost.End {
			text += newLikeness(content).nearest(strings.TrimSuffix(lost.Old, "\n"))
		}
		return rowFault{text: text}
	}
	if err != nil {
		if context.Cause(ctx) == nil {
			err = rowFault{text: err.Error()}
		}
		return err
	}
	look := newSearch(content)
	for _, e := range edits {
		if f := look.foreign(0, string(e.Text)); f != nil {
			return rowFault{text: f.Message}
		}
		s.plan.splices = append(s.plan.splices, splice{start: e.Start, end: e.End, text: e.Text})
	}
	return nil
}

// sights are all places that the sections depend on.
func sights(sections []staged) (all []sighting) {
	for _, s := range sections {
		all = append(all, s.seen)
		if s.change.MoveTo != "" {
			all = append(all, sighting{path: s.to})
		}
	}
	return all
}

// recheck says where something else stands than was seen.
func (b batcher) recheck(all []sighting) error {
	for _, s := range all {
		if err := b.still(s); err != nil {
			return fmt.Errorf("%s: %w", visibleName(s.path.Lexical), err)
		}
	}
	return nil
}

func (b batcher) still(s sighting) error {
	if s.file == nil {
		return vacant(s.path, "it was made meanwhile")
	}
	f, err := b.known.open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if same, err := s.file.Matches(f); err != nil || same {
		return err
	}
	return atomicfile.ErrConflict
}

// apply does one section.
func (b batcher) apply(ctx context.Context, s staged) row {
	name := title(s.change)
	measure := fmt.Sprintf("%s, %s", number(int(s.plan.size()), "byte"), number(s.plan.lines(), "line"))
	text, err := "", context.Cause(ctx)
	var out atomicfile.Outcome
	switch {
	case err != nil:
	case s.change.Kind == patch.Delete:
		text, err = "deleted", b.remove(s.from, *s.seen.file)
	case s.change.Kind == patch.Add:
		text = "created"
		out, err = b.replace(ctx, s.from, atomicfile.Expect{}, s.plan)
	case s.change.MoveTo == "":
		text = "updated"
		out, err = b.replace(ctx, s.from, atomicfile.Expect{Snapshot: s.seen.file}, s.plan)
	default:
		text = "moved"
		out, err = b.move(ctx, s)
	}
	if moved, ok := errors.AsType[*halfMovedError](err); ok {
		return row{name: name, text: "failed: " + moved.Error(), failure: &contract.Failure{Kind: contract.KindFatal}, changed: true}
	}
	if err != nil {
		return failed(ctx, name, string(s.change.Kind), s.change.Path, err)
	}
	if n := len(s.change.Hunks); n > 0 {
		added, removed := s.change.Counts()
		text += fmt.Sprintf(", %s, %d added, %d removed", number(n, "hunk"), added, removed)
	}
	r := row{name: name, text: "applied: " + text + ": " + measure, changed: true}
	if n := inPlaceNotice(out); n != "" {
		r.text += " " + n
	}
	return r
}

// replace gives a file the content of a plan.
func (b batcher) replace(ctx context.Context, p contract.Path, expect atomicfile.Expect, content plan) (atomicfile.Outcome, error) {
	out, err := atomicfile.Replace(ctx, b.host.replaceOptions(),
		atomicfile.Target{Path: p.Real, Root: p.Root, Parents: true}, expect, content.writeTo)
	if err == nil {
		b.known.note(p.Real, out.Snapshot)
	}
	return out, err
}

// previewPatch shows the whole diff, or why there is none.
func (b batcher) previewPatch(ctx context.Context, paths resolved, text string) string {
	changes, err := patch.Parse(text)
	if err != nil {
		return err.Error()
	}
	sections, rows := b.stage(ctx, paths, changes)
	var out strings.Builder
	for i, s := range sections {
		fmt.Fprintf(&out, "[%d] %s", i, rows[i].name)
		shown := ""
		switch {
		case rows[i].failure != nil:
			shown = "cannot be done as things are: " + strings.TrimPrefix(rows[i].text, "failed: ")
		case s.change.Kind == patch.Add:
			shown = wholeDiff(s.change.Path, nil, s.change.Content)
		case s.change.Kind == patch.Delete:
			shown = wholeDiff(s.change.Path, s.plan.content, "")
		case len(s.plan.splices) > 0:
			shown = s.plan.shown(s.change.Path)
		}
		out.WriteString("\n" + shown)
		if shown != "" && !strings.HasSuffix(shown, "\n") {
			out.WriteString("\n")
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}
