// Package hook says what the hooks of raw.hook/2 are: their manifests, which of
// them an event concerns, what they read, and what their endings mean. It
// starts no processes and knows nothing of how one is run.
//
// A [Set] holds the manifests that a person selected, all checked. Bound to the
// tools of a session it selects the hooks of an [Event], in the order in which
// they were named. What a hook's process left is judged by [Manifest.Judge]:
// whatever is not clearly a yes or a no is a failure, and the caller of a gate
// lets nothing pass on a failure.
package hook

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/schema"
	"raw/contract/value"
)

// DefaultTimeout is how long a hook may run whose manifest does not say.
const DefaultTimeout = 5 * time.Second

// Bounds of a manifest that its schema cannot say: in bytes.
const (
	maxCommand = 1024
	maxArg     = 4096
)

// manifestSchema is hook.json but for what depends on several fields.
const manifestSchema = `{
	"type": "object", "additionalProperties": false, "required": ["protocol_version", "name", "events", "command"],
	"properties": {
		"protocol_version": {"const": 2},
		"name": {"type": "string", "pattern": "^[a-z][a-z0-9_-]*$", "maxLength": 64},
		"events": {"type": "array", "minItems": 1, "maxItems": 32, "items": {
			"type": "object", "additionalProperties": false, "required": ["name"],
			"properties": {
				"name": {"enum": ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]},
				"match": {"type": "string"},
				"when": {
					"type": "object", "additionalProperties": false, "required": ["source", "any", "regex"],
					"properties": {"source": {"type": "string"}, "any": {"type": "string"}, "regex": {"type": "string"}}
				}
			}
		}},
		"command": {"type": "string", "minLength": 1},
		"args": {"type": "array", "maxItems": 64, "items": {"type": "string"}},
		"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 30000}
	}
}`

// Manifest is a checked hook.json. It is not changed after Load.
type Manifest struct {
	Name    string
	Folder  string // absolute
	Events  []Subscription
	Command string // a name on PATH, or a path inside Folder that begins with ./
	Args    []string
	Timeout time.Duration
}

// Subscription is one entry of the events of a manifest.
type Subscription struct {
	Event Name
	Match string               // glob over the identity of the tool; empty: any
	When  *predicate.Predicate // nil: every call

	rules *policy.Set // the subscription as a rule: where it asks, the hook is concerned
}

// Script is the path of the command below Folder, or empty when the command is
// a name on PATH.
func (m *Manifest) Script() string {
	rest, ok := strings.CutPrefix(m.Command, "./")
	if !ok {
		return ""
	}
	return path.Clean(rest)
}

// parse checks the text of a manifest in a folder of the name given. Faults are
// those of the text alone.
func parse(folder string, text []byte) (*Manifest, []schema.Fault) {
	o, err := value.ParseObject(text)
	if err != nil {
		return nil, []schema.Fault{{Message: err.Error()}}
	}
	// Another version has other fields: nothing else can be said of it.
	if v := o.Field("protocol_version"); v.Kind() != value.Absent && v.JSON() != strconv.Itoa(Version) {
		return nil, []schema.Fault{{
			Pointer: "/protocol_version",
			Message: fmt.Sprintf("expected %d (raw.hook/2), found %s; hooks of other versions are not adapted", Version, clip(v.JSON())),
		}}
	}
	s, err := schema.Compile(manifestSchema)
	if err != nil {
		return nil, []schema.Fault{{Message: err.Error()}}
	}
	c := checker{faults: s.Validate(o.Value)}
	m := &Manifest{Folder: folder, Name: str(o, "name"), Command: str(o, "command"), Timeout: DefaultTimeout}
	if base := filepath.Base(folder); m.Name != "" && m.Name != base {
		c.fault("/name", "found %q in the folder %q; both have to be the same", clip(m.Name), base)
	}
	c.events(m, o.Field("events"))
	c.command(m.Command)
	args := o.Field("args")
	for i := range args.Len() {
		arg, _ := args.At(i).Str()
		m.Args = append(m.Args, arg)
		if len(arg) > maxArg || strings.ContainsRune(arg, 0) {
			c.fault(fmt.Sprintf("/args/%d", i), "%d bytes; want at most %d, without NUL", len(arg), maxArg)
		}
	}
	if ms := o.Field("timeout_ms"); ms.Kind() == value.Number {
		// The schema also takes 1e3 and 1000.0 for integers.
		n, err := strconv.ParseFloat(ms.JSON(), 64)
		if err != nil {
			c.fault("/timeout_ms", "found %s, which is no number of milliseconds", clip(ms.JSON()))
		}
		m.Timeout = time.Duration(n) * time.Millisecond
	}
	return m, c.faults
}

type checker struct{ faults []schema.Fault }

func (c *checker) fault(pointer, format string, args ...any) {
	c.faults = append(c.faults, schema.Fault{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// command: a name to look up on PATH, or a path that stays inside the folder.
func (c *checker) command(command string) {
	script, isScript := strings.CutPrefix(command, "./")
	switch {
	case command == "": // told by the schema
	case len(command) > maxCommand || strings.ContainsRune(command, 0):
		c.fault("/command", "%d bytes; want at most %d, without NUL", len(command), maxCommand)
	case isScript && path.Clean(script) != "." && filepath.IsLocal(filepath.FromSlash(script)):
	case isScript:
		c.fault("/command", "%q leaves the folder of the hook or names the folder itself", clip(command))
	case strings.ContainsAny(command, `/\`) || command == "." || command == "..":
		c.fault("/command", "found %q; want the name of a program on PATH, or ./ and a path inside the folder of the hook", clip(command))
	}
}

func (c *checker) events(m *Manifest, events value.Value) {
	for i := range events.Len() {
		e, at := events.At(i), fmt.Sprintf("/events/%d", i)
		sub := Subscription{Event: Name(str(e, "name")), Match: str(e, "match")}
		if !sub.Event.OfTool() {
			for _, field := range []string{"match", "when"} {
				if e.Field(field).Kind() != value.Absent {
					c.fault(at+"/"+field, "only the tool events %s, %s and %s take it", PreToolUse, PostToolUse, PostToolUseFailure)
				}
			}
			m.Events = append(m.Events, sub)
			continue
		}
		if w := e.Field("when"); complete(w) {
			sub.When = &predicate.Predicate{Source: str(w, "source"), Any: str(w, "any"), Regex: str(w, "regex")}
		}
		rule := policy.Rule{Match: sub.Match, Effect: policy.Ask, When: sub.When}
		if e.Field("match").Kind() == value.Absent {
			rule.Match = "*"
		}
		var err error
		sub.rules, err = policy.Compile(policy.Rules, []policy.Rule{rule})
		for _, what := range ruleFaults(err) {
			c.fault(at, "%s", what)
		}
		m.Events = append(m.Events, sub)
	}
}

// complete reports whether w has all parts of a predicate; the schema tells
// when it has not.
func complete(w value.Value) bool {
	for _, field := range []string{"source", "any", "regex"} {
		if w.Field(field).Kind() != value.String {
			return false
		}
	}
	return true
}

// clip keeps what a message quotes short.
func clip(s string) string {
	const limit = 80
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
