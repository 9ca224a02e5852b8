package contract

import (
	"fmt"
	"regexp"
	"strings"
)

// Identity names a tool for policy, hooks, panels and receipts, whatever name
// the model sees: builtin/<id>, local/<folder>, mcp/<server>/<tool>,
// acp/<alias> or agent/<name>/<tool> (CONTRACT.md §2).
type Identity string

var (
	identityPart = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)
	modelName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
)

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
		if !identityPart.MatchString(p) {
			return fmt.Errorf("identity %q: part %q is empty or has a character outside letters, digits, _ . : -", i, p)
		}
	}
	return nil
}
