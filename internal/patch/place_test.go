package patch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// applied is what a patch of one update makes of a content.
func applied(t testing.TB, text, content string) (string, error) {
	t.Helper()
	changes, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	edits, err := changes[0].Edits(context.Background(), []byte(content))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start {
			t.Fatalf("edits %v of %q overlap", edits, content)
		}
		b.WriteString(content[at:e.Start] + string(e.Text))
		at = e.End
	}
	return b.String() + content[at:], nil
}

func TestEdits(t *testing.T) {
	const bom = byteOrderMark
	tests := []struct {
		name, file string
		hunks      []string
		want       string // or, with a blank before it, a piece of the error
	}{
		{"one line", "a\nb\nc\n", []string{"@@", " a", "-b", "+B"}, "a\nB\nc\n"},
		{"two hunks", "a\nb\nc\nd\n", []string{"@@", "-a", "@@", " c", "+x"}, "b\nc\nx\nd\n"},
		{"hunks that touch", "a\nb\n", []string{"@@", "-a", "+A", "@@", "-b", "+B"}, "A\nB\n"},
		{"all of it", "a\n", []string{"@@", "-a"}, ""},
		{"empty line", "a\n\nb\n", []string{"@@", "-"}, "a\nb\n"},
		{"behind the cursor only", "x\ny\nx\n", []string{"@@", " x", "-y", "@@", "-x"}, "x\n"},
		{"the same again, told by its neighbour", "x\ny\nx\nz\n", []string{"@@", "-x", " z"}, "x\ny\nz\n"},
		{"at the end", "x\ny\nx\n", []string{"@@", "-x", "+X", endOfFile}, "x\ny\nX\n"},
		{"added at the end", "x\n", []string{"@@", "+y", endOfFile}, "x\ny\n"},
		{"added to nothing", "", []string{"@@", "+y", endOfFile}, "y\n"},
		{"added to nothing, bare", "", []string{"@@", "+y", noNewline}, "y"},

		{"ambiguous", "x\ny\nx\n", []string{"@@", "-x"}, " fits at several places (lines 1, 3); take more"},
		{"ambiguous, overlapping", "x\nx\nx\n", []string{"@@", "-x", " x"}, " (lines 1, 2)"},
		{"very ambiguous", strings.Repeat("x\n", 9), []string{"@@", "-x"}, " (lines 1, 2, 3, 4, 5, …)"},
		{"nowhere", "a\n", []string{"@@", "-b"}, " the hunk at line 3 of the patch fits nowhere"},
		{"not a whole line", "ab\n", []string{"@@", "-b"}, " fits nowhere"},
		{"not to the end of a line", "ab\nc\n", []string{"@@", "-a"}, " fits nowhere"},
		{"blanks count", "a \n", []string{"@@", "-a"}, " fits nowhere"},
		{"before the cursor", "a\nb\nc\n", []string{"@@", "-b", "@@", "-a"}, " fits at line 1, but that is before the end of the hunk before it"},
		{"not at the end", "a\nb\n", []string{"@@", "-a", endOfFile}, " does not fit at the end of the file"},
		{"more than there is", "a\n", []string{"@@", "-a", "-b"}, " fits nowhere"},
		{"no change", "a\n", []string{"@@", "-a", "+a"}, " nothing would change"},

		{"CRLF", "a\r\nb\r\n", []string{"@@", " a", "-b", "+B", "+C"}, "a\r\nB\r\nC\r\n"},
		{"CRLF before the first", "a\r\nb\r\n", []string{"@@", "+z", " a"}, "z\r\na\r\nb\r\n"},
		{"mixed line ends", "a\r\nb\nc\r\n", []string{"@@", " a", "-b", "+B", "+C", " c", "+d"}, "a\r\nB\nC\nc\r\nd\r\n"},
		{"CRLF said", "a\r\nb\r\n", []string{"@@", " a\r", "-b\r", "+B"}, "a\r\nB\n"},
		{"CRLF said in part", "a\r\nb\r\n", []string{"@@", " a\r", "-b", "+B"}, " fits nowhere"},
		{"CRLF put into LF", "a\nb\n", []string{"@@", "-a", "+a\r"}, "a\r\nb\n"},
		{"LF and CRLF are alike", "a\nb\na\r\n", []string{"@@", "-a"}, " (lines 1, 3)"},
		{"lone CR", "a\rb\n", []string{"@@", "-a\rb", "+c\rd"}, "c\rd\n"},

		{"no line end stays so", "a\nb", []string{"@@", "-b", "+c"}, "a\nc"},
		{"no line end, line behind", "a", []string{"@@", " a", "+b"}, "a\nb"},
		{"no line end, line at the end", "a", []string{"@@", "+b", "+c", endOfFile}, "a\nb\nc"},
		{"no line end, CRLF", "a\r\nb", []string{"@@", " b", "+c"}, "a\r\nb\r\nc"},
		{"no line end, last goes", "a\nb", []string{"@@", "-b"}, "a\n"},
		{"line end put in", "a", []string{"@@", "-a", noNewline, "+a"}, "a\n"},
		{"line end taken", "a\n", []string{"@@", "-a", "+a", noNewline}, "a"},
		{"line end taken and a line added", "a\n", []string{"@@", " a", "+b", noNewline}, "a\nb"},
		{"both bare", "a\nb", []string{"@@", " a", "-b", noNewline, "+c", noNewline}, "a\nc"},
		{"bare context", "a\nb", []string{"@@", "-a", " b", noNewline}, "b"},
		{"new before old", "a\nb", []string{"@@", "+c", "-b"}, "a\nc"},
		{"bare, and it is not", "a\n", []string{"@@", "-a", noNewline, "+b"}, " does not fit at the end"},

		{"mark stays", bom + "a\nb\n", []string{"@@", "-a", "+x"}, bom + "x\nb\n"},
		{"mark said", bom + "a\nb\n", []string{"@@", "-" + bom + "a", "+" + bom + "x"}, bom + "x\nb\n"},
		{"mark and a line before", bom + "a\n", []string{"@@", "+x", " a"}, bom + "x\na\n"},
		{"mark alone", bom, []string{"@@", "+x", endOfFile}, bom + "x\n"},

		{"bytes that are no text", "\x99\na\n\xff", []string{"@@", "-a", "+b"}, "\x99\nb\n\xff"},
		{"taken literally", "$1\n", []string{"@@", "-$1", `+${1}\1$&\n`}, `${1}\1$&\n` + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := wrap(append([]string{"*** Update File: f"}, test.hunks...)...)
			got, err := applied(t, text, test.file)
			if piece, refused := strings.CutPrefix(test.want, " "); refused {
				if err == nil || !strings.Contains(err.Error(), piece) {
					t.Errorf("%q of %q = %q, %v; want the error %q", test.hunks, test.file, got, err, piece)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("%q of %q = %q, %v; want %q", test.hunks, test.file, got, err, test.want)
			}
		})
	}
}

// Hunks that resemble everything end in an error, soon; so does a cancelled call.
func TestEditsEnd(t *testing.T) {
	lines := append([]string{"*** Update File: f", "@@"}, strings.Split(strings.Repeat("-a\n", 100_000)+"-b", "\n")...)
	start := time.Now()
	_, err := applied(t, wrap(lines...), strings.Repeat("a\n", 1<<20))
	if took := time.Since(start); !errors.Is(err, ErrTooLong) || took > 20*time.Second {
		t.Errorf("a hunk like everything: %v after %v, want %v", err, took, ErrTooLong)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Change{Kind: Update, Hunks: []Hunk{{Lines: []Line{{Op: '-', Text: "b"}}}}}
	if _, err := c.Edits(ctx, []byte("b\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("Edits with a cancelled context: %v, want %v", err, context.Canceled)
	}
}
