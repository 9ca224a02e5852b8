package builtins

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"raw/contract"
	"raw/internal/workspace"
)

// searchStand is a session with glob and grep in a folder of its own.
type searchStand struct {
	testing.TB
	dir     string
	session *contract.Session
	budget  int
}

// newSearchStand makes the files: the names with their content, "a -> b" for
// links, a slash at the end for folders.
func newSearchStand(t testing.TB, files map[string]string) *searchStand {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := searchStandIn(t, dir, 30_000)
	for name, content := range files {
		s.file(name, content)
	}
	return s
}

func searchStandIn(t testing.TB, dir string, budget int, closed ...string) *searchStand {
	t.Helper()
	w, err := workspace.New([]string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(path string) (contract.Path, error) {
		p, err := w.Resolve(path)
		return contract.Path(p), err
	}
	tools := slices.DeleteFunc(All(Host{Closed: closed}), func(tool contract.Tool) bool {
		return tool.Name != "glob" && tool.Name != "grep"
	})
	for i := range tools {
		tools[i].Deferred = false
	}
	session, err := contract.Open(contract.Options{
		Tools:       tools,
		Workspace:   readPlace{&contract.Workspace{Cwd: w.Cwd(), Roots: w.Roots(), Resolve: resolve}},
		OutputChars: budget,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &searchStand{t, dir, session, budget}
}

func (s *searchStand) file(name, content string) {
	s.Helper()
	name, target, link := strings.Cut(name, " -> ")
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	var err error
	switch {
	case link:
		err = os.Symlink(target, path)
	case strings.HasSuffix(name, "/"):
		err = os.MkdirAll(path, 0o755)
	default:
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// call returns the text of a call and whether it is an error. It must be within
// the budget.
func (s *searchStand) call(tool string, args map[string]any) (string, bool) {
	s.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		s.Fatal(err)
	}
	return s.callText(tool, string(text))
}

func (s *searchStand) callText(tool, args string) (string, bool) {
	s.Helper()
	r := s.session.Call(s.Context(), contract.Request{Name: tool, Arguments: json.RawMessage(args)})
	var b strings.Builder
	for _, block := range r.Content {
		if text, ok := block.(contract.Text); ok {
			b.WriteString(string(text))
		}
	}
	if n := utf8.RuneCountInString(b.String()); n > s.budget {
		s.Errorf("%s %s: the result has %d characters, the budget is %d", tool, args, n, s.budget)
	}
	return b.String(), r.IsError()
}

var notice = regexp.MustCompile(`^\[(\d+ of|left out|no |nothing|some names|long lines|bytes that|gitignore)`)

// lines are those of an answer before its notices.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); notice.MatchString(line) {
			break
		}
		out = append(out, line)
	}
	return out
}
