package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"raw/contract"
	"raw/internal/config"
	"raw/internal/workspace"
)

// guard keeps calls from changing the rules that they are judged by
// (CONTRACT.md §6): our configuration, law, hooks and tools may be read but
// not written, our state not even read. It stops accidents and simple tricks;
// it is no sandbox. It looks at where the protected paths lead when it is
// asked, for a person may move them meanwhile.
type guard struct {
	files   []string // that no call may write, under any name
	folders []string // in which no call may write, every spelling
	state   []string // the folder that no call may touch, every spelling
}

func newGuard(s Settings) *guard {
	c := s.Config
	g := &guard{state: spellings(resolved(c.Ledger.Folder))}
	folders := slices.Concat(c.Hooks.Folders, c.Tools.Folders)
	if dir := config.ConfigDir(s.Lookup, s.Home); dir != "" {
		folders = append(folders, dir)
	}
	if s.ConfigFile != "" {
		g.files = append(g.files, s.ConfigFile)
	}
	if s.Managed != "" {
		g.files = append(g.files, s.Managed)
		folders = append(folders, filepath.Dir(s.Managed))
	}
	for _, dir := range folders {
		g.folders = append(g.folders, spellings(resolved(dir))...)
	}
	return g
}

// resolved says where path leads now. A path that leads nowhere is itself.
func resolved(path string) workspace.Path {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	var anywhere workspace.Workspace
	p, err := anywhere.Resolve(path)
	if err != nil {
		return workspace.Path{Lexical: path, Real: path}
	}
	return p
}

// spellings are a path as it is written and with its links resolved.
func spellings(p workspace.Path) []string {
	return slices.Compact([]string{p.Lexical, p.Real})
}

// refuses says why a call may not be made, empty when it may.
func (g *guard) refuses(i contract.Intent, scratch string) string {
	files := protected(g.files, i)
	laws := protected(lawsOf(i.Roots), i)
	open := pointers(i.Unknown)
	for _, n := range i.Named {
		t := target{Named: n, writes: n.Writes(i.Class), below: open[n.Pointer]}
		for _, path := range spellings(workspace.Path(n.Path)) {
			if why := g.touches(path, t, scratch); why != "" {
				return why
			}
		}
		for _, law := range laws {
			if t.changes(law) {
				return fmt.Sprintf("%s is law, which only a person changes%s", law.Lexical, t.advice(law.Lexical))
			}
		}
		for _, file := range files {
			if t.changes(file) {
				return fmt.Sprintf("%s is the server's own configuration, which only a person changes%s", file.Lexical, t.advice(file.Lexical))
			}
		}
	}
	return decides(i)
}

// lawsOf are the law files of roots.
func lawsOf(roots []string) []string {
	laws := make([]string, len(roots))
	for i, root := range roots {
		laws[i] = filepath.Join(root, ".raw", "law.toml")
	}
	return laws
}

// protected says where files lead now, when the call writes anything.
func protected(files []string, i contract.Intent) []workspace.Path {
	if !slices.ContainsFunc(i.Named, func(n contract.Named) bool { return n.Writes(i.Class) }) {
		return nil
	}
	paths := make([]workspace.Path, len(files))
	for k, f := range files {
		paths[k] = resolved(f)
	}
	return paths
}

// target is a path that a call names.
type target struct {
	contract.Named
	writes bool
	below  bool // it stands for anything below it
}

// pointers are what entries such as files[3].path point to. Such an entry, of
// which no byte is fixed, makes the path stand for anything below it.
func pointers(unknown []string) map[string]bool {
	out := map[string]bool{}
	form := strings.NewReplacer("[", "/", "]", "", ".", "/")
	for _, entry := range unknown {
		out["/"+form.Replace(entry)] = true
	}
	return out
}

// removes reports whether what lies below the target goes with it.
func (t target) removes() bool {
	switch t.Operation {
	case "delete", "rename_source", "rename_destination":
		return true
	}
	return false
}

// reaches reports whether the target, spelled path, is dir or lies in it, or
// has it below itself and covers that.
func (t target) reaches(path, dir string) bool {
	return workspace.Contains(dir, path) || (t.removes() || t.below) && workspace.Contains(path, dir)
}

// changes reports whether the call would change a protected file, whether by
// one of its names, by a folder around it, or by a link on the way to it.
func (t target) changes(file workspace.Path) bool {
	if !t.writes {
		return false
	}
	if !t.removes() && file.Inode != 0 && t.Inode == file.Inode && t.Device == file.Device {
		return true // a hard link: another name of the same content
	}
	for _, path := range spellings(workspace.Path(t.Path)) {
		for _, name := range spellings(file) {
			// What is unpacked above a file that is not there rarely makes it.
			if path == name || t.removes() && workspace.Contains(path, name) || t.below && file.Exists && workspace.Contains(path, name) {
				return true
			}
		}
		if file.Real != file.Lexical && isLink(path) && workspace.Contains(path, file.Lexical) {
			return true // the link that leads to it would be replaced
		}
	}
	return false
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// advice says what to do when a target is refused for what lies below it.
func (t target) advice(protected string) string {
	if t.below && t.Lexical != protected {
		return fmt.Sprintf("; what goes into %s might replace it: use a folder that does not hold it", t.Lexical)
	}
	return ""
}

// touches says why a call may not name path for what it would do there.
func (g *guard) touches(path string, t target, scratch string) string {
	for _, dir := range g.state {
		if t.reaches(path, dir) && !workspace.Contains(scratch, path) {
			return fmt.Sprintf("%s belongs to the server's own state %s, which no call may touch%s", path, dir, t.advice(dir))
		}
	}
	if !t.writes {
		return ""
	}
	for _, dir := range g.folders {
		if t.reaches(path, dir) {
			return fmt.Sprintf("%s holds the server's own configuration, hooks or tools (%s), which only a person changes%s", path, dir, t.advice(dir))
		}
	}
	return ""
}
