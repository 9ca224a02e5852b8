package builtins

import (
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"raw/contract"
)

// BenchmarkSearch runs glob and grep over the sources of Go, each time beside
// ripgrep with the same work, whose process counts. x/rg is the ratio.
func BenchmarkSearch(b *testing.B) {
	if _, err := exec.LookPath("rg"); err != nil {
		b.Skip("needs ripgrep")
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("needs the sources of Go")
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(strings.TrimSpace(string(out)), "src"))
	if err != nil {
		b.Skip(err)
	}
	s := searchStandIn(b, dir, 30_000)
	for _, tc := range []struct {
		name, tool, args string
		rg               []string
	}{
		{"glob", "glob", `{"pattern":"**/*.go"}`, []string{"--files", "-g", "*.go"}},
		{"literal", "grep", `{"pattern":"errServerClosedIdle"}`, []string{"-n", "-F", "-e", "errServerClosedIdle"}},
		{"regexp", "grep", `{"pattern":"time\\.(Now|Since)\\(.*\\)\\.Unix"}`, []string{"-n", "-e", `time\.(Now|Since)\(.*\)\.Unix`}},
		{"ignore case", "grep", `{"pattern":"errserverclosedidle","ignore_case":true}`, []string{"-n", "-i", "-e", "errserverclosedidle"}},
		{"words", "grep", `{"pattern":"Sherlock|Moriarty|Watson"}`, []string{"-n", "-e", "Sherlock|Moriarty|Watson"}},
		{"suffix", "grep", `{"pattern":"\\w+ClosedIdle"}`, []string{"-n", "-e", `\w+ClosedIdle`}},
		{"anchored", "grep", `{"pattern":"^func \\(.*\\) Close\\(\\) error"}`, []string{"-n", "-e", `^func \(.*\) Close\(\) error`}},
		{"no literal", "grep", `{"pattern":"[A-Z][a-z]+[0-9]{4,}"}`, []string{"-n", "-e", `[A-Z][a-z]+[0-9]{4,}`}},
		{"long words", "grep", `{"pattern":"\\b\\w{40,}\\b"}`, []string{"-n", "-e", `\b\w{40,}\b`}},
		{"common", "grep", `{"pattern":"err","mode":"count"}`, []string{"-c", "-e", "err"}},
	} {
		b.Run(tc.name, func(b *testing.B) {
			request := contract.Request{Name: tc.tool, Arguments: json.RawMessage(tc.args)}
			var ours, theirs time.Duration
			for b.Loop() {
				began := time.Now()
				if r := s.session.Call(b.Context(), request); r.IsError() {
					b.Fatal(r)
				}
				between := time.Now()
				cmd := exec.Command("rg", append([]string{"--no-config"}, append(tc.rg, dir)...)...)
				cmd.Stdout = io.Discard
				if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
					b.Fatal(err)
				}
				ours += between.Sub(began)
				theirs += time.Since(between)
			}
			b.ReportMetric(ours.Seconds()/float64(b.N)*1e3, "ms")
			b.ReportMetric(theirs.Seconds()/float64(b.N)*1e3, "rg-ms")
			b.ReportMetric(ours.Seconds()/theirs.Seconds(), "x/rg")
			b.ReportMetric(0, "ns/op")
		})
	}
}
