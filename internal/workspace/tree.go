package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// OpenTree is OpenDir for a folder below which files are to be opened: nothing
// that is opened through the result leads out of p.Real.
func OpenTree(p Path) (*os.Root, error) {
	if !p.Exists {
		return nil, &fs.PathError{Op: "open", Path: p.Real, Err: fs.ErrNotExist}
	}
	stat, err := lstat(p.Real)
	if err != nil {
		return nil, err
	}
	if err := check(p, stat, fs.FileMode.IsDir); err != nil {
		return nil, err
	}
	tree, err := openRealTree(p)
	if err != nil {
		return nil, err
	}
	f, err := tree.Open(".")
	if err == nil {
		if stat, err = fstat(f); err == nil {
			err = check(p, stat, fs.FileMode.IsDir)
		}
		f.Close()
	}
	if err != nil {
		tree.Close()
		return nil, err
	}
	return tree, nil
}

// openRealTree ends the path with a dot, so that a pipe in the folder's place
// is not opened.
func openRealTree(p Path) (*os.Root, error) {
	const dot = string(filepath.Separator) + "."
	if p.Root == "" {
		return os.OpenRoot(p.Real + dot)
	}
	rel, err := filepath.Rel(p.Root, p.Real)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(rel + dot)
}
