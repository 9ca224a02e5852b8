package ledger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/ledger"
)

const day = 24 * time.Hour

// aged writes a session with one segment per age and gives each its time.
func aged(t *testing.T, state, session string, result string, ages ...time.Duration) {
	t.Helper()
	for i, age := range ages {
		l := open(t, state, session)
		run(t, l, text(fmt.Sprintf("%d %s", i, result)))
		closeLog(t, l)
		at := noon.Add(-age)
		must(t, os.Chtimes(segmentPath(state, session, i+1), at, at))
	}
}

// segments lists what is left, as session/number.
func segments(t *testing.T, state string) (left []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(state, "sessions", "*", "*.jsonl"))
	must(t, err)
	for _, p := range paths {
		left = append(left, filepath.Base(filepath.Dir(p))+"/"+strings.TrimLeft(strings.TrimSuffix(filepath.Base(p), ".jsonl"), "0"))
	}
	return left
}

func TestPruneByAge(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(t *testing.T, state string)
		now  time.Time
		want []string
	}{
		{"the old ones go", func(t *testing.T, state string) {
			aged(t, state, "a", "", 40*day, 31*day, 29*day)
			aged(t, state, "b", "", 50*day)
			aged(t, state, "c", "", 0)
		}, noon, []string{"a/3", "c/1"}},
		{"the future is young", func(t *testing.T, state string) {
			aged(t, state, "a", "", 40*day, -4000*day)
			aged(t, state, "b", "", 1*day)
		}, noon, []string{"a/2", "b/1"}},
		{"a segment between is not taken out", func(t *testing.T, state string) {
			aged(t, state, "a", "", 0, 40*day, 1*day) // the clock was wrong for the second
		}, noon, []string{"a/1", "a/2", "a/3"}},
		{"a clock that ran ahead removes nothing", func(t *testing.T, state string) {
			aged(t, state, "a", "", 20*day)
			aged(t, state, "b", "", 1*day)
		}, noon.Add(4000 * day), []string{"a/1", "b/1"}},
		{"a clock that fell back removes nothing", func(t *testing.T, state string) {
			aged(t, state, "a", "", 40*day)
		}, noon.Add(-4000 * day), []string{"a/1"}},
		{"an uncertain execution stays, with what came after it", func(t *testing.T, state string) {
			l := open(t, state, "a")
			start(t, l, "write")
			closeLog(t, l)
			must(t, os.Chtimes(segmentPath(state, "a", 1), noon.Add(-50*day), noon.Add(-50*day)))
			l = open(t, state, "a")
			run(t, l, text(""))
			closeLog(t, l)
			must(t, os.Chtimes(segmentPath(state, "a", 2), noon.Add(-40*day), noon.Add(-40*day)))
			aged(t, state, "b", "", 40*day)
			aged(t, state, "c", "", 0)
		}, noon, []string{"a/1", "a/2", "c/1"}},
		{"a live one stays", func(t *testing.T, state string) {
			l := open(t, state, "a")
			run(t, l, text(""))
			must(t, os.Chtimes(segmentPath(state, "a", 1), noon.Add(-50*day), noon.Add(-50*day)))
			aged(t, state, "c", "", 0)
		}, noon, []string{"a/1", "c/1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			state := t.TempDir()
			tc.make(t, state)
			_, err := ledger.Store{Folder: state}.Prune(ledger.Retention{Age: 30 * day, Now: tc.now})
			must(t, err)
			if got := segments(t, state); !cmp.Equal(got, tc.want) {
				t.Errorf("left are %v, want %v", got, tc.want)
			}
			all, err := ledger.Store{Folder: state}.Sessions()
			must(t, err)
			for _, s := range all {
				if len(s.Faults) > 0 {
					t.Errorf("session %s has faults after pruning: %v", s.Session, s.Faults)
				}
			}
		})
	}
}

func TestPruneBySize(t *testing.T) {
	state := t.TempDir()
	large := strings.Repeat("x", 100_000) // in blobs
	aged(t, state, "a", large, 9*day, 3*day)
	aged(t, state, "b", large, 6*day)
	live := open(t, state, "l")
	run(t, live, text(large))
	store := ledger.Store{Folder: state}
	got, err := store.Prune(ledger.Retention{Bytes: 250_000, Now: noon})
	must(t, err)
	if want := []string{"a/2", "l/1"}; !cmp.Equal(segments(t, state), want) || got.Segments != 2 || got.Blobs != 2 || got.Bytes < 200_000 {
		t.Errorf("Prune = %+v and left %v, want %v", got, segments(t, state), want)
	}
	if report, err := store.Verify("a"); err != nil || len(report.Faults) > 0 || report.Blobs != 1 {
		t.Errorf("Verify of what is left = %+v, %v", report, err)
	}
	if _, err := os.Stat(filepath.Join(state, "sessions", "b")); err == nil {
		t.Error("the folder of a session without segments is still there")
	}
	// A session whose segments are gone can begin again.
	run(t, open(t, state, "b"), text("new"))
}

func TestPruneScratch(t *testing.T) {
	state := t.TempDir()
	aged(t, state, "ended", "", 0)
	live := open(t, state, "live")
	run(t, live, text(""))
	for _, name := range []string{"ended", "live", "mine", "gone", "busy"} {
		dir := filepath.Join(state, "scratch", name, "tmp")
		must(t, os.MkdirAll(dir, 0o700))
		file := filepath.Join(dir, "f")
		must(t, os.WriteFile(file, nil, 0o600))
		at := noon.Add(-40 * day)
		if name == "busy" {
			must(t, os.Chtimes(file, noon, noon))
		} else {
			must(t, os.Chtimes(file, at, at))
		}
		must(t, os.Chtimes(dir, at, at))
		must(t, os.Chtimes(filepath.Dir(dir), at, at))
	}
	got, err := ledger.Store{Folder: state}.Prune(ledger.Retention{Age: 30 * day, Now: noon, Keep: []string{"mine"}})
	must(t, err)
	left, err := filepath.Glob(filepath.Join(state, "scratch", "*"))
	must(t, err)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if want := []string{"busy", "live", "mine"}; !cmp.Equal(left, want) || got.Scratch != 2 {
		t.Errorf("Prune removed %d scratch folders and left %v, want %v", got.Scratch, left, want)
	}
}

func TestClockThatFallsBack(t *testing.T) {
	state := t.TempDir()
	at := noon
	l := openWith(t, ledger.Options{Folder: state, Session: "s", Clock: func() time.Time { at = at.Add(-time.Hour); return at }})
	for i := range 5 {
		run(t, l, text(fmt.Sprint(i)))
	}
	records, faults := read(t, state, "s")
	for i, r := range records {
		if r.Seq != uint64(i) {
			t.Errorf("record %d has sequence %d", i, r.Seq)
		}
	}
	if len(records) != 11 || len(faults) > 0 || !records[10].At.Before(records[0].At) {
		t.Errorf("%d records with faults %v, want 11 whose times fall", len(records), faults)
	}
	for _, year := range []int{-5, 0, 10_000, 290_000} {
		at = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		must(t, l.Note(ledger.Note{Text: "a clock gone mad"}))
	}
	if records, faults := read(t, state, "s"); len(records) != 15 || len(faults) > 0 {
		t.Errorf("%d records with faults %v, want 15 whatever the clock says", len(records), faults)
	}
}
