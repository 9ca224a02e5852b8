package builtins

import (
	"strconv"
	"strings"
	"testing"
)

// The cases from the field, each with variations: which bytes an edit changes,
// and what it says when it changes none. B-numbers are those of the list.
func TestEditBytes(t *testing.T) {
	const gbk = "\xc5\x5c" // a GBK character whose second byte is a backslash
	tests := []struct {
		name  string
		file  string
		edits []string
		want  string // empty: refused, and unchanged
		says  []string
	}{
		{name: "B01 mixed line ends", file: "a\r\nb\nc", edits: []string{"c", "C"}, want: "a\r\nb\nC"},
		{name: "B01 LF line between CRLF lines", file: "a\r\nb\nc\r\nd\r\n", edits: []string{"b\n", "B\n"}, want: "a\r\nB\nc\r\nd\r\n"},
		{name: "B01 CRLF line between LF lines", file: "a\nb\r\nc\n", edits: []string{"b\n", "B\n"}, want: "a\nB\r\nc\n"},
		{name: "B01 lone CR", file: "a\rb\r\nc\n", edits: []string{"c", "C", "a", "A"}, want: "A\rb\r\nC\n"},

		{name: "B02 many lines", file: "one\r\ntwo\r\nthree\r\n", edits: []string{"one\ntwo", "1\n2"}, want: "1\r\n2\r\nthree\r\n"},
		{name: "B02 more lines than before", file: "one\r\ntwo\r\n", edits: []string{"one\n", "1\n1.5\n\n"}, want: "1\r\n1.5\r\n\r\ntwo\r\n"},
		{name: "B02 CRLF given as such", file: "one\r\ntwo\r\n", edits: []string{"one\r\ntwo", "1\r\n2"}, want: "1\r\n2\r\n"},
		{name: "B02 LF at the start", file: "one\r\ntwo\r\n", edits: []string{"\ntwo", "\n2"}, want: "one\r\n2\r\n"},
		{name: "B02 only a line end", file: "one\r\ntwo", edits: []string{"\n", " "}, want: "one two"},
		{name: "B02 CRLF in an LF file", file: "one\ntwo\n", edits: []string{"one\r\ntwo", "1"}, says: []string{"not found", "line 1", "old_text has CRLF at its end where the file has LF"}},
		{name: "B02 no line end in old", file: "one\r\ntwo\r\n", edits: []string{"one", "1\nI"}, want: "1\nI\r\ntwo\r\n", says: []string{"[/edits/0/new_text: its line ends are LF"}},
		{name: "B02 CRLF in old, LF in new", file: "one\r\ntwo\r\n", edits: []string{"one\r\ntwo", "1\n2"}, want: "1\n2\r\n", says: []string{"[/edits/0/new_text: its line ends are LF, those around it CRLF; write LF in old_text too"}},
		{name: "B02 CRLF and LF in new", file: "one\r\ntwo\r\n", edits: []string{"one\r\ntwo", "1\r\n2\n3"}, want: "1\r\n2\n3\r\n", says: []string{"its line ends are LF"}},
		{name: "B02 both readings", file: "x\ny\nx\r\ny\r\n", edits: []string{"x\ny", "z"}, says: []string{"occurs 2 times (lines 1, 3)"}},

		{name: "B02 no uniform line end", file: "x\r\ny\nz\n", edits: []string{"x\ny\nz", "q"}, says: []string{"line 1", "old_text has LF at its end where the file has CRLF"}},

		{name: "B04 behind the mark", file: "\xef\xbb\xbfhello\n\xe4\xb8\xad\n", edits: []string{"hello", "hello2"}, want: "\xef\xbb\xbfhello2\n\xe4\xb8\xad\n"},
		{name: "B04 at the very start", file: "\xef\xbb\xbfhello2\n\xe4\xb8\xad\n", edits: []string{"hello2\n", "x\n"}, want: "\xef\xbb\xbfx\n\xe4\xb8\xad\n"},
		{name: "B04 the mark in old only", file: "\xef\xbb\xbfhello\n", edits: []string{"\ufeffhello", "bye"}, want: "\xef\xbb\xbfbye\n"},
		{name: "B04 the mark in both", file: "\xef\xbb\xbfhello\n", edits: []string{"\ufeffhello", "\ufeffbye"}, want: "\xef\xbb\xbfbye\n"},
		{name: "B04 the mark taken away", file: "\xef\xbb\xbfhello\n", edits: []string{"\ufeffhello", "hello"}, says: []string{"/edits/0/new_text", "nothing would change"}},

		{name: "B06 Windows-1252", file: numbers(998) + "brand\x99\n", edits: []string{"997\n998\n", "one\n2\n"}, want: numbers(996) + "one\n2\nbrand\x99\n"},
		{name: "B06 GBK", file: "/* " + gbk + " */\nx\n", edits: []string{"x", "y"}, want: "/* " + gbk + " */\ny\n"},
		{name: "B06 beside the byte", file: "brand\x99 x\n", edits: []string{" x", " y", "brand", "Brand"}, want: "Brand\x99 y\n"},
		{name: "B06 a letter put in", file: "brand\x99\n", edits: []string{"brand", "Märke"}, says: []string{"/edits/0/new_text", "'ä' (U+00E4)", "not UTF-8", "line 1", "0x99"}},
		{name: "B06 a letter in UTF-8", file: "é\n", edits: []string{"é", "è"}, want: "è\n"},

		{name: "B08 UTF-16LE", file: "\xff\xfea\x00", edits: []string{"a", "b"}, says: []string{"UTF-16LE", "iconv -f UTF-16 -t UTF-8"}},
		{name: "B08 UTF-16BE", file: "\xfe\xff\x00a", edits: []string{"a", "b"}, says: []string{"UTF-16BE", "iconv"}},
		{name: "B08 UTF-32BE", file: "\x00\x00\xfe\xff\x00\x00\x00a", edits: []string{"a", "b"}, says: []string{"UTF-32BE", "iconv -f UTF-32"}},
		{name: "B08 UTF-32LE", file: "\xff\xfe\x00\x00a\x00\x00\x00", edits: []string{"a", "b"}, says: []string{"UTF-32LE", "iconv -f UTF-32"}},
		{name: "B08 no mark", file: "a\x00b\x00c\x00", edits: []string{"a", "b"}, says: []string{"UTF-16LE text without a byte order mark"}},

		{name: "B08 a zero byte is no UTF-16", file: "q\x00w", edits: []string{"w", "e"}, want: "q\x00e"},
		{name: "B08 an odd number of bytes", file: "a\x00b\x00c\x00d", edits: []string{"d", "e"}, want: "a\x00b\x00c\x00e"},

		{name: "B09 $$", file: "price: P\n", edits: []string{"P", "$$100"}, want: "price: $$100\n"},
		{name: "B09 $&", file: "price: P\n", edits: []string{"P", "$&"}, want: "price: $&\n"},
		{name: "B09 $`", file: "price: P\n", edits: []string{"P", "$`"}, want: "price: $`\n"},
		{name: "B09 $'", file: "price: P\n", edits: []string{"P", "$'x"}, want: "price: $'x\n"},
		{name: "B09 Go and sed", file: "price: P\n", edits: []string{"P", `${1}\1&%s\0`}, want: `price: ${1}\1&%s\0` + "\n"},
		{name: "B09 pattern as old", file: "a.c abc\n", edits: []string{"a.c", "x"}, want: "x abc\n"},
		{name: "B09 sign as old", file: "a$b\n", edits: []string{"$", "^"}, want: "a^b\n"},

		{name: "B11 backslash n stays two", file: "x\n", edits: []string{"x", `"a\nb"`}, want: `"a\nb"` + "\n"},
		{name: "B11 backslash n as old", file: `f("a\nb")`, edits: []string{`a\nb`, `c\td`}, want: `f("c\td")`},
		{name: "B11 backslash n for a line end", file: "a\nb\n", edits: []string{`a\nb`, "x"}, says: []string{"not found"}},
		{name: "B11 line end for backslash n", file: `a\nb`, edits: []string{"a\nb", "x"}, says: []string{"not found"}},

		{name: "B13 overlapping lines", file: "foo\nfoo\nfoo\n", edits: []string{"foo\nfoo\n", "X"}, says: []string{"/edits/0/old_text: occurs 2 times (lines 1, 2)"}},
		{name: "B13 overlapping letters", file: "aaa", edits: []string{"aa", "b"}, says: []string{"occurs 2 times (lines 1, 1)"}},
		{name: "B13 overlapping in CRLF", file: "foo\r\nfoo\r\nfoo\r\n", edits: []string{"foo\nfoo\n", "X"}, says: []string{"occurs 2 times (lines 1, 2)"}},
		{name: "B13 many", file: strings.Repeat("ab\n", 1500), edits: []string{"b", "X"}, says: []string{"occurs more than 1000 times (lines 1, 2, 3, 4, 5, …)"}},

		{name: "B14 one blank", file: "x — y\u00a0z  \nﬁn\nfoo bar\n", edits: []string{"foo  bar", "q"}, says: []string{"nearest is line 3", "2 blanks before \"bar\" where the file has 1 blank"}},
		{name: "B14 NBSP", file: "foo\u00a0bar\n", edits: []string{"foo bar", "q"}, says: []string{"line 1", "1 blank before \"bar\"", "NBSP (U+00A0)"}},
		{name: "B14 dash", file: "a\nfoo — bar\n", edits: []string{"foo - bar", "q"}, says: []string{"line 2", "(hyphen, U+002D)", "(em dash, U+2014)"}},
		{name: "B14 quotes", file: "say “hi”\n", edits: []string{`say "hi"`, "q"}, says: []string{"(straight quote, U+0022)", "(left double quote, U+201C)"}},
		{name: "B14 one letter in two spellings", file: "caf\u00e9\n", edits: []string{"cafe\u0301", "q"}, says: []string{"(U+0065 U+0301) where the file has \"\u00e9\" (U+00E9), which looks the same"}},
		{name: "B14 the other way round", file: "cafe\u0301s\n", edits: []string{"caf\u00e9s", "q"}, says: []string{"(U+00E9) where the file has \"e\u0301\" (U+0065 U+0301)"}},
		{name: "B14 case", file: "func Foo() {\n", edits: []string{"func foo()", "q"}, says: []string{"'f' (U+0066) where the file has 'F' (U+0046)"}},
		{name: "B14 trailing blanks", file: "if x {  \n\ty\n}\n", edits: []string{"if x {\n\ty", "q"}, says: []string{"line 1", "no blank at the end of the line where the file has 2 blanks at the end of the line"}},
		{name: "B14 ligature", file: "ﬁn\n", edits: []string{"fin", "q"}, says: []string{"line 1", "ﬁ"}},
		{name: "B14 a byte", file: "brand\x99 x\n", edits: []string{"brand\ufffd x", "q"}, says: []string{"the byte 0x99, which is not UTF-8"}},
		{name: "B14 a typo", file: "one\nreturn value, nil\n", edits: []string{"return vlaue, nil", "q"}, says: []string{"nearest is line 2", `goes on with "laue, nil" where the file has "alue, nil"`}},
		{name: "B14 second line", file: "alpha\nbeta\ngamma\n", edits: []string{"alpha\nbetta\ngamma", "q"}, says: []string{"nearest is line 2", `"beta"`}},
		{name: "B14 nothing like it", file: "alpha\n", edits: []string{"zzzzzzzz", "q"}, says: []string{"no line resembles it"}},
		{name: "B14 past the end", file: "alpha\nbeta\n", edits: []string{"beta\ngamma", "q"}, says: []string{"the file ends with line 1 of old_text", `"gamma"`}},
		{name: "B14 empty file", file: "", edits: []string{"a", "q"}, says: []string{"no line resembles it"}},

		{name: "B15 tabs", file: "\tif x {\n\t\ty()\n\t}\n", edits: []string{"    if x {\n        y()\n", "q"}, says: []string{"line 1", `4 blanks before "if" where the file has 1 tab`}},
		{name: "B15 tabs as they are", file: "\tif x {\n\t\ty()\n\t}\n", edits: []string{"\tif x {\n\t\ty()\n", "\tif x {\n\t\tz()\n"}, want: "\tif x {\n\t\tz()\n\t}\n"},
		{name: "B15 tabs within", file: "a\tb\n", edits: []string{"a b", "q"}, says: []string{"1 tab"}},
		{name: "B15 second line", file: "x:\n\ty: 1\n", edits: []string{"x:\n  y: 1", "q"}, says: []string{"nearest is line 2", "2 blanks", "1 tab"}},

		{name: "B16 empty old", file: "abc", edits: []string{"", "X"}, says: []string{"/edits/0/old_text: empty", "write"}},
		{name: "B16 empty old and file", file: "", edits: []string{"", "X"}, says: []string{"/edits/0/old_text: empty"}},
		{name: "B16 second of three", file: "abc", edits: []string{"a", "1", "", "X", "c", "3"}, says: []string{"/edits/1/old_text: empty"}},
		{name: "B16 equal", file: "abc", edits: []string{"a", "a", "", ""}, says: []string{"/edits/0/old_text: equal", "/edits/1/old_text: empty"}},

		{name: "B17 shared line", file: "A\nB\nC\n", edits: []string{"A\nB", "A\nb", "B\nC", "B\nc"}, says: []string{"/edits/1/old_text: overlaps /edits/0/old_text at line 2"}},
		{name: "B17 made by the first", file: "one\n", edits: []string{"one", "two", "two", "three"}, says: []string{"/edits/1/old_text: not found"}},
		{name: "B17 touching", file: "aabb", edits: []string{"aa", "1", "bb", "2"}, want: "12"},
		{name: "B17 in any order", file: "abcdef", edits: []string{"f", "6", "a", "1", "cd", "34"}, want: "1b34e6"},
		{name: "B17 the same twice", file: "abc", edits: []string{"b", "1", "b", "2"}, says: []string{"/edits/1/old_text: overlaps /edits/0/old_text"}},
		{name: "B17 one within another", file: "abcdef", edits: []string{"c", "1", "abcde", "2", "d", "3"}, says: []string{"/edits/1/old_text: overlaps /edits/0/", "/edits/2/old_text: overlaps /edits/1/"}},
		{name: "B17 all faults together", file: "x\ny\ny\n", edits: []string{"q", "1", "x", "2", "y", "3"}, says: []string{"/edits/0/old_text: not found", "/edits/2/old_text: occurs 2 times (lines 2, 3)"}},

		{name: "B18 no line end", file: "a\nb", edits: []string{"b", "c"}, want: "a\nc", says: []string{"\\ No newline at end of file"}},
		{name: "B18 last line with its end", file: "a\nb\n", edits: []string{"b\n", "c\n"}, want: "a\nc\n"},
		{name: "B18 last line emptied", file: "a\nb\n", edits: []string{"b", ""}, want: "a\n\n"},
		{name: "B18 line end taken away", file: "a\nb\n", edits: []string{"b\n", "b"}, want: "a\nb", says: []string{"\\ No newline"}},
		{name: "B18 everything", file: "a", edits: []string{"a", ""}, want: "\x00empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.put("f", test.file)
			text, res := b.edit("f", test.edits...)
			want := test.want
			switch {
			case want == "" && !res.IsError():
				t.Errorf("edit %q of %q succeeds, want a refusal", test.edits, test.file)
			case want == "":
				want = test.file
				if o := outcome(res); o != "precondition" && o != "invalid_arguments" {
					t.Errorf("edit %q is %s, want a refusal before anything was done", test.edits, o)
				}
				if strings.Contains(text, "partially applied") {
					t.Errorf("edit %q says %q of an untouched file", test.edits, text)
				}
			case res.IsError():
				t.Errorf("edit %q of %q fails: %s", test.edits, test.file, text)
			}
			if want == "\x00empty" {
				want = ""
			}
			b.holds("f", want)
			for _, says := range test.says {
				if !strings.Contains(text, says) {
					t.Errorf("edit %q answers\n%s\nwant %q in it", test.edits, text, says)
				}
			}
			// The diff of a short file shows its last line, before and after.
			whole := !res.IsError() && strings.Count(test.file, "\n") < 4
			missing := !strings.HasSuffix(test.file, "\n") || !strings.HasSuffix(want, "\n")
			if got := strings.Contains(text, "No newline at end"); whole && got != missing {
				t.Errorf("edit %q of %q answers\n%s\nwant the missing line end told just where it is true", test.edits, test.file, text)
			}
		})
	}
}

// numbers is what seq prints.
func numbers(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(strconv.Itoa(i) + "\n")
	}
	return b.String()
}
