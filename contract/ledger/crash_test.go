//go:build crashpoints

package ledger_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"raw/contract/ledger"
)

// points records the points that a call passes.
func points(t *testing.T, start ledger.Start, r ledger.Receipt) (atStart, atEnd []string) {
	t.Helper()
	var got []string
	l := openWith(t, ledger.Options{Folder: t.TempDir(), Session: "s", Crash: func(p string) { got = append(got, p) }})
	got = nil
	ex, err := l.Started(start)
	must(t, err)
	atStart, got = got, nil
	must(t, l.Settled(ex, r))
	atEnd = slices.Clone(got)
	return atStart, atEnd
}

// A start and a receipt are synced before they return, unless the tool is
// idempotent; a blob is in place before the record that names it.
func TestDurableBeforeReturn(t *testing.T) {
	for _, tc := range []struct {
		name       string
		idempotent bool
		size       int
		start, end string
	}{
		{"not idempotent", false, 10, "before-write after-write before-sync after-sync", "before-write after-write before-sync after-sync"},
		{"idempotent", true, 10, "before-write after-write", "before-write after-write"},
		{"large", false, 10_000, "before-write after-write before-sync after-sync", "blob-written before-write after-write before-sync after-sync"},
	} {
		s, e := points(t, ledger.Start{Identity: "builtin/x", Idempotent: tc.idempotent}, text(strings.Repeat("x", tc.size)))
		if got := strings.Join(s, " "); got != tc.start {
			t.Errorf("%s: Started passed %q, want %q", tc.name, got, tc.start)
		}
		if got := strings.Join(e, " "); got != tc.end {
			t.Errorf("%s: Settled passed %q, want %q", tc.name, got, tc.end)
		}
	}
}

// Whoever writes while a sync runs shares the next one.
func TestOneSyncForAll(t *testing.T) {
	const others = 15
	var mu sync.Mutex
	written, syncs := 0, 0
	held, release := make(chan struct{}), make(chan struct{})
	l := openWith(t, ledger.Options{Folder: t.TempDir(), Session: "s", Crash: func(p string) {
		mu.Lock()
		defer mu.Unlock()
		switch p {
		case "before-sync":
			if syncs++; syncs == 1 {
				mu.Unlock()
				close(held)
				<-release
				mu.Lock()
			}
		case "after-write":
			if written++; written == 2+others { // the first line too
				close(release)
			}
		}
	}})
	var calls sync.WaitGroup
	begin := func() {
		if _, err := l.Started(ledger.Start{Identity: "builtin/x"}); err != nil {
			t.Error(err)
		}
	}
	calls.Go(begin)
	select {
	case <-held:
	case <-time.After(10 * time.Second):
		t.Fatal("a start came to no sync")
	}
	for range others {
		calls.Go(begin)
	}
	calls.Wait()
	if syncs != 2 {
		t.Errorf("%d starts of one moment made %d syncs, want 2", 1+others, syncs)
	}
}

// A start that did not become durable did not happen: nothing ran, so it is not
// uncertain either.
func TestStartThatIsNotDurable(t *testing.T) {
	state := t.TempDir()
	path := segmentPath(state, "s", 1)
	away := func(p string) {
		if p == "before-sync" {
			_ = os.Rename(path, path+".away") // so that the sync refuses
		}
	}
	l, err := ledger.Open(ledger.Options{Folder: state, Session: "s", Crash: away})
	must(t, err)
	if ex, err := l.Started(ledger.Start{Identity: "builtin/x"}); err == nil || ex != "" {
		t.Errorf("Started = %q, %v, want an error", ex, err)
	}
	must(t, os.Rename(path+".away", path))
	closeLog(t, l)
	records, _ := read(t, state, "s")
	if len(records) != 3 || records[2].Kind != ledger.KindVoided || records[2].Execution != "ex-1" {
		t.Errorf("records are %+v, want a start that is taken back", records)
	}
	if got := uncertain(t, state, "s"); got != nil {
		t.Errorf("uncertain are %v, want none", got)
	}
}

const pointVariable = "LEDGER_TEST_POINT"

// TestCrashChild is the child of TestKilledAtNamedPoints. It stops at the n-th
// time it passes a point, says so, and waits for the end.
func TestCrashChild(t *testing.T) {
	point, nth, ok := strings.Cut(os.Getenv(pointVariable), " ")
	if !ok {
		return
	}
	left, err := strconv.Atoi(nth)
	must(t, err)
	l, err := ledger.Open(ledger.Options{Folder: os.Getenv("LEDGER_TEST_STATE"), Session: "s", Crash: func(p string) {
		if p != point {
			return
		}
		if left--; left == 0 {
			os.Stdout.WriteString("at\n")
			_, _ = bufio.NewReader(os.Stdin).ReadByte() // until killed
		}
	}})
	must(t, err)
	for {
		ex, err := l.Started(ledger.Start{Identity: "builtin/x"})
		must(t, err)
		os.Stdout.WriteString("S " + ex + "\n")
		must(t, l.Settled(ex, text(strings.Repeat("x", 10_000)+ex)))
		os.Stdout.WriteString("R " + ex + "\n")
	}
}

// A child is killed from outside while it stands at each point of each record.
func TestKilledAtNamedPoints(t *testing.T) {
	for _, point := range []string{"blob-written", "before-write", "after-write", "before-sync", "after-sync"} {
		for nth := 1; nth <= 5; nth++ {
			t.Run(fmt.Sprintf("%s %d", point, nth), func(t *testing.T) {
				state := t.TempDir()
				cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
				cmd.Env = append(os.Environ(), pointVariable+"="+fmt.Sprintf("%s %d", point, nth), "LEDGER_TEST_STATE="+state)
				_, err := cmd.StdinPipe()
				must(t, err)
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				started, settled := map[string]bool{}, map[string]bool{}
				lines := bufio.NewScanner(out)
				for lines.Scan() && lines.Text() != "at" {
					if len(started) > 100 {
						t.Fatal("the child does not come to the point")
					}
					switch what, ex, _ := strings.Cut(lines.Text(), " "); what {
					case "S":
						started[ex] = true
					case "R":
						settled[ex] = true
					}
				}
				must(t, cmd.Process.Kill())
				if _, ok := errors.AsType[*exec.ExitError](cmd.Wait()); !ok {
					t.Fatal("the child was not killed")
				}
				if point == "before-write" && nth == 1 {
					return // not even the first line
				}
				checkKilled(t, state, "s", started, settled)
				// What a blob-written leaves is no execution's loss: its start is uncertain.
				if got := uncertain(t, state, "s"); point == "blob-written" && !cmp.Equal(got, []string{fmt.Sprintf("ex-%d", 2*nth-1)}) {
					t.Errorf("uncertain are %v, want the start whose blob was written", got)
				}
			})
		}
	}
}
