//go:build linux

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"raw/contract/ledger"
	"raw/internal/proc"
)

// runLedger runs a ledger command; typed is what a person types, who is there
// unless it is empty. Times and our process number are masked.
func runLedger(t *testing.T, home, typed string, args ...string) outcome {
	t.Helper()
	return runLedgerIn(t, home, typed, nil, args...)
}

func runLedgerIn(t *testing.T, home, typed string, env []string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte(typed), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	stderr, err := os.Create(filepath.Join(dir, "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	var stdout bytes.Buffer
	p := &Program{
		Name: "raw-test", Stdin: in, Stdout: &stdout, Stderr: stderr,
		Environ: append([]string{"HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home}, env...),
	}
	root := &cobra.Command{Use: "raw-test"}
	p.AddFlags(root)
	root.AddCommand((&book{Program: p, person: func() bool { return typed != "" }}).command())
	code := p.Execute(t.Context(), root, append([]string{"ledger"}, args...))
	said, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	return outcome{code, masked(home, stdout.String()), masked(home, string(said))}
}

func masked(home, text string) string {
	text = strings.NewReplacer(stamp(noon), "TIME", noon.Format(time.RFC3339), "TIME", home, "HOME", fmt.Sprint(os.Getpid()), "PID").Replace(text)
	return regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(text, "HASH")
}

// writeSession records a session; write gets its log. It stays open until the
// test ends, or until close is called.
func writeSession(t *testing.T, home, name string, write func(*ledger.Log)) (end func()) {
	t.Helper()
	l, err := ledger.Open(ledger.Options{
		Folder: filepath.Join(home, "raw"), Session: name, NoSync: true, Clock: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	end = func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(end)
	write(l)
	return end
}

func started(t *testing.T, l *ledger.Log, tool, arguments string) (execution string) {
	t.Helper()
	ex, err := l.Started(ledger.Start{Identity: "builtin/" + tool, Name: tool, Source: "model", Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return ex
}

func settled(t *testing.T, l *ledger.Log, execution string, r ledger.Receipt) {
	t.Helper()
	if err := l.Settled(execution, r); err != nil {
		t.Fatal(err)
	}
}

// history is a home with a session that ended in the middle of a call, ab1, and
// one that is being written, ab2.
func history(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	end := writeSession(t, home, "ab1", func(l *ledger.Log) {
		settled(t, l, started(t, l, "read", `{"path":"a"}`), ledger.Receipt{Content: []ledger.Block{
			{Type: "text", Text: "one\nt\x1b[1mwo\n"},
			{Type: "json", JSON: json.RawMessage(`{"k":[1]}`)},
			{Type: "image", MIME: "image/png", Data: []byte{1, 2, 3}},
		}})
		if err := l.Note(ledger.Refusal{Start: ledger.Start{Name: "bash", Arguments: json.RawMessage(`{"command":"su"}`)}, Step: "policy", Code: "tool_denied"}); err != nil {
			t.Fatal(err)
		}
		started(t, l, "write", "{\"path\":\"x\u202ey\"}") // ex-4
	})
	end()
	writeSession(t, home, "ab2", func(l *ledger.Log) {
		settled(t, l, started(t, l, "bash", `{"command":"false"}`), ledger.Receipt{
			Failed: true, ErrorKind: "fatal", Code: "tool_error", Tags: []string{"exit"}, Content: []ledger.Block{{Type: "text", Text: strings.Repeat("long ", 40)}},
		})
		started(t, l, "bash", `{"command":"sleep 9"}`) // ex-3
	})
	return home
}

func TestLedgerReading(t *testing.T) {
	home := history(t)
	for _, tc := range []struct {
		line string
		want outcome
	}{
		{"list", outcome{0, `UNCERTAIN  STARTED  CALL
ab1/ex-4   TIME  write {"path":"x\u202ey"}
Look at what they may have done, then say what becomes of each:
  raw-test ledger resolve ab1/ex-4 --verdict rerun|abandoned

SESSION  LAST RECORD          STATE           CALLS  REFUSED  UNCERTAIN  FAULTS
ab1      TIME  ended           2      1        1          0
ab2      TIME  written by PID  2      0        0          0
`, ""}},
		{"list --json", outcome{0, `{"session":"ab1","live":false,"process":PID,"first":"TIME","last":"TIME","records":5,"calls":2,"refused":1,"uncertain":[{"id":"ab1/ex-4","at":"TIME","identity":"builtin/write","name":"write","arguments":{"path":"x` + "\u202e" + `y"}}],"faults":[]}
{"session":"ab2","live":true,"process":PID,"first":"TIME","last":"TIME","records":4,"calls":2,"refused":0,"uncertain":[],"faults":[]}
`, ""}},
		{"show ab1/1", outcome{0, `execution  ab1/ex-1
tool       read (builtin/read)
source     model
started    TIME
arguments  {
             "path": "a"
           }
outcome    succeeded at TIME

one
t\x1b[1mwo
{
  "k": [
    1
  ]
}
[image, image/png, 3 bytes]
`, ""}},
		{"show ab2/ex-1", outcome{0, `execution  ab2/ex-1
tool       bash (builtin/bash)
source     model
started    TIME
arguments  {
             "command": "false"
           }
outcome    failed at TIME (fatal tool_error)
tags       exit

` + strings.Repeat("long ", 40) + "\n", ""}},
		{"show ex-4", outcome{0, `execution  ab1/ex-4
tool       write (builtin/write)
source     model
started    TIME
arguments  {
             "path": "x\u202ey"
           }
outcome    uncertain: its process ended before one was recorded
           raw-test ledger resolve ab1/ex-4 says what becomes of it
`, ""}},
		{"show ab2/3 --json", outcome{0, `{"session":"ab2","seq":3,"at":"TIME","kind":"started","execution":"ex-3","data":{"identity":"builtin/bash","name":"bash","source":"model","arguments":{"command":"sleep 9"}}}
`, ""}},
		{"show ab2/9", outcome{1, "", "raw-test: ab2 has no execution ex-9; it has 2, from ex-1 to ex-3: not recorded\n"}},
		{"show av2/1", outcome{1, "", "raw-test: no session \"av2\" is recorded (raw-test ledger list lists them); near it: ab2, ab1\n"}},
		{"show ab/1", outcome{1, "", "raw-test: \"ab\" may be any of ab1, ab2; write more of it\n"}},
		{"show ab1", outcome{1, "", "raw-test: \"ab1\" names no execution; write ex-<n> or <session>/ex-<n>: not recorded\n"}},
		{"tail ab1", outcome{0, `TIME  segment     {"format":"raw.ledger/1","session":"ab1","process":PID}
TIME  started     ex-1 read {"path":"a"}
TIME  succeeded   ex-1 one t\x1b[1mwo { "k": [ 1 ] } [image, image/png, 3 bytes]
TIME  refused     tool_denied: bash {"command":"su"}
TIME  started     ex-4 write {"path":"x\u202ey"}
`, ""}},
		{"tail ab2 -n 2", outcome{0, "TIME  failed      ex-1 " + strings.Repeat("long ", 32) + "…\nTIME  started     ex-3 bash {\"command\":\"sleep 9\"}\n", ""}},
		{"tail ab2 -n 1 --json", outcome{0, `{"session":"ab2","seq":3,"at":"TIME","kind":"started","execution":"ex-3","data":{"identity":"builtin/bash","name":"bash","source":"model","arguments":{"command":"sleep 9"}}}
`, ""}},
		{"search SLEEP", outcome{0, "TIME  ab2/ex-3 started: sleep 9\n", ""}},
		{"search wo", outcome{0, "TIME  ab1/ex-1 succeeded: one t\\x1b[1mwo\n", ""}},
		{"search --session ab1 sleep", outcome{0, "", "raw-test: no record has this text\n"}},
		{"search ( --json", outcome{0, "", "raw-test: no record has this text\n"}},
		{"verify", outcome{0, "ab1: intact (1 file, 5 records, 0 blobs)\nab2: intact (1 file, 4 records, 0 blobs)\n", ""}},
		{"export ab2", outcome{0, `{"session":"ab2","segment":"000001.jsonl","line":1,"hash":"HASH","seq":0,"at":"TIME","kind":"segment","data":{"format":"raw.ledger/1","session":"ab2","process":PID}}
{"session":"ab2","segment":"000001.jsonl","line":2,"hash":"HASH","seq":1,"at":"TIME","kind":"started","execution":"ex-1","data":{"identity":"builtin/bash","name":"bash","source":"model","arguments":{"command":"false"}}}
{"session":"ab2","segment":"000001.jsonl","line":3,"hash":"HASH","seq":2,"at":"TIME","kind":"failed","execution":"ex-1","data":{"errorKind":"fatal","code":"tool_error","tags":["exit"],"content":[{"type":"text","text":"` + strings.Repeat("long ", 40) + `"}]}}
{"session":"ab2","segment":"000001.jsonl","line":4,"hash":"HASH","seq":3,"at":"TIME","kind":"started","execution":"ex-3","data":{"identity":"builtin/bash","name":"bash","source":"model","arguments":{"command":"sleep 9"}}}
`, ""}},
		{"export zz", outcome{1, "", "raw-test: no session \"zz\" is recorded (raw-test ledger list lists them)\n"}},
		{"prune --older 0s", outcome{2, "", "raw-test: --older: 0 bounds nothing; write one like 1h or 7d\n"}},
		{"prune --max-mib 0", outcome{2, "", "raw-test: --max-mib: 0; want 1 to 1048576\n"}},
		{"prune", outcome{0, "removed 0 files, 0 blobs and 0 scratch folders: 0 bytes\n", ""}},
	} {
		got := runLedger(t, home, "", strings.Fields(tc.line)...)
		if tc.line == "list" { // its columns are as wide as a process number
			wide := regexp.MustCompile(`  +`)
			got.stdout, tc.want.stdout = wide.ReplaceAllString(got.stdout, "  "), wide.ReplaceAllString(tc.want.stdout, "  ")
		}
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Errorf("ledger %s (-want +got):\n%s", tc.line, diff)
		}
	}
}

func TestLedgerResolve(t *testing.T) {
	home := history(t)
	const shown = `execution  ab1/ex-4
tool       write (builtin/write)
arguments  {
             "path": "x\u202ey"
           }
started    TIME
Record that this is abandoned? Nothing is run. [y/N] `
	for _, tc := range []struct {
		name, typed, line string
		env               []string
		want              outcome
	}{
		{"nobody", "", "ab1/ex-4 --verdict abandoned", nil, outcome{2, "", "raw-test: ledger resolve decides for a person: run it in a terminal, with standard input and standard error connected to it\n"}},
		{"no verdict", "y\n", "ab1/ex-4", nil, outcome{2, "", "raw-test: --verdict: \"\"; want rerun or abandoned\n"}},
		{"a command of a server", "y\n", "ab1/ex-4 --verdict abandoned", []string{proc.MarkVariable + "=x"}, outcome{
			1, "", "raw-test: this comes from a command that a server ran (it has " + proc.MarkVariable + "); a person has to run it in a terminal of their own\n",
		}},
		{"settled", "y\n", "ab1/1 --verdict rerun", nil, outcome{1, "", "raw-test: ab1/ex-1 is not uncertain; ex-4 of this session would be\n"}},
		{"running", "y\n", "ab2/3 --verdict rerun", nil, outcome{1, "", "raw-test: ab2/ex-3 is not uncertain; nothing of this session is\n"}},
		{"no", "n\n", "ab1/4 --verdict abandoned", nil, outcome{1, "", shown + "raw-test: not resolved\n"}},
		{"yes", "y\n", "ab1/4 --verdict abandoned", nil, outcome{0, "resolved: ab1/ex-4 is abandoned\n", shown}},
		{"again", "y\n", "ab1/4 --verdict abandoned", nil, outcome{1, "", "raw-test: ab1/ex-4 is not uncertain; nothing of this session is\n"}},
	} {
		got := runLedgerIn(t, home, tc.typed, tc.env, append([]string{"resolve"}, strings.Fields(tc.line)...)...)
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
	got := runLedger(t, home, "", "show", "ab1/4")
	if want := `"verdict":"abandoned"`; !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, "uncertain") {
		t.Errorf("show of a resolved execution = %+v, want %s", got, want)
	}
}

// What was changed is told by verify, and beside what list, tail and search find.
func TestLedgerFaults(t *testing.T) {
	home := history(t)
	path := filepath.Join(home, "raw", "sessions", "ab1", "000001.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("tool_denied"), []byte("tool_delied"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runLedger(t, home, "", "verify", "ab1")
	if got.code != 1 || !strings.HasPrefix(got.stdout, "ab1: 1 fault (1 file, 4 records, 0 blobs)\n  HOME/raw/sessions/ab1/000001.jsonl:4: corrupt: ") {
		t.Errorf("verify = %+v, want exit code 1 and the place", got)
	}
	if got := runLedger(t, home, "", "search", "tool_d"); got.code != 0 || !strings.Contains(got.stderr, "1 place of session ab1 cannot be read") {
		t.Errorf("search = %+v, want to be told of the fault", got)
	}
	if got := runLedger(t, home, "", "tail", "ab1"); !strings.Contains(got.stderr, "000001.jsonl:4: corrupt") {
		t.Errorf("tail = %+v, want to be told of the fault", got)
	}
}

func TestLedgerPrune(t *testing.T) {
	home := history(t)
	writeSession(t, home, "old", func(*ledger.Log) {})()
	long := time.Now().Add(-60 * 24 * time.Hour)
	scratch := filepath.Join(home, "raw", "scratch", "gone")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(home, "raw", "sessions", "old", "000001.jsonl"), filepath.Join(home, "raw", "sessions", "ab1", "000001.jsonl"), scratch} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	newer := writeSession(t, home, "new", func(*ledger.Log) {})
	newer()
	if got := runLedger(t, home, "", "prune", "--older", "90d"); !strings.HasPrefix(got.stdout, "removed 0 files, 0 blobs and 0 scratch folders") {
		t.Errorf("prune of what is not that old = %+v", got)
	}
	config := filepath.Join(home, "off.toml")
	if err := os.WriteFile(config, []byte("ledger.enabled = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runLedger(t, home, "", "prune", "--config", config, "--older", "30d")
	kept := "kept HOME/raw/sessions/ab1/000001.jsonl: ab1/ex-4 is uncertain; resolve it first\n"
	if got.code != 0 || !strings.HasPrefix(got.stdout, "removed 1 file, 0 blobs and 0 scratch folders") || !strings.HasSuffix(got.stdout, kept) {
		t.Errorf("prune without a ledger = %+v, want one file gone, every scratch folder kept, and %q", got, kept)
	}
	if !strings.Contains(got.stderr, "[ledger] enabled = false") {
		t.Errorf("prune without a ledger = %+v, want to be told", got)
	}
	if got := runLedger(t, home, "", "prune"); !strings.HasPrefix(got.stdout, "removed 0 files, 0 blobs and 1 scratch folder:") {
		t.Errorf("prune by the configuration = %+v, want the scratch folder gone", got)
	}
}

// A tail that follows shows each record once, also of a later process.
func TestLedgerFollow(t *testing.T) {
	home := t.TempDir()
	first := writeSession(t, home, "s", func(l *ledger.Log) { started(t, l, "one", `{}`) })
	var out bytes.Buffer
	tl := tail{
		book: &book{Program: &Program{Stdout: &out}, store: ledger.Store{Folder: filepath.Join(home, "raw")}}, session: "s", told: map[ledger.Fault]bool{},
	}
	next := func(last int, want string) {
		t.Helper()
		out.Reset()
		if err := tl.next(last); err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for line := range strings.Lines(out.String()) {
			kinds = append(kinds, strings.Fields(masked(home, line))[1])
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("next(%d) shows %q, want %q", last, got, want)
		}
	}
	next(1, "started")
	next(-1, "")
	before := tl.size()
	first()
	writeSession(t, home, "s", func(l *ledger.Log) { started(t, l, "two", `{}`) })
	if tl.size() == before {
		t.Error("a new file leaves the size as it was")
	}
	next(-1, "segment started")
	next(-1, "")
}
