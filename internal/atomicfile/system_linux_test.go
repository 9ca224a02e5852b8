package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
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

// shared makes a folder with a file in a tree that everybody may enter.
func shared(t *testing.T, dirMode, fileMode fs.FileMode, uid int) (path string) {
	t.Helper()
	base := realDir(t)
	must(t, os.Chmod(filepath.Dir(base), 0o755))
	dir := filepath.Join(base, "w")
	must(t, os.Mkdir(dir, 0o755))
	path = filepath.Join(dir, "f")
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	must(t, os.Chown(path, uid, uid))
	must(t, os.Chmod(path, fileMode))
	must(t, os.Chmod(dir, dirMode))
	return path
}

func TestRights(t *testing.T) {
	tests := []struct {
		name              string
		dirMode, fileMode fs.FileMode
		uid               int
		want              string // Outcome.InPlace
		err               error
	}{
		{"own file", 0o777, 0o644, nobody, "", nil},
		{"read-only file in a folder that takes new ones", 0o777, 0o444, nobody, "", fs.ErrPermission},
		{"somebody else's file", 0o777, 0o644, 0, "", fs.ErrPermission},
		{"somebody else's file, shared", 0o777, 0o666, 0, "its owner cannot be kept", nil},
		{"folder that takes no new file", 0o755, 0o644, nobody, "its folder takes no new file", nil},
	}
	for _, test := range tests {
		path := shared(t, test.dirMode, test.fileMode, test.uid)
		pending := filepath.Join(realDir(t), "pending")
		must(t, os.Mkdir(pending, 0o777))
		must(t, os.Chmod(pending, 0o777))
		must(t, os.Chmod(filepath.Dir(filepath.Dir(pending)), 0o755))
		must(t, os.Chmod(filepath.Dir(pending), 0o755))
		for _, force := range []bool{false, true} {
			expect := Expect{Snapshot: snap(t, path), Force: force}
			var out Outcome
			var err error
			asNobody(t, func() {
				out, err = Replace(t.Context(), Options{Pending: pending}, Target{Path: path, Root: filepath.Dir(path)}, expect, content("new"))
			})
			want := "new"
			if test.err != nil {
				want = "old"
			}
			if !errors.Is(err, test.err) || out.InPlace != test.want || readFile(t, path) != want {
				t.Errorf("%s: Replace = %+v, %v, content %q, want in place %q, error %v", test.name, out, err, readFile(t, path), test.want, test.err)
			}
			fi, err := os.Stat(path)
			must(t, err)
			if st := statFrom(fi); fi.Mode() != test.fileMode || st.uid != test.uid {
				t.Errorf("%s: mode %v and owner %d afterwards, want %v and %d", test.name, fi.Mode(), st.uid, test.fileMode, test.uid)
			}
			wantNames(t, filepath.Dir(path), "f")
			wantNames(t, pending)
		}
	}
}

// Root keeps the owner, the special bits and the attributes.
func TestOwnerAndAttributesKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give files away")
	}
	path := shared(t, 0o777, 0o640, nobody)
	must(t, os.Chmod(path, 0o750|fs.ModeSetgid))
	attributes := unix.Setxattr(path, "user.note", []byte("kept"), 0)
	_, err := Replace(t.Context(), Options{}, Target{Path: path, Root: filepath.Dir(path)}, Expect{Snapshot: snap(t, path)}, content("new"))
	must(t, err)
	fi, err := os.Stat(path)
	must(t, err)
	if st := statFrom(fi); st.uid != nobody || st.gid != nobody || fi.Mode() != 0o750|fs.ModeSetgid {
		t.Errorf("owner %d:%d, mode %v, want %d:%d, %v", st.uid, st.gid, fi.Mode(), nobody, nobody, 0o750|fs.ModeSetgid)
	}
	if attributes != nil {
		t.Skipf("no attributes on this file system: %v", attributes)
	}
	got := make([]byte, 16)
	if n, err := unix.Getxattr(path, "user.note", got); err != nil || string(got[:n]) != "kept" {
		t.Errorf("attribute is %q, %v, want it kept", got[:max(n, 0)], err)
	}
}

// On a full disk the old content stays, written by either way.
func TestFullDisk(t *testing.T) {
	base := realDir(t)
	dir := filepath.Join(base, "disk")
	must(t, os.Mkdir(dir, 0o755))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	path, pending := filepath.Join(dir, "f"), filepath.Join(base, "pending")
	old := bytes.Repeat([]byte("o"), 1<<10)
	must(t, os.WriteFile(path, old, 0o644))
	big := string(bytes.Repeat([]byte("n"), 4<<20))
	names := []string{"f"}
	for _, way := range []string{"swap", "in place"} {
		if way == "in place" { // the copy finds room in the other folder
			must(t, os.Link(path, path+"2"))
			names = append(names, "f2")
		}
		_, err := Replace(t.Context(), Options{Pending: pending}, Target{Path: path, Root: dir}, Expect{Snapshot: snap(t, path)}, content(big))
		if !errors.Is(err, unix.ENOSPC) {
			t.Errorf("%s: Replace on a full disk: %v, want %v", way, err, unix.ENOSPC)
		}
		if got := readFile(t, path); got != string(old) {
			t.Errorf("%s: file has %d bytes afterwards, want the old %d", way, len(got), len(old))
		}
		wantNames(t, dir, names...)
	}
	wantNames(t, pending)
}
