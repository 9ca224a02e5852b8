package patch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// printed is the text of a patch.
func printed(changes []Change) string {
	var b strings.Builder
	put := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	put(beginPatch)
	for _, c := range changes {
		switch c.Kind {
		case Add:
			put(addFile + " " + c.Path)
			for line := range strings.Lines(c.Content) {
				text, ended := strings.CutSuffix(line, "\n")
				put("+" + text)
				if !ended {
					put(noNewline)
				}
			}
		case Delete:
			put(deleteFile + " " + c.Path)
		case Update:
			put(updateFile + " " + c.Path)
			if c.MoveTo != "" {
				put(moveTo + " " + c.MoveTo)
			}
			for _, h := range c.Hunks {
				put(openHunk)
				for _, l := range h.Lines {
					put(string(l.Op) + l.Text)
					if l.Bare {
						put(noNewline)
					}
				}
				if h.End {
					put(endOfFile)
				}
			}
		}
	}
	put(endPatch)
	return b.String()
}

// wrap is a patch with these lines between its ends.
func wrap(lines ...string) string {
	return beginPatch + "\n" + strings.Join(lines, "\n") + "\n" + endPatch + "\n"
}

func TestParse(t *testing.T) {
	hunk := func(line int, lines ...Line) Hunk { return Hunk{Line: line, Lines: lines} }
	tests := []struct {
		name, text string
		want       []Change
	}{
		{"every section", wrap("*** Add File: a b", "+x", "+", "+ y", "*** Delete File: sub/c", "*** Update File: ~/d", "*** Move to: e", "@@", " 1", "-2", "+3", "@@", "+4", "*** End of File"), []Change{
			{Kind: Add, Path: "a b", Content: "x\n\n y\n", Line: 2},
			{Kind: Delete, Path: "sub/c", Line: 6},
			{Kind: Update, Path: "~/d", MoveTo: "e", Line: 7, Hunks: []Hunk{
				hunk(9, Line{Op: ' ', Text: "1"}, Line{Op: '-', Text: "2"}, Line{Op: '+', Text: "3"}),
				{Line: 13, End: true, Lines: []Line{{Op: '+', Text: "4"}}},
			}},
		}},
		{"empty file", wrap("*** Add File: a"), []Change{{Kind: Add, Path: "a", Line: 2}}},
		{"added without a line end", wrap("*** Add File: a", "+x", noNewline), []Change{{Kind: Add, Path: "a", Content: "x", Line: 2}}},
		{"added with CRLF", wrap("*** Add File: a", "+x\r", "+y"), []Change{{Kind: Add, Path: "a", Content: "x\r\ny\n", Line: 2}}},
		{"move alone", wrap("*** Update File: a", "*** Move to: b"), []Change{{Kind: Update, Path: "a", MoveTo: "b", Line: 2}}},
		{"directives as text", wrap("*** Add File: a", "+*** End Patch", "+@@"), []Change{{Kind: Add, Path: "a", Content: "*** End Patch\n@@\n", Line: 2}}},
		{"marks", wrap("*** Update File: a", "@@", "-x", noNewline, "+y", noNewline), []Change{{Kind: Update, Path: "a", Line: 2, Hunks: []Hunk{
			{Line: 3, End: true, Lines: []Line{{Op: '-', Text: "x", Bare: true}, {Op: '+', Text: "y", Bare: true}}},
		}}}},
		{"new before old", wrap("*** Update File: a", "@@", "+y", noNewline, "-x"), []Change{{Kind: Update, Path: "a", Line: 2, Hunks: []Hunk{
			{Line: 3, End: true, Lines: []Line{{Op: '+', Text: "y", Bare: true}, {Op: '-', Text: "x"}}},
		}}}},
		{"blank lines around", "\n \n" + wrap("*** Delete File: a") + "\n\r\n", []Change{{Kind: Delete, Path: "a", Line: 4}}},
		{"no last line end", strings.TrimSuffix(wrap("*** Delete File: a"), "\n"), []Change{{Kind: Delete, Path: "a", Line: 2}}},
		{"CRLF throughout", strings.ReplaceAll(wrap("*** Add File: a", "+x\r", "+y"), "\n", "\r\n"), []Change{{Kind: Add, Path: "a", Content: "x\r\ny\n", Line: 2}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text)
			if err != nil {
				t.Fatalf("Parse(%q): %v", test.text, err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", test.text, d)
			}
			again, err := Parse(printed(got))
			if err != nil {
				t.Fatalf("Parse of what is printed, %q: %v", printed(got), err)
			}
			if d := cmp.Diff(got, again, cmpopts.IgnoreFields(Change{}, "Line"), cmpopts.IgnoreFields(Hunk{}, "Line")); d != "" {
				t.Errorf("printed and parsed again (-before +after):\n%s", d)
			}
		})
	}
}

// Every error has its line, what was found there, and what is accepted.
func TestParseErrors(t *testing.T) {
	update := func(lines ...string) string { return wrap(append([]string{"*** Update File: a"}, lines...)...) }
	many := func(n int) string {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("*** Delete File: f%d", i))
		}
		return wrap(lines...)
	}
	tests := []struct {
		name, text  string
		line        int
		found, want string // pieces
	}{
		{"nothing", "", 1, "the end of the text", `"*** Begin Patch"`},
		{"a fence", "```\n" + wrap("*** Delete File: a"), 1, "\"```\"", `"*** Begin Patch"`},
		{"only the first line", beginPatch, 1, "the end of the text", `"*** Add File: PATH"`},
		{"no end", beginPatch + "\n*** Delete File: a\n", 3, "the end of the text", `"*** End Patch"`},
		{"no change", wrap()[:len(beginPatch)+1] + endPatch, 2, "a patch without any change", `"*** Delete File: PATH"`},
		{"text behind", wrap("*** Delete File: a") + "x\n", 4, `"x"`, `nothing behind "*** End Patch"`},
		{"too long", wrap("*** Add File: a", "+"+strings.Repeat("x", MaxBytes)), 1, "a patch of 1048", "at most 1048576 bytes; split it"},
		{"NUL", wrap("*** Add File: a", "+x\x00"), 3, "a NUL byte", "text"},
		{"unified diff", wrap("--- a/f"), 2, `"--- a/f"`, `"*** Update File: PATH"`},
		{"empty line between", wrap("*** Delete File: a", "", "*** Delete File: b"), 3, "an empty line", "nothing more about a deleted file"},
		{"no path", wrap("*** Add File:"), 2, `"*** Add File:"`, "one blank before the path"},
		{"blank path", wrap("*** Update File: "), 2, `"*** Update File: "`, "one blank before the path"},
		{"blank before the path", wrap("*** Delete File:  a"), 2, `"*** Delete File:  a"`, "one blank before the path"},
		{"CR behind the path", wrap("*** Delete File: a\r"), 2, `a\r"`, "none behind it"},
		{"path twice", wrap("*** Delete File: a", "*** Add File: ./a"), 3, `"./a", which line 2 names already`, "each path once"},
		{"moved onto itself", update("*** Move to: a"), 3, `"a", which line 2 names already`, "each path once"},
		{"65 targets", many(65), 66, "path number 65", "at most 64 paths"},
		{"body of a deletion", wrap("*** Delete File: a", "-x"), 3, `"-x"`, "nothing more about a deleted file"},
		{"added line without sign", wrap("*** Add File: a", "x"), 3, `"x"`, `begins with "+"`},
		{"added empty line without sign", wrap("*** Add File: a", "+x", "", "+y"), 4, "an empty line", `begins with "+"`},
		{"mark in an empty file", wrap("*** Add File: a", noNewline), 3, `"` + noNewline + `"`, `begins with "+"`},
		{"line behind the mark", wrap("*** Add File: a", "+x", noNewline, "+y"), 5, `"+y"`, "nothing more of a file whose last line has no line end"},
		{"update of nothing", update(), 3, `"*** End Patch"`, "hunks or a new path"},
		{"update without hunk", update("-x"), 3, `"-x"`, `or "@@"`},
		{"text behind a move", update("*** Move to: b", "x"), 4, `"x"`, `"@@"`},
		{"move behind a hunk", update("@@", "-x", "*** Move to: b"), 5, `"*** Move to: b"`, `a line that begins with a blank`},
		{"line numbers", update("@@ -1,2 +1,2 @@", "-x"), 3, `"@@ -1,2 +1,2 @@"`, `a bare "@@"`},
		{"name of a function", update("@@", "-x", "@@ func x", "-y"), 5, `"@@ func x"`, `a bare "@@"`},
		{"empty hunk", update("@@"), 4, `"*** End Patch"`, "begins with a blank"},
		{"empty hunk before another", update("@@", "@@", "-x"), 4, `"@@"`, "begins with a blank"},
		{"end of file without lines", update("@@", endOfFile), 4, `"*** End of File" in a hunk without lines`, "begins with a blank"},
		{"mark without line", update("@@", noNewline), 4, `"` + noNewline + `"`, "begins with a blank"},
		{"mark twice", update("@@", "-x", noNewline, noNewline), 6, `"` + noNewline + `"`, `"*** End Patch"`},
		{"only context", update("@@", " x"), 3, "nothing changes", `begins with "+" or "-"`},
		{"only new lines", update("@@", "+x"), 3, "only adds lines", `"*** End of File" to add them at the end`},
		{"empty line in a hunk", update("@@", "-x", "", " y"), 5, "an empty line", "one blank alone for an empty line that stays"},
		{"no sign in a hunk", update("@@", "-x", "y"), 5, `"y"`, "begins with a blank"},
		{"hunk behind the end", update("@@", "-x", endOfFile, "@@", "-y"), 6, `"@@"`, "no hunk behind one that ends with the file"},
		{"line behind the end", update("@@", "-x", endOfFile, "-y"), 6, `"-y"`, `"*** End Patch"`},
		{"old behind the last old", update("@@", "-x", noNewline, "-y"), 6, `"-y"`, "line 4 is the last of the file"},
		{"context behind the last new", update("@@", "+x", noNewline, " y"), 6, `" y"`, "line 4 is the last of the file"},
		{"new behind the last of both", update("@@", "-w", " x", noNewline, "+y"), 7, `"+y"`, "line 5 is the last of the file"},
		{"long line", wrap(strings.Repeat("é", 200)), 2, `é"…`, `"*** Update File: PATH"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("Parse(%q) = %v, %v; want a syntax error", clip(test.text), got, err)
			}
			if syntax.Line != test.line || !strings.Contains(syntax.Found, test.found) || !strings.Contains(syntax.Want, test.want) {
				t.Errorf("Parse(%q): %v; want line %d, found %s, accepted %s", clip(test.text), err, test.line, test.found, test.want)
			}
			if !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d of the patch: found %s; accepted: %s", syntax.Line, syntax.Found, syntax.Want)) {
				t.Errorf("the message is %q", err)
			}
		})
	}
	for _, text := range []string{many(64), wrap("*** Add File: a", "+"+strings.Repeat("x", MaxBytes-len(wrap("*** Add File: a", "+"))))} {
		if _, err := Parse(text); err != nil {
			t.Errorf("Parse of a patch at the bound, %d bytes: %v", len(text), err)
		}
	}
}

func clip(s string) string { return s[:min(len(s), 300)] }

// What is accepted can be printed, and is then read as the same again.
func FuzzParse(f *testing.F) {
	f.Add(wrap("*** Add File: a b", "+x", "+", noNewline, "*** Delete File: c", "*** Update File: d", "*** Move to: e", "@@", " 1", "-2", "+3", "@@", "+4", endOfFile))
	f.Add(wrap("*** Update File: d", "@@", "-2\r", noNewline, "+3", noNewline))
	f.Add(strings.ReplaceAll(wrap("*** Update File: d", "@@", " ", "+x"), "\n", "\r\n"))
	f.Fuzz(func(t *testing.T, text string) {
		first, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Line > 1+strings.Count(text, "\n")+1 || syntax.Found == "" || syntax.Want == "" {
				t.Errorf("Parse(%q): %#v", text, err)
			}
			return
		}
		for _, c := range first {
			for _, h := range c.Hunks {
				if len(h.old()) == 0 && !h.End {
					t.Errorf("Parse(%q): a hunk without a place", text)
				}
			}
		}
		second, err := Parse(printed(first))
		if len(printed(first)) > MaxBytes {
			return
		}
		if err != nil {
			t.Fatalf("Parse(%q), printed as %q: %v", text, printed(first), err)
		}
		if d := cmp.Diff(first, second, cmpopts.IgnoreFields(Change{}, "Line"), cmpopts.IgnoreFields(Hunk{}, "Line"), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("Parse(%q), printed and parsed again (-before +after):\n%s", text, d)
		}
	})
}
