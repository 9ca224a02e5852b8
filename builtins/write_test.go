package builtins

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"raw/contract"
)

func TestWrite(t *testing.T) {
	tests := []struct {
		name, file string
		exists     bool
		content    string
		says       []string
	}{
		{name: "creates", content: "a\nb", says: []string{"created d/e/f: 3 bytes, 2 lines"}},
		{name: "creates an empty file", content: "", says: []string{"created d/e/f: 0 bytes, 0 lines"}},
		{name: "replaces", exists: true, file: "old", content: "x\n", says: []string{"replaced d/e/f: 2 bytes, 1 line\n", "existed"}},
		{name: "empties", exists: true, file: "old", content: "", says: []string{"replaced d/e/f: 0 bytes"}},
		{name: "the same", exists: true, file: "x\n", content: "x\n", says: []string{"2 bytes, 1 line", "[unchanged]"}},
		{name: "B08 over UTF-16", exists: true, file: "\xff\xfea\x00", content: "a", says: []string{"the old content was UTF-16LE"}},
		{name: "B11 two characters", content: `printf("a\nb");`, says: []string{"15 bytes, 1 line"}},
		{name: "B01 line ends as given", exists: true, file: "a\r\n", content: "a\nb\r\n", says: []string{"replaced"}},
		{name: "B04 no mark is kept", exists: true, file: "\xef\xbb\xbfa", content: "a", says: []string{"replaced"}},
		{name: "B18 no line end is made", content: "x", says: []string{"1 byte, 1 line"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			if test.exists {
				if err := os.MkdirAll(b.path("d/e"), 0o755); err != nil {
					t.Fatal(err)
				}
				b.put("d/e/f", test.file)
			}
			text, res := b.write("d/e/f", test.content)
			if res.IsError() {
				t.Fatalf("write(%q) fails: %s", test.content, text)
			}
			b.holds("d/e/f", test.content)
			for _, says := range test.says {
				if !strings.Contains(text, says) {
					t.Errorf("write(%q) answers %q, want %q in it", test.content, text, says)
				}
			}
		})
	}
}

// Nothing at all is written when nothing would change.
func TestWriteUnchangedKeepsTheTime(t *testing.T) {
	b := newBench(t)
	b.put("f", "x\n")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(b.path("f"), long, long); err != nil {
		t.Fatal(err)
	}
	if text, res := b.write("f", "x\n"); res.IsError() {
		t.Errorf("write of the same: %s", text)
	}
	if info, err := os.Stat(b.path("f")); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("the time is %v (%v), want %v as before", info.ModTime(), err, long)
	}
}

// A person who is asked sees what would change, whether or not it can be done;
// the model is told nothing of a file that nobody has let it see.
func TestPreview(t *testing.T) {
	outside := newBench(t)
	outside.put("f", "secret one\nsecret two\n")
	target := outside.path("f")
	tests := []struct {
		name, tool string
		args       any
		shows      []string
	}{
		{"an edit", "edit", editArgs(target, "one", "1"), []string{"-secret one\n+secret 1\n", "1 replacement"}},
		{"an edit that does not fit", "edit", editArgs(target, "Secret one", "1"), []string{"cannot edit", "/edits/0/old_text: not found"}},
		{"an edit of no file", "edit", editArgs(outside.path("none"), "a", "b"), []string{"cannot edit", "does not exist"}},
		{"a write over it", "write", writeInput{target, "secret one\n"}, []string{"replaces", "-secret two\n"}},
		{"a new file", "write", writeInput{outside.path("d/new"), "x\n"}, []string{"creates", "+x\n"}},
		{"a large one", "write", writeInput{target, strings.Repeat("x\n", maxWholeDiff)}, []string{"[no diff: a text is larger than 262144 bytes]"}},
		{"a long one", "write", writeInput{target, strings.Repeat("x\n", maxPreview)}, []string{"more bytes of diff]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			var shown string
			b.approve = func(a contract.Approval) contract.Answer {
				shown = a.Preview
				return contract.RejectOnce
			}
			text, res := b.call(test.tool, test.args)
			if outcome(res) != "approval_denied" || strings.Contains(text, "secret") {
				t.Errorf("the model is told %q, %s; want a refusal without the content", text, outcome(res))
			}
			for _, want := range test.shows {
				if !strings.Contains(shown, want) {
					t.Errorf("the person is shown\n%s\nwant %q in it", short(shown), want)
				}
			}
			if len(shown) > maxPreview+500 {
				t.Errorf("the person is shown %d bytes, want at most about %d", len(shown), maxPreview)
			}
			outside.holds("f", "secret one\nsecret two\n")
		})
	}
}

// Work over a second reports how far it is, once a second.
func TestWriteProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []float64
		r := &progressWriter{to: slowWriter{}, total: 20 << 20, last: time.Now(), report: func(p contract.Progress) {
			got = append(got, p.Done/p.Total)
		}}
		if n, err := r.Write(make([]byte, 20<<20)); n != 20<<20 || err != nil {
			t.Errorf("Write = %d, %v, want all", n, err)
		}
		if want := []float64{0.4, 0.8}; !slices.Equal(got, want) {
			t.Errorf("five pieces of 600 ms report %v, want %v", got, want)
		}
	})
}

// slowWriter takes 600 ms for what it is given.
type slowWriter struct{}

func (slowWriter) Write(p []byte) (int, error) {
	time.Sleep(600 * time.Millisecond)
	return len(p), nil
}

// The definitions have room in the 6,000 bytes that all seven tools share.
func TestDefinitionsAreSmall(t *testing.T) {
	for _, tool := range []contract.Tool{writeTool(Host{}, newKnown()), editTool(Host{}, newKnown())} {
		var schema bytes.Buffer
		if err := json.Compact(&schema, []byte(tool.Input)); err != nil {
			t.Fatal(err)
		}
		if n := len(tool.Description); n > 450 {
			t.Errorf("the description of %s has %d bytes, want at most 450", tool.Name, n)
		}
		if n := len(tool.Description) + schema.Len(); n > 850 {
			t.Errorf("description and schema of %s have %d bytes, want at most 850", tool.Name, n)
		}
		if strings.Contains(tool.Snippet, "\n") || len(tool.Guidelines) > 2 {
			t.Errorf("%s has snippet %q and %d guidelines, want one line and at most two", tool.Name, tool.Snippet, len(tool.Guidelines))
		}
	}
}
