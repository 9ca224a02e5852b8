package window

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %02d.\n", i) // 9 characters
	}
	return b.String()
}

func TestApply(t *testing.T) {
	for _, tc := range []struct {
		name  string
		limit int
		in    []string
		want  []string
	}{
		{"at the limit", 90, []string{numbered(1, 10)}, []string{numbered(1, 10)}},
		{"over the limit", 90, []string{numbered(1, 11)}, []string{numbered(1, 4) + "[line 5 omitted (9 chars)]\n" + numbered(6, 11)}},
		{
			"two fifths and three fifths", 90,
			[]string{numbered(1, 30)},
			[]string{numbered(1, 4) + "[lines 5–24 omitted (180 chars)]\n" + numbered(25, 30)},
		},
		{
			"a gap over several texts empties the one between", 90,
			[]string{numbered(1, 4), numbered(5, 20), numbered(21, 26)},
			[]string{numbered(1, 4), "[lines 5–20 omitted (144 chars)]", numbered(21, 26)},
		},
		{"nothing fits", 5, []string{"abcdefgh\nijklmnop"}, []string{"[lines 1–2 omitted (17 chars)]"}},
		{"no newline at the end", 20, []string{"aaaaaaaa\nbbbbbbbb\ncccccccc"}, []string{"[line 1 omitted (9 chars)]\nbbbbbbbb\ncccccccc"}},
		{"invalid bytes", 90, []string{"a\xffb\xfe"}, []string{"a\ufffdb\ufffd\n[2 invalid UTF-8 bytes are shown as U+FFFD]"}},
		{"a real U+FFFD is not counted", 90, []string{"a\ufffd\xff"}, []string{"a\ufffd\ufffd\n[1 invalid UTF-8 bytes are shown as U+FFFD]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Apply(tc.in, Options{Limit: tc.limit})
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("Apply(…, %d) (-want +got):\n%s", tc.limit, d)
			}
		})
	}
}

func TestLongLine(t *testing.T) {
	in := strings.Repeat("x", 2500) + "\n" + strings.Repeat("y", 40_000)
	got := Apply([]string{in}, Options{Limit: 30_000})[0]
	want := strings.Repeat("x", 2000) + "[… 500 more characters in this line]\n" +
		strings.Repeat("y", 2000) + "[… 38000 more characters in this line]"
	if got != want {
		t.Errorf("Apply = %d characters, want %d: %.60q … %.60q", len(got), len(want), got, got[max(0, len(got)-60):])
	}
	wide := strings.Repeat("é", 2001) + "\n" + strings.Repeat("y", 40_000)
	if got, want := Apply([]string{wide}, Options{Limit: 30_000})[0], strings.Repeat("é", 2000)+"[… 1 more characters in this line]\n"; !strings.HasPrefix(got, want) {
		t.Errorf("Apply = %.40q…, want %.40q…", got[4000:], want[4000:])
	}
	hidden := strings.Repeat("a\n", 20_000) + strings.Repeat("x", 5000) + "\n" + strings.Repeat("b\n", 20_000)
	if got := Apply([]string{hidden}, Options{Limit: 30_000})[0]; !strings.Contains(got, "omitted (55001 chars)]") {
		t.Errorf("Apply does not count a long line that it leaves out in full: %q", got[strings.Index(got, "["):][:60])
	}
	under := strings.Repeat("x", 29_000)
	if got := Apply([]string{under}, Options{Limit: 30_000})[0]; got != under {
		t.Errorf("a text under the limit came back changed, %d characters of %d", len(got), len(under))
	}
}

func TestRecall(t *testing.T) {
	got := Apply([]string{numbered(1, 30)}, Options{Limit: 90, Recall: func(first, last int) string {
		return fmt.Sprintf("recall %d to %d", first, last)
	}})[0]
	if want := "[lines 5–24 omitted (180 chars); recall 5 to 24 returns them]\n"; !strings.Contains(got, want) {
		t.Errorf("Apply = %q, want a line %q", got, want)
	}
}

// FuzzApply holds the window to its promises: valid UTF-8, only whole lines of
// the input or lines that say what was cut, and a bounded length.
func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc", "d\xff", 3)
	f.Add(strings.Repeat("é\n", 200), strings.Repeat("y", 5000), 100)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if limit < 0 || limit > 1<<16 {
			return
		}
		in := []string{a, b}
		got := Apply(in, Options{Limit: limit})
		if len(got) != len(in) {
			t.Fatalf("%d texts came back, want %d", len(got), len(in))
		}
		whole := map[string]bool{}
		chars := 0
		for _, s := range in {
			v, _ := valid(s)
			chars += utf8.RuneCountInString(v)
			for l := range strings.Lines(v) {
				whole[strings.TrimSuffix(l, "\n")] = true
			}
		}
		shown := 0
		for _, s := range got {
			if !utf8.ValidString(s) {
				t.Fatalf("%q is not valid UTF-8", s)
			}
			shown += utf8.RuneCountInString(s)
			for l := range strings.Lines(s) {
				l = strings.TrimSuffix(l, "\n")
				if !whole[l] && !strings.HasSuffix(l, "]") {
					t.Fatalf("%q is no line of the input", l)
				}
			}
		}
		if most := limit + 300; chars > limit && shown > most {
			t.Fatalf("%d characters shown, limit %d", shown, limit)
		}
		if chars <= limit && shown < chars {
			t.Fatalf("%d of %d characters shown under the limit %d", shown, chars, limit)
		}
	})
}

// TestManyLines: what is left out costs nothing but its counting.
func TestManyLines(t *testing.T) {
	in := []string{strings.Repeat("\n", 4<<20)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := Apply(in, Options{Limit: 30_000})[0]
	runtime.ReadMemStats(&after)
	if want := "[lines 12001–4176304 omitted (4164304 chars)]"; !strings.Contains(out, want) {
		t.Errorf("Apply = %d characters without %q", len(out), want)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("4 MiB of empty lines took %d bytes to cut", n)
	}
}
