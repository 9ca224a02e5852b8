// Package patch reads patches in the envelope that models write and finds where
// they belong in the texts of files.
//
//	*** Begin Patch
//	*** Add File: path
//	+a line of the new file
//	*** Update File: path
//	*** Move to: other path
//	@@
//	 a line that stays
//	-a line that goes
//	+a line that comes
//	*** End of File
//	*** Delete File: path
//	*** End Patch
//
// A hunk has no line numbers: its place is where its old lines, those that stay
// and those that go, stand exactly once at or behind the end of the hunk before
// it. "*** End of File" holds it to the end. "*** No newline at end of file"
// behind a line says that this line has no line end; without it the end of the
// file stays as it is.
//
// Line ends: in a hunk where no line ends in CR, a line stands for itself
// whichever line end it has in the file, and a new line takes the line end of
// its neighbour. A hunk with a CR at the end of any line is taken as it is. In a
// patch whose first line ends in CRLF that is the line end of the patch itself.
// A byte order mark at the start of a file is not part of its first line.
//
// The package sees text only: it opens no file and knows no folder.
package patch

const (
	// MaxBytes bounds the text of a patch.
	MaxBytes = 1 << 20
	// MaxTargets bounds the paths that a patch names. A move names two.
	MaxTargets = 64
	// MaxSource bounds the files that a patch changes, each.
	MaxSource = 16 << 20
)

// Kind is what a section of a patch does with its file.
type Kind string

// The kinds of sections. A move is an update with a new path.
const (
	Add    Kind = "add"
	Update Kind = "update"
	Delete Kind = "delete"
)

// Change is one section of a patch. Every path of a patch occurs once.
type Change struct {
	Kind    Kind
	Path    string
	MoveTo  string // of an update, the new path; empty: it stays where it is
	Content string // of an added file
	Hunks   []Hunk // of an update, in the order of the file; none only with MoveTo
	Line    int    // of the section in the patch, from 1
}

// Hunk is a run of lines with changes among them. It has an old line or End.
type Hunk struct {
	Lines []Line
	End   bool // it ends where the file ends
	Line  int  // of the hunk in the patch, from 1
}

// Line is one line of a hunk.
type Line struct {
	Op   byte   // ' ' stays, '-' goes, '+' comes
	Text string // without LF; a CR before it is part of the text
	Bare bool   // it has no line end: it is the last of the file
}

// old reports whether the line stands in the file before the patch.
func (l Line) old() bool { return l.Op != '+' }

// Counts are the lines that the hunks of c add and remove.
func (c Change) Counts() (added, removed int) {
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}
