package builtins

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// applyDiff applies a unified diff, as patch does.
func applyDiff(before, diff string) (string, error) {
	old := strings.SplitAfter(before, "\n")
	var out strings.Builder
	at, last := 0, ""
	lines := strings.SplitAfter(diff, "\n")
	for n, line := range lines {
		switch {
		case n < 2 || line == "":
		case line[0] == '@':
			out.WriteString(last)
			last = ""
			var from, to int
			count := 1
			f := strings.Fields(line)
			if _, err := fmt.Sscanf(f[1], "-%d,%d", &from, &count); err != nil && count != 1 {
				return "", err
			}
			if _, err := fmt.Sscanf(f[2], "+%d", &to); err != nil {
				return "", err
			}
			if count == 0 {
				from++
			}
			for ; at < from-1; at++ {
				out.WriteString(old[at])
			}
			if written := strings.Count(out.String(), "\n") + 1; to != 0 && to != written {
				return "", fmt.Errorf("hunk %q begins at line %d of the new text", line, written)
			}
		case line[0] == '\\':
			if !strings.HasPrefix(lines[n-1], "-") {
				last = strings.TrimSuffix(last, "\n")
			}
		default:
			if line[0] != '+' {
				if have := strings.TrimSuffix(old[at], "\n"); have != strings.TrimSuffix(line[1:], "\n") {
					return "", fmt.Errorf("line %d is %q, the diff has %q", at+1, have, line)
				}
				at++
			}
			if line[0] != '-' {
				out.WriteString(last)
				last = line[1:]
			}
		}
	}
	out.WriteString(last)
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.String(), nil
}

// The diff of an edit leads from the old text to the new one, wherever in
// a file and however near each other the edits are.
func TestDiffApplies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		content := numbers(60)
		if random.IntN(2) == 0 {
			content = strings.TrimSuffix(content, "\n")
		}
		var edits []replacement
		for line := 1 + random.IntN(4); line < 60; line += 1 + random.IntN(30) {
			old := fmt.Sprintf("\n%d\n", line)
			edits = append(edits, replacement{old, []string{"\n", old + "new\n", "\nnew\n", "new", "\n\n\n\n\n\n\n\n\n\n"}[random.IntN(5)]})
		}
		plan, err := planEdits(t.Context(), []byte(content), edits)
		if err != nil {
			continue // the first line has no line end before it, and neighbours overlap
		}
		var want strings.Builder
		if err := plan.writeTo(&want); err != nil {
			t.Fatal(err)
		}
		d := plan.diff("f")
		if got, err := applyDiff(content, d.text); err != nil || got != want.String() {
			t.Fatalf("the diff of %q gives %q, %v; want %q\n%s", edits, got, err, want.String(), d.text)
		}
		if diff := strings.Count(want.String(), "\n") - strings.Count(content, "\n"); d.added-d.removed != diff {
			t.Errorf("the diff of %q counts %d lines added and %d removed, want a difference of %d", edits, d.added, d.removed, diff)
		}
		if context := strings.Count(d.text, "\n "); context > 6*len(edits)+6*len(edits) {
			t.Errorf("the diff of %d edits has %d lines of context", len(edits), context)
		}
	}
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name, file string
		edits      []string
		want       string
	}{
		{"three lines of context", numbers(20), []string{"10\n", "ten\n"}, "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"},
		{"one hunk for near edits", numbers(20), []string{"5\n6\n", "five\n6\n", "12\n", ""}, "@@ -2,14 +2,13 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n 13\n 14\n 15\n"},
		{"two for far ones", numbers(30), []string{"5\n6\n", "5\n5.5\n6\n", "22\n", "!\n"}, "@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+5.5\n 6\n 7\n 8\n@@ -19,7 +20,7 @@\n 19\n 20\n 21\n-22\n+!\n 23\n 24\n 25\n"},
		{"no line end", "a\nb", []string{"b", "c"}, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"a line end put there", "a\nb", []string{"b", "b\n"}, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"all taken away", "a\n", []string{"a\n", ""}, "@@ -1 +0,0 @@\n-a\n"},
		{"only a part of the match differs", "a\nb\nc\n", []string{"a\nb\nc", "a\nB\nc"}, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
	}
	for _, test := range tests {
		p, err := planEdits(t.Context(), []byte(test.file), editArgs("f", test.edits...).Edits)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got, want := p.diff("f").text, "--- f\n+++ f\n"+test.want; got != want {
			t.Errorf("%s: the diff of %q is\n%s\nwant\n%s", test.name, test.edits, got, want)
		}
	}
}

// A line without end does not make the answer as long as itself.
func TestDiffOfLongLines(t *testing.T) {
	long := "x" + strings.Repeat("ä", 1<<20) + "y" // cut in two at either end
	content := long + "HERE" + long + "THERE" + long
	p, err := planEdits(t.Context(), []byte(content), []replacement{{"yHERE", "yhere"}, {"THERE", "there"}})
	if err != nil {
		t.Fatal(err)
	}
	d := p.diff("f")
	if len(d.text) > 10_000 || !d.cut || !strings.Contains(d.text, "yTHEREx") || !strings.Contains(d.text, "ytherex") {
		t.Errorf("the diff has %d bytes, cut %v:\n%s", len(d.text), d.cut, short(d.text))
	}
	if strings.ContainsRune(d.text, '\ufffd') || strings.ToValidUTF8(d.text, "?") != d.text {
		t.Errorf("the diff cuts a character in two")
	}
}
