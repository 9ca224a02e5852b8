package hook

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	m := &Manifest{Name: "guard", Command: "./guard.sh", Timeout: time.Second}
	printed := func(s string) Ending { return Ending{Stdout: []byte(s)} }
	failed := func(c Cause, what string) Verdict { return Verdict{Hook: "guard", Cause: c, What: what} }
	invalid := func(what string) Verdict { return failed(InvalidOutput, "gave no valid answer: "+what) }
	const notOneObject = "its output is not one JSON object (see byte %d)"
	at := func(n string) string { return strings.ReplaceAll(notOneObject, "%d", n) }
	reason := func(n int) string { return strings.Repeat("é", n/2) + strings.Repeat("x", n%2) } // n bytes

	cases := []struct {
		name   string
		ending Ending
		want   Verdict // on a gate
		told   Verdict // on a notification; zero: the same
	}{
		{"nothing", printed(""), Verdict{Outcome: Continued, Hook: "guard"}, Verdict{}},
		{"continue", printed(`{"decision":"continue"}`), Verdict{Outcome: Continued, Hook: "guard"}, Verdict{}},
		{"continue with words", printed("\r\n {\"decision\":\"continue\",\"reason\":\"r\",\"message\":\"m\"} \n"), Verdict{Outcome: Continued, Hook: "guard", Reason: "r", Message: "m"}, Verdict{}},
		{
			"deny", printed(`{"decision":"deny"}`),
			Verdict{Outcome: Denied, Hook: "guard"},
			invalid("it denied PostToolUse, which is only told"),
		},
		{
			"deny with words", printed(`{"message":"m","reason":"r","decision":"deny"}` + "\n"),
			Verdict{Outcome: Denied, Hook: "guard", Reason: "r", Message: "m"},
			invalid("it denied PostToolUse, which is only told"),
		},
		{
			"deny with the longest words", printed(`{"decision":"deny","reason":"` + reason(1024) + `","message":"` + reason(512) + `"}`),
			Verdict{Outcome: Denied, Hook: "guard", Reason: reason(1024), Message: reason(512)},
			invalid("it denied PostToolUse, which is only told"),
		},
		{"reason too long", printed(`{"decision":"continue","reason":"` + reason(1025) + `"}`), invalid("its reason is no string of at most 1024 bytes"), Verdict{}},
		{"message too long", printed(`{"decision":"continue","message":"` + reason(513) + `"}`), invalid("its message is no string of at most 512 bytes"), Verdict{}},
		{"reason is no string", printed(`{"decision":"deny","reason":null}`), invalid("its reason is no string of at most 1024 bytes"), Verdict{}},

		{"blank", printed("\n"), invalid("its output is blank, which is neither nothing nor a decision"), Verdict{}},
		{"noise before", printed("ready\n" + `{"decision":"deny"}`), invalid("its output does not begin with the JSON object of a decision"), Verdict{}},
		{"a shim's line before", printed(`{"type":"message"}` + "\n" + `{"decision":"continue"}`), invalid(at("19")), Verdict{}},
		{"noise behind", printed(`{"decision":"continue"} done`), invalid(at("24")), Verdict{}},
		{"two decisions", printed(`{"decision":"continue"}{"decision":"deny"}`), invalid(at("23")), Verdict{}},
		{"a decision twice", printed(`{"decision":"deny","decision":"continue"}`), invalid(at("19")), Verdict{}},
		{"BOM", printed("\ufeff" + `{"decision":"continue"}`), invalid("its output begins with a byte order mark"), Verdict{}},
		{"UTF-16", printed("{\x00\"\x00"), invalid(at("1")), Verdict{}},
		{"invalid UTF-8", printed("{\"decision\":\"continue\",\"reason\":\"\xff\"}"), invalid("its output is not UTF-8"), Verdict{}},
		{"cut off", printed(`{"decision":"conti`), invalid(at("18")), Verdict{}},
		{"a list", printed(`[{"decision":"continue"}]`), invalid("its output does not begin with the JSON object of a decision"), Verdict{}},
		{"a word", printed(`continue`), invalid("its output does not begin with the JSON object of a decision"), Verdict{}},
		{"no decision", printed(`{"reason":"fine"}`), invalid("its output has no decision"), Verdict{}},
		{"empty object", printed(`{}`), invalid("its output has no decision"), Verdict{}},
		{"unknown decision", printed(`{"decision":"allow"}`), invalid("its decision is neither continue nor deny"), Verdict{}},
		{"decision in capitals", printed(`{"decision":"DENY"}`), invalid("its decision is neither continue nor deny"), Verdict{}},
		{"decision is no string", printed(`{"decision":true}`), invalid("its decision is neither continue nor deny"), Verdict{}},
		{"unknown field", printed(`{"decision":"continue","arguments":{}}`), invalid("its output has a field that is none of decision, reason and message"), Verdict{}},

		{
			"exit 2",
			Ending{Code: 2},
			Verdict{Outcome: Denied, Hook: "guard", Bare: true},
			failed(ExitCode, "ended with exit code 2, which is no answer"),
		},
		{
			"exit 2 with garbage",
			Ending{Code: 2, Stdout: []byte("\xff garbage")},
			Verdict{Outcome: Denied, Hook: "guard", Bare: true},
			failed(ExitCode, "ended with exit code 2, which is no answer"),
		},
		{
			"exit 2 with continue",
			Ending{Code: 2, Stdout: []byte(`{"decision":"continue","reason":"r"}`)},
			Verdict{Outcome: Denied, Hook: "guard", Bare: true},
			failed(ExitCode, "ended with exit code 2, which is no answer"),
		},
		{
			"exit 2 with a reason",
			Ending{Code: 2, Stdout: []byte(`{"decision":"deny","reason":"r"}`)},
			Verdict{Outcome: Denied, Hook: "guard", Reason: "r"},
			failed(ExitCode, "ended with exit code 2, which is no answer"),
		},
		{"exit 1 with continue", Ending{Code: 1, Stdout: []byte(`{"decision":"continue"}`)}, failed(ExitCode, "ended with exit code 1, which is no answer"), Verdict{}},
		{"exit 127", Ending{Code: 127}, failed(ExitCode, "ended with exit code 127, as when a program that it needs is missing or not executable"), Verdict{}},
		{"no exit code", Ending{Code: -1}, failed(ExitCode, "ended with exit code -1, which is no answer"), Verdict{}},
		{"killed", Ending{Code: 137, Signal: "SIGKILL"}, failed(Signal, "was ended by SIGKILL"), Verdict{}},
		{"in time's end with an answer", Ending{TimedOut: true, Stdout: []byte(`{"decision":"continue"}`)}, failed(Timeout, "gave no answer within 1s (timeout_ms)"), Verdict{}},
		{"in time's end with exit 2", Ending{TimedOut: true, Code: 2}, failed(Timeout, "gave no answer within 1s (timeout_ms)"), Verdict{}},
		{"cancelled", Ending{Aborted: true}, failed(Aborted, "was cancelled before it answered"), Verdict{}},
		{"flooded, which also cancels it", Ending{Flooded: true, Aborted: true, Signal: "SIGTERM"}, failed(TooMuchOutput, "printed more than 1048576 bytes"), Verdict{}},
		{"flooded, then 2", Ending{Flooded: true, Code: 2}, failed(TooMuchOutput, "printed more than 1048576 bytes"), Verdict{}},
		{"missing", Ending{NotRun: MissingScript}, failed(MissingScript, "could not be started: its script ./guard.sh is missing"), Verdict{}},
	}
	for _, tc := range cases {
		if diff := cmp.Diff(tc.want, m.Judge(PreToolUse, tc.ending)); diff != "" {
			t.Errorf("%s: Judge(PreToolUse) (-want +got):\n%s", tc.name, diff)
		}
		if tc.told == (Verdict{}) {
			tc.told = tc.want
		}
		if diff := cmp.Diff(tc.told, m.Judge(PostToolUse, tc.ending)); diff != "" {
			t.Errorf("%s: Judge(PostToolUse) (-want +got):\n%s", tc.name, diff)
		}
	}
}

func causes() []Cause {
	return []Cause{
		Aborted, Timeout, Signal, ExitCode, TooMuchOutput, InvalidOutput, MissingScript, MissingProgram, MissingInterpreter,
		NotExecutable, NoFormat, LinkOut, NoFolder, NotStarted, Unprepared,
	}
}

// Each cause has words of its own, so that a person can tell them apart.
func TestCauses(t *testing.T) {
	m := &Manifest{Name: "guard", Command: "./guard.sh", Timeout: time.Second}
	seen := map[string]Cause{}
	for _, c := range causes() {
		v := m.Fail(c)
		if v.Outcome != Failed || v.Cause != c || v.What == "" || seen[v.What] != "" {
			t.Errorf("Fail(%s) = %+v, want a failure in words that %q does not have", c, v, seen[v.What])
		}
		seen[v.What] = c
	}
}

// Whatever a hook prints, a verdict that is not a decision quotes none of it.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"", "TOKEN=abc", `{"decision":"deny"}`, `{"TOKEN=abc":1}`, `{"decision":"TOKEN=abc"}`, "{\"decision\":\"deny\",\"reason\":\"\xff"} {
		f.Add([]byte(s), 0)
		f.Add([]byte(s), 2)
	}
	m := &Manifest{Name: "guard", Command: "./guard.sh", Timeout: time.Second}
	f.Fuzz(func(t *testing.T, stdout []byte, code int) {
		v := m.Judge(PreToolUse, Ending{Code: code, Stdout: stdout})
		_, err := parseAnswer(stdout)
		switch {
		case v.Outcome == Continued && (code != 0 || err != nil && len(stdout) > 0):
			t.Errorf("Judge(%q, %d) continues", stdout, code)
		case v.Outcome == Denied && code != 0 && code != 2:
			t.Errorf("Judge(%q, %d) denies", stdout, code)
		case v.Outcome == Failed && (v.Reason != "" || v.Message != "" || v.What == ""):
			t.Errorf("Judge(%q, %d) = %+v, want a failure without words of the hook", stdout, code, v)
		}
		for _, line := range strings.Fields(string(stdout)) {
			if len(line) > 20 && strings.Contains(v.What, line) {
				t.Errorf("Judge(%q, %d): %q quotes the output", stdout, code, v.What)
			}
		}
	})
}
