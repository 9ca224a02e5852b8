package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"raw/contract"
	"raw/internal/proc/termtext"
)

// prompt asks on the terminal; nil when there is none to ask on.
func (p *Program) prompt() func(context.Context, contract.Approval) (contract.Answer, error) {
	if !IsTerminal(p.Stdin) || !IsTerminal(p.Stderr) {
		return nil
	}
	return func(ctx context.Context, a contract.Approval) (contract.Answer, error) {
		text, _ := termtext.Plain([]byte(a.Question()))
		fmt.Fprintf(p.Stderr, "%s\nAllow this once? [y/N] ", text)
		line := make(chan string, 1)
		go func() {
			// The read ends with the line or with the process: a terminal
			// cannot be asked to stop.
			text, _ := bufio.NewReader(p.Stdin).ReadString('\n')
			line <- text
		}()
		select {
		case text := <-line:
			return answerOf(text), nil
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// answerOf reads a line that somebody typed: only a clear yes is one, and a
// line that never came dismisses.
func answerOf(line string) contract.Answer {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return contract.AllowOnce
	case "":
		if line == "" {
			return contract.Dismissed
		}
	}
	return contract.RejectOnce
}
