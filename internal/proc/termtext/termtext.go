// Package termtext reduces what a program printed to the text that a terminal
// would show, so that it is safe to hand on: to a model, to a log, to a person's
// terminal. It is no terminal: it knows one line at a time, has no width, no
// colours and no screen.
package termtext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Plain returns the text that p shows, and how many bytes of p were not UTF-8.
//
//   - Control sequences (CSI, OSC, DCS and the other strings, single escapes,
//     8-bit forms too) leave nothing. A control string ends at the latest with
//     its line, so that a stray introducer cannot hide more than that.
//   - A carriage return moves to the start of the line, a backspace one
//     character back; what follows overwrites character by character and the
//     rest stays: "ok\rHIDDEN" is "HIDDEN", "HIDDEN\rok" is "okDDEN". CR LF is
//     a line end.
//   - Erasing the line or its rest (CSI K) and moving within it (CSI C, D, G)
//     are followed; no move leads past the end of the line. Moves between lines
//     and erasing the screen are ignored: what was printed is not to be lost.
//   - A tab counts as one character. The other control characters and DEL
//     leave nothing.
//   - Each run of bytes that are not UTF-8 becomes one U+FFFD.
//
// The result is valid UTF-8 whose only control characters are tab and line
// feed. Such text comes back as it is.
func Plain(p []byte) (text string, bad int) {
	if isPlain(p) {
		return string(p), 0
	}
	r := reducer{rest: p}
	r.out.Grow(len(p))
	for len(r.rest) > 0 {
		r.step()
	}
	r.flush()
	return r.out.String(), r.bad
}

func isPlain(p []byte) bool {
	return utf8.Valid(p) && bytes.IndexFunc(p, func(c rune) bool {
		return c != '\t' && c != '\n' && isControl(c)
	}) < 0
}

// isControl reports whether c is a control character: C0, DEL or C1.
func isControl(c rune) bool {
	return c < 0x20 || c >= 0x7f && c <= 0x9f
}

// reducer holds the line being built.
type reducer struct {
	rest   []byte
	out    strings.Builder
	line   []rune
	column int // where the next character goes, at most len(line)
	bad    int
}

// The introducers, as the second character of an escape.
const (
	csi     = '['
	strung  = "]P^_X" // OSC, DCS, PM, APC, SOS
	c1Shift = 0x40    // U+009B is ESC '['
)

// step takes one character or one sequence from rest.
func (r *reducer) step() {
	c, size := utf8.DecodeRune(r.rest)
	if c == utf8.RuneError && size == 1 {
		r.skipBad()
		return
	}
	r.rest = r.rest[size:]
	switch {
	case c == '\n':
		r.flush()
		r.out.WriteByte('\n')
	case c == '\r':
		r.column = 0
	case c == '\b':
		r.column = max(r.column-1, 0)
	case c == 0x1b:
		r.escape()
	case c >= 0x80 && c <= 0x9f:
		r.sequence(byte(c - c1Shift))
	case c == '\t' || !isControl(c):
		r.put(c)
	}
}

// skipBad takes a run of bytes that are not UTF-8.
func (r *reducer) skipBad() {
	for len(r.rest) > 0 {
		c, size := utf8.DecodeRune(r.rest)
		if c != utf8.RuneError || size != 1 {
			break
		}
		r.rest = r.rest[1:]
		r.bad++
	}
	r.put(utf8.RuneError)
}

func (r *reducer) put(c rune) {
	if r.column < len(r.line) {
		r.line[r.column] = c
	} else {
		r.line = append(r.line, c)
	}
	r.column++
}

func (r *reducer) flush() {
	for _, c := range r.line {
		r.out.WriteRune(c)
	}
	r.line, r.column = r.line[:0], 0
}

// span takes bytes from low to high.
func (r *reducer) span(low, high byte) []byte {
	n := 0
	for n < len(r.rest) && low <= r.rest[n] && r.rest[n] <= high {
		n++
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// final takes one byte from low to '~', or returns 0 where a sequence breaks
// off; what broke it off is then read as text.
func (r *reducer) final(low byte) byte {
	if len(r.rest) == 0 || r.rest[0] < low || r.rest[0] > '~' {
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

// escape takes what follows an ESC.
func (r *reducer) escape() {
	if len(r.span(' ', '/')) > 0 {
		r.final('0')
		return
	}
	if c := r.final('0'); c != 0 {
		r.sequence(c)
	}
}

// sequence takes the rest of a sequence by its introducer.
func (r *reducer) sequence(introducer byte) {
	switch {
	case introducer == csi:
		parameters := r.span('0', '?')
		r.span(' ', '/')
		r.control(r.final('@'), parameters)
	case strings.IndexByte(strung, introducer) >= 0:
		r.controlString()
	}
}

// controlString takes all up to BEL, ESC, CAN, SUB, ST or the end of the line.
// The ESC of an ESC \ is left, and is an escape without effect.
func (r *reducer) controlString() {
	end := bytes.IndexFunc(r.rest, func(c rune) bool {
		return c == '\a' || c == 0x1b || c == 0x18 || c == 0x1a || c == 0x9c || c == '\n' || c == '\r'
	})
	if end < 0 {
		end = len(r.rest)
	}
	r.rest = r.rest[end:]
}

// control follows the few sequences that change a line.
func (r *reducer) control(final byte, parameters []byte) {
	n := number(parameters, len(r.line))
	switch final {
	case 'K':
		r.erase(n)
	case 'C':
		r.column = min(r.column+max(n, 1), len(r.line))
	case 'D':
		r.column = max(r.column-max(n, 1), 0)
	case 'G':
		r.column = min(max(n, 1)-1, len(r.line))
	}
}

// erase clears to the end of the line (0) or all of it (2). Clearing from its
// start (1) is rare, and many of them on one long line would cost its square.
func (r *reducer) erase(how int) {
	switch how {
	case 0:
		r.line = r.line[:r.column]
	case 2:
		r.line, r.column = r.line[:0], 0
	}
}

// number reads a single parameter: 0 when there is none, -1 when it is anything
// else, and no more than is of use.
func number(parameters []byte, most int) int {
	n := 0
	for _, c := range parameters {
		if c < '0' || c > '9' {
			return -1
		}
		n = min(n*10+int(c-'0'), max(most, 3))
	}
	return n
}
