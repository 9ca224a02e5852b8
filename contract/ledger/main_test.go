package ledger_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"raw/contract/ledger"
)

// The test binary is also the child that the tests start and kill: it writes
// the session of its first argument until it is ended.
const childVariable = "LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	if state := os.Getenv(childVariable); state != "" {
		if err := child(state, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child reports every start and receipt on stdout once it is recorded, and ends
// when stdin does.
func child(state, session string) error {
	l, err := ledger.Open(ledger.Options{Folder: state, Session: session})
	if err != nil {
		return err
	}
	fmt.Println("open")
	end := make(chan struct{})
	go func() {
		defer close(end)
		_, _ = os.Stdin.Read(make([]byte, 1))
	}()
	var workers sync.WaitGroup
	errs := make(chan error, 4)
	for range 4 {
		workers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				ex, err := l.Started(ledger.Start{Identity: "builtin/x", Name: "x", Idempotent: n%2 == 1})
				if err != nil {
					errs <- err
					return
				}
				os.Stdout.WriteString("S " + ex + "\n")
				size := 10
				if n%5 == 0 {
					size = 10_000 // a blob
				}
				if err := l.Settled(ex, text(strings.Repeat("r", size)+ex)); err != nil {
					errs <- err
					return
				}
				os.Stdout.WriteString("R " + ex + "\n")
			}
		})
	}
	workers.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return l.Close()
	}
}

// process is a child that runs.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	// what it reported
	started, settled map[string]bool
}

func startChild(t *testing.T, state, session string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], session), started: map[string]bool{}, settled: map[string]bool{}}
	p.cmd.Env = append(os.Environ(), childVariable+"="+state)
	p.cmd.Stderr = os.Stderr
	if _, err := p.cmd.StdinPipe(); err != nil { // kept open
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	if !p.next() {
		t.Fatalf("the child of session %s ended before it had opened its ledger", session)
	}
	return p
}

// next reads one report. False is the end of the child.
func (p *process) next() bool {
	if !p.lines.Scan() {
		return false
	}
	what, ex, _ := strings.Cut(p.lines.Text(), " ")
	switch what {
	case "S":
		p.started[ex] = true
	case "R":
		p.settled[ex] = true
	}
	return true
}

// kill ends the child at once and reads what it had reported until then.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for p.next() {
	}
	_ = p.cmd.Wait() // it was killed
}

func open(t *testing.T, state, session string) *ledger.Log {
	t.Helper()
	return openWith(t, ledger.Options{Folder: state, Session: session})
}

func openWith(t *testing.T, o ledger.Options) *ledger.Log {
	t.Helper()
	l, err := ledger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeLog(t, l) })
	return l
}

func closeLog(t *testing.T, l *ledger.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func text(s string) ledger.Receipt {
	return ledger.Receipt{Content: []ledger.Block{{Type: "text", Text: s}}}
}

// run records a whole call.
func run(t *testing.T, l *ledger.Log, r ledger.Receipt) (execution string) {
	t.Helper()
	ex := start(t, l, "x")
	must(t, l.Settled(ex, r))
	return ex
}

func start(t *testing.T, l *ledger.Log, name string) (execution string) {
	t.Helper()
	ex, err := l.Started(ledger.Start{Identity: "builtin/" + name, Name: name, Arguments: json.RawMessage(`{"n":9007199254740993}`)})
	must(t, err)
	return ex
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the records and faults of a session.
func read(t testing.TB, state, session string) (records []ledger.Record, faults []ledger.Fault) {
	t.Helper()
	seq, err := ledger.Store{Folder: state}.Records(session)
	if err != nil {
		t.Fatal(err)
	}
	for r, fault := range seq {
		if fault != nil {
			faults = append(faults, *fault)
		} else {
			records = append(records, r)
		}
	}
	return records, faults
}

func uncertain(t *testing.T, state, session string) (ids []string) {
	t.Helper()
	list, err := ledger.Store{Folder: state}.Uncertain(session)
	must(t, err)
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

func segmentPath(state, session string, n int) string {
	return filepath.Join(state, "sessions", session, fmt.Sprintf("%06d.jsonl", n))
}

// fixed is a clock that stands still.
func fixed(at time.Time) func() time.Time { return func() time.Time { return at } }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
