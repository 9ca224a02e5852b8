package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// pkg is a folder of Go files, whatever platform or build tag they are for.
type pkg struct {
	path  string // below the root of the repository, "." for it
	files []file
}

type file struct {
	name string // for messages, from the root of the repository
	test bool
	text []byte
	ast  *ast.File
	fset *token.FileSet
}

// root of the repository, from this package.
var root = filepath.Join("..", "..")

// module is the path that go.mod gives this module.
func module(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	path := modfile.ModulePath(text)
	if path == "" {
		t.Fatal("go.mod names no module")
	}
	return path
}

// load parses every Go file of the module. It walks the folders by itself, and
// does not ask the go command, so that a cached result is not used for a tree
// that has changed.
func load(t *testing.T) []pkg {
	t.Helper()
	var packages []pkg
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if files := parse(t, path); len(files) > 0 {
			packages = append(packages, pkg{below(t, path), files})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 2 {
		t.Fatalf("found the packages %v: the walk has missed the repository", packages)
	}
	return packages
}

func parse(t *testing.T, dir string) []file {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []file
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, below(t, name), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{below(t, name), strings.HasSuffix(name, "_test.go"), text, parsed, fset})
	}
	return files
}

// below is a path as it is told to people and to the rules.
func below(t *testing.T, path string) string {
	t.Helper()
	short, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(short)
}

// imports returns the import paths of a file.
func (f file) imports() []string {
	var paths []string
	for _, spec := range f.ast.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, "`\""))
	}
	return paths
}

// place is where a node stands, for a message.
func (f file) place(n ast.Node) string { return f.fset.Position(n.Pos()).String() }
