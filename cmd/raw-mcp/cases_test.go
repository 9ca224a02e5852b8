package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"raw/internal/wiretest"
)

// The cases in this file need a loop, a clock or a measure, which scripts do
// not have.

// model calls the tools of a server whose workspace is dir.
type model struct {
	*wiretest.Peer
	t    *testing.T
	dir  string
	last int
}

func startModel(t *testing.T, dir string) *model {
	t.Helper()
	cmd := exec.Command("raw-mcp", "serve", "--root", dir)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "SHELL=")
	m := &model{Peer: wiretest.Start(t, cmd), t: t, dir: dir}
	m.Timeout = time.Minute
	return m
}

// send sends a call and returns its id.
func (m *model) send(tool string, arguments map[string]any) int {
	m.t.Helper()
	m.last++
	m.Request(m.last, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	return m.last
}

// answer is the text of the answer, and whether it is an error.
func (m *model) answer(id int) (text string, isError bool) {
	m.t.Helper()
	var a struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	body := m.Await(id)
	if err := json.Unmarshal(body, &a); err != nil || len(a.Result.Content) == 0 {
		m.t.Fatalf("answer %d is no result of a tool: %.500s", id, body)
	}
	return a.Result.Content[0].Text, a.Result.IsError
}

func (m *model) call(tool string, arguments map[string]any) (text string, isError bool) {
	m.t.Helper()
	return m.answer(m.send(tool, arguments))
}

func (m *model) put(name, content string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) content(name string) string {
	m.t.Helper()
	b, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// names are what the workspace holds.
func (m *model) names() (names []string) {
	m.t.Helper()
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func editOf(path, old, text string) map[string]any {
	return map[string]any{"path": path, "edits": []map[string]string{{"old_text": old, "new_text": text}}}
}

// B25: of two edits of one file that are sent together none is lost.
func TestEditsSentTogether(t *testing.T) {
	t.Parallel()
	m := startModel(t, t.TempDir())
	var lines strings.Builder
	for i := range 100 {
		lines.WriteString(strconv.Itoa(i+1) + "\n")
	}
	want := strings.NewReplacer("\n50\n", "\nFIFTY\n", "\n75\n", "\nSEVENTY\n").Replace(lines.String())
	for round := range 200 {
		m.put("f", lines.String())
		first := m.send("edit", editOf("f", "\n50\n", "\nFIFTY\n"))
		second := m.send("edit", editOf("f", "\n75\n", "\nSEVENTY\n"))
		for _, id := range []int{first, second} {
			if text, isError := m.answer(id); isError {
				t.Fatalf("round %d: edit = %s", round, text)
			}
		}
		if got := m.content("f"); got != want {
			t.Fatalf("round %d: the file is\n%s", round, got)
		}
	}
	if code := m.Close(); code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
}

// B43: what a very short command printed is there, and its exit code, one
// after the other and eight at once.
func TestShortFailingCommands(t *testing.T) {
	t.Parallel()
	m := startModel(t, t.TempDir())
	const want = "[stderr]\noops\n[exit code: 3]\n"
	var running []int
	for i := range 500 {
		running = append(running, m.send("bash", map[string]any{"command": "echo oops >&2; exit 3"}))
		if i >= 250 && len(running) < 8 {
			continue
		}
		for _, id := range running {
			if text, isError := m.answer(id); !isError || !strings.HasPrefix(text, want) {
				t.Fatalf("command %d = %q, want an error that begins %q", id, text, want)
			}
		}
		running = nil
	}
}

// B79: ten megabytes arrive on one line. What is over the limit is refused, and
// only that.
func TestLongLines(t *testing.T) {
	t.Parallel()
	m := startModel(t, t.TempDir())
	var lines strings.Builder
	for i := range 10 << 20 / 16 {
		fmt.Fprintf(&lines, "this is %07d\n", i)
	}
	content := lines.String()
	if text, isError := m.call("write", map[string]any{"path": "f", "content": content}); isError {
		t.Fatalf("write of 10 MiB = %s", text)
	}
	if m.content("f") != content {
		t.Error("the file is not what was sent")
	}
	id := m.send("write", map[string]any{"path": "f", "content": strings.Repeat("x", 33<<20)})
	if got := string(m.Await(id)); !strings.Contains(got, "the line is longer than 32 MiB") {
		t.Errorf("write of 33 MiB = %.500s", got)
	}
	if m.content("f") != content {
		t.Error("a call that was refused changed the file")
	}
}
