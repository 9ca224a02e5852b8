package builtins

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract"
	"raw/contract/value"
	"raw/internal/atomicfile"
	"raw/internal/patch"
)

// A patch is applied whole, or nothing of it: then every section that does not
// fit says why.
func TestPatch(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	big := strings.Repeat("0123456789abcde\n", patch.MaxSource/16)
	tests := []struct {
		name  string
		files map[string]string
		lines []string
		want  map[string]string // nil: refused, and unchanged
		says  []string
	}{
		{
			"one of each",
			map[string]string{"a": "1\n2\n", "b": "b\n", "c": "c\n", "d": "d\ne\n"},
			[]string{"*** Add File: sub/n", "+x", "*** Update File: a", "@@", " 1", "-2", "+two", "+three", "*** Delete File: b", "*** Update File: c", "*** Move to: sub/deep/c", "*** Update File: d", "*** Move to: D2", "@@", "-d", "+D"},
			map[string]string{"sub/n": "x\n", "a": "1\ntwo\nthree\n", "sub/deep/c": "c\n", "D2": "D\ne\n"},
			[]string{
				"applied 5 sections\n[0] add sub/n: applied: created: 2 bytes, 1 line", "\n[1] update a: applied: updated, 1 hunk, 2 added, 1 removed: 12 bytes, 3 lines",
				"\n[2] delete b: applied: deleted: 2 bytes, 1 line", "\n[3] move c to sub/deep/c: applied: moved: 2 bytes, 1 line", "\n[4] move d to D2: applied: moved, 1 hunk, 1 added, 1 removed: 4 bytes, 2 lines",
			},
		},
		{"CRLF", map[string]string{"a": "1\r\n2\r\n"}, []string{"*** Update File: a", "@@", "-2", "+x", "+y"}, map[string]string{"a": "1\r\nx\r\ny\r\n"}, nil},
		{"no line end", map[string]string{"a": "1\n2"}, []string{"*** Update File: a", "@@", "-2", "+x"}, map[string]string{"a": "1\nx"}, nil},
		{"line end put in", map[string]string{"a": "1"}, []string{"*** Update File: a", "@@", "-1", "*** No newline at end of file", "+1"}, map[string]string{"a": "1\n"}, nil},
		{"mark", map[string]string{"a": bom + "1\n"}, []string{"*** Update File: a", "@@", "-1", "+x"}, map[string]string{"a": bom + "x\n"}, nil},
		{"empty file", nil, []string{"*** Add File: a"}, map[string]string{"a": ""}, []string{"created: 0 bytes, 0 lines"}},
		{"16 MiB", map[string]string{"a": big}, []string{"*** Delete File: a"}, map[string]string{}, nil},

		{"the last does not fit", map[string]string{"a": "1\n", "b": "b\n"}, []string{"*** Add File: n", "+x", "*** Delete File: a", "*** Update File: b", "@@", "-q"}, nil, []string{
			"nothing was changed: 1 of 3 sections do not fit", "[0] add n: fits", "[1] delete a: fits", "[2] update b: failed: the hunk at line 6 of the patch fits nowhere",
		}},
		{"all faults together", map[string]string{"a": "1\n", "b": "b\n", "c": "x\nx\n"}, []string{"*** Add File: a", "+x", "*** Delete File: q", "*** Update File: b", "*** Move to: c", "*** Update File: d/e", "@@", "-x"}, nil, []string{
			"4 of 4 sections", "[0] add a: failed: ", "exists already; to change it, use *** Update File", "[1] delete q: failed: there is no such file", "[2] move b to c: failed: ", "exists already; move it elsewhere", "[3] update d/e: failed: there is no such file",
		}},
		{"ambiguous", map[string]string{"c": "x\ny\nx\n"}, []string{"*** Update File: c", "@@", "-x"}, nil, []string{"fits at several places (lines 1, 3)"}},
		{"nearest line", map[string]string{"c": "func one() {\n"}, []string{"*** Update File: c", "@@", "-func One() {"}, nil, []string{"nearest is line 1"}},
		{"near name", map[string]string{"colour.go": "x\n"}, []string{"*** Delete File: color.go"}, nil, []string{"in its folder there is: colour.go"}},
		{"no change", map[string]string{"a": "1\n"}, []string{"*** Update File: a", "@@", "-1", "+1"}, nil, []string{"nothing would change"}},
		{"over a folder", map[string]string{"d/f": "1\n", "a": "1\n"}, []string{"*** Add File: d", "+x", "*** Update File: a", "*** Move to: d"}, nil, nil},
		{"a folder itself", map[string]string{"d/f": "1\n"}, []string{"*** Delete File: d"}, nil, []string{"[0] delete d: failed: ", "directory"}},
		{"binary", map[string]string{"a": "1\n\x00\x01\n", "b": "\x00", "c": "\x00"}, []string{"*** Update File: a", "@@", "-1", "+2", "*** Delete File: b", "*** Update File: c", "*** Move to: d"}, nil, []string{"3 of 3", "it is a binary file: byte 2 is NUL"}},
		{"UTF-16", map[string]string{"a": "\xff\xfe1\x00"}, []string{"*** Update File: a", "@@", "-1", "+2"}, nil, []string{"UTF-16LE"}},
		{"a letter into other bytes", map[string]string{"a": "\x99\n1\n"}, []string{"*** Update File: a", "@@", "-1", "+é"}, nil, []string{"not UTF-8"}},
		{"over 16 MiB", map[string]string{"a": big + "x"}, []string{"*** Delete File: a"}, nil, []string{"it has 16777217 bytes, and at most 16777216"}},
		{"one file by two spellings", map[string]string{"d/a": "1\n"}, []string{"*** Delete File: d/a", "*** Update File: d/x/../a", "@@", "-1"}, nil, []string{"line 3", "which line 2 names already"}},
		{"a file below another", nil, []string{"*** Add File: n", "+x", "*** Add File: n/m", "+x"}, nil, []string{"[1] add n/m: failed: ", "lies below a file of [0]"}},
		{"a move below itself", map[string]string{"a": "1\n"}, []string{"*** Update File: a", "*** Move to: q", "*** Add File: q/r"}, nil, []string{"lies below a file of [0]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBatchBench(t)
			b.tree(test.files)
			text, res := b.patch(test.lines...)
			want := test.want
			if want == nil {
				want = maps.Clone(test.files)
				if want == nil {
					want = map[string]string{}
				}
				if o := outcome(res); o != "precondition" && o != "invalid_arguments" {
					t.Errorf("answers\n%s\nas %s, want a refusal", text, o)
				}
			} else if res.IsError() {
				t.Errorf("fails: %s", text)
			}
			for _, says := range test.says {
				if !strings.Contains(text, says) {
					t.Errorf("answers\n%s\nwant %q in it", text, says)
				}
			}
			if d := cmp.Diff(want, b.files()); d != "" {
				t.Errorf("files (-want +got):\n%s", short(d))
			}
		})
	}
}

// The bound on targets is that of the parser, and holds for a whole call.
func TestPatchOf64Files(t *testing.T) {
	b := newBatchBench(t)
	var lines []string
	for i := range patch.MaxTargets {
		lines = append(lines, fmt.Sprintf("*** Add File: f%d", i), "+x")
	}
	if text, res := b.patch(append(lines, "*** Add File: more", "+x")...); outcome(res) != "invalid_arguments" || !strings.Contains(text, "at most 64 paths") {
		t.Errorf("65 files: %q, %s", short(text), outcome(res))
	}
	if n := len(b.files()); n != 0 {
		t.Errorf("65 files: %d were made, want none", n)
	}
	if text, res := b.patch(lines...); res.IsError() || len(b.files()) != patch.MaxTargets {
		t.Errorf("64 files: %q, and %d were made", short(text), len(b.files()))
	}
}

// A file that this session has seen is not deleted when it has changed since (B27).
func TestPatchDeletesWhatWasSeen(t *testing.T) {
	b := newBatchBench(t)
	b.put("f", "1\n")
	b.call("read", map[string]any{"path": "f"})
	b.put("f", "theirs\n")
	if text, res := b.patch("*** Delete File: f"); outcome(res) != "conflict" || !strings.Contains(text, "read it again") {
		t.Errorf("delete of a changed file: %q, %s; want a conflict", text, outcome(res))
	}
	b.holds("f", "theirs\n")
	b.call("read", map[string]any{"path": "f"})
	if text, res := b.patch("*** Delete File: f"); res.IsError() {
		t.Errorf("delete after another look: %s", text)
	}
	if text, res := b.write("f", "new\n"); res.IsError() {
		t.Errorf("write over a deleted file: %s", text)
	}
}

// interloper is a context that does something when it is first asked.
type interloper struct {
	context.Context
	act func()
}

func (i *interloper) Err() error {
	if act := i.act; act != nil {
		i.act = nil
		act()
	}
	return nil
}

// What changes between the last look of the plan and the first change leaves
// everything as it is.
func TestPatchLooksAgain(t *testing.T) {
	tests := []struct {
		name   string
		change func(*bench)
	}{
		{"changed", func(b *bench) { b.put("f", "X\n") }},
		{"removed", func(b *bench) { _ = os.Remove(b.path("f")) }},
		{"made", func(b *bench) { b.put("n", "theirs\n") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBatchBench(t)
			b.tree(map[string]string{"a": "1\n", "f": "x\n"})
			paths := func(name string) contract.Path {
				p := contract.Path{Lexical: b.path(name), Real: b.path(name), Root: b.dir}
				if f, err := os.Open(p.Real); err == nil {
					defer f.Close()
					s, err := atomicfile.Stat(f)
					if err != nil {
						t.Fatal(err)
					}
					p.Exists, p.Device, p.Inode = true, s.Device, s.Inode
				}
				return p
			}
			var theirs map[string]string
			ctx := &interloper{t.Context(), func() {
				test.change(b)
				theirs = b.files()
			}}
			tool := batcher{Host{Locks: new(atomicfile.Locks)}, newKnown()}
			res := tool.patch(ctx, &contract.Call{}, paths, patchOf("*** Delete File: a", "*** Delete File: f", "*** Add File: n", "+x"))
			if outcome(res) != "conflict" {
				t.Errorf("answers %v, %s; want a conflict", res.Content, outcome(res))
			}
			if d := cmp.Diff(theirs, b.files()); d != "" {
				t.Errorf("files (-before +after):\n%s", d)
			}
		})
	}
}

// What either form changes is named in its effects, whatever becomes of the call;
// a patch does what its sections say, or nothing.
func TestEffectsCoverChanges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	names := []string{"a", "b", "c", "d/e", "d/f", "g/h/i"}
	name := func() string { return names[random.IntN(len(names))] }
	var there map[string]string
	// like is mostly a name with a file, or one without.
	like := func(file bool) string {
		n := name()
		for range 5 {
			if _, ok := there[n]; ok == file {
				break
			}
			n = name()
		}
		return n
	}
	line := func() string { return string("xyz"[random.IntN(3)]) }
	text := func() string {
		var s strings.Builder
		for range random.IntN(5) {
			s.WriteString(line() + "\n")
		}
		return s.String()
	}
	section := func() []string {
		switch random.IntN(5) {
		case 0:
			return []string{"*** Add File: " + like(false), "+" + line()}
		case 1:
			return []string{"*** Delete File: " + like(true)}
		case 2:
			return []string{"*** Update File: " + like(true), "*** Move to: " + like(false)}
		case 3:
			return []string{"*** Update File: " + like(true), "*** Move to: " + like(false), "@@", "-" + line(), "+q"}
		}
		return []string{"*** Update File: " + like(true), "@@", "-" + line(), "+" + line() + "q"}
	}
	row := func() map[string]any {
		switch random.IntN(4) {
		case 0:
			return overwrite(name(), text())
		case 1:
			return appended(name(), line())
		case 2:
			return replaceText(name(), line(), line()+"q")
		}
		return replaceLines(name(), 1, 1, "q\n", line()+"\n")
	}
	tool := writeFileTool(Host{}, newKnown())
	patches, batches := 0, 0
	for range 100 {
		b := newBatchBench(t)
		for _, n := range names {
			if random.IntN(3) > 0 {
				b.tree(map[string]string{n: text()})
			}
		}
		before := b.files()
		there = before
		args := map[string]any{}
		isPatch := random.IntN(3) > 0
		if isPatch {
			var lines []string
			for range 1 + random.IntN(3) {
				lines = append(lines, section()...)
			}
			args["patch"] = patchOf(lines...)
		} else {
			var rows []map[string]any
			for range 1 + random.IntN(4) {
				rows = append(rows, row())
			}
			args["operations"] = rows
		}
		said, res := b.call("write_file", args)
		after := b.files()

		object, err := value.Of(args)
		if err != nil {
			t.Fatal(err)
		}
		effects, err := tool.Effects(object, b.dir)
		if err != nil {
			if outcome(res) != "invalid_arguments" {
				t.Fatalf("effects of %v: %v, but the call answers %q", args, err, said)
			}
			continue
		}
		var named []string
		list := effects.Field("files")
		for i := range list.Len() {
			path, _ := list.At(i).Field("path").Str()
			named = append(named, path)
		}
		for n := range maps.Keys(joined(before, after)) {
			if before[n] != after[n] && !slices.Contains(named, b.path(n)) {
				t.Fatalf("%v changed %s, and its effects are %v", args, n, named)
			}
		}
		if res.IsError() && isPatch && !cmp.Equal(before, after) {
			t.Fatalf("%v answers %q, and changed\n%s", args, said, cmp.Diff(before, after))
		}
		if !res.IsError() && isPatch {
			patches++
			if d := cmp.Diff(modelPatch(t, args["patch"].(string), before), after); d != "" {
				t.Fatalf("%v made (-model +got):\n%s", args, d)
			}
		}
		if !isPatch && !cmp.Equal(before, after) {
			batches++
		}
	}
	if patches < 15 || batches < 15 {
		t.Errorf("only %d patches and %d batches changed anything", patches, batches)
	}
}

func joined(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// modelPatch is a patch applied to a map.
func modelPatch(t *testing.T, text string, files map[string]string) map[string]string {
	t.Helper()
	changes, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	files = maps.Clone(files)
	for _, c := range changes {
		content := c.Content
		if c.Kind == patch.Update {
			content = files[c.Path]
			edits, err := c.Edits(t.Context(), []byte(content))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range slices.Backward(edits) {
				content = content[:e.Start] + string(e.Text) + content[e.End:]
			}
		}
		if c.Kind == patch.Delete || c.MoveTo != "" {
			delete(files, c.Path)
		}
		switch {
		case c.MoveTo != "":
			files[c.MoveTo] = content
		case c.Kind != patch.Delete:
			files[c.Path] = content
		}
	}
	return files
}

// A call that is cancelled while another has one of its files does nothing.
func TestWriteFileCancelled(t *testing.T) {
	b := newBatchBench(t)
	b.put("a", "1\n")
	tool := batcher{Host{Locks: new(atomicfile.Locks)}, newKnown()}
	unlock, err := tool.host.Locks.Lock(t.Context(), b.path("z"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &contract.Call{Cwd: b.dir, Paths: []contract.Path{{Lexical: b.path("z"), Real: b.path("z")}, {Lexical: b.path("a"), Real: b.path("a")}}}
	res := tool.run(ctx, c, batchInput{Patch: patchOf("*** Delete File: a", "*** Add File: z")})
	if outcome(res) != "aborted" {
		t.Errorf("answers %v, %s; want aborted", res.Content, outcome(res))
	}
	b.holds("a", "1\n")
	// Nothing is held by it any more.
	free, err := tool.host.Locks.Lock(t.Context(), b.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	free()
	if _, err := tool.lock(ctx, c.Paths); !errors.Is(err, context.Canceled) {
		t.Errorf("lock: %v, want %v", err, context.Canceled)
	}
}
