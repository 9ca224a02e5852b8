package grepengine

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

const (
	// maxInstructions is how large a program an automaton is built for.
	maxInstructions = 4096
	// maxStates is how many states are kept before all are forgotten.
	maxStates = 2048
	// maxForgotten is how often that may happen before the automaton is given up:
	// it builds more than it uses.
	maxForgotten = 64
)

// A row of the table has the next row for each byte of ASCII, that of LF being
// for the end of a line, and one more for a CR that is part of its line.
const (
	rowLength = 129
	plainCR   = 128
)

// What a table holds beside rows.
const (
	unknown = -1 - iota
	matches
	lineEnd // a CR, if the line ends behind it
)

// automaton decides with one step for each byte whether lines of ASCII match. Its
// states are made when they are first reached. It is for one goroutine.
type automaton struct {
	prog      *syntax.Prog
	keepCR    bool
	table     []int32
	states    []state
	byKey     map[string]int32
	forgotten int

	set   []uint32 // the instructions reached, in order of visit
	seen  []uint32 // the round in which each was reached
	round uint32
	stack []uint32
}

// state is what was reached behind a byte: instructions that are not yet
// followed, and the kind of that byte.
type state struct {
	pcs    []uint32
	before rune // -1 at the start of a line, else a letter or a blank for its kind
}

func newAutomaton(prog *syntax.Prog, keepCR bool) *automaton {
	a := &automaton{prog: prog, keepCR: keepCR, seen: make([]uint32, len(prog.Inst))}
	a.reset()
	return a
}

// reset forgets all states but the first, which is row 0.
func (a *automaton) reset() {
	a.table, a.states = a.table[:0], a.states[:0]
	a.byKey = map[string]int32{}
	a.row(nil, -1)
}

// usable reports whether it is worth going on with the automaton.
func (a *automaton) usable() bool { return a != nil && a.forgotten < maxForgotten }

// row is the row of a state.
func (a *automaton) row(pcs []uint32, before rune) int32 {
	key := make([]byte, 0, 4*len(pcs)+4)
	for _, pc := range pcs {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	key = binary.LittleEndian.AppendUint32(key, uint32(before))
	if row, ok := a.byKey[string(key)]; ok {
		return row
	}
	row := int32(len(a.table))
	a.byKey[string(key)] = row
	a.states = append(a.states, state{slices.Clone(pcs), before})
	for c := range rowLength {
		next := int32(unknown)
		if c == '\r' && !a.keepCR {
			next = lineEnd
		}
		a.table = append(a.table, next)
	}
	return row
}

// step fills in one place of the table and returns it. Rows of before may be gone
// then, but the one that it returns is there.
func (a *automaton) step(row int32, column int) (next int32) {
	from := a.states[row/rowLength]
	after := rune(column)
	switch column {
	case '\n':
		after = -1
	case plainCR:
		after = '\r'
	}
	a.follow(from, syntax.EmptyOpContext(from.before, after))
	next = 0
	for _, pc := range a.set {
		if a.prog.Inst[pc].Op == syntax.InstMatch {
			next = matches
		}
	}
	if next != matches && column != '\n' {
		var pcs []uint32
		for _, pc := range a.set {
			if inst := &a.prog.Inst[pc]; takes(inst, after) {
				pcs = append(pcs, inst.Out)
			}
		}
		slices.Sort(pcs)
		if len(a.states) >= maxStates {
			a.reset()
			a.forgotten++
			return a.row(slices.Compact(pcs), kindOf(after))
		}
		next = a.row(slices.Compact(pcs), kindOf(after))
	}
	a.table[int(row)+column] = next
	return next
}

// kindOf is a rune that stands for all that \b takes for the same.
func kindOf(r rune) rune {
	if syntax.IsWordChar(r) {
		return 'a'
	}
	return ' '
}

func takes(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1:
		return inst.MatchRune(r)
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return false
}

// follow finds the instructions that take a rune, or match, from a state where
// these assertions hold. A match may begin anywhere, so the first instruction is
// always among them.
func (a *automaton) follow(from state, holds syntax.EmptyOp) {
	a.set = a.set[:0]
	if a.round++; a.round == 0 {
		clear(a.seen)
		a.round = 1
	}
	a.stack = append(append(a.stack[:0], from.pcs...), uint32(a.prog.Start))
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if a.seen[pc] == a.round {
			continue
		}
		a.seen[pc] = a.round
		switch inst := &a.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				a.stack = append(a.stack, inst.Out)
			}
		case syntax.InstFail:
		default:
			a.set = append(a.set, pc)
		}
	}
}

// verdict is how a run of the automaton over a text ended.
type verdict uint8

const (
	noMatch   verdict = iota
	lineMatch         // the line at the place matches
	notASCII          // the line at the place has other bytes
)

// run goes from at, where a line begins, to the first line that matches or that
// it cannot judge, and returns a place in that line.
func (a *automaton) run(text []byte, at int) (int, verdict) {
	row, table := int32(0), a.table
	for at < len(text) {
		c := text[at]
		if c >= 0x80 {
			return at, notASCII
		}
		next := table[int(row)+int(c)]
		if next >= 0 {
			row = next
			at++
			continue
		}
		column := int(c)
		if next == lineEnd {
			if column = plainCR; at+1 == len(text) || text[at+1] == '\n' {
				column = '\n'
			}
			next = table[int(row)+column]
		}
		if next == unknown {
			next = a.step(row, column)
			table = a.table
		}
		if next == matches {
			return at, lineMatch
		}
		row = next
		at++
		if column == '\n' && c == '\r' && at < len(text) {
			at++ // the LF behind it
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' && !(text[len(text)-1] == '\r' && !a.keepCR) {
		next := table[int(row)+'\n']
		if next == unknown {
			next = a.step(row, '\n')
		}
		if next == matches {
			return len(text) - 1, lineMatch
		}
	}
	return len(text), noMatch
}

// match decides about one line, which has no LF but may have a CR; known is false
// when the line is not ASCII.
func (a *automaton) match(line []byte) (matched, known bool) {
	if len(line) == 0 {
		line = []byte{'\n'}
	}
	_, v := a.run(line, 0)
	return v == lineMatch, v != notASCII
}

// nextLine is the next line at or after at that matches, by the automaton where it
// can judge and by the regular expression where not.
func (s *Searcher) nextLine(text []byte, at int) (from, to int, ok bool) {
	for at < len(text) && s.automaton.usable() {
		hit, v := s.automaton.run(text, at)
		if v == noMatch {
			return 0, 0, false
		}
		from = at + bytes.LastIndexByte(text[at:hit], '\n') + 1
		to = len(text)
		if n := bytes.IndexByte(text[hit:], '\n'); n >= 0 {
			to = hit + n
		}
		if v == lineMatch || s.p.re.Match(s.p.line(text[from:to])) {
			return from, to, true
		}
		at = to + 1
	}
	for at < len(text) { // it was given up
		to = len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			to = at + n
		}
		if s.p.re.Match(s.p.line(text[at:to])) {
			return at, to, true
		}
		at = to + 1
	}
	return 0, 0, false
}
