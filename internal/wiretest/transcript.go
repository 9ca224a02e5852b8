package wiretest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// transcript records what went over the wire, for a person to read after a
// failure. Its methods may be called at once.
type transcript struct {
	begin time.Time

	mu    sync.Mutex
	lines []string
}

func newTranscript() *transcript { return &transcript{begin: time.Now()} }

func (t *transcript) add(direction string, text []byte) {
	line := fmt.Sprintf("%8.1fms %-3s %s", float64(time.Since(t.begin).Microseconds())/1000, direction, clip(text))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return "transcript (time since start, -> sent, <- received):\n" + strings.Join(t.lines, "\n")
}

// clip shortens what would bury the rest of a report, and quotes what a
// terminal would not show as it is.
func clip(text []byte) string {
	const limit = 2000
	text = bytes.TrimSuffix(text, []byte("\n"))
	rest := ""
	if n := len(text); n > limit {
		text, rest = text[:limit], fmt.Sprintf(" … (%d bytes in all)", n)
	}
	shown := string(text)
	if strings.ContainsFunc(shown, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		shown = strconv.Quote(shown)
	}
	return shown + rest
}
