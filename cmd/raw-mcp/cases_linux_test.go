package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// B24: a server that is killed while it writes 200 MB leaves the old content
// or the new one. The next write in that folder removes what it left.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const size, rounds = 200_000_000, 20
	line := "the old content, of which there is much\n"
	content := "first\n" + strings.Repeat(line, size/len(line))
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	struck := 0 // kills that came while a part was written
	for round := range rounds {
		m := startModel(t, dir)
		m.send("edit", editOf("f", "first", "first, and more"))
		m.awaitPart(size / rounds * int64(round))
		m.Kill()
		struck += len(parts(t, dir))
		got := m.content("f")
		switch want := strings.Replace(content, "first", "first, and more", 1); got {
		case content:
		case want:
			content = want
		default:
			t.Fatalf("round %d: the file has %d bytes and begins %.60q; want the old content or the new", round, len(got), got)
		}
	}
	if struck < rounds/2 {
		t.Errorf("%d of %d kills came while a part was written, want at least half", struck, rounds)
	}
	m := startModel(t, dir)
	if text, isError := m.call("write", map[string]any{"path": "g", "content": "x"}); isError {
		t.Fatalf("write = %s", text)
	}
	if left := parts(t, dir); len(left) > 0 {
		t.Errorf("after the next write there is still %v", left)
	}
}

// awaitPart returns once a temporary file has this size, or has come and gone.
func (m *model) awaitPart(size int64) {
	m.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	own := fmt.Sprintf(".f.raw-tmp-%d", m.Process())
	seen := false
	for limit := time.After(m.Timeout); ; {
		select {
		case <-limit:
			m.t.Fatal("no write was seen")
		case <-tick.C:
		}
		info, err := os.Stat(filepath.Join(m.dir, own))
		if err == nil && info.Size() >= size || err != nil && seen {
			return
		}
		seen = seen || err == nil
	}
}

// parts are the temporary files in dir.
func parts(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".*.raw-tmp-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// B24: a full disk. The file stays, the reason is given, and the server lives;
// so with a file of two names, which cannot be swapped.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m")
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skipf("mount a small disk: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	old := strings.Repeat("o", 1<<10)
	large := strings.Repeat("n", 10<<20)
	m := startModel(t, dir)
	m.put("f", old)
	m.put("linked", old)
	if err := os.Link(filepath.Join(dir, "linked"), filepath.Join(dir, "second")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "linked"} {
		text, isError := m.call("write", map[string]any{"path": name, "content": large})
		if !isError || !strings.Contains(text, "no space left on device") {
			t.Errorf("write of 10 MiB to %s on a full disk = %.300q, want its reason", name, text)
		}
		if got := m.content(name); got != old {
			t.Errorf("%s has %d bytes after an error, want the old %d", name, len(got), len(old))
		}
	}
	if got, want := m.names(), []string{"f", "linked", "second"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %v, want %v", got, want)
	}
	if text, isError := m.call("write", map[string]any{"path": "f", "content": "new"}); isError {
		t.Errorf("write of what fits = %s", text)
	}
	if code := m.Close(); code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
}

// B39: the memory of the server does not follow what a command prints.
func TestFloodMemory(t *testing.T) {
	t.Parallel()
	m := startModel(t, t.TempDir())
	if text, isError := m.call("bash", map[string]any{"command": "echo warm"}); isError {
		t.Fatalf("bash = %s", text)
	}
	before := m.peakMemory()
	text, isError := m.call("bash", map[string]any{"command": `head -c 2000000000 /dev/zero | tr '\0' x`})
	if isError || !strings.Contains(text, "of the 2000000000 bytes of stdout were not kept") {
		t.Errorf("a flood of 2 GB = %.100q … %.200q", text, text[max(0, len(text)-200):])
	}
	if grown := m.peakMemory() - before; grown > 60<<20 {
		t.Errorf("a flood of 2 GB cost %d MiB of memory, want less than 60", grown>>20)
	}
}

var peak = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// peakMemory is the most memory the server ever held, in bytes.
func (m *model) peakMemory() int {
	m.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.Process()))
	if err != nil {
		m.t.Fatal(err)
	}
	found := peak.FindSubmatch(status)
	if found == nil {
		m.t.Fatalf("no VmHWM in %s", status)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		m.t.Fatal(err)
	}
	return n << 10
}
