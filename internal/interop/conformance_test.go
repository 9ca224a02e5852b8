//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
	"raw/mcpserver"
)

// What of the suite has to pass at least: everything that it runs but for the
// scenarios named in conformance-2025-11-25.yml. A suite that lost some, or
// scenarios that it does not score, would not show in its exit code.
const (
	scenarioFloor = 27
	checkFloor    = 61
)

// TestConformance runs what the protocol's own suite requires of a server of
// 2025-11-25. The suite speaks only HTTP, so the session stands behind mcp-go's
// transport.
func TestConformance(t *testing.T) {
	session, err := contract.Open(contract.Options{Tools: fixtureTools()})
	if err != nil {
		t.Fatal(err)
	}
	library := mcpserver.Library(session, mcpserver.Options{Version: "0.0.0", Catalog: mcpserver.CatalogNative})
	addFixtures(library)
	mount := httptest.NewServer(server.NewStreamableHTTPServer(library,
		server.WithStateful(true),
		// Without a store the transport drops a notification that it has in
		// hand when the result comes. With a second stream, for GET, it deals
		// them out to both, in no order.
		server.WithEventStore(server.NewInMemoryEventStore()),
		server.WithDisableStreaming(true),
		server.WithStreamableHTTPLogger(slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))),
	))
	defer mount.Close()

	dir := t.TempDir()
	out := runNode(t, nil, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
		"--url", mount.URL+"/mcp", "--requirements", "2025-11-25",
		"--expected-failures", "conformance-2025-11-25.yml", "--output-dir", dir)
	r := readResults(t, dir)
	t.Logf("%d scenarios ran, %d passed, with %d checks", r.ran, r.passed, r.checks)
	if r.passed < scenarioFloor || r.checks < checkFloor {
		t.Errorf("%d scenarios passed with %d checks, want at least %d with %d", r.passed, r.checks, scenarioFloor, checkFloor)
	}
	if out.code != 0 {
		t.Errorf("the suite exited with %d:\n%s%s", out.code, out.stdout[max(0, bytes.Index(out.stdout, []byte("=== SUMMARY"))):], out.stderr)
	}
	if t.Failed() {
		for _, failure := range r.failures {
			t.Log(failure)
		}
	}
}

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
			case "FAILURE":
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
