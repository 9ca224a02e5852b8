package contract

import (
	"fmt"
	"strings"
)

// Identity names a tool for policy, hooks, panels and receipts, whatever name
// the model sees: builtin/<id>, local/<folder>, mcp/<server>/<tool>,
// acp/<alias> or agent/<name>/<tool> (CONTRACT.md §2).
type Identity string

// Validate reports what is wrong with i, nil when it is well formed.
func (i Identity) Validate() error {
	parts := strings.Split(string(i), "/")
	want := 2
	switch parts[0] {
	case "builtin", "local", "acp":
	case "mcp", "agent":
		want = 3
	default:
		return fmt.Errorf("identity %q: unknown provider %q; use builtin, local, mcp, acp or agent", i, parts[0])
	}
	if len(parts) != want {
		return fmt.Errorf("identity %q: %d parts, a tool of provider %s has %d", i, len(parts), parts[0], want)
	}
	for _, p := range parts[1:] {
		if p == "" || strings.ContainsFunc(p, func(r rune) bool { return !isWord(r) && !strings.ContainsRune(".:-", r) }) {
			return fmt.Errorf("identity %q: part %q is empty or has a character outside letters, digits, _ . : -", i, p)
		}
	}
	return nil
}

// maxName bounds the name that the model sees.
const maxName = 64

// checkName reports what is wrong with a name that the model sees.
func checkName(name string) error {
	switch {
	case name == "" || len(name) > maxName:
		return fmt.Errorf("name %q has %d characters, want 1 to %d", name, len(name), maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) && r != '-' }):
		return fmt.Errorf("name %q has a character outside letters, digits, _ and -", name)
	case name[0] == '-' || name[0] >= '0' && name[0] <= '9':
		return fmt.Errorf("name %q does not begin with a letter or _", name)
	}
	return nil
}

// isWord reports whether r is an ASCII letter, a digit or _.
func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
