package hook

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"raw/contract/nearest"
)

// File is the name of the manifest in the folder of a hook.
const File = "hook.json"

// maxManifest bounds what is read of a manifest, in bytes.
const maxManifest = 1 << 20

// localPrefix begins the identities of hooks.
const localPrefix = "local/"

// Fault is one thing that is wrong with the selected hooks.
type Fault struct {
	File    string // or the key of the configuration
	Pointer string // JSON pointer into it; empty is the whole
	What    string
}

// String is "<file>: <pointer>: <what>"; without a pointer that part is left
// out.
func (f Fault) String() string {
	if f.Pointer == "" {
		return f.File + ": " + f.What
	}
	return f.File + ": " + f.Pointer + ": " + f.What
}

// FaultError is all that is wrong with the selected hooks.
type FaultError struct{ Faults []Fault }

// Error is one fault per line.
func (e *FaultError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Set is the selected hooks in the order of their selection. It is immutable;
// the nil Set has none.
type Set struct{ manifests []*Manifest }

// Manifests are the selected hooks in their order.
func (s *Set) Manifests() []*Manifest {
	if s == nil {
		return nil
	}
	return slices.Clone(s.manifests)
}

// Find is the hook of that name, nil when it was not selected.
func (s *Set) Find(name string) *Manifest {
	for _, m := range s.Manifests() {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Load finds the hooks that use names ("local/<folder>") in the folders and
// checks them all. It runs nothing. The error is a *FaultError with every fault
// of every hook.
func Load(folders, use []string) (*Set, error) {
	s := &Set{}
	var faults []Fault
	for i, identity := range use {
		fault := func(format string, a ...any) {
			faults = append(faults, Fault{"hooks.use", fmt.Sprintf("/%d", i), fmt.Sprintf(format, a...)})
		}
		if slices.Index(use, identity) < i {
			fault("%q is named twice", identity)
			continue
		}
		folder, err := find(folders, identity)
		if err != nil {
			fault("%v", err)
			continue
		}
		m, wrong := Read(folder)
		faults = append(faults, wrong...)
		s.manifests = append(s.manifests, m)
	}
	if len(faults) > 0 {
		return nil, &FaultError{faults}
	}
	return s, nil
}

// find is the one folder of a hook.
func find(folders []string, identity string) (string, error) {
	name, ok := strings.CutPrefix(identity, localPrefix)
	if !ok || name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\`) {
		return "", fmt.Errorf("found %q; want local/<folder>", identity)
	}
	var found, others []string
	for _, dir := range folders {
		path := filepath.Join(dir, name)
		switch _, err := os.Lstat(path); {
		case err == nil:
			found = append(found, path)
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("look for %s: %w", identity, err)
		}
		entries, _ := os.ReadDir(dir) // a folder that is not there has no hooks
		for _, e := range entries {
			others = append(others, localPrefix+e.Name())
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		what := fmt.Sprintf("there is no %s in %s", name, cmp.Or(strings.Join(folders, ", "), "hooks.folders, which names no folder"))
		if near := nearest.Names(identity, others, 1); len(near) > 0 {
			what += "; nearest: " + near[0]
		}
		return "", errors.New(what)
	default:
		return "", fmt.Errorf("%s is in %s; a hook has one folder", name, strings.Join(found, " and "))
	}
}

// Read checks the hook in a folder: its manifest, and that no link in the
// folder, nor the folder itself, leads out of where it is. It runs nothing.
func Read(folder string) (*Manifest, []Fault) {
	file := filepath.Join(folder, File)
	root, err := open(folder)
	if err != nil {
		return nil, []Fault{{File: folder, What: err.Error()}}
	}
	defer root.Close()
	if faults := linksOut(root, folder); len(faults) > 0 {
		return nil, faults
	}
	text, err := readManifest(root)
	if err != nil {
		return nil, []Fault{{File: file, What: err.Error()}}
	}
	m, wrong := parse(folder, text)
	var faults []Fault
	for _, f := range wrong {
		faults = append(faults, Fault{file, f.Pointer, f.Message})
	}
	if m == nil {
		return nil, faults
	}
	for i, arg := range m.Args {
		// It would be looked for where the model can write.
		if !filepath.IsLocal(arg) {
			continue
		}
		if info, err := root.Stat(arg); err == nil && info.Mode().IsRegular() {
			faults = append(faults, Fault{
				file, fmt.Sprintf("/args/%d", i),
				fmt.Sprintf("%q is a file of this folder, but hooks run in the folder of the session and would take it from there; make it the command (./%s), or write its absolute path", arg, filepath.ToSlash(filepath.Clean(arg))),
			})
		}
	}
	return m, faults
}

// open opens the folder of a hook within the folder of hooks.
func open(folder string) (*os.Root, error) {
	parent, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return nil, fmt.Errorf("open the folder of hooks: %w", err)
	}
	defer parent.Close()
	root, err := parent.OpenRoot(filepath.Base(folder))
	if err != nil {
		return nil, fmt.Errorf("open the folder of the hook (a link out of the folder of hooks is refused; name its real place in hooks.folders): %w", err)
	}
	return root, nil
}

// linksOut finds the links that leave a folder. Absolute ones count: they stop
// leading inside when the folder is moved or copied.
func linksOut(root *os.Root, folder string) []Fault {
	var faults []Fault
	err := fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		if _, err := root.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, Fault{
				File: filepath.Join(folder, filepath.FromSlash(path)),
				What: fmt.Sprintf("the link does not stay in the folder of the hook (relative links inside it are fine): %v", reason(err)),
			})
		}
		return nil
	})
	if err != nil {
		faults = append(faults, Fault{File: folder, What: fmt.Sprintf("look through the folder of the hook: %v", reason(err))})
	}
	return faults
}

func readManifest(root *os.Root) ([]byte, error) {
	// Opening waits on a pipe, so what it is comes first.
	info, err := root.Stat(File)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("read the manifest: it is not a file")
	}
	f, err := root.Open(File)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", reason(err))
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("read the manifest: it has more than %d bytes", maxManifest)
	}
	return text, nil
}

// reason is an error without the path that the fault names already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
