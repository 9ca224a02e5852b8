package builtins

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/internal/workspace"
)

// readPlace is a workspace over one folder.
type readPlace struct{ ws *contract.Workspace }

func (p readPlace) Workspace(context.Context) (*contract.Workspace, error) { return p.ws, nil }
func (readPlace) RootsChanged()                                            {}

// readTest is a session with read alone, in a folder of its own.
type readTest struct {
	testing.TB
	dir     string
	known   *known
	session *contract.Session
	budget  int
}

func newReadTest(t testing.TB, budget int) *readTest {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return readTestIn(t, dir, budget)
}

func readTestIn(t testing.TB, dir string, budget int) *readTest {
	t.Helper()
	w, err := workspace.New([]string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(path string) (contract.Path, error) {
		p, err := w.Resolve(path)
		return contract.Path(p), err
	}
	k := newKnown()
	s, err := contract.Open(contract.Options{
		Tools:       []contract.Tool{newReader(k, later).tool()},
		Workspace:   readPlace{&contract.Workspace{Cwd: w.Cwd(), Roots: w.Roots(), Resolve: resolve}},
		OutputChars: budget,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &readTest{TB: t, dir: dir, known: k, session: s, budget: budget}
}

// later is a clock by which the files of a test are old enough for their index
// to be kept.
func later() time.Time { return time.Now().Add(time.Hour) }

// file writes a file and returns its path.
func (t *readTest) file(name, content string) string {
	t.Helper()
	path := filepath.Join(t.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read calls the tool; zero leaves offset or limit out.
func (t *readTest) read(path string, offset, limit int64) contract.Result {
	t.Helper()
	args := map[string]any{"path": path}
	if offset != 0 {
		args["offset"] = offset
	}
	if limit != 0 {
		args["limit"] = limit
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return t.session.Call(context.Background(), contract.Request{Name: "read", Arguments: text})
}

// text is the text of a result, which must be within the budget.
func (t *readTest) text(r contract.Result) string {
	t.Helper()
	var b strings.Builder
	for _, block := range r.Content {
		if text, ok := block.(contract.Text); ok {
			b.WriteString(string(text))
		}
	}
	if n := utf8.RuneCountInString(b.String()); n > t.budget {
		t.Errorf("the result has %d characters, the budget is %d", n, t.budget)
	}
	return b.String()
}

func TestReadText(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		offset, limit int64
		want          string
	}{
		// B02
		{"CRLF", "one\r\ntwo\r\nthree\r\n", 0, 0, "     1\tone\r\n     2\ttwo\r\n     3\tthree\r\n"},
		{"mixed line ends", "a\r\nb\nc\rd", 0, 0, "     1\ta\r\n     2\tb\n     3\tc\rd"},
		{"a CR alone at the end", "a\r", 0, 0, "     1\ta\r"},
		{"a page of CRLF", "a\r\nb\r\nc\r\n", 2, 1, "     2\tb\r\n[Showing lines 2–2 of 3. Use offset=3 to continue.]"},
		// B15
		{"tabs", "\tif x {\n\t\ty()\n\t}\n", 0, 0, "     1\t\tif x {\n     2\t\t\ty()\n     3\t\t}\n"},
		{"blanks at the end", "a \t \n  \n", 0, 0, "     1\ta \t \n     2\t  \n"},
		{"digits like a gutter", "     7\tx\n", 0, 0, "     1\t     7\tx\n"},
		{"form feed and vertical tab", "a\fb\vc\n", 0, 0, "     1\ta\fb\vc\n"},
		// B34
		{"a page of two", "first\n\nlast\n", 0, 2, "     1\tfirst\n     2\t\n[Showing lines 1–2 of 3. Use offset=3 to continue.]"},
		{"the last page", "first\n\nlast\n", 3, 0, "     3\tlast\n"},
		{"a page that is all", "first\n\nlast\n", 1, 3, "     1\tfirst\n     2\t\n     3\tlast\n"},
		{"no final line end", "first\n\nlast", 2, 2, "     2\t\n     3\tlast"},
		{"ends on blank lines", "a\n\n\n", 2, 1, "     2\t\n[Showing lines 2–2 of 3. Use offset=3 to continue.]"},
		{"a byte order mark", "\xef\xbb\xbfa\n", 0, 0, "     1\t\ufeffa\n"},

		{"empty", "", 0, 0, "[empty file]"},
		{"empty, from line 7", "", 7, 0, "[empty file]"},
		{"one line end", "\n", 0, 0, "     1\t\n"},
		{"one bad byte each", "a\xffb\xfe\xfd\nok\n", 0, 0, "     1\ta\ufffdb\ufffd\ufffd\n     2\tok\n[3 bytes are not UTF-8 and are shown as U+FFFD]"},
		{"a character cut at the end", "a\xe2\x82", 0, 0, "     1\ta\ufffd\ufffd\n[2 bytes are not UTF-8 and are shown as U+FFFD]"},
		{"U+FFFD itself is no bad byte", "a\ufffd\n", 0, 0, "     1\ta\ufffd\n"},
		{"bad bytes on another page do not count", "a\xff\nb\n", 2, 0, "     2\tb\n"},
		{"bad bytes and more pages", "a\xff\nb\n", 0, 1, "     1\ta\ufffd\n[1 bytes are not UTF-8 and are shown as U+FFFD]\n[Showing lines 1–1 of 2. Use offset=2 to continue.]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rt := newReadTest(t, 30_000)
			r := rt.read(rt.file("f", tc.content), tc.offset, tc.limit)
			if d := cmp.Diff(tc.want, rt.text(r)); d != "" || r.IsError() {
				t.Errorf("read of %q, offset %d, limit %d: error %v (-want +got):\n%s", tc.content, tc.offset, tc.limit, r.IsError(), d)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	rt := newReadTest(t, 30_000)
	rt.file("f", "first\n\nlast\n")
	rt.file("one", "x")
	for _, tc := range []struct {
		args, want string
		kind       contract.Kind
	}{
		{`{"path":"f","offset":4}`, "offset 4 is past the end: the file has 3 lines; use an offset up to 3", contract.KindInvalidInput},
		{`{"path":"one","offset":2}`, "the file has 1 line;", contract.KindInvalidInput},
		{`{"path":"f","offset":1e18}`, "offset 1000000000000000000 is past the end", contract.KindInvalidInput},
		{`{"path":"f","offset":1e300}`, "the file has 3 lines", contract.KindInvalidInput},
		{`{"path":"f","offset":0}`, "/offset", contract.KindInvalidInput},
		{`{"path":"f","offset":-1}`, "/offset", contract.KindInvalidInput},
		{`{"path":"f","offset":1.5}`, "/offset", contract.KindInvalidInput},
		{`{"path":"f","limit":0}`, "/limit", contract.KindInvalidInput},
		{`{"path":"f","lines":3}`, "lines", contract.KindInvalidInput},
		{`{"path":""}`, "/path", contract.KindInvalidInput},
		{`{"path":"none/f"}`, "no folder " + filepath.Join(rt.dir, "none"), contract.KindInvalidInput},
		{`{"path":"f/g"}`, "not a folder", contract.KindPrecondition},
	} {
		r := rt.session.Call(t.Context(), contract.Request{Name: "read", Arguments: json.RawMessage(tc.args)})
		if got := rt.text(r); !r.IsError() || r.Failure.Kind != tc.kind || !strings.Contains(got, tc.want) {
			t.Errorf("read%s = %+v %q, want %s with %q", tc.args, r.Failure, got, tc.kind, tc.want)
		}
	}
	for _, args := range []string{`{"path":"f","offset":3.0}`, `{"path":"f","offset":30e-1,"limit":1e400}`} {
		r := rt.session.Call(t.Context(), contract.Request{Name: "read", Arguments: json.RawMessage(args)})
		if got := rt.text(r); got != "     3\tlast\n" {
			t.Errorf("read%s = %q, want line 3", args, got)
		}
	}
}

// TestReadLineLimit: 2,000 lines, also when more are asked for.
func TestReadLineLimit(t *testing.T) {
	rt := newReadTest(t, 100_000)
	path := rt.file("f", strings.Repeat("x\n", 2500))
	for _, tc := range []struct {
		offset, limit int64
		want          string
	}{
		{0, 0, "\n[Showing lines 1–2000 of 2500. Use offset=2001 to continue.]"},
		{0, 2400, "\n[Showing lines 1–2000 of 2500. Use offset=2001 to continue.]"},
		{501, 0, "  2500\tx\n"},
		{500, 0, "\n[Showing lines 500–2499 of 2500. Use offset=2500 to continue.]"},
	} {
		if got := rt.text(rt.read(path, tc.offset, tc.limit)); !strings.HasSuffix(got, tc.want) {
			t.Errorf("read(%d, %d) ends with %q, want %q", tc.offset, tc.limit, got[max(0, len(got)-80):], tc.want)
		}
	}
}

// TestReadKnows: what a session saw is noted by content, and a failed read
// notes nothing.
func TestReadKnows(t *testing.T) {
	rt := newReadTest(t, 30_000)
	text, png := rt.file("f", "a\nb\n"), rt.file("x.bin", "a\x00b")
	rt.read(text, 5, 0)
	if _, ok := rt.known.of(text); ok {
		t.Error("a read past the end counts as having seen the file")
	}
	rt.read(png, 0, 0)
	if _, ok := rt.known.of(png); ok {
		t.Error("a binary marker counts as having seen the file")
	}
	rt.read(text, 2, 0)
	if s, ok := rt.known.of(text); !ok || !s.Holds([]byte("a\nb\n")) {
		t.Errorf("after a read, known = %+v, %v; want a snapshot of the content", s, ok)
	}
	link := filepath.Join(rt.dir, "link")
	if err := os.Symlink("g", link); err != nil {
		t.Fatal(err)
	}
	target := rt.file("g", "")
	rt.read(link, 0, 0)
	if s, ok := rt.known.of(target); !ok || !s.Holds(nil) {
		t.Errorf("after a read through a link, known = %+v, %v; want the target's", s, ok)
	}
}

func TestReadDeclares(t *testing.T) {
	tool := readTool(Host{}, newKnown())
	if n := len(tool.Description); n > 450 {
		t.Errorf("the description has %d bytes, want at most 450", n)
	}
	effects, err := readEffects(readInput{Path: "sub/../f"}, "/w")
	want := fileEffects{Files: []file{{Path: filepath.FromSlash("/w/f"), Operation: "read"}}}
	if d := cmp.Diff(any(want), effects); d != "" || err != nil {
		t.Errorf("effects: %v (-want +got):\n%s", err, d)
	}
}

// TestReadOpensWhatWasResolved: a name that leads elsewhere by the time the
// handler runs is not followed.
func TestReadOpensWhatWasResolved(t *testing.T) {
	rt := newReadTest(t, 30_000)
	path := rt.file("f", "before\n")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.New([]string{rt.dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, path); err != nil {
		t.Fatal(err)
	}
	r := newReader(newKnown(), later).run(t.Context(), &contract.Call{Paths: []contract.Path{contract.Path(p)}, Budget: 1000}, readInput{})
	if got := rt.text(r); !r.IsError() || strings.Contains(got, "secret\n") {
		t.Errorf("read of an exchanged path = %q, want an error", got)
	}
}

// within fails the test when f blocks.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatalf("%s: still waiting after 5 s", what)
	}
}

func TestReadFolder(t *testing.T) {
	rt := newReadTest(t, 30_000)
	if got := rt.text(rt.read(".", 0, 0)); got != "[empty folder]" {
		t.Errorf("an empty folder = %q", got)
	}
	rt.file("b", "")
	rt.file("a\nb\x1b[2J", "")
	rt.file("ä", "")
	for _, name := range []string{"z", "d"} {
		if err := os.Mkdir(filepath.Join(rt.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("z", filepath.Join(rt.dir, "l")); err != nil {
		t.Fatal(err)
	}
	want := "d/\nz/\n" + `a\nb\x1b[2J` + "\nb\nl (link)\nä\n[6 entries]"
	if d := cmp.Diff(want, rt.text(rt.read(rt.dir, 0, 0))); d != "" {
		t.Errorf("a folder (-want +got):\n%s", d)
	}
	for i := range 1500 {
		rt.file(fmt.Sprintf("z/f%04d", 1499-i), "")
	}
	got := rt.text(rt.read("z", 0, 0))
	lines := strings.Split(got, "\n")
	if len(lines) != 501 || lines[0] != "f0000" || lines[499] != "f0499" || !strings.HasPrefix(lines[500], "[500 of 1500 entries, folders first. With bash, `find ") {
		t.Errorf("1500 entries: %d lines, from %q to %q, then %q", len(lines), lines[0], lines[len(lines)-2], lines[len(lines)-1])
	}
	small := readTestIn(t, rt.dir, 1000)
	if got := small.text(small.read("z", 0, 0)); !strings.Contains(got, " of 1500 entries") {
		t.Errorf("1500 entries in 1000 characters end with %q", got[len(got)-100:])
	}
}

// B32
func TestReadNearNames(t *testing.T) {
	rt := newReadTest(t, 30_000)
	const shot = "Shot 1.02.03\u202fPM.png"
	rt.file(shot, "narrow")
	rt.file("a\u0308.txt", "decomposed")
	rt.file("\u00e4.txt", "composed")
	rt.file("main.go", "x")
	rt.file("a bad name\xff\n", "x")
	for path, want := range map[string]string{shot: "narrow", "a\u0308.txt": "decomposed", "\u00e4.txt": "composed"} {
		if got := rt.text(rt.read(path, 0, 0)); got != "     1\t"+want {
			t.Errorf("read(%q) = %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"Shot 1.02.03 PM.png": shot + " (with U+202F)",
		"mian.go":             "\nmain.go",
		"MAIN.GO":             "\nmain.go",
		"a bad name":          `a bad name\xff\n`,
	} {
		r := rt.read(path, 0, 0)
		if got := rt.text(r); !r.IsError() || r.Failure.Kind != contract.KindInvalidInput || !strings.Contains(got, want) {
			t.Errorf("read(%q) = %q, want an error with %q", path, got, want)
		}
	}
	if got := rt.text(rt.read("nothing like it at all", 0, 0)); strings.Contains(got, "main.go") {
		t.Errorf("a name like no other got %q", got)
	}
}
