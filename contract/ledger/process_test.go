package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract/ledger"
)

func TestConcurrentWriters(t *testing.T) {
	state := t.TempDir()
	l := open(t, state, "s")
	var mu sync.Mutex
	want := map[string]string{}
	var workers sync.WaitGroup
	for w := range 16 {
		workers.Go(func() {
			for n := range 200 {
				ex, err := l.Started(ledger.Start{Identity: "builtin/x", Name: "x", Idempotent: n%10 != 0})
				if err != nil {
					t.Error(err)
					return
				}
				result := fmt.Sprintf("%d of %d", n, w)
				if err := l.Settled(ex, text(result)); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				want[ex] = result
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	closeLog(t, l)
	records, faults := read(t, state, "s")
	got := map[string]string{}
	for i, r := range records {
		if r.Seq != uint64(i) {
			t.Fatalf("record %d has sequence %d", i, r.Seq)
		}
		if r.Kind == ledger.KindSucceeded {
			var receipt ledger.Receipt
			must(t, json.Unmarshal(r.Data, &receipt))
			got[r.Execution] = receipt.Content[0].Text
		}
	}
	if len(faults) > 0 || len(want) != 16*200 || !maps.Equal(got, want) {
		t.Errorf("%d receipts and faults %v, want %d and none", len(got), faults, len(want))
	}
}

// onDisk reads starts and receipts with nothing but a JSON parser.
func onDisk(t *testing.T, state, session string) (started, settled map[string]bool) {
	t.Helper()
	started, settled = map[string]bool{}, map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(state, "sessions", session, "*.jsonl"))
	must(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must(t, err)
		for line := range bytes.Lines(data) {
			if !bytes.HasSuffix(line, []byte("\n")) {
				continue // torn: the kernel ends a write between two pages
			}
			var r struct {
				Seq             int
				Kind, Execution string
			}
			must(t, json.Unmarshal(line, &r))
			switch r.Kind {
			case "started":
				started[fmt.Sprintf("ex-%d", r.Seq)] = true
			case "succeeded":
				settled[r.Execution] = true
			}
		}
	}
	return started, settled
}

// Each of a hundred children is killed at a moment of its own, ten in a row on
// the same session.
func TestKilledAtAnyMoment(t *testing.T) {
	state := t.TempDir()
	for i := range 10 {
		session := fmt.Sprintf("s%d", i)
		t.Run(session, func(t *testing.T) {
			t.Parallel()
			started, settled := map[string]bool{}, map[string]bool{}
			for range 10 {
				p := startChild(t, state, session)
				for range rand.IntN(40) {
					if !p.next() {
						t.Fatal("a child ended by itself")
					}
				}
				p.kill(t)
				maps.Copy(started, p.started)
				maps.Copy(settled, p.settled)
			}
			checkKilled(t, state, session, started, settled)
		})
	}
}

// checkKilled holds the ledger of a killed child against what the child had
// reported.
func checkKilled(t *testing.T, state, session string, reportedStarts, reportedReceipts map[string]bool) {
	t.Helper()
	started, settled := onDisk(t, state, session)
	for ex := range reportedStarts {
		if !started[ex] {
			t.Errorf("%s/%s was reported as started and is not recorded", session, ex)
		}
	}
	for ex := range reportedReceipts {
		if !settled[ex] {
			t.Errorf("%s/%s was reported as settled and has no receipt", session, ex)
		}
	}
	var want []string
	for ex := range started {
		if !settled[ex] {
			want = append(want, ex)
		}
	}
	got := uncertain(t, state, session)
	if slices.Sort(want); !cmp.Equal(want, slices.Sorted(slices.Values(got))) {
		t.Errorf("%s: uncertain are %v, want %v", session, got, want)
	}
	report, err := ledger.Store{Folder: state}.Verify(session)
	must(t, err)
	// The last child may have left a torn record; earlier ones were cut off.
	if n := len(report.Faults); n > 0 && report.Faults[n-1].Kind == ledger.Torn && report.Faults[n-1].File == segmentPath(state, session, report.Segments) {
		report.Faults = report.Faults[:n-1]
	}
	if len(report.Faults) > 0 || report.Records < len(started)+len(settled) {
		t.Errorf("%s: Verify = %+v; want all of %d starts and %d receipts", session, report, len(started), len(settled))
	}
}

func TestTwoProcesses(t *testing.T) {
	state := t.TempDir()
	a, b := startChild(t, state, "a"), startChild(t, state, "b")
	for range 20 {
		a.next()
		b.next()
	}
	store := ledger.Store{Folder: state}
	all, err := store.Sessions()
	must(t, err)
	for _, s := range all {
		if !s.Live || len(s.Uncertain) > 0 || len(s.Faults) > 0 || s.Calls < 5 {
			t.Errorf("while its process writes, session %s is %+v", s.Session, s)
		}
	}
	if _, err := ledger.Open(ledger.Options{Folder: state, Session: "a"}); err == nil {
		t.Error("a session that another process writes was opened")
	}
	// The other process's session is not touched.
	pruned, err := store.Prune(ledger.Retention{Bytes: 1})
	if err != nil || pruned.Segments > 0 {
		t.Errorf("Prune beside two writers = %+v, %v; want nothing removed", pruned, err)
	}
	a.kill(t)
	b.kill(t)
	checkKilled(t, state, "a", a.started, a.settled)
	checkKilled(t, state, "b", b.started, b.settled)
}

// Of many who open a session at one moment one gets it.
func TestOpenAtOnce(t *testing.T) {
	for round := range 20 {
		state := t.TempDir()
		var mu sync.Mutex
		var logs []*ledger.Log
		var openers sync.WaitGroup
		for range 8 {
			openers.Go(func() {
				l, err := ledger.Open(ledger.Options{Folder: state, Session: "s"})
				if err != nil && !errors.Is(err, ledger.ErrBusy) {
					t.Errorf("Open beside others = %v, want success or ErrBusy", err)
				}
				if l != nil {
					mu.Lock()
					defer mu.Unlock()
					logs = append(logs, l)
				}
			})
		}
		openers.Wait()
		if len(logs) != 1 {
			t.Errorf("round %d: %d of 8 opened the session, want 1", round, len(logs))
		}
		for _, l := range logs {
			closeLog(t, l)
		}
	}
}

// Whoever opens a session that is being pruned gets a segment that stays.
func TestPruneBesideOpen(t *testing.T) {
	state := t.TempDir()
	end := make(chan struct{})
	var pruner sync.WaitGroup
	pruner.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			if _, err := (ledger.Store{Folder: state}).Prune(ledger.Retention{Bytes: 1}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer pruner.Wait()
	defer close(end)
	for range 200 {
		l := open(t, state, "s")
		ex := run(t, l, text(fmt.Sprintf("%10000s", "end")))
		got, err := ledger.Store{Folder: state}.Recall(ledger.Recall{Session: "s", Ask: ledger.Ask{ID: ex}})
		if err != nil || len(got) != 10_000 {
			t.Fatalf("Recall beside Prune = %d bytes, %v, want the 10000 of the result", len(got), err)
		}
		closeLog(t, l)
	}
}
