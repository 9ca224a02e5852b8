package panel

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxTextRows is how many rows of a table the text form shows.
const maxTextRows = 50

// table writes the columns side by side, as wide as the widest text in them.
// When some row has a status, a column of glyphs comes first; refs come last.
func (t *textForm) table(b map[string]any) {
	columns, _ := b["columns"].([]any)
	rows, _ := b["rows"].([]any)
	shown := rows[:min(len(rows), maxTextRows)]

	lines := make([][]string, 0, len(shown)+1)
	lines = append(lines, headings(columns))
	marked := false
	for _, row := range shown {
		marked = marked || textOf(row, "status") != ""
		lines = append(lines, rowCells(row, columns))
	}
	widths := make([]int, len(columns))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, cells := range lines {
		var padded []string
		if marked {
			padded = append(padded, mark(shown, n-1))
		}
		for i, cell := range cells {
			padded = append(padded, pad(cell, widths[i], textOf(columns[i], "align")))
		}
		if n > 0 {
			padded = append(padded, place(shown[n-1]))
		}
		t.WriteString(strings.TrimRight(strings.Join(padded, "  "), " ") + "\n")
	}
	if more := len(rows) - len(shown); more > 0 {
		t.line(fmt.Sprintf("… %d more rows", more))
	}
}

func headings(columns []any) []string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = oneLine(cmp.Or(textOf(c, "label"), textOf(c, "id")))
	}
	return texts
}

func rowCells(row any, columns []any) []string {
	fields, _ := row.(map[string]any)
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = oneLine(textOf(fields["cells"], textOf(c, "id")))
	}
	return texts
}

// mark is the glyph of a row, blanks for the heading and a row without status.
func mark(rows []any, at int) string {
	if at < 0 || textOf(rows[at], "status") == "" {
		return "   "
	}
	return glyph(rows[at])
}

func pad(s string, width int, align string) string {
	space := width - utf8.RuneCountInString(s)
	left := 0
	switch align {
	case "end":
		left = space
	case "center":
		left = space / 2
	}
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", space-left)
}
