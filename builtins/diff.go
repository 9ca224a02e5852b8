package builtins

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

const (
	// contextLines is how many unchanged lines a hunk shows on each side.
	contextLines = 3
	// maxShown is how many bytes are shown of each end of a long unchanged
	// piece of a line.
	maxShown = 500
	// maxWholeDiff bounds the texts that are compared as wholes, in bytes.
	maxWholeDiff = 256 << 10
	// maxPreview bounds the diff of whole texts, in bytes.
	maxPreview = 64 << 10
)

// diff is a unified diff with its counts.
type diff struct {
	text           string
	added, removed int  // lines
	cut            bool // some lines are shown in part
}

// diff compares only the lines around the splices: its cost follows the edits,
// not the file, but for counting lines.
func (p plan) diff(path string) diff {
	var d diff
	var b strings.Builder
	label := visibleName(path)
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", label, label)
	line, counted, shift, shown := 1, 0, 0, 0
	for i := 0; i < len(p.splices); {
		start := lineStart(p.content, shown, p.splices[i].start, contextLines)
		n := 1
		for i+n < len(p.splices) && p.joined(i+n) {
			n++
		}
		end := lineEnd(p.content, p.splices[i+n-1].end, contextLines)
		line += bytes.Count(p.content[counted:start], []byte("\n"))
		counted, shown = start, end

		before, after := p.window(start, end, p.splices[i:i+n], &d.cut)
		edits := udiff.Lines(before, after)
		for _, e := range edits {
			d.removed += lineCount(before[e.Start:e.End])
			d.added += lineCount(e.New)
		}
		writeHunks(&b, before, edits, line-1, line-1+shift)
		shift += strings.Count(after, "\n") - strings.Count(before, "\n")
		i += n
	}
	d.text = b.String()
	return d
}

// joined reports whether splice i is so near the one before it that one hunk
// may show both.
func (p plan) joined(i int) bool {
	return p.splices[i].start <= lineEnd(p.content, p.splices[i-1].end, 2*contextLines+1)
}

// window is content[start:end] before and after the splices within it, with
// long unchanged pieces cut.
func (p plan) window(start, end int, splices []splice, cut *bool) (before, after string) {
	var old, text strings.Builder
	both := func(common []byte) {
		for line := range bytes.Lines(common) {
			if len(line) > 2*maxShown+100 {
				*cut = true
				line = shorten(line)
			}
			old.Write(line)
			text.Write(line)
		}
	}
	for _, s := range splices {
		both(p.content[start:s.start])
		old.Write(p.content[s.start:s.end])
		text.Write(s.text)
		start = s.end
	}
	both(p.content[start:end])
	return old.String(), text.String()
}

// shorten leaves out the middle of a piece of a line.
func shorten(line []byte) []byte {
	head, tail := maxShown, len(line)-maxShown
	for head > 0 && !utf8.RuneStart(line[head]) {
		head--
	}
	for tail < len(line)-1 && !utf8.RuneStart(line[tail]) {
		tail++
	}
	return fmt.Appendf(nil, "%s[… %d bytes …]%s", line[:head], tail-head, line[tail:])
}

// writeHunks writes the hunks of a window whose lines stand behind so many
// lines of the old file and of the new one.
func writeHunks(b *strings.Builder, before string, edits []udiff.Edit, oldLines, newLines int) {
	text, err := udiff.ToUnified("", "", before, edits, contextLines)
	if err != nil {
		panic("builtins: the diff library disagrees with itself: " + err.Error())
	}
	n := 0
	for line := range strings.Lines(text) {
		if n++; n <= 2 {
			continue // the names of the files
		}
		// Every other line begins with a blank, a sign or a backslash.
		if f := strings.Fields(line); strings.HasPrefix(line, "@@") {
			line = fmt.Sprintf("@@ %s %s @@\n", renumber(f[1], oldLines), renumber(f[2], newLines))
		}
		b.WriteString(line)
	}
}

// renumber moves the first number of -line,count.
func renumber(span string, by int) string {
	number, count, counted := strings.Cut(span[1:], ",")
	n, err := strconv.Atoi(number)
	if err != nil || n == 0 {
		return span
	}
	if counted {
		count = "," + count
	}
	return span[:1] + strconv.Itoa(n+by) + count
}

// wholeDiff compares two texts, and says so where that would be too much.
func wholeDiff(path string, before []byte, after string) string {
	if len(before) > maxWholeDiff || len(after) > maxWholeDiff {
		return fmt.Sprintf("[no diff: a text is larger than %d bytes]", maxWholeDiff)
	}
	label := visibleName(path)
	text := udiff.Unified(label, label, string(before), after)
	if len(text) > maxPreview {
		cut := strings.LastIndexByte(text[:maxPreview], '\n') + 1
		text = fmt.Sprintf("%s[%d more bytes of diff]", text[:cut], len(text)-cut)
	}
	return text
}

// lineStart is where the line of at begins, or the one so many lines before
// it; never before from, which is a start of a line.
func lineStart(content []byte, from, at, before int) int {
	for ; ; before-- {
		at = from + bytes.LastIndexByte(content[from:at], '\n') + 1
		if before == 0 || at == from {
			return at
		}
		at--
	}
}

// lineEnd is where the line of at ends, or the one so many lines behind it.
func lineEnd(content []byte, at, behind int) int {
	for ; behind >= 0; behind-- {
		next := bytes.IndexByte(content[at:], '\n')
		if next < 0 {
			return len(content)
		}
		at += next + 1
	}
	return at
}
