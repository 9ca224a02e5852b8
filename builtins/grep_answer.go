package builtins

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"raw/internal/grepengine"
	"raw/internal/walk"
)

// grepAnswer is the text of a search.
func (t *tree) grepAnswer(g *grepRun, skipped walk.Skipped, budget int) string {
	files, totals := g.merged()
	skipped.Unreadable.Join(totals.unreadable)
	skipped.Links.Join(totals.links)
	var more []string
	for _, kind := range []struct {
		tally walk.Tally
		what  string
	}{
		{totals.denied, "kept back by rules"},
		{totals.binary, "binary"},
		{totals.special, "no regular " + plural(totals.special.N, "file", "files")},
		{totals.tooLong, fmt.Sprintf("from a line over %d MiB on", grepengine.MaxLine>>20)},
	} {
		if kind.tally.N > 0 {
			more = append(more, fmt.Sprintf("%d %s (%s)", kind.tally.N, kind.what, t.examples(kind.tally)))
		}
	}
	notices := []string{t.coveredNotice(), t.skippedNotice(skipped, more...)}
	if totals.matches == 0 {
		return withNotices("", append([]string{t.nothing(g, totals)}, notices...)...)
	}

	page := t.page(g, files)
	notices = append(page.notices(), notices...)
	reserved := utf8.RuneCountInString(withNotices(t.cutNotice(g, totals, totals.matching, page), notices...)) + 30
	text, shown := fitted(page.lines, budget, reserved)
	if cut := t.cutNotice(g, totals, shown, page); cut != "" {
		notices = append([]string{cut}, notices...)
	}
	return strings.TrimSuffix(withNotices(text, notices...), "\n")
}

// nothing says what was searched in vain.
func (t *tree) nothing(g *grepRun, totals grepTotals) string {
	if g.single {
		if totals.searched == 0 {
			return fmt.Sprintf("[%s was not searched]", t.name())
		}
		return fmt.Sprintf("[no line of %s matches %s]", t.name(), visibleName(g.in.Pattern))
	}
	text := fmt.Sprintf("[no line matches %s in %d %s below %s", visibleName(g.in.Pattern), totals.searched, plural(totals.searched, "file", "files"), t.name())
	if g.in.Include != "" {
		text += " that match " + visibleName(g.in.Include)
	}
	return text + "]"
}

// grepPage is what an answer may show.
type grepPage struct {
	lines   []string
	matches []int   // how many matching lines there are up to each line
	last    []int64 // the number of each line
	dropped bool    // there are lines behind these
	cut     bool    // a line was cut
	bad     bool    // a line is not UTF-8
	escaped bool    // a name was
}

func (t *tree) page(g *grepRun, files []fileMatches) *grepPage {
	p := &grepPage{}
	for _, f := range files {
		name := t.show(f.path)
		p.escaped = p.escaped || visibleName(f.path) != f.path
		switch g.in.Mode {
		case modeFiles:
			p.add(name, 1, 0)
		case modeCount:
			p.add(fmt.Sprintf("%s:%d", name, f.count), 1, 0)
		default:
			p.file(name, f.lines, g.in.Context > 0)
		}
	}
	return p
}

func (p *grepPage) add(line string, matches int, number int64) {
	if n := len(p.matches); n > 0 {
		matches += p.matches[n-1]
	}
	p.lines = append(p.lines, line)
	p.matches = append(p.matches, matches)
	p.last = append(p.last, number)
}

// file adds the lines of a file. With groups "--" stands where lines are left out.
func (p *grepPage) file(name string, lines []grepengine.Line, groups bool) {
	p.dropped = p.dropped || groups && len(lines) >= maxGrepLines
	before := int64(-1)
	for _, l := range lines {
		group := groups && len(p.lines) > 0 && l.Number != before+1
		if len(p.lines) >= maxGrepLines || group && len(p.lines) == maxGrepLines-1 {
			p.dropped = true
			return
		}
		if group {
			p.add("--", 0, before)
		}
		before = l.Number
		sep, matches := "-", 0
		if l.Match {
			sep, matches = ":", 1
		}
		text := l.Text
		if !utf8.ValidString(text) {
			p.bad = true
			text = replaceInvalid(text)
		}
		if l.Length > 0 {
			p.cut = true
			text = fmt.Sprintf("[bytes %d–%d of %d] %s", l.Offset+1, l.Offset+len(l.Text), l.Length, text)
		}
		p.add(fmt.Sprintf("%s%s%d%s%s", name, sep, l.Number, sep, text), matches, l.Number)
	}
}

// replaceInvalid shows each byte that is not UTF-8 as U+FFFD.
func replaceInvalid(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
	}
	return b.String()
}

func (p *grepPage) notices() []string {
	var out []string
	if p.cut {
		out = append(out, "[long lines are cut around their first match; with bash, `sed -n LINEp FILE | cut -b FROM-TO` shows another part]")
	}
	if p.bad {
		out = append(out, "[bytes that are not UTF-8 are shown as U+FFFD]")
	}
	if p.escaped {
		out = append(out, escapedNotice)
	}
	return out
}

// cutNotice says what of the matches is not shown and how to get it. It is empty
// when all are.
func (t *tree) cutNotice(g *grepRun, totals grepTotals, shown int, p *grepPage) string {
	if g.in.Mode != modeLines {
		if shown >= totals.matching {
			return ""
		}
		return fmt.Sprintf("[%d of %d files, in byte order. Most matches are in: %s. Narrow pattern, path or include to see others.]", shown, totals.matching, totals.where.top(t))
	}
	shown = min(shown, len(p.lines))
	if shown == 0 {
		return ""
	}
	matches := p.matches[shown-1]
	if int64(matches) == totals.matches && shown == len(p.lines) && !p.dropped {
		return ""
	}
	text := fmt.Sprintf("[%d of %d matching lines, in %d %s", matches, totals.matches, totals.matching, plural(totals.matching, "file", "files"))
	if totals.matching == 1 {
		return text + fmt.Sprintf(". The others come after line %d: read the file from there, or narrow pattern.]", p.last[shown-1])
	}
	if !g.single {
		text += " in byte order. Most are in: " + totals.where.top(t)
	}
	return text + `. Narrow pattern, path or include to see others; "mode":"count" counts them by file.]`
}
