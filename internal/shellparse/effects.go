// Package shellparse reads the text of a shell command and says what it would
// run and which files it names as targets, so that a policy can be asked
// before anything runs.
//
// It runs nothing and looks at nothing but the text: no file, network,
// process, clock or environment. It is not a sandbox. What a program does
// once it runs is not seen, whether it is a binary, a script file, or another
// language given as text (awk, make, ed, vim -c, python -c, sed's e and w
// commands, LD_PRELOAD). Programs that are known to run another program are looked
// through by the tables in this package; any other program is listed alone.
//
// Links: the source of a hard link is listed as written. Where a symbolic link
// leads is listed only when the same text opens something through it.
package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of one Parse. What is beyond them is told in Effects.Unknown.
const (
	maxPrograms = 256
	maxFiles    = 256
	maxCommand  = 1024     // bytes of Program.Command and Program.Name
	maxPath     = 4096     // bytes of a path
	maxJSON     = 48 << 10 // bytes that the entries take as JSON, so that a caller's 64 KiB hold
	maxText     = 400_000  // bytes of the command
	maxParsed   = 500_000  // bytes parsed in all, texts within texts included
	maxTexts    = 16       // texts within texts, as in eval "sh -c '…'"
	maxOpeners  = 8192     // opening brackets of one text: the parser recurses on them
)

// Effect paths as they stand in Effects.Unknown.
const (
	unknownName    = "programs[*].name"
	unknownCommand = "programs[*].command"
	unknownFiles   = "files[*].path"
	unknownScripts = "scripts[*].path"
)

// Operations of a File.
const (
	opRead       = "read"
	opWrite      = "write"
	opDelete     = "delete"
	opRenameFrom = "rename_source"
	opRenameTo   = "rename_destination"
)

// Effects is what a command's text shows of what it would run and touch.
type Effects struct {
	// Programs has one entry per simple command, a wrapper before what it runs.
	Programs []Program
	// Files has redirect targets and the targets of writing programs. A
	// destination that may be a folder is listed as given and with the name
	// that a file would get in it; after a cd that may fail, a relative
	// target is listed for both folders. The source of a hard link counts as
	// written, for what is written to one name is written to all; what a
	// symbolic link leads to is not listed, but what the same text opens
	// through the link is unknown.
	Files []File
	// Scripts has the files that are run by name, absolute and cleaned.
	Scripts []string
	// Unknown names the effect paths whose values the text does not fix:
	// whole ones such as "files[*].path", "programs[3].command:12" for an
	// entry whose command is fixed for its first 12 bytes only, and
	// "files[3].path" for one that stands for anything below it as well: the
	// destination of a recursive copy or of an archive.
	Unknown []string
}

// Program is one simple command.
type Program struct {
	Name    string // base name after quote removal
	Command string // name and words, joined by one blank, at most 1,024 bytes
}

// File is a path that the text names as a target.
type File struct {
	Path      string // absolute and lexically cleaned
	Operation string // read, write, delete, rename_source or rename_destination
}

// Options says where the command would run.
type Options struct {
	// Cwd is the absolute folder that the command starts in. When it is
	// empty or relative, every relative target is unknown.
	Cwd string
	// Home is what ~ and $HOME stand for. Empty makes both unknown.
	Home string
}

// Parse says what the text of command shows. It is pure, never panics,
// returns at once for any text, and may be called by several goroutines.
func Parse(command string, o Options) Effects {
	w := &walker{cdpath: strings.Contains(command, "CDPATH")}
	t := text{walker: w}
	if path.IsAbs(o.Home) && !reassignsHome(command) {
		t.home = path.Clean(o.Home)
	}
	start := dirs{unknown: true}
	if path.IsAbs(o.Cwd) {
		start = dirs{known: []string{path.Clean(o.Cwd)}}
	}
	t.nested(command, start)
	return w.effects()
}

var homeUse = regexp.MustCompile(`\$HOME\b|\$\{HOME\}`)

// reassignsHome reports whether the text mentions HOME in any way but the
// plain use of its value.
func reassignsHome(command string) bool {
	return strings.Contains(homeUse.ReplaceAllString(command, ""), "HOME")
}

// A walker gathers the effects of one Parse.
type walker struct {
	out     Effects
	entries []string // unknown entries about a single program or file
	seen    map[File]bool
	opened  []File // files that are listed for more than a symbolic link made there
	links   []link // symbolic links that are made
	spent   int    // JSON bytes of the entries so far
	parsed  int    // bytes parsed so far

	hiddenPrograms, hiddenFiles, hiddenScripts bool

	full     bool // a bound was reached: nothing more is gathered
	cdpath   bool // cd may search CDPATH
	shadowed bool // cd or exit was redefined
	moves    int  // commands that may have changed the working folder
	relative int  // targets that depend on the working folder
	deferred bool // such a target stands in a text that runs at another time
}

// hide says that programs run which the text does not show; they may write
// and run any file.
func (w *walker) hide() {
	w.hiddenPrograms, w.hiddenFiles, w.hiddenScripts = true, true, true
}

// spend takes the JSON size of s from the budget and reports whether it fits.
func (w *walker) spend(s string) bool {
	cost := len(s) + 48
	for i := range len(s) {
		if c := s[i]; c < ' ' || strings.IndexByte(`"\<>&`, c) >= 0 {
			cost += 5
		}
	}
	if w.full || w.spent+cost > maxJSON {
		w.overflow()
		return false
	}
	w.spent += cost
	return true
}

func (w *walker) overflow() {
	w.full = true
	w.hide()
}

// program lists one simple command. fixed is how many bytes of command the
// text fixes; exact says that nothing follows them.
func (w *walker) program(name, command string, fixed int, exact bool) {
	if len(w.out.Programs) == maxPrograms {
		w.overflow()
		return
	}
	if len(command) > maxCommand {
		command, exact = cut(command, maxCommand), false
	}
	if len(name) > maxCommand {
		name = cut(name, maxCommand)
		w.hide()
	}
	if !w.spend(name + command) {
		return
	}
	if !exact {
		i, n := len(w.out.Programs), min(fixed, len(command))
		w.entries = append(w.entries, "programs["+strconv.Itoa(i)+"].command:"+strconv.Itoa(n))
	}
	w.out.Programs = append(w.out.Programs, Program{name, command})
}

func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (w *walker) file(p, operation string) {
	f := File{p, operation}
	w.list(f)
	switch {
	case slices.Contains(w.opened, f):
	case len(w.opened) == maxFiles:
		w.hiddenFiles = true
	default:
		w.opened = append(w.opened, f)
	}
}

// A link is a symbolic link that the text makes.
type link struct {
	path string // absolute and cleaned
	to   string // where it leads, absolute; "" when that is not fixed
}

// link lists a symbolic link that is made at p and holds to.
func (w *walker) link(p, to string) {
	w.list(File{p, opWrite})
	if to != "" && !path.IsAbs(to) {
		to = path.Join(path.Dir(p), to)
	}
	w.links = append(w.links, link{p, to})
}

// tree lists a folder for anything below it.
func (w *walker) tree(p, operation string) {
	w.file(p, operation)
	i := slices.Index(w.out.Files, File{p, operation})
	if i < 0 {
		return // told already
	}
	entry := "files[" + strconv.Itoa(i) + "].path"
	if !slices.Contains(w.entries, entry) && w.spend(entry) {
		w.entries = append(w.entries, entry)
	}
}

func (w *walker) list(f File) {
	if w.seen[f] {
		return
	}
	if len(w.out.Files) == maxFiles || len(f.Path) > maxPath || !w.spend(f.Path) {
		w.hiddenFiles = true
		return
	}
	if w.seen == nil {
		w.seen = map[File]bool{}
	}
	w.seen[f] = true
	w.out.Files = append(w.out.Files, f)
}

// throughLinks hides what is opened through a link that the same text makes,
// and lists what it would be. The order of the text does not count: a loop or a
// function may turn it round.
func (w *walker) throughLinks() {
	for _, l := range w.links {
		for _, f := range w.opened {
			rest, ok := below(f.Path, l.path)
			itself := rest == "" && (f.Operation == opDelete || f.Operation == opRenameTo)
			if !ok || itself {
				continue
			}
			w.hiddenFiles = true
			if l.to != "" {
				w.list(File{path.Clean(l.to + rest), f.Operation})
			}
		}
		for _, s := range w.out.Scripts {
			if _, ok := below(s, l.path); ok {
				w.hiddenScripts = true
			}
		}
	}
}

// below is the rest of a cleaned path that is dir or lies in it.
func below(p, dir string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, dir)
	return rest, ok && (rest == "" || rest[0] == '/')
}

func (w *walker) script(p string) {
	f := File{Path: p}
	if w.seen[f] {
		return
	}
	if len(p) > maxPath || !w.spend(p) {
		w.hiddenScripts = true
		return
	}
	if w.seen == nil {
		w.seen = map[File]bool{}
	}
	w.seen[f] = true
	w.out.Scripts = append(w.out.Scripts, p)
}

func (w *walker) effects() Effects {
	w.throughLinks()
	if w.deferred && w.moves > 0 {
		w.hiddenFiles = true
	}
	if w.hiddenPrograms {
		w.out.Unknown = append(w.out.Unknown, unknownName, unknownCommand)
	}
	if w.hiddenFiles {
		w.out.Unknown = append(w.out.Unknown, unknownFiles)
	}
	if w.hiddenScripts {
		w.out.Unknown = append(w.out.Unknown, unknownScripts)
	}
	w.out.Unknown = append(w.out.Unknown, w.entries...)
	return w.out
}
