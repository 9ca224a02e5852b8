//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"raw/contract/ledger"
)

// A killed server loses no receipt of an answer that went out, runs nothing
// twice, and every call that it left in the middle is listed as uncertain, and no
// other. Real servers are killed 200 times: half from outside at a random
// moment, half at the named points of a binary that is built with them. What
// happened is told by a file that the commands append to and by what the client
// received; the ledger is what is examined.
//
// A failure tells its seed. CRASH_SEED=n plays the same calls again, killed
// after the same times and at the same points; the clock is not part of it.
func TestKilled(t *testing.T) {
	const (
		homes  = 20 // state folders for each binary
		kills  = 5  // in each of them, one server after the other
		atOnce = 16 // mostly they wait for disks and for what ends orphans
	)
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("CRASH_SEED"), strconv.FormatUint(rand.Uint64(), 10)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	plain, pointed := build(t, bin, "plain"), build(t, bin, "pointed", "-tags", "crashpoints")
	points := []string{"blob-written", "before-write", "after-write", "before-sync", "after-sync"}

	var outside, inside tally
	var running sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for n := range 2 * homes {
		total := &outside
		if n >= homes {
			total = &inside
		}
		h := newHome(t, n, total)
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for k := range kills + 1 {
				// How much a life draws depends on the clock: each has its own.
				h.random = rand.New(rand.NewPCG(seed, uint64(n*(kills+1)+k)))
				l := life{binary: plain, answers: h.random.IntN(20), after: time.Duration(h.random.IntN(20_000)) * time.Microsecond}
				switch {
				case k == kills:
					l = life{binary: plain, calls: 8}
				case total == &inside:
					l = life{binary: pointed, point: fmt.Sprintf("%s:%d", points[(n+k)%len(points)], 1+h.random.IntN(12))}
				}
				h.live(l)
			}
		})
	}
	running.Wait()
	t.Logf("from outside: %v", &outside)
	t.Logf("at points: %v", &inside)
	for _, total := range []*tally{&outside, &inside} {
		if n := total.killed.Load(); n != homes*kills || !total.tried() {
			t.Errorf("%v: want %d kills and some of each", total, homes*kills)
		}
	}
	if t.Failed() {
		t.Logf("CRASH_SEED=%d", seed)
	}
}

// build builds the program of this folder.
func build(t *testing.T, dir, name string, flags ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if out, err := exec.Command("go", slices.Concat([]string{"build", "-o", path}, flags, []string{"."})...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// tally counts what the kills met.
type tally struct {
	killed, answered, refused, lost, doubtful, untouched atomic.Int64
}

func (c *tally) String() string {
	return fmt.Sprintf("%d kills, %d calls answered, %d refused, %d receipts without their answer, %d uncertain with a trace, %d without one",
		c.killed.Load(), c.answered.Load(), c.refused.Load(), c.lost.Load(), c.doubtful.Load(), c.untouched.Load())
}

// tried reports whether the kills met every case.
func (c *tally) tried() bool {
	return min(c.answered.Load(), c.refused.Load(), c.lost.Load(), c.doubtful.Load(), c.untouched.Load()) > 0
}

// home is a home folder with a workspace, in which servers live one after the
// other.
type home struct {
	t      *testing.T
	number int
	dir    string
	total  *tally

	random   *rand.Rand // of the life that goes on
	lives    int
	log      string              // what the commands have written in the lives so far
	sessions map[string][]string // their sessions, and what is uncertain in each
}

func newHome(t *testing.T, number int, total *tally) *home {
	h := &home{t: t, number: number, dir: t.TempDir(), total: total, sessions: map[string][]string{}}
	if err := os.Mkdir(h.path("w"), 0o755); err != nil {
		t.Fatal(err)
	}
	// In every other home commands run one beside the other.
	config := fmt.Sprintf("[limits]\nbarrier = %v\n", number%2 == 0)
	if err := os.WriteFile(h.path("config.toml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) store() ledger.Store { return ledger.Store{Folder: h.path(".local/state/raw")} }

// life is one server, and how it ends: killed some time after a number of
// answers, the handshake's not counted, or at a point, or closed after a number
// of calls.
type life struct {
	binary  string
	answers int
	after   time.Duration
	point   string
	calls   int
}

func (l life) String() string {
	switch {
	case l.calls > 0:
		return "closed"
	case l.point != "":
		return "killed at " + l.point
	}
	return fmt.Sprintf("killed %v after %d answers", l.after, l.answers)
}

// live runs a server to its end and examines what it leaves.
func (h *home) live(l life) {
	h.lives++
	errorf := func(format string, args ...any) {
		h.t.Errorf("home %d, server %d, %v: %s", h.number, h.lives, l, fmt.Sprintf(format, args...))
	}
	c := &client{home: h, calls: map[string]*sent{}}
	if err := c.run(l); err != nil {
		errorf("%v", err)
		return
	}
	h.examine(c.calls, errorf)
	if l.calls == 0 {
		h.total.killed.Add(1)
		return
	}
	for token, call := range c.calls {
		if !call.answered {
			errorf("%s has no answer", token)
		}
	}
}

// checkListed checks that what is uncertain in the sessions so far has stayed
// so, and that nothing is in a session whose server lives.
func (h *home) checkListed() {
	names, err := h.store().Names()
	if err != nil {
		h.t.Error(err)
	}
	for _, session := range slices.AppendSeq(names, maps.Keys(h.sessions)) {
		if got, want := h.uncertain(session), h.sessions[session]; !slices.Equal(got, want) {
			h.t.Errorf("home %d, server %d: uncertain in session %s are %v, want %v as before", h.number, h.lives, session, got, want)
		}
	}
}

// uncertain are the tokens of the calls that are listed as uncertain.
func (h *home) uncertain(session string) []string {
	list, err := h.store().Uncertain(session)
	if err != nil && !errors.Is(err, ledger.ErrUnknown) {
		h.t.Error(err)
	}
	var tokens []string
	for _, e := range list {
		tokens = append(tokens, tokenIn(e.Start.Arguments))
	}
	slices.Sort(tokens)
	return tokens
}

func tokenIn(arguments []byte) string {
	return string(regexp.MustCompile(`token-\d+-\d+-\d+\.`).Find(arguments))
}

// recorded is what a ledger tells of a call.
type recorded struct {
	started, receipts, refused int
	failed                     bool
}

// examine holds the ledger against what the client knows of the calls of the
// server that has just ended, and against the file.
func (h *home) examine(calls map[string]*sent, errorf func(string, ...any)) {
	log, err := os.ReadFile(filepath.Join(h.path("w"), "log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		errorf("%v", err)
	}
	added, same := strings.CutPrefix(string(log), h.log)
	if !same {
		errorf("the file was\n%s\nand is\n%s", h.log, log)
	}
	h.log = string(log)
	ran := map[string]bool{}
	for token := range strings.Lines(added) {
		token = strings.TrimSuffix(token, "\n")
		switch call := calls[token]; {
		case call == nil || call.refused:
			errorf("%q ran, and nobody has called it or it was refused", token)
		case ran[token]:
			errorf("%s ran twice", token)
		}
		ran[token] = true
	}

	ledgers, listed := h.read(errorf)
	h.checkListed()
	for token := range ledgers {
		if calls[token] == nil {
			errorf("%q is recorded, and the client has not called it", token)
		}
	}
	for token, call := range calls {
		r := ledgers[token]
		done, uncertain := r.receipts == 1, slices.Contains(listed, token)
		switch {
		case r.started > 1 || r.receipts > r.started || call.refused && r.started > 0:
			errorf("%s has %d starts and %d receipts", token, r.started, r.receipts)
		case ran[token] && r.started == 0:
			errorf("%s ran and has no start", token)
		case uncertain != (r.started == 1 && !done):
			errorf("%s has %d starts and %d receipts; listed as uncertain: %v", token, r.started, r.receipts, uncertain)
		case call.answered && call.refused && (r.refused != 1 || !call.isError):
			errorf("%s was refused and has %d records of that", token, r.refused)
		case call.answered && !call.refused && !done:
			errorf("%s was answered and has no receipt", token)
		case call.answered && done && call.isError != r.failed:
			errorf("%s: the answer is an error: %v, the receipt: %v", token, call.isError, r.failed)
		case done && call.tool == "bash" && !ran[token]:
			errorf("%s has a receipt and did not run", token)
		}
		switch {
		case call.refused && call.answered:
			h.total.refused.Add(1)
		case call.answered:
			h.total.answered.Add(1)
		case done:
			h.total.lost.Add(1)
		case uncertain && ran[token]:
			h.total.doubtful.Add(1)
		case uncertain && call.tool == "bash":
			h.total.untouched.Add(1)
		}
	}
}

// read reads the ledger of the server that has just ended, by token. It may have
// none: the first record makes it.
func (h *home) read(errorf func(string, ...any)) (calls map[string]recorded, uncertain []string) {
	store := h.store()
	names, err := store.Names()
	if err != nil {
		errorf("%v", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, old := h.sessions[name]; return old })
	if len(names) > 1 {
		errorf("one server has made the sessions %v", names)
	}
	calls = map[string]recorded{}
	for _, session := range names {
		report, err := store.Verify(session)
		if errors.Is(err, ledger.ErrUnknown) {
			h.sessions[session] = nil // killed before there was a segment
			continue
		}
		if err != nil || len(report.Faults) > 1 || len(report.Faults) == 1 && report.Faults[0].Kind != ledger.Torn {
			errorf("Verify = %v, %v, want a torn record at most", report.Faults, err)
		}
		records, err := store.Records(session)
		if err != nil {
			errorf("%v", err)
			continue
		}
		tokens := map[string]string{} // by execution
		for r := range records {
			token := tokens[r.Execution]
			if r.Kind == ledger.KindStarted || r.Kind == ledger.KindRefused {
				var start ledger.Start
				if err := store.Decode(r, &start); err != nil {
					errorf("%v", err)
				}
				token = tokenIn(start.Arguments)
				tokens[ledger.ExecutionID(r.Seq)] = token
			}
			call := calls[token]
			switch r.Kind {
			case ledger.KindStarted:
				call.started++
			case ledger.KindRefused:
				call.refused++
			case ledger.KindSucceeded, ledger.KindFailed:
				call.receipts++
				call.failed = r.Kind == ledger.KindFailed
			default:
				continue
			}
			calls[token] = call
		}
		uncertain = h.uncertain(session)
		h.sessions[session] = uncertain
	}
	for _, token := range uncertain {
		if _, known := calls[token]; !known {
			errorf("%q is listed as uncertain and is not recorded", token)
		}
	}
	return calls, uncertain
}
