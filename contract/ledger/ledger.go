// Package ledger is the durable record of what sessions did: a folder per
// session below a state folder, and in it one append-only segment of JSON lines
// per process, locked while that process lives (CONTRACT.md §10).
//
// A Log writes one session; a Store reads, checks, searches and prunes all of
// them, also while other processes write. Records carry a sequence and a SHA-256
// chain: whatever is torn, changed or missing is told as a Fault and never
// passed over in silence. The chain finds accidents and careless edits. It does
// not stop somebody who may write the files from making a new chain, and
// nothing here is encrypted.
//
// The package decides nothing about calls and runs none again. What the kernel
// has accepted survives the death of the process; what has to survive a power
// cut is synced before the method returns, several records at once.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Format is the version that the first line of a segment names.
const Format = "raw.ledger/1"

var (
	// ErrBusy is wrapped by the error when another process writes the session.
	ErrBusy = errors.New("another process writes this session")
	// ErrUnsafe is wrapped by the error for a folder that somebody else owns or
	// may write.
	ErrUnsafe = errors.New("not only this user's folder")
	// ErrUnknown is wrapped by the error for a session or execution that is not
	// recorded.
	ErrUnknown = errors.New("not recorded")
	// ErrClosed is wrapped by the error of a Log that was closed.
	ErrClosed = errors.New("the ledger was closed")
)

const (
	sessionsFolder = "sessions"
	scratchFolder  = "scratch"
	blobsFolder    = "blobs"
	openingLock    = "lock" // held while a segment is made, a session resolved or pruned
	segmentSuffix  = ".jsonl"
)

var sessionID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// checkSession keeps a session id from naming anything but a folder of its own.
func checkSession(id string) error {
	if !sessionID.MatchString(id) {
		return fmt.Errorf("session %q: want 1 to 128 letters, digits, dots, dashes and underscores, a letter or digit first", id)
	}
	return nil
}

func sessionFolder(state, session string) string {
	return filepath.Join(state, sessionsFolder, session)
}

func segmentName(n uint64) string { return fmt.Sprintf("%06d%s", n, segmentSuffix) }

// segmentsIn lists the numbers of the segments in a session's folder, oldest
// first.
func segmentsIn(folder string) ([]uint64, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), segmentSuffix)
		if n, err := strconv.ParseUint(digits, 10, 63); ok && err == nil && e.Name() == segmentName(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// makeFolders makes the session's folder and the ones above it, and refuses
// those that somebody else could change under us.
func makeFolders(state, session string) (folder string, err error) {
	if !filepath.IsAbs(state) {
		return "", fmt.Errorf("state folder %q is not absolute", state)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	if err := checkOwner(state); err != nil {
		return "", err
	}
	folder = state
	for _, name := range []string{sessionsFolder, session} {
		folder = filepath.Join(folder, name)
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		info, err := os.Lstat(folder)
		if err != nil {
			return "", err
		}
		if !info.IsDir() {
			return "", fmt.Errorf("%s is no folder but a %v: %w", folder, info.Mode().Type(), ErrUnsafe)
		}
		if err := checkOwner(folder); err != nil {
			return "", err
		}
		// Ours, but open to readers, as from a copy made under a wide umask.
		if info.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(folder, 0o700); err != nil {
				return "", err
			}
		}
	}
	return folder, nil
}
