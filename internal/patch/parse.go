package patch

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File:"
	updateFile = "*** Update File:"
	deleteFile = "*** Delete File:"
	moveTo     = "*** Move to:"
	openHunk   = "@@"
	endOfFile  = "*** End of File"
	noNewline  = "*** No newline at end of file"
)

// What is accepted at the places of the grammar, for messages.
const (
	wantSection = `"` + addFile + ` PATH", "` + updateFile + ` PATH", "` + deleteFile + ` PATH" or "` + endPatch + `"`
	wantLine    = `a line that begins with a blank, "+" or "-"`
	wantInHunk  = wantLine + ` (one blank alone for an empty line that stays), "` + openHunk + `", "` + endOfFile + `", "` + noNewline + `", ` + wantSection
)

// SyntaxError says where a patch leaves the grammar.
type SyntaxError struct {
	Line  int    // from 1
	Found string // what stands there, in words
	Want  string // what is accepted there
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d of the patch: found %s; accepted: %s", e.Line, e.Found, e.Want)
}

// Parse reads a patch. Blank lines before and behind it do not count; nothing
// else may stand there. The error is a *SyntaxError.
func Parse(text string) ([]Change, error) {
	if len(text) > MaxBytes {
		return nil, &SyntaxError{1, fmt.Sprintf("a patch of %d bytes", len(text)), fmt.Sprintf("at most %d bytes; split it", MaxBytes)}
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return nil, &SyntaxError{1 + strings.Count(text[:at], "\n"), "a NUL byte", "text"}
	}
	p := &parser{lines: strings.Split(text, "\n"), named: map[string]int{}}
	p.skipBlank()
	if line, ok := p.peek(); ok && line == beginPatch+"\r" {
		for i := range p.lines {
			p.lines[i] = strings.TrimSuffix(p.lines[i], "\r")
		}
	}
	if !p.take(beginPatch) {
		return nil, p.unexpected(`"` + beginPatch + `"`)
	}
	var changes []Change
	for !p.take(endPatch) {
		c, err := p.section()
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	end := p.at
	if p.skipBlank(); p.at < len(p.lines) {
		return nil, p.unexpected(`nothing behind "` + endPatch + `"`)
	}
	if len(changes) == 0 {
		return nil, &SyntaxError{end, "a patch without any change", wantSection}
	}
	return changes, nil
}

// parser reads lines one by one.
type parser struct {
	lines []string
	at    int            // of the next line
	named map[string]int // the line of each path
}

func (p *parser) peek() (line string, ok bool) {
	if p.at == len(p.lines) {
		return "", false
	}
	return p.lines[p.at], true
}

// take goes past the next line if it is this one.
func (p *parser) take(want string) bool {
	line, ok := p.peek()
	if ok = ok && line == want; ok {
		p.at++
	}
	return ok
}

func (p *parser) skipBlank() {
	for p.at < len(p.lines) && strings.Trim(p.lines[p.at], " \t\r") == "" {
		p.at++
	}
}

// unexpected is the error for the next line.
func (p *parser) unexpected(want string) error {
	line, ok := p.peek()
	// A text that ends in a line end has no further line.
	atEnd := !ok || line == "" && p.at == len(p.lines)-1
	switch {
	case atEnd:
		return &SyntaxError{min(p.at+1, len(p.lines)), "the end of the text", want}
	case line == "":
		return &SyntaxError{p.at + 1, "an empty line", want}
	}
	return &SyntaxError{p.at + 1, quoted(line), want}
}

// before is an error about the line that was read last.
func (p *parser) before(found, want string) error { return &SyntaxError{p.at, found, want} }

func (p *parser) section() (Change, error) {
	c := Change{Line: p.at + 1}
	var err error
	line, _ := p.peek()
	switch {
	case strings.HasPrefix(line, addFile):
		c.Kind = Add
		if c.Path, err = p.path(addFile); err == nil {
			c.Content, err = p.content()
		}
	case strings.HasPrefix(line, updateFile):
		c.Kind = Update
		if c.Path, err = p.path(updateFile); err == nil {
			err = p.update(&c)
		}
	case strings.HasPrefix(line, deleteFile):
		c.Kind = Delete
		if c.Path, err = p.path(deleteFile); err == nil && !p.atSection() {
			err = p.unexpected("nothing more about a deleted file; " + wantSection)
		}
	default:
		err = p.unexpected(wantSection)
	}
	return c, err
}

// atSection reports whether the next line opens a section or ends the patch.
func (p *parser) atSection() bool {
	line, _ := p.peek()
	return line == endPatch || strings.HasPrefix(line, addFile) ||
		strings.HasPrefix(line, updateFile) || strings.HasPrefix(line, deleteFile)
}

// path reads the path behind a header.
func (p *parser) path(header string) (string, error) {
	line, _ := p.peek()
	p.at++
	name, ok := strings.CutPrefix(line[len(header):], " ")
	if !ok || name == "" || strings.TrimSpace(name) != name {
		return "", p.before(quoted(line), `"`+header+` PATH", with one blank before the path and none behind it`)
	}
	clean := path.Clean(name)
	if first, ok := p.named[clean]; ok {
		return "", p.before(fmt.Sprintf("%s, which line %d names already", quoted(name), first),
			"each path once; put all changes of a file into one section")
	}
	if len(p.named) == MaxTargets {
		return "", p.before(fmt.Sprintf("path number %d", MaxTargets+1), fmt.Sprintf("at most %d paths, of which a move has two; split the patch", MaxTargets))
	}
	p.named[clean] = p.at
	return name, nil
}

// content reads the lines of a new file.
func (p *parser) content() (string, error) {
	var b strings.Builder
	for {
		line, _ := p.peek()
		switch {
		case strings.HasPrefix(line, "+"):
			b.WriteString(line[1:] + "\n")
			p.at++
			continue
		case line == noNewline && b.Len() > 0:
			p.at++
			if !p.atSection() {
				return "", p.unexpected(`nothing more of a file whose last line has no line end; ` + wantSection)
			}
			return b.String()[:b.Len()-1], nil
		case p.atSection():
			return b.String(), nil
		}
		return "", p.unexpected(`a line of the new file that begins with "+", "` + noNewline + `" behind the last, ` + wantSection)
	}
}

// update reads what follows the header of an update.
func (p *parser) update(c *Change) (err error) {
	if line, _ := p.peek(); strings.HasPrefix(line, moveTo) {
		if c.MoveTo, err = p.path(moveTo); err != nil {
			return err
		}
	}
	for p.take(openHunk) {
		h, err := p.hunk()
		if err != nil {
			return err
		}
		c.Hunks = append(c.Hunks, h)
		if line, _ := p.peek(); h.End && !p.atSection() {
			if line == openHunk {
				return p.unexpected("no hunk behind one that ends with the file; " + wantSection)
			}
			return p.unexpected(wantSection)
		}
	}
	switch line, _ := p.peek(); {
	case p.atSection() && (len(c.Hunks) > 0 || c.MoveTo != ""):
		return nil
	case strings.HasPrefix(line, openHunk):
		return p.unexpected(`a bare "` + openHunk + `"; a hunk is placed by its lines, not by numbers or names`)
	case len(c.Hunks) > 0:
		return p.unexpected(wantInHunk)
	case c.MoveTo != "":
		return p.unexpected(`"` + openHunk + `", ` + wantSection)
	}
	return p.unexpected(`"` + moveTo + ` PATH" or "` + openHunk + `", as an update has hunks or a new path`)
}

// hunk reads the lines of a hunk.
func (p *parser) hunk() (Hunk, error) {
	h := Hunk{Line: p.at}
	changes, anchored := false, false
	var oldEnd, newEnd int // the lines of the patch that say that a side ended
	for {
		line, _ := p.peek()
		if line == "" || !strings.ContainsRune(" +-", rune(line[0])) {
			break
		}
		l := Line{Op: line[0], Text: line[1:]}
		if at := max(oldEnd, newEnd); l.Op == ' ' && at > 0 || l.Op == '-' && oldEnd > 0 || l.Op == '+' && newEnd > 0 {
			return h, p.unexpected(fmt.Sprintf("no such line, as line %d is the last of the file there; ", at) + wantSection)
		}
		p.at++
		if l.Bare = p.take(noNewline); l.Bare {
			h.End = true
			if l.old() {
				oldEnd = p.at - 1
			}
			if l.Op != '-' {
				newEnd = p.at - 1
			}
		}
		changes = changes || l.Op != ' '
		anchored = anchored || l.old()
		h.Lines = append(h.Lines, l)
	}
	if line, _ := p.peek(); line == noNewline && len(h.Lines) == 0 {
		return h, p.unexpected(wantLine)
	}
	if p.take(endOfFile) {
		h.End = true
	}
	switch {
	case len(h.Lines) == 0 && h.End:
		return h, p.before(`"`+endOfFile+`" in a hunk without lines`, wantLine)
	case len(h.Lines) == 0:
		return h, p.unexpected(wantLine)
	case !changes:
		return h, &SyntaxError{h.Line, "a hunk in which nothing changes", `a hunk with a line that begins with "+" or "-"`}
	case !anchored && !h.End:
		return h, &SyntaxError{h.Line, "a hunk that only adds lines and does not say where", `a line that stays or goes beside them, or "` + endOfFile + `" to add them at the end`}
	}
	return h, nil
}

// quoted shows a line in a message.
func quoted(line string) string {
	const most = 100
	if len(line) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		return strconv.Quote(line[:cut]) + "…"
	}
	return strconv.Quote(line)
}
