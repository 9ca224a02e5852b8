package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// On a disk that folds names every spelling leads to the stored name, so that
// a rule on it cannot be slipped past.
func TestFoldingDisk(t *testing.T) {
	dir := realDir(t)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "casefold,size=1m"); err != nil {
		t.Skipf("no folding disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	folded := filepath.Join(dir, "Folded")
	must(t, os.Mkdir(folded, 0o755))
	f, err := os.Open(folded)
	must(t, err)
	const casefoldFlag = 0x40000000
	err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, casefoldFlag)
	f.Close()
	if err != nil {
		t.Skipf("no folder can be made to fold here: %v", err)
	}
	tree(t, folded, "Secret.txt", "s", "Stra\u00dfe", "s", "\u00c4.txt", "s", "Sub/\u0391", "s")
	w := newWorkspace(t, "", dir)
	tests := []struct{ path, want string }{
		{"Folded/Secret.txt", "Folded/Secret.txt"},
		{"Folded/SECRET.TXT", "Folded/Secret.txt"},
		{"Folded/\u017fecret.txt", "Folded/Secret.txt"},
		{"Folded/STRASSE", "Folded/Stra\u00dfe"},
		{"Folded/a\u0308.txt", "Folded/\u00c4.txt"},
		{"Folded/SUB/\u03b1", "Folded/Sub/\u0391"},
		{"Folded/sub/none", "Folded/Sub/none"},
	}
	for _, test := range tests {
		if p, err := w.Resolve(test.path); err != nil || p.Real != filepath.Join(dir, test.want) {
			t.Errorf("Resolve(%+q) = %+q, %v, want %+q", test.path, p.Real, err, test.want)
		}
	}
	inner := newWorkspace(t, "", filepath.Join(folded, "sUB"))
	if p, err := inner.Resolve(filepath.Join(folded, "SuB", "\u0391")); err != nil || !inner.Under(p) {
		t.Errorf("Resolve through another spelling of the root = %+v, %v, want it inside", p, err)
	}
}
