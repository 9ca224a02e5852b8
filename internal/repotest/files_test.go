package repotest

import (
	"bytes"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// maxLines is more than STYLE asks for: where it is passed, somebody forgot.
const maxLines = 600

func TestFileLength(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			if n := bytes.Count(f.text, []byte("\n")); n > maxLines {
				t.Errorf("%s has %d lines, more than %d: split it by concept", f.name, n, maxLines)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	for _, p := range load(t) {
		var where []string
		for _, f := range p.files {
			if f.test || f.ast.Doc == nil {
				continue
			}
			where = append(where, f.name)
			want := "Package " + f.ast.Name.Name
			if f.ast.Name.Name == "main" {
				want = "Command " + p.path[strings.LastIndex(p.path, "/")+1:]
			}
			if !startsWithWords(f.ast.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", f.name, want)
			}
		}
		if len(where) != 1 {
			t.Errorf("package %s has %d package comments %v, want one", p.path, len(where), where)
		}
	}
}

func startsWithWords(text, words string) bool {
	rest, ok := strings.CutPrefix(text, words)
	return ok && (rest == "" || !regexp.MustCompile(`^\w`).MatchString(rest))
}

// ban is something that no file may contain, but for those where it is allowed.
type ban struct {
	what    string
	why     string
	found   func(ast.Node) bool
	tests   bool     // test files may
	allowed []string // packages that may, as in rules
}

var bans = []ban{
	{what: `import "unsafe"`, why: "no unsafe, on any platform", found: isImport("unsafe")},
	{what: `import "C"`, why: "no cgo", found: isImport("C")},
	{what: "func init", why: "nothing happens before main", found: isInit},
	{what: "time.Sleep", why: "wait on what you are waiting for", found: isCall("time", "Sleep"), tests: true},
	{
		what: "context.Background", why: "contexts come from main", found: isCall("context", "Background"),
		tests: true, allowed: []string{"cmd/..."},
	},
}

func TestBans(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				for _, b := range bans {
					if n != nil && b.found(n) && !(f.test && b.tests) && !matches(b.allowed, p.path) {
						t.Errorf("%s: %s: %s", f.place(n), b.what, b.why)
					}
				}
				return true
			})
		}
	}
}

func isImport(path string) func(ast.Node) bool {
	return func(n ast.Node) bool {
		spec, ok := n.(*ast.ImportSpec)
		return ok && spec.Path.Value == `"`+path+`"`
	}
}

func isInit(n ast.Node) bool {
	f, ok := n.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "init"
}

// isCall finds a call by the name that the package is commonly imported as.
func isCall(pkg, name string) func(ast.Node) bool {
	return func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != name {
			return false
		}
		x, ok := selector.X.(*ast.Ident)
		return ok && x.Name == pkg
	}
}
