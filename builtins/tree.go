package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"raw/contract"
	"raw/internal/ignore"
	"raw/internal/walk"
	"raw/internal/workspace"
)

// tree is a folder that glob or grep searches.
type tree struct {
	root    *os.Root
	prefix  string // the folder below its root, with slashes
	rules   *ignore.Stack
	covered bool     // gitignore files exclude the folder or all that is in it
	closed  []string // folders in it that nobody enters
	shown   string   // what stands before its paths so that other tools take them
}

// openTree opens the folder of a call. Gitignore files above it count as far as
// its root, with ignored not at all.
func (h Host) openTree(c *contract.Call, ignored bool) (*tree, error) {
	p := c.Paths[0]
	root, err := workspace.OpenTree(workspace.Path(p))
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, shown: shownAs(p.Lexical, c.Cwd)}
	for _, dir := range h.Closed {
		if rel, err := filepath.Rel(p.Real, dir); err == nil && filepath.IsLocal(rel) && rel != "." {
			t.closed = append(t.closed, filepath.ToSlash(rel))
		}
	}
	if ignored || p.Root == "" || p.Root == p.Real {
		return t, nil
	}
	if err := t.look(p); err != nil {
		root.Close()
		return nil, err
	}
	return t, nil
}

// look finds the rules above the folder.
func (t *tree) look(p contract.Path) error {
	rel, err := filepath.Rel(p.Root, p.Real)
	if err != nil {
		return err
	}
	top, err := os.OpenRoot(p.Root)
	if err != nil {
		return err
	}
	defer top.Close()
	t.prefix = filepath.ToSlash(rel)
	t.rules, t.covered, err = walk.Above(top, t.prefix)
	return err
}

// shownAs is a folder as it stands before the paths in it: relative to the
// working folder when it lies there, else absolute.
func shownAs(dir, cwd string) string {
	rel, err := filepath.Rel(cwd, dir)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return dir
	case rel == ".":
		return ""
	}
	return rel
}

// show is a path of the tree as other tools take it, on one line.
func (t *tree) show(p string) string {
	return visibleName(filepath.Join(t.shown, filepath.FromSlash(p)))
}

// name is the folder itself.
func (t *tree) name() string {
	if t.shown == "" {
		return "."
	}
	return visibleName(t.shown)
}

// options are those of a walk of the tree.
func (t *tree) options(ignored bool) walk.Options {
	return walk.Options{Ignored: ignored, Prefix: t.prefix, Rules: t.rules, Closed: t.closed, Seen: new(atomic.Int64)}
}

// searchFailed is the answer when a search cannot begin or go on.
func searchFailed(ctx context.Context, tool string, p contract.Path, err error) contract.Result {
	name := visibleName(p.Lexical)
	switch {
	case ctx.Err() != nil:
		return contract.Failed(contract.CodeAborted, fmt.Sprintf("%s in %s: cancelled; nothing is shown", tool, name))
	case errors.Is(err, workspace.ErrChanged):
		return contract.FailedAs(contract.KindTransient, fmt.Sprintf("%s in %s: it changed meanwhile; search again", tool, name))
	case errors.Is(err, fs.ErrNotExist):
		text := fmt.Sprintf("%s: there is no %s", tool, name)
		if near := workspace.Near(p.Real, 3); len(near) > 0 {
			for i, n := range near {
				near[i] = nearName(n)
			}
			text += "; in its folder there is:\n" + strings.Join(near, "\n")
		}
		return contract.FailedAs(contract.KindInvalidInput, text)
	case errors.Is(err, fs.ErrPermission):
		return contract.FailedAs(contract.KindFatal, fmt.Sprintf("%s in %s: this user may not read it", tool, name))
	}
	return contract.FailedAs(contract.KindFatal, fmt.Sprintf("%s in %s: %s", tool, name, visibleName(err.Error())))
}

// searchProgress reports what seen counts, each second, until the returned function is
// called.
func searchProgress(c *contract.Call, seen *atomic.Int64, what string) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(progressAfter)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				n := seen.Load()
				c.Report(contract.Progress{Done: float64(n), Message: fmt.Sprintf("%d %s", n, what)})
			}
		}
	}()
	return func() {
		close(done)
		<-over
	}
}

// skippedNotice says what a walk left out and which argument would not. It is
// empty when there is nothing to say.
func (t *tree) skippedNotice(s walk.Skipped, more ...string) string {
	var parts, ways []string
	tell := func(tally walk.Tally, what, way string) {
		if tally.N == 0 {
			return
		}
		parts = append(parts, fmt.Sprintf("%d %s (%s)", tally.N, what, t.examples(tally)))
		if way != "" {
			ways = append(ways, way)
		}
	}
	tell(s.Ignored, "ignored", `"ignored":true`)
	tell(s.Hidden, "hidden", `"hidden":true`)
	tell(s.Unreadable, "unreadable", "")
	tell(s.Links, plural(s.Links.N, "link", "links")+" not followed", "")
	parts = append(parts, more...)
	if len(parts) == 0 {
		return ""
	}
	text := "[left out, a folder counted once: " + strings.Join(parts, ", ")
	if len(ways) > 0 {
		text += "; " + strings.Join(ways, " and ") + " or a path that names it " + plural(len(ways), "searches", "search") + " there"
	}
	return text + "]"
}

// examples names some of what was counted.
func (t *tree) examples(tally walk.Tally) string {
	shown := make([]string, len(tally.Examples))
	for i, p := range tally.Examples {
		shown[i] = t.show(p)
	}
	if tally.N > len(shown) {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// coveredNotice says that a folder was searched because it was named.
func (t *tree) coveredNotice() string {
	if !t.covered {
		return ""
	}
	return fmt.Sprintf("[gitignore files exclude %s; it was searched because path names it]", t.name())
}

const escapedNotice = `[some names have control or invalid bytes, shown as in a JSON string, invalid ones as \xNN]`

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// spread counts paths by the folders that hold them, to say where the rest of a
// cut result is.
type spread struct {
	shallow, deep map[string]int // by the first folder, and by the first two
}

// maxSpread bounds the folders that are counted apart.
const maxSpread = 10_000

func newSpread() *spread { return &spread{map[string]int{}, map[string]int{}} }

func (s *spread) add(p string, n int) {
	one, two := 0, 0
	if one = strings.IndexByte(p, '/') + 1; one > 0 {
		two = strings.IndexByte(p[one:], '/') + 1
	}
	countIn(s.shallow, p[:one], n)
	if two > 0 {
		countIn(s.deep, p[:one+two], n)
	}
}

func (s *spread) join(o *spread) {
	for folder, n := range o.shallow {
		countIn(s.shallow, folder, n)
	}
	for folder, n := range o.deep {
		countIn(s.deep, folder, n)
	}
}

func countIn(m map[string]int, key string, n int) {
	if _, ok := m[key]; ok || len(m) < maxSpread {
		m[key] += n
	}
}

// top names the folders with the most.
func (s *spread) top(t *tree) string {
	m := s.shallow
	if len(m) == 1 && len(s.deep) > 0 {
		m = s.deep
	}
	folders := make([]string, 0, len(m))
	for f := range m {
		folders = append(folders, f)
	}
	slices.SortFunc(folders, func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, f := range folders[:min(len(folders), 6)] {
		parts = append(parts, fmt.Sprintf("%s %d", t.show(path.Clean(f)), m[f]))
	}
	return strings.Join(parts, ", ")
}

// fitted joins lines as far as the budget goes beside the notices, and says how
// many it took.
func fitted(lines []string, budget, reserved int) (string, int) {
	left := budget - reserved
	var b strings.Builder
	for i, line := range lines {
		if left -= utf8.RuneCountInString(line) + 1; left < 0 {
			return b.String(), i
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String(), len(lines)
}

// withNotices puts the notices that say something behind text, a line each.
func withNotices(text string, notices ...string) string {
	notices = slices.DeleteFunc(notices, func(n string) bool { return n == "" })
	return text + strings.Join(notices, "\n")
}
