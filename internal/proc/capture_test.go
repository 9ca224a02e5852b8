//go:build linux

package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCaptureCuts(t *testing.T) {
	r := testRunner(t)
	for shift := range 3 {
		for _, tail := range []string{strings.Repeat("€", 100), strings.Repeat("€", 100) + "x", strings.Repeat("😀", 77)} {
			text := strings.Repeat("a", 30+shift) + tail
			s := bash("printf %s '" + text + "'")
			s.Keep = 64
			e := run(t, r, s)
			c := e.Stdout
			if c.Total != int64(len(text)) || c.Omitted() != int64(len(text)-len(c.Head)-len(c.Tail)) {
				t.Errorf("total %d, omitted %d of %d bytes", c.Total, c.Omitted(), len(text))
			}
			if !utf8.Valid(c.Head) || !utf8.Valid(c.Tail) {
				t.Errorf("head %q, tail %q, want whole characters", c.Head, c.Tail)
			}
			if !strings.HasPrefix(text, string(c.Head)) || !strings.HasSuffix(text, string(c.Tail)) {
				t.Errorf("head %q, tail %q, want start and end of %q", c.Head, c.Tail, text)
			}
			if len(c.Head) < 32-3 || len(c.Tail) < 32-3 {
				t.Errorf("head %d, tail %d bytes, want nearly 32", len(c.Head), len(c.Tail))
			}
		}
	}
}

func TestCaptureWhole(t *testing.T) {
	r := testRunner(t)
	for _, size := range []int{0, 1, 31, 32, 33, 63, 64, 65, 200, 9000} {
		for _, keep := range []int{64, 20000} {
			s := bash(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' '\\377'", size)) // bad bytes are kept as well
			s.Keep = keep
			c := run(t, r, s).Stdout
			want := min(size, keep)
			if got := len(c.Head) + len(c.Tail); got != want || c.Total != int64(size) || c.Omitted() != int64(size-want) {
				t.Errorf("%d bytes, keep %d: kept %d, total %d, omitted %d", size, keep, got, c.Total, c.Omitted())
			}
		}
	}
}

// TestFloodMemory runs a flood in a process of its own and looks at its peak.
func TestFloodMemory(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=flood")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("flood: %v", err)
	}
	var total, grown int64
	if _, err := fmt.Sscan(string(out), &total, &grown); err != nil {
		t.Fatalf("flood said %q: %v", out, err)
	}
	if total != 300_000_000 || grown > 16<<10 {
		t.Errorf("flood of %d bytes grew the process by %d KiB, want 300000000 and at most 16 MiB", total, grown)
	}
}

func flood() int {
	r, err := New()
	if err != nil {
		return 1
	}
	defer r.Close()
	before := peak()
	e, err := r.Run(context.Background(), bash("head -c 300000000 /dev/zero | tr '\\0' x"))
	if err != nil || len(e.Stdout.Head) != DefaultKeep/2 || len(e.Stdout.Tail) != DefaultKeep/2 {
		return 1
	}
	fmt.Println(e.Stdout.Total, peak()-before)
	return 0
}

// peak returns the peak resident size in KiB.
func peak() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if match == nil {
		return -1
	}
	n, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return -1
	}
	return n
}

// BenchmarkFlood compares with reading and dropping.
func BenchmarkFlood(b *testing.B) {
	const size = 200_000_000
	command := fmt.Sprintf("head -c %d /dev/zero", size)
	b.Run("proc", func(b *testing.B) {
		r := testRunner(b)
		b.SetBytes(size)
		for b.Loop() {
			run(b, r, bash(command))
		}
	})
	b.Run("drop", func(b *testing.B) {
		b.SetBytes(size)
		buffer := make([]byte, 64<<10)
		for b.Loop() {
			cmd := exec.Command("bash", "-c", command)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			for {
				if _, err := out.Read(buffer); err != nil {
					break
				}
			}
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTrue(b *testing.B) {
	s := bash("true")
	b.Run("proc", func(b *testing.B) {
		r := testRunner(b)
		for b.Loop() {
			run(b, r, s)
		}
	})
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("bash", s.Args...)
			cmd.Env = s.Env
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
