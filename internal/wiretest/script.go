package wiretest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// player plays one file of lines against a program.
type player struct {
	*program
	timeout  time.Duration
	getenv   func(string) string
	captured map[string]any

	atEnd  []func() error // what only the whole transcript can show
	closed bool
	ended  bool // by exit or kill
}

// play plays script to its end and leaves no process behind.
func (p *player) play(name, script string) error {
	defer p.stop()
	p.captured = map[string]any{}
	lines := bufio.NewScanner(strings.NewReader(script))
	lines.Buffer(nil, len(script)+1)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if err := p.step(p.expand(line)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := p.finish(); err != nil {
		return fmt.Errorf("%s: at the end: %w", name, err)
	}
	return nil
}

func (p *player) step(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "->":
		return p.send([]byte(rest+"\n"), p.timeout)
	case "->|":
		return p.send([]byte(rest), p.timeout)
	case "->raw":
		text, err := strconv.Unquote(strings.TrimSpace(rest))
		if err != nil {
			return fmt.Errorf("->raw %s: not a Go string", rest)
		}
		return p.send([]byte(text), p.timeout)
	case "<-":
		_, err := p.expect(rest, p.captured, p.timeout)
		return err
	case "<-!":
		return p.never(strings.Fields(rest))
	case "<-order":
		return p.order(strings.Fields(rest))
	case "close":
		p.closed = true
		return p.closeInput()
	case "exit":
		code, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil {
			return fmt.Errorf("exit %s: not an exit code", rest)
		}
		return p.exit(code)
	case "kill":
		p.ended = true
		p.kill()
		return nil
	}
	return fmt.Errorf("unknown line %q: want ->, ->|, ->raw, <-, <-!, <-order, close, exit or kill", verb)
}

// never handles "<-! ID [DURATION]".
func (p *player) never(args []string) error {
	switch len(args) {
	case 1:
		p.atEnd = append(p.atEnd, func() error { return unanswered(p.messages(), args[0]) })
		return nil
	case 2:
		d, err := time.ParseDuration(args[1])
		if err != nil {
			return fmt.Errorf("<-! %s: %w", args[0], err)
		}
		var came error
		err = p.await(d, func(got []*message) bool {
			came = unanswered(got, args[0])
			return came != nil
		})
		if errors.Is(err, errTimeout) || errors.Is(err, errEnded) {
			return nil
		}
		return errors.Join(came, err)
	}
	return errors.New("want <-! ID [DURATION]")
}

// order handles "<-order FIRST THEN".
func (p *player) order(args []string) error {
	if len(args) != 2 {
		return errors.New("want <-order FIRST THEN")
	}
	var wrong error
	err := p.await(p.timeout, func(got []*message) bool {
		var missing bool
		missing, wrong = inOrder(got, args[0], args[1])
		return !missing
	})
	if err != nil {
		return fmt.Errorf("order of %s and %s: %w", args[0], args[1], err)
	}
	p.atEnd = append(p.atEnd, func() error {
		_, err := inOrder(p.messages(), args[0], args[1])
		return err
	})
	return wrong
}

func (p *player) exit(want int) error {
	p.ended = true
	got, err := p.awaitExit(p.timeout)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("exit code is %d, want %d", got, want)
	}
	return nil
}

// finish ends the program as a client would, unless the script has done so,
// and checks what can only be checked then.
func (p *player) finish() error {
	if !p.ended {
		if !p.closed {
			if err := p.closeInput(); err != nil {
				return err
			}
		}
		if err := p.exit(0); err != nil {
			return err
		}
	}
	for _, check := range p.atEnd {
		if err := check(); err != nil {
			return err
		}
	}
	return p.broken()
}

var variable = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// expand puts in captured values and the script's environment variables, as
// they stand inside a JSON string. A name that is neither stays as it is, so
// that shell text and operators pass.
func (p *player) expand(line string) string {
	return variable.ReplaceAllStringFunc(line, func(ref string) string {
		name := strings.Trim(ref, "${}")
		if value, ok := p.captured[name]; ok {
			return inString(value)
		}
		if value := p.getenv(name); value != "" {
			return inString(value)
		}
		return ref
	})
}

// inString renders v for use within a line of JSON: text as it stands between
// quotes, anything else as JSON.
func inString(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // it came out of a decoder
		panic(err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if _, ok := v.(string); ok {
		return text[1 : len(text)-1]
	}
	return text
}
