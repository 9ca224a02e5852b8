// Package workspace says where a path leads and opens what it led to.
//
// It turns a path as a caller spelled it into a Path: absolute, with every link
// resolved, with the identity of the file and the root that contains it. Rules,
// locks and the file tools all judge that one value, so that what was judged is
// what is opened. Containment is by path component and on resolved spellings.
//
// The package does not decide what may be read or written, does not write, and
// is no sandbox: a file that is opened is checked to be the one that was
// resolved, its content may have changed since.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Path is where a path leads. It is plain data and comparable.
type Path struct {
	// Lexical is the path as spelled, absolute and cleaned.
	Lexical string
	// Real has every link resolved. For a missing file it is its deepest
	// existing parent, resolved, plus the rest. On a disk that folds names it
	// has the names as they are stored.
	Real string
	// Exists reports whether something stood at Real.
	Exists bool
	// Device and Inode identify the file. They are zero where there is no
	// file or the file system has no such numbers.
	Device, Inode uint64
	// Root is the innermost root (resolved spelling) that contains Real. It is
	// "" when Real is outside every root.
	Root string
}

// Workspace is a set of roots and a working folder. It is immutable and safe
// for concurrent use.
type Workspace struct {
	roots []root
	cwd   string
}

// root is one root in both spellings.
type root struct {
	lexical, real string
}

// New returns a workspace over roots, which must be existing folders. A root is
// made absolute (a relative one is taken from the process's working folder), a
// leading "~/" is expanded, and its links are resolved; its own spelling is kept
// beside the resolved one. Of two roots that are the same folder the first counts.
//
// The working folder cwd, relative to the first root, must be an existing folder
// too; "" means the first root as it was spelled. There may be no roots at all
// when cwd is absolute.
func New(roots []string, cwd string) (*Workspace, error) {
	base, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	w := new(Workspace)
	for _, name := range roots {
		lexical, real, err := folder(name, base)
		if err != nil {
			return nil, fmt.Errorf("root %q: %w", name, err)
		}
		if !slices.ContainsFunc(w.roots, func(r root) bool { return r.real == real }) {
			w.roots = append(w.roots, root{lexical, real})
		}
	}
	if len(w.roots) > 0 {
		base = w.roots[0].lexical
	} else if !filepath.IsAbs(cwd) {
		return nil, fmt.Errorf("working folder %q: there is no root to take it from; give a root or an absolute folder", cwd)
	}
	if cwd == "" {
		cwd = "."
	}
	if w.cwd, _, err = folder(cwd, base); err != nil {
		return nil, fmt.Errorf("working folder %q: %w", cwd, err)
	}
	return w, nil
}

// folder returns both spellings of an existing folder.
func folder(name, base string) (lexical, real string, err error) {
	if lexical, err = Lexical(name, base); err != nil {
		return "", "", err
	}
	found, err := walk(lexical)
	if err != nil {
		return "", "", err
	}
	if !found.exists {
		return "", "", fmt.Errorf("%s does not exist", found.path)
	}
	if !found.info.mode.IsDir() {
		return "", "", fmt.Errorf("%s is a %s, not a folder", found.path, kindOf(found.info.mode))
	}
	return lexical, found.path, nil
}

// Roots returns the roots in their resolved spelling, in the order given.
func (w *Workspace) Roots() []string {
	out := make([]string, len(w.roots))
	for i, r := range w.roots {
		out[i] = r.real
	}
	return out
}

// SpelledRoots returns the roots as they were given, absolute and cleaned, in
// the order of Roots.
func (w *Workspace) SpelledRoots() []string {
	out := make([]string, len(w.roots))
	for i, r := range w.roots {
		out[i] = r.lexical
	}
	return out
}

// Cwd returns the working folder as it was spelled, absolute and cleaned.
func (w *Workspace) Cwd() string { return w.cwd }

// Under reports whether p lies in a root or in one of the extra folders, which
// are given in their resolved spelling.
func (w *Workspace) Under(p Path, extra ...string) bool {
	return p.Root != "" || slices.ContainsFunc(extra, func(dir string) bool { return Contains(dir, p.Real) })
}

// Lexical returns path absolute and cleaned, relative ones taken from cwd. A
// leading "~/" stands for the home folder; nothing else is expanded and no file is looked at. It is an error when path is empty or
// has a NUL, and when cwd is not absolute.
func Lexical(path, cwd string) (string, error) {
	switch {
	case path == "":
		return "", errors.New(`path is empty; "." is the working folder`)
	case strings.ContainsRune(path, 0):
		return "", fmt.Errorf("path %q has a NUL byte", path)
	}
	if len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1]) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("expand %q: %w", path, err)
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(cwd) {
			return "", fmt.Errorf("path %q: working folder %q is not absolute", path, cwd)
		}
		switch {
		case filepath.VolumeName(path) != "": // C:name depends on a hidden per-drive folder
			return "", fmt.Errorf("path %q is relative to a drive; give it from the drive's root", path)
		case os.IsPathSeparator(path[0]):
			path = filepath.VolumeName(cwd) + path
		default:
			path = filepath.Join(cwd, path)
		}
	}
	path = filepath.Clean(path)
	if err := checkNames(path); err != nil {
		return "", err
	}
	return path, nil
}

// Contains reports whether path is root or lies below it, by path component and
// by spelling only: both must be absolute and cleaned, and names are never folded.
func Contains(root, path string) bool {
	if root == "" || !strings.HasPrefix(path, root) {
		return false
	}
	return len(path) == len(root) ||
		os.IsPathSeparator(root[len(root)-1]) || os.IsPathSeparator(path[len(root)])
}
