package builtins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/contracttest"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

// newBatchBench is a session with write_file, and with read and write to make
// files known.
func newBatchBench(t testing.TB) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir}
	ws, err := workspace.New([]string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	h, k := Host{Locks: new(atomicfile.Locks), Pending: filepath.Join(t.TempDir(), "pending")}, newKnown()
	b.session, err = contract.Open(contract.Options{
		Tools: []contract.Tool{readTool(h, k), writeTool(h, k), writeFileTool(h, k)},
		Workspace: fixedWorkspace{&contract.Workspace{
			Cwd: ws.Cwd(), Roots: ws.Roots(),
			Resolve: func(path string) (contract.Path, error) {
				p, err := ws.Resolve(path)
				return contract.Path(p), err
			},
		}},
		Baseline: []string{contract.AskOutside},
		Surface: contract.Surface{Approve: func(_ context.Context, a contract.Approval) (contract.Answer, error) {
			if b.approve == nil {
				return contract.RejectOnce, nil
			}
			return b.approve(a), nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tree puts files, by name, into the folder of the bench.
func (b *bench) tree(files map[string]string) {
	b.t.Helper()
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
			b.t.Fatal(err)
		}
		b.put(name, content)
	}
}

// files is every file and link of the folder, by name.
func (b *bench) files() map[string]string {
	b.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(b.dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		}
		content, err := os.ReadFile(path)
		found[name] = string(content)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

func (b *bench) operations(list ...map[string]any) (string, contract.Result) {
	b.t.Helper()
	return b.call("write_file", map[string]any{"operations": list})
}

func (b *bench) patch(lines ...string) (string, contract.Result) {
	b.t.Helper()
	return b.call("write_file", map[string]any{"patch": patchOf(lines...)})
}

func patchOf(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

func overwrite(path, content string) map[string]any {
	return map[string]any{"op": "overwrite", "path": path, "content": content}
}

func appended(path, content string) map[string]any {
	return map[string]any{"op": "append", "path": path, "content": content}
}

func replaceText(path, old, text string) map[string]any {
	return map[string]any{"op": "replace_text", "path": path, "old_text": old, "new_text": text}
}

func replaceLines(path string, first, last int, content, was string) map[string]any {
	sum := sha256.Sum256([]byte(was))
	return map[string]any{
		"op": "replace_lines", "path": path, "start_line": first, "end_line": last, "content": content,
		"expected_sha256": hex.EncodeToString(sum[:]),
	}
}

func TestWriteFileDeclaration(t *testing.T) {
	dir := t.TempDir()
	contracttest.CheckTools(t, []contract.Tool{writeFileTool(Host{}, newKnown())}, dir, []contracttest.Example{
		{Tool: "write_file", Arguments: `{"operations":[{"op":"overwrite","path":"a/b","content":"x"}]}`},
		{Tool: "write_file", Arguments: `{"patch":"*** Begin Patch\n*** Add File: a/b\n+x\n*** End Patch"}`},
	})
}

// What needs no file to be wrong is told for the whole batch, each fault where
// it is, before anything is done.
func TestWriteFileArguments(t *testing.T) {
	hash := strings.Repeat("0", 64)
	tests := []struct {
		name string
		args string
		says []string
	}{
		{"neither", `{}`, []string{"/: neither operations nor patch"}},
		{"both", `{"operations":[{"op":"append","path":"f","content":"x"}],"patch":""}`, []string{"/: both operations and patch"}},
		{"no operation", `{"operations":[]}`, []string{"/operations"}},
		{"17 operations", `{"operations":[` + strings.TrimSuffix(strings.Repeat(`{"op":"append","path":"f","content":"x"},`, 17), ",") + `]}`, []string{"/operations"}},
		{"unknown op", `{"operations":[{"op":"delete","path":"f"}]}`, []string{"/operations/0/op"}},
		{"unknown field", `{"operations":[{"op":"append","path":"f","text":"x"}]}`, []string{"/operations/0/text"}},
		{"missing fields", `{"operations":[{"op":"overwrite","path":"f"},{"op":"replace_lines","path":"f","content":""}]}`, []string{
			"/operations/0/content: missing; overwrite needs content",
			"/operations/1/start_line: missing; replace_lines needs start_line, end_line, content, expected_sha256",
			"/operations/1/end_line", "/operations/1/expected_sha256",
		}},
		{"fields of another op", `{"operations":[{"op":"append","path":"f","content":"x","old_text":"y"}]}`, []string{"/operations/0/old_text: not a field of append, which has content"}},
		{"nothing to append", `{"operations":[{"op":"append","path":"f","content":""}]}`, []string{"/operations/0/content: empty"}},
		{"empty old", `{"operations":[{"op":"replace_text","path":"f","old_text":"","new_text":"x"}]}`, []string{"/operations/0/old_text: empty"}},
		{"old is new", `{"operations":[{"op":"replace_text","path":"f","old_text":"x","new_text":"x"}]}`, []string{"/operations/0/old_text: equal"}},
		{"lines backwards", `{"operations":[{"op":"replace_lines","path":"f","start_line":3,"end_line":2,"content":"","expected_sha256":"` + hash + `"}]}`, []string{"/operations/0/end_line: 2 is before start_line 3"}},
		{"line 0", `{"operations":[{"op":"replace_lines","path":"f","start_line":0,"end_line":2,"content":"","expected_sha256":"` + hash + `"}]}`, []string{"/operations/0/start_line"}},
		{"no hash", `{"operations":[{"op":"replace_lines","path":"f","start_line":1,"end_line":2,"content":"","expected_sha256":"abc"}]}`, []string{"/operations/0/expected_sha256"}},
		{"a good row first", `{"operations":[{"op":"overwrite","path":"f","content":"x"},{"op":"append","path":"f","content":""}]}`, []string{"/operations/1/content: empty"}},
		{"a patch that is none", `{"patch":"*** Begin Patch\n*** Update File: f\n@@ -1 +1 @@\n-a\n*** End Patch"}`, []string{`/patch: line 3 of the patch: found "@@ -1 +1 @@"; accepted: a bare "@@"`}},
		{"an empty patch", `{"patch":""}`, []string{"/patch: line 1 of the patch: found the end of the text"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBatchBench(t)
			b.put("f", "old\n")
			res := b.session.Call(t.Context(), contract.Request{Name: "write_file", Reached: true, Arguments: []byte(test.args)})
			text := string(res.Content[0].(contract.Text))
			if outcome(res) != "invalid_arguments" {
				t.Errorf("write_file %s answers %q, %s; want invalid_arguments", test.args, text, outcome(res))
			}
			for _, says := range test.says {
				if !strings.Contains(text, says) {
					t.Errorf("write_file %s answers\n%s\nwant %q in it", test.args, text, says)
				}
			}
			b.holds("f", "old\n")
		})
	}
}

// Each row is done on the file as the rows before it left it; one that fails
// stops none of the others.
func TestOperations(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	tests := []struct {
		name  string
		files map[string]string
		rows  []map[string]any
		want  map[string]string
		says  []string
		code  string // of the whole
	}{
		{
			"one of each",
			map[string]string{"a": "1\n", "b": "1\n", "c": "x y\n", "d": "1\n2\n3\n"},
			[]map[string]any{overwrite("a", "new\nlines"), appended("b", "2\n"), replaceText("c", "y", "z"), replaceLines("d", 2, 3, "two\n", "2\n3\n"), overwrite("sub/e", "")},
			map[string]string{"a": "new\nlines", "b": "1\n2\n", "c": "x z\n", "d": "1\ntwo\n", "sub/e": ""},
			[]string{
				"5 of 5 operations done\n[0] overwrite a: replaced: 9 bytes, 2 lines", "\n[1] append b: appended: 4 bytes, 2 lines",
				"\n[2] replace_text c: replaced: 4 bytes, 1 line", "\n[3] replace_lines d: replaced: 6 bytes, 2 lines", "\n[4] overwrite sub/e: created: 0 bytes, 0 lines",
			},
			"ok",
		},
		{
			"one file, in order",
			map[string]string{"f": "a\nb\n"},
			[]map[string]any{replaceText("f", "a", "c"), replaceText("f", "c", "d"), appended("f", "e\n"), replaceLines("f", 3, 3, "E", "e\n"), replaceText("./f", "d\nb", "x")},
			map[string]string{"f": "x\nE\n"},
			[]string{"5 of 5"},
			"ok",
		},
		{
			"a new file, in order", nil,
			[]map[string]any{appended("f", "a\n"), replaceText("f", "a", "b"), overwrite("f", "c\n"), appended("f", "d")},
			map[string]string{"f": "c\nd"},
			[]string{"[0] append f: created: 2 bytes, 1 line", "4 of 4"},
			"ok",
		},
		{
			"one fails",
			map[string]string{"a": "1\n", "b": "x\nx\n", "c": "1\n"},
			[]map[string]any{overwrite("a", "2\n"), replaceText("b", "x", "y"), overwrite("c", "2\n")},
			map[string]string{"a": "2\n", "b": "x\nx\n", "c": "2\n"},
			[]string{"2 of 3 operations done", "[1] replace_text b: failed: old_text: occurs 2 times (lines 1, 2)", "[2] overwrite c: replaced", "side effects may have partially applied"},
			"fatal",
		},
		{
			"all fail",
			map[string]string{"a": "1\n"},
			[]map[string]any{replaceText("a", "q", "y"), replaceText("no", "q", "y"), appended("sub/../a/b", "x")}[:2],
			map[string]string{"a": "1\n"},
			[]string{"0 of 2", "[0] replace_text a: failed: old_text: not found", "[1] replace_text no: failed: there is no such file"},
			"precondition",
		},
		{
			"a later row needs one that failed",
			map[string]string{"a": "1\n"},
			[]map[string]any{replaceText("a", "q", "y"), replaceText("a", "y", "z"), replaceText("a", "1", "2")},
			map[string]string{"a": "2\n"},
			[]string{"1 of 3", "[1] replace_text a: failed: old_text: not found"},
			"fatal",
		},
		{
			"lines that changed",
			map[string]string{"a": "1\n2\n"},
			[]map[string]any{replaceLines("a", 1, 1, "x", "other\n")},
			map[string]string{"a": "1\n2\n"},
			[]string{"lines 1–1 are not what was expected: their SHA-256 begins 4355a46b", "sed -n '1,1p'"},
			"conflict",
		},
		{
			"lines past the end",
			map[string]string{"a": "1\n2"},
			[]map[string]any{replaceLines("a", 2, 3, "x", "2")},
			map[string]string{"a": "1\n2"},
			[]string{"past the end: the file has 2 lines"},
			"precondition",
		},
		{
			"lines of CRLF",
			map[string]string{"a": "1\r\n2\r\n3\r\n", "b": "1\r\n2\n3\r\n", "c": bom + "1\n2\n"},
			[]map[string]any{replaceLines("a", 1, 2, "x\ny", "1\r\n2\r\n"), replaceLines("b", 2, 2, "x\ny", "2\n"), replaceLines("c", 1, 1, "x", bom+"1\n")},
			map[string]string{"a": "x\r\ny\r\n3\r\n", "b": "1\r\nx\ny\n3\r\n", "c": bom + "x\n2\n"},
			[]string{"3 of 3"},
			"ok",
		},
		{
			"lines at the end",
			map[string]string{"a": "1\n2", "b": "1\n2\n", "c": "1\n"},
			[]map[string]any{replaceLines("a", 2, 2, "x", "2"), replaceLines("b", 2, 2, "", "2\n"), replaceLines("c", 1, 1, "1", "1\n")},
			map[string]string{"a": "1\nx", "b": "1\n", "c": "1\n"},
			[]string{"2 of 3", "[2] replace_lines c: failed: nothing would change"},
			"fatal",
		},
		{
			"text of CRLF and a mark",
			map[string]string{"a": "1\r\n2\r\n", "b": bom + "1\n"},
			[]map[string]any{replaceText("a", "1\n2", "x\ny"), replaceText("b", "1\n", "x\n")},
			map[string]string{"a": "x\r\ny\r\n", "b": bom + "x\n"},
			[]string{"2 of 2"},
			"ok",
		},
		{
			"other encodings",
			map[string]string{"a": "\xff\xfea\x00", "b": "\x99\n", "c": "\xff\xfea\x00"},
			[]map[string]any{appended("a", "x"), appended("b", "é"), replaceText("c", "a", "b")},
			map[string]string{"a": "\xff\xfea\x00", "b": "\x99\n", "c": "\xff\xfea\x00"},
			[]string{"[0] append a: failed: it is UTF-16LE text", "[1] append b: failed: 'é' (U+00E9) cannot be put in", "[2] replace_text c: failed: it is UTF-16LE text"},
			"precondition",
		},
		{
			"unchanged",
			map[string]string{"a": "1\n"},
			[]map[string]any{overwrite("a", "1\n")},
			map[string]string{"a": "1\n"},
			[]string{"[0] overwrite a: unchanged: 2 bytes, 1 line"},
			"ok",
		},
		{
			"a folder",
			map[string]string{"d/f": "1\n"},
			[]map[string]any{overwrite("d", "1\n"), appended("d", "1\n"), replaceText("d", "1", "2")},
			map[string]string{"d/f": "1\n"},
			[]string{"0 of 3", "[0] overwrite d: failed: ", "directory"},
			"precondition",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBatchBench(t)
			b.tree(test.files)
			text, res := b.operations(test.rows...)
			if outcome(res) != test.code {
				t.Errorf("answers\n%s\nas %s, want %s", text, outcome(res), test.code)
			}
			for _, says := range test.says {
				if !strings.Contains(text, says) {
					t.Errorf("answers\n%s\nwant %q in it", text, says)
				}
			}
			if d := cmp.Diff(test.want, b.files()); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			if lines := strings.Count(text, "\n["); lines < len(test.rows) {
				t.Errorf("answers\n%s\nwith %d rows, want %d", text, lines, len(test.rows))
			}
		})
	}
}

// overwrite keeps to what the session has seen, as write does (B27), and
// operations go through a link to its target (B19).
func TestOperationsKeepWhatIsThere(t *testing.T) {
	b := newBatchBench(t)
	b.put("f", "1\n")
	b.call("read", map[string]any{"path": "f"})
	b.put("f", "theirs\n")
	if text, res := b.operations(overwrite("f", "mine\n")); outcome(res) != "conflict" {
		t.Errorf("overwrite of a changed file answers %q, %s; want a conflict", text, outcome(res))
	}
	b.holds("f", "theirs\n")

	b.put("g", "1\n")
	if text, res := b.operations(overwrite("g", "2\n")); res.IsError() || !strings.Contains(text, "had not been read") {
		t.Errorf("overwrite of a file never read answers %q, %s; want it to say so", text, outcome(res))
	}
	if err := os.Symlink("g", b.path("link")); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			t.Skip("this system lets only some make links")
		}
		t.Fatal(err)
	}
	if text, res := b.operations(appended("link", "3\n"), replaceText("link", "2", "two")); res.IsError() {
		t.Errorf("operations through a link: %s", text)
	}
	want := map[string]string{"f": "theirs\n", "g": "two\n3\n", "link": "-> g"}
	if d := cmp.Diff(want, b.files()); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// What lies outside is asked about, with the whole diff, in both forms.
func TestWriteFilePreview(t *testing.T) {
	b := newBatchBench(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(outside, "f")
	b.tree(map[string]string{"a": "1\n2\n", "gone": "x\n", "old": "o\n", "move": "m\n"})
	var asked contract.Approval
	b.approve = func(a contract.Approval) contract.Answer {
		asked = a
		return contract.RejectOnce
	}
	before := b.files()
	b.operations(overwrite(out, "n\n"), replaceText("a", "1", "one"), replaceText("a", "one", "ONE"), replaceText("a", "q", "r"), appended("new", "x\n"))
	for _, says := range []string{"[0] overwrite", "+n", "[1] replace_text a", "-1\n+one", "[2] replace_text a", "-one\n+ONE", "[3] replace_text a: cannot be done as things are: old_text: not found", "[4] append new: creates the file", "+x"} {
		if !strings.Contains(asked.Preview, says) {
			t.Errorf("the preview of operations is\n%s\nwant %q in it", asked.Preview, says)
		}
	}
	b.patch("*** Add File: "+out, "+n", "*** Update File: a", "@@", "-1", "+one", "*** Delete File: gone", "*** Update File: move", "*** Move to: moved", "@@", "-m", "+M", "*** Update File: old", "@@", "-q")
	for _, says := range []string{"[0] add", "+n", "[1] update a", "-1\n+one", "[2] delete gone", "-x", "[3] move move to moved", "-m\n+M", "[4] update old\ncannot be done as things are: the hunk at line 15 of the patch fits nowhere"} {
		if !strings.Contains(asked.Preview, says) {
			t.Errorf("the preview of a patch is\n%s\nwant %q in it", asked.Preview, says)
		}
	}
	if d := cmp.Diff(before, b.files()); d != "" {
		t.Errorf("the previews changed files (-before +after):\n%s", d)
	}

	// What was shown binds the yes (B69).
	b.approve = func(contract.Approval) contract.Answer {
		b.put("gone", "something else\n")
		return contract.AllowOnce
	}
	if text, res := b.patch("*** Add File: "+out, "+n", "*** Delete File: gone"); outcome(res) != "conflict" {
		t.Errorf("a file that changed while it was asked about: %q, %s; want a conflict", text, outcome(res))
	}
	b.holds("gone", "something else\n")
}

// Effects name each path once for each thing done to it, absolute and cleaned,
// links unresolved, in the order of the call.
func TestWriteFileEffects(t *testing.T) {
	cwd := filepath.Join(t.TempDir(), "w")
	at := func(elem ...string) string { return filepath.Join(append([]string{cwd}, elem...)...) }
	tests := []struct {
		name string
		in   batchInput
		want []file
	}{
		{"operations", batchInput{Operations: []operation{
			{Op: "append", Path: "b"},
			{Op: "overwrite", Path: "./x/../a"},
			{Op: "replace_lines", Path: at("b")},
			{Op: "replace_text", Path: "../c"},
		}}, []file{{at("b"), "write"}, {at("a"), "write"}, {at("..", "c"), "write"}}},
		{"patch", batchInput{Patch: patchOf("*** Add File: n", "*** Update File: ./u", "@@", "-x", "*** Delete File: d/../d", "*** Update File: o", "*** Move to: m", "@@", "-x", "*** Update File: "+at("n"), "@@", "-x")}, []file{
			{at("n"), "write"}, {at("u"), "write"}, {at("d"), "delete"}, {at("o"), "rename_source"}, {at("m"), "rename_destination"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := batchEffects(test.in, cwd)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(fileEffects{test.want}, got); d != "" {
				t.Errorf("effects (-want +got):\n%s", d)
			}
		})
	}
}
