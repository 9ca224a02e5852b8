//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
	"raw/mcpserver"
)

// TestConformance runs what the protocol's own suite requires of a server of
// each era. The suite speaks only HTTP, so the session stands behind mcp-go's
// transport.
func TestConformance(t *testing.T) {
	for _, tc := range []struct {
		revision string
		// What of it has to pass at least: everything that it runs but for what
		// conformance-<revision>.yml names. A suite that lost some, or scenarios
		// that it does not score, would not show in its exit code.
		scenarios, checks int
	}{
		{"2025-11-25", 30, 72},
		{"2026-07-28", 28, 135},
	} {
		t.Run(tc.revision, func(t *testing.T) {
			dir := t.TempDir()
			out := runNode(t, nil, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
				"--url", mountFixtures(t)+"/mcp", "--requirements", tc.revision,
				"--expected-failures", "conformance-"+tc.revision+".yml", "--output-dir", dir)
			r := readResults(t, dir)
			t.Logf("%d scenarios ran, %d passed, with %d checks", r.ran, r.passed, r.checks)
			if r.passed < tc.scenarios || r.checks < tc.checks {
				t.Errorf("%d scenarios passed with %d checks, want at least %d with %d", r.passed, r.checks, tc.scenarios, tc.checks)
			}
			if out.code != 0 {
				t.Errorf("the suite exited with %d:\n%s%s", out.code, out.stdout[max(0, bytes.Index(out.stdout, []byte("=== SUMMARY"))):], out.stderr)
			}
			if t.Failed() {
				for _, failure := range r.failures {
					t.Log(failure)
				}
			}
		})
	}
}

// mountFixtures serves a session with the fixtures by HTTP until the test ends.
func mountFixtures(t *testing.T) (url string) {
	sent := make(chan struct{}, 1)
	session, err := contract.Open(contract.Options{Tools: fixtureTools(sent)})
	if err != nil {
		t.Fatal(err)
	}
	library := mcpserver.Library(session, mcpserver.Options{Version: "0.0.0", Catalog: mcpserver.CatalogNative})
	addFixtures(library)
	transport := server.NewStreamableHTTPServer(library,
		server.WithStateful(true),
		// With a second stream, for GET, it deals notifications out to both, in
		// no order.
		server.WithDisableStreaming(true),
		server.WithStreamableHTTPLogger(slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))),
	)
	mount := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		transport.ServeHTTP(announcer{w, sent}, r)
	}))
	t.Cleanup(func() {
		session.Close() // ends what still waits for an answer
		mount.Close()
	})
	return mount.URL
}

// announcer tells of each notification of a call that it has written.
type announcer struct {
	http.ResponseWriter
	sent chan<- struct{}
}

func (a announcer) Write(b []byte) (int, error) {
	n, err := a.ResponseWriter.Write(b)
	if bytes.Contains(b, []byte(`"method":"notifications/progress"`)) || bytes.Contains(b, []byte(`"method":"notifications/message"`)) {
		select {
		case a.sent <- struct{}{}:
		default: // nobody waits
		}
	}
	return n, err
}

// Flush implements http.Flusher, without which nothing is streamed.
func (a announcer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (a announcer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// results count scenarios, and the checks that passed.
type results struct {
	ran, passed, checks int
	failures            []string
}

// readResults reads what the suite wrote: a folder for each scenario.
func readResults(t *testing.T, dir string) results {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	r := results{ran: len(files)}
	for _, name := range files {
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(readFile(t, name), &checks); err != nil {
			t.Fatalf("decode %s of the suite: %v", name, err)
		}
		passed, failed := 0, 0
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				passed++
			case "FAILURE", "WARNING":
				failed++
				r.failures = append(r.failures, filepath.Base(filepath.Dir(name))+": "+c.ID+": "+c.ErrorMessage)
			}
		}
		if passed > 0 && failed == 0 { // one with warnings only says nothing
			r.passed++
		}
		r.checks += passed
	}
	return r
}
