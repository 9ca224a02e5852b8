package builtins

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"raw/contract"
)

// numberedLines is lines that tell their number.
func numberedLines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "this is line %d\n", i)
	}
	return b.String()
}

// TestReadChangedFile: no page of a file that grew, shrank or was rewritten is
// found by what was known of it before.
func TestReadChangedFile(t *testing.T) {
	rt := newReadTest(t, 30_000)
	const lines = 40_000
	original := numberedLines(1, lines)
	for name, tc := range map[string]struct {
		content string
		same    bool // in the same inode
		line    int64
		want    string
	}{
		"grown":                      {original + numberedLines(lines+1, lines+500), true, lines + 500, fmt.Sprintf("this is line %d\n", lines+500)},
		"grown in front":             {"new\n" + original, true, 20_001, "this is line 20000\n"},
		"truncated":                  {original[:len(original)/2], true, 10, "this is line 10\n"},
		"truncated to a small file":  {"a\nb\n", true, 2, "b\n"},
		"rewritten, the same length": {strings.Replace(original, "line 3\n", "line\n 3", 1), true, 30_000, "this is line 30000\n"},
		"replaced":                   {"\n" + original[1:], false, 20_001, "this is line 20000\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := rt.file("f", original)
			if got := rt.text(rt.read(path, 20_000, 1)); !strings.HasPrefix(got, " 20000\tthis is line 20000\n[Showing lines 20000–20000 of 40000.") {
				t.Fatalf("before the change: %q", got)
			}
			if !tc.same {
				if err := os.Rename(rt.file("g", tc.content), path); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(path, []byte(tc.content), 0o644); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%6d\t%s", tc.line, tc.want)
			if got := rt.text(rt.read(path, tc.line, 1)); !strings.HasPrefix(got, want) {
				t.Errorf("after the change: %q, want %q", got, want)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestReadTotals: a total is counted when that costs no more than the page
// did, and an uncounted one says so.
func TestReadTotals(t *testing.T) {
	rt := newReadTest(t, 1000)
	const line = 64
	total := int64(3*freeCount/line) + 1
	path := rt.file("f", "")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	piece := []byte(strings.Repeat(strings.Repeat("x", line-1)+"\n", 1<<14))
	for range 3 * freeCount / len(piece) {
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteString("the end"); err != nil {
		t.Fatal(err)
	}
	head := func() string { return rt.text(rt.read(path, 1, 2)) }
	if got := head(); !strings.HasSuffix(got, "+. Use offset=3 to continue.]") {
		t.Errorf("the first page ends with %q, want no total", got[len(got)-80:])
	}
	if got, want := rt.text(rt.read(path, total, 2)), fmt.Sprintf("%6d\tthe end", total); got != want {
		t.Errorf("the last page = %q, want %q", got, want)
	}
	if got, want := head(), fmt.Sprintf("[Showing lines 1–2 of %d. Use offset=3 to continue.]", total); !strings.HasSuffix(got, want) {
		t.Errorf("with the total known, the first page ends with %q, want %q", got[len(got)-80:], want)
	}
	middle := readTestIn(t, rt.dir, 1000)
	got := middle.text(middle.read(path, total/2, 2))
	if want := fmt.Sprintf(" of %d. Use offset=%d to continue.]", total, total/2+2); !strings.HasSuffix(got, want) {
		t.Errorf("a page in the middle ends with %q, want %q", got[max(0, len(got)-80):], want)
	}
	r := middle.read(path, total+1, 0)
	if got := middle.text(r); !r.IsError() || !strings.Contains(got, fmt.Sprintf("the file has %d lines", total)) {
		t.Errorf("a page past the end = %q", got)
	}
	if s, ok := middle.known.of(path); !ok || s.Whole() {
		t.Errorf("after pages of a large file, known = %+v, %v; want a snapshot by size and time", s, ok)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fresh := newReader(newKnown(), later)
	v := view{path: path, first: total, limit: 1, budget: 1000}
	opened, seen := openForTest(t, path)
	defer opened.Close()
	r = fresh.large(ctx, &contract.Call{Paths: []contract.Path{{Lexical: path, Real: path}}}, opened, seen, v)
	if r.Code() != contract.CodeAborted {
		t.Errorf("a cancelled count = %+v, want %s", r, contract.CodeAborted)
	}
}

// TestCountingReports: nothing in the first second, then once a second.
func TestCountingReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []float64
		done := counting(100, func(p contract.Progress) { got = append(got, p.Done/p.Total) })
		for i := range 100 {
			time.Sleep(50 * time.Millisecond)
			done(int64(i + 1))
		}
		if want := "[0.2 0.4 0.6 0.8 1]"; fmt.Sprint(got) != want {
			t.Errorf("five seconds of counting reported %v, want %s", got, want)
		}
	})
}
