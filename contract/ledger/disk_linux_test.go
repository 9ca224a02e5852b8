package ledger_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"raw/contract/ledger"
)

const nobody = 65534

// asNobody runs f with the file rights of an unprivileged user. They belong to
// one thread, which ends with the goroutine.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to become somebody else")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock
		if err := errors.Join(unix.Setfsgid(nobody), unix.Setfsuid(nobody)); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}

// smallDisk mounts a disk of one MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=0700")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skip("needs the right to mount")
	}
	must(t, err)
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	for _, tc := range []struct {
		name string
		size int // of a result
	}{
		{"records", 6_000},
		{"blobs", 20_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			state := smallDisk(t)
			ballast := filepath.Join(state, "ballast")
			must(t, os.WriteFile(ballast, make([]byte, 300<<10), 0o600))
			l := open(t, state, "s")
			recorded := 0
			var full error
			running := ""
			for full == nil {
				if running, full = l.Started(ledger.Start{Identity: "builtin/x", Name: "x"}); full != nil {
					break
				}
				if full = l.Settled(running, text(strings.Repeat("y", tc.size-recorded))); full == nil {
					recorded++
				}
			}
			if !errors.Is(full, unix.ENOSPC) {
				t.Fatalf("the disk ended with %v, want no space left", full)
			}
			check := func(when string, want int) {
				t.Helper()
				records, faults := read(t, state, "s")
				got := 0
				for _, r := range records {
					if r.Kind == ledger.KindSucceeded {
						got++
					}
				}
				if got != want || len(faults) > 0 {
					t.Errorf("%s: %d receipts with faults %v, want %d and none", when, got, faults, want)
				}
				data, err := os.ReadFile(segmentPath(state, "s", 1))
				must(t, err)
				if data[len(data)-1] != '\n' {
					t.Errorf("%s: a record that was written in part is still there", when)
				}
			}
			check("on the full disk", recorded)
			must(t, os.Remove(ballast))
			if running != "" {
				must(t, l.Settled(running, text("late"))) // the outcome that had no room
				recorded++
			}
			run(t, l, text("again"))
			check("with room again", recorded+1)
			closeLog(t, l)
			if ids := uncertain(t, state, "s"); len(ids) > 0 {
				t.Errorf("uncertain are %v, want none", ids)
			}
		})
	}
}

func TestReadOnlyDisk(t *testing.T) {
	state := smallDisk(t)
	l := open(t, state, "s")
	ex := run(t, l, text("old"))
	closeLog(t, l)
	must(t, unix.Mount("", state, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	for _, session := range []string{"s", "new"} {
		if _, err := ledger.Open(ledger.Options{Folder: state, Session: session}); !errors.Is(err, unix.EROFS) || !strings.Contains(err.Error(), "session "+session) {
			t.Errorf("Open of %s on a read-only disk = %v, want one that names session and cause", session, err)
		}
	}
	got, err := ledger.Store{Folder: state}.Recall(ledger.Recall{Session: "s", Ask: ledger.Ask{ID: ex}})
	if err != nil || got != "old" {
		t.Errorf("Recall from a read-only disk = %q, %v, want the old result", got, err)
	}
	if report, err := (ledger.Store{Folder: state}).Verify("s"); err != nil || len(report.Faults) > 0 {
		t.Errorf("Verify on a read-only disk = %+v, %v, want no fault", report, err)
	}
}

func TestFoldersOfOthers(t *testing.T) {
	for _, tc := range []struct {
		name string
		path string // below the state folder
		mode fs.FileMode
		uid  int
		want string // in the error; empty: it opens
	}{
		{"state of somebody else", "", 0o700, nobody, "belongs to user 65534"},
		{"sessions of somebody else", "sessions", 0o700, nobody, "belongs to user 65534"},
		{"session of somebody else", "sessions/s", 0o700, nobody, "belongs to user 65534"},
		{"state for the group", "", 0o770, -1, "may be written by others"},
		{"session for all", "sessions/s", 0o707, -1, "may be written by others"},
		{"state for readers", "", 0o755, -1, ""},
		{"session for readers", "sessions/s", 0o755, -1, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.uid >= 0 && os.Geteuid() != 0 {
				t.Skip("needs root to give files away")
			}
			state := filepath.Join(t.TempDir(), "state")
			must(t, os.MkdirAll(filepath.Join(state, "sessions", "s"), 0o700))
			path := filepath.Join(state, tc.path)
			must(t, os.Chmod(path, tc.mode))
			if tc.uid >= 0 {
				must(t, os.Chown(path, tc.uid, tc.uid))
			}
			l, err := ledger.Open(ledger.Options{Folder: state, Session: "s"})
			if tc.want == "" {
				must(t, err)
				closeLog(t, l)
				if info, err := os.Stat(filepath.Join(state, "sessions", "s")); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("the session's folder is %v, %v, want mode 0700", info.Mode(), err)
				}
				return
			}
			if !errors.Is(err, ledger.ErrUnsafe) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Open = %v, want ErrUnsafe with %q", err, tc.want)
			}
			if left, _ := filepath.Glob(filepath.Join(state, "sessions", "s", "*")); len(left) > 0 {
				t.Errorf("%v was written", left)
			}
		})
	}
	t.Run("a link in the place of a session", func(t *testing.T) {
		state, other := t.TempDir(), t.TempDir()
		must(t, os.Chmod(state, 0o700))
		must(t, os.Mkdir(filepath.Join(state, "sessions"), 0o700))
		must(t, os.Symlink(other, filepath.Join(state, "sessions", "s")))
		if _, err := ledger.Open(ledger.Options{Folder: state, Session: "s"}); !errors.Is(err, ledger.ErrUnsafe) {
			t.Errorf("Open through a link = %v, want ErrUnsafe", err)
		}
	})
}

func TestFolderThatTakesNothing(t *testing.T) {
	base := t.TempDir()
	state := filepath.Join(base, "state")
	must(t, os.Mkdir(state, 0o500))
	must(t, os.Chmod(base, 0o755))
	must(t, os.Chmod(filepath.Dir(base), 0o755))
	asNobody(t, func() {
		if _, err := ledger.Open(ledger.Options{Folder: filepath.Join(base, "new"), Session: "s"}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Open where no folder can be made = %v, want permission denied", err)
		}
	})
	asNobody(t, func() {
		if _, err := ledger.Open(ledger.Options{Folder: state, Session: "s"}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Open in a folder without write permission = %v, want permission denied", err)
		}
	})
}
