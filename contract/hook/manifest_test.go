package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"raw/contract/predicate"
)

// write makes files below dir; a text that begins with "-> " makes a link.
func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// told are faults without the folder of the test.
func told(dir string, faults []Fault) []string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, strings.ReplaceAll(f.String(), dir, "…"))
	}
	return lines
}

// manifest is a hook.json for the folder "guard" with more fields in it.
func manifest(more string) string {
	return `{"protocol_version": 2, "name": "guard", "events": [{"name": "PreToolUse"}], "command": "./guard.sh"` + more + `}`
}

func TestRead(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"guard/hook.json": `{
		"protocol_version": 2, "name": "guard", "command": "./bin/../guard.sh", "args": ["-v", ""], "timeout_ms": 1.5e3,
		"events": [
			{"name": "SessionStart"},
			{"name": "PreToolUse", "match": "builtin/*", "when": {"source": "effects", "any": "files[*].path", "regex": "x$"}},
			{"name": "PostToolUse"}
		]
	}`})
	got, faults := Read(filepath.Join(dir, "guard"))
	if faults != nil {
		t.Fatalf("Read = %v, want no faults", faults)
	}
	want := &Manifest{
		Name: "guard", Folder: filepath.Join(dir, "guard"), Command: "./bin/../guard.sh", Args: []string{"-v", ""}, Timeout: 1500 * time.Millisecond,
		Events: []Subscription{
			{Event: SessionStart},
			{Event: PreToolUse, Match: "builtin/*", When: &predicate.Predicate{Source: "effects", Any: "files[*].path", Regex: "x$"}},
			{Event: PostToolUse},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Subscription{})); diff != "" {
		t.Errorf("Read (-want +got):\n%s", diff)
	}
	if got.Script() != "guard.sh" {
		t.Errorf("Script() = %q, want guard.sh", got.Script())
	}
}

func TestReadDefaults(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"guard/hook.json": manifest("")})
	m, faults := Read(filepath.Join(dir, "guard"))
	if faults != nil || m.Timeout != 5*time.Second || m.Args != nil {
		t.Errorf("Read = timeout %v, args %q, faults %v, want 5s, none, none", m.Timeout, m.Args, faults)
	}
}

func TestReadFaults(t *testing.T) {
	const events = "SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, Stop, SessionEnd"
	file := "…/guard/hook.json: "
	cases := []struct {
		name, text string
		want       []string // every fault, in order, without the file; a prefix of each
	}{
		{"no JSON", `{"protocol_version": 2,`, []string{"parse JSON at byte 23"}},
		{"BOM", "\ufeff" + manifest(""), []string{"parse JSON at byte 0"}},
		{"invalid UTF-8", "{\"name\": \"\xff\"}", []string{"parse JSON at byte 10: invalid UTF-8"}},
		{"a key twice", manifest(`, "name": "guard"`), []string{"parse JSON at byte 102: duplicate key"}},
		{"not an object", `[]`, []string{"parse JSON: found array, want an object"}},
		{"an older version, and nothing else of it", `{"protocol_version": 1, "hooks": []}`, []string{
			"/protocol_version: expected 2 (raw.hook/2), found 1; hooks of other versions are not adapted",
		}},
		{"a version as text", `{"protocol_version": "2"}`, []string{`/protocol_version: expected 2 (raw.hook/2), found "2"`}},
		{"a version that is nearly 2", `{"protocol_version": 2.0}`, []string{"/protocol_version: expected 2 (raw.hook/2), found 2.0"}},
		{"nothing", `{}`, []string{"/command: missing", "/events: missing", "/name: missing", "/protocol_version: missing"}},
		{"unknown field", manifest(`, "timeout": 1`), []string{"/timeout: unknown field; accepted: args, command, events, name, protocol_version, timeout_ms"}},
		{"name and folder differ", `{"protocol_version": 2, "name": "other", "events": [{"name": "Stop"}], "command": "x"}`, []string{
			`/name: found "other" in the folder "guard"`,
		}},
		{"name of another form", `{"protocol_version": 2, "name": "Guard", "events": [{"name": "Stop"}], "command": "x"}`, []string{"/name: ", "/name: found \"Guard\" in the folder"}},
		{"no events", `{"protocol_version": 2, "name": "guard", "events": [], "command": "x"}`, []string{"/events: "}},
		{"33 events", fmt.Sprintf(`{"protocol_version": 2, "name": "guard", "events": [%s], "command": "x"}`,
			strings.TrimSuffix(strings.Repeat(`{"name":"Stop"},`, 33), ",")), []string{"/events: "}},
		{"unknown event", `{"protocol_version": 2, "name": "guard", "events": [{"name": "PreTool"}], "command": "x"}`, []string{"/events/0/name: "}},
		{"match and when where no tool is", `{"protocol_version": 2, "name": "guard", "command": "x", "events": [
			{"name": "Stop", "match": "*", "when": {"source": "effects", "any": "x", "regex": "x"}}]}`, []string{
			"/events/0/match: only the tool events PreToolUse, PostToolUse and PostToolUseFailure take it",
			"/events/0/when: only the tool events",
		}},
		{"empty match", `{"protocol_version": 2, "name": "guard", "command": "x", "events": [{"name": "PreToolUse", "match": ""}]}`, []string{
			"/events/0: match of 0 characters: want 1 to 256",
		}},
		{"when in parts", `{"protocol_version": 2, "name": "guard", "command": "x", "events": [{"name": "PreToolUse", "when": {"source": "effects", "all": "x"}}]}`, []string{
			"/events/0/when/all: unknown field", "/events/0/when/any: missing", "/events/0/when/regex: missing",
		}},
		{"when that does not compile", `{"protocol_version": 2, "name": "guard", "command": "x", "events": [
			{"name": "PreToolUse"}, {"name": "PreToolUse", "when": {"source": "result", "any": "a..b", "regex": "("}}]}`, []string{
			"/events/1: when: source \"result\": want arguments or effects; any \"a..b\": ",
		}},
		{"65 args", manifest(`, "args": [` + strings.TrimSuffix(strings.Repeat(`"a",`, 65), ",") + `]`), []string{"/args: "}},
		{"a long arg, and one with NUL", manifest(`, "args": ["` + strings.Repeat("a", 4097) + `", "\u0000"]`), []string{
			"/args/0: 4097 bytes; want at most 4096", "/args/1: 1 bytes; want at most 4096, without NUL",
		}},
		{"no timeout at all", manifest(`, "timeout_ms": 0`), []string{"/timeout_ms: "}},
		{"too long a timeout", manifest(`, "timeout_ms": 30001`), []string{"/timeout_ms: "}},
		{"half a millisecond", manifest(`, "timeout_ms": 0.5`), []string{"/timeout_ms: "}},
		{"several at once", `{"protocol_version": 2, "name": "g", "events": [{"name": "Stop", "match": "x"}], "command": "/bin/sh", "args": "x"}`, []string{
			"/args: ", `/name: found "g"`, "/events/0/match: ", `/command: found "/bin/sh"; want the name of a program on PATH`,
		}},
		{"an arg that would be looked for elsewhere", manifest(`, "args": ["./lib.py", "--x"]`), []string{
			`/args/0: "./lib.py" is a file of this folder, but hooks run in the folder of the session`,
		}},
	}
	for _, tc := range cases {
		dir := write(t, t.TempDir(), map[string]string{"guard/hook.json": tc.text, "guard/lib.py": ""})
		_, faults := Read(filepath.Join(dir, "guard"))
		got := told(dir, faults)
		ok := len(got) == len(tc.want)
		for i := range min(len(got), len(tc.want)) {
			ok = ok && strings.HasPrefix(got[i], file+tc.want[i])
		}
		if !ok {
			t.Errorf("%s: Read = %d faults\n%s\nwant %d that begin with\n%s", tc.name, len(got), strings.Join(got, "\n"), len(tc.want), strings.Join(tc.want, "\n"))
		}
		if tc.name == "unknown event" && !strings.Contains(strings.ReplaceAll(got[0], `"`, ""), events) {
			t.Errorf("%s: the fault %q does not list the events", tc.name, got[0])
		}
	}
}

func TestCommand(t *testing.T) {
	cases := []struct {
		command string
		ok      bool
	}{
		{"python3", true},
		{"./guard.sh", true},
		{"./lib/../guard.sh", true},
		{"./..hidden", true},
		{"./", false},
		{"./.", false},
		{"./../guard/guard.sh", false},
		{"./lib/../../x", false},
		{".//bin/sh", false},
		{"../x", false},
		{"lib/x", false},
		{`lib\x`, false},
		{"/bin/sh", false},
		{".", false},
		{"..", false},
		{"a\x00b", false},
		{strings.Repeat("a", 1024), true},
		{strings.Repeat("a", 1025), false},
	}
	for _, tc := range cases {
		var c checker
		if c.command(tc.command); (len(c.faults) == 0) != tc.ok {
			t.Errorf("command %q: faults %v, want accepted: %v", tc.command, c.faults, tc.ok)
		}
	}
}
