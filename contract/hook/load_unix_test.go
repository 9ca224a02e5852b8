//go:build unix

package hook

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Opening a pipe waits for a writer, which a server at its start must not.
func TestManifestIsPipe(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"guard/x": ""})
	if err := unix.Mkfifo(filepath.Join(dir, "guard", File), 0o600); err != nil {
		t.Fatal(err)
	}
	_, faults := Read(filepath.Join(dir, "guard"))
	if len(faults) != 1 || !strings.Contains(faults[0].What, "it is not a file") {
		t.Errorf("Read = %v, want one fault: it is not a file", faults)
	}
}
