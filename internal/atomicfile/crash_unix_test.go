//go:build linux || darwin

package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childEnv = "ATOMICFILE_TEST_CHILD"

// TestMain is also the child that gets killed or limited: with childEnv set it
// writes that many bytes over its argument and reports the error as text.
func TestMain(m *testing.M) {
	size := os.Getenv(childEnv)
	if size == "" {
		os.Exit(m.Run())
	}
	n, err := strconv.Atoi(size)
	if err == nil {
		err = childWrite(os.Args[1], n)
	}
	fmt.Println(err)
}

func childWrite(path string, size int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	s, err := Hash(f)
	f.Close()
	if err != nil {
		return err
	}
	_, err = Replace(context.Background(), Options{}, Target{Path: path, Root: filepath.Dir(path)},
		Expect{Snapshot: &s}, func(w io.Writer) error {
			piece := bytes.Repeat([]byte{'n'}, 1<<20)
			for left := size; left > 0; left -= len(piece) {
				if _, err := w.Write(piece[:min(left, len(piece))]); err != nil {
					return err
				}
			}
			return nil
		})
	return err
}

// child runs this binary to write size bytes over path, at the end of a command line.
func child(ctx context.Context, path string, size int, shell ...string) *exec.Cmd {
	argv := append(shell, os.Args[0], path)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), childEnv+"="+strconv.Itoa(size))
	return cmd
}

// A writer that is killed at any moment leaves the old content or the new one,
// and the next write in the folder removes what it left.
func TestKill(t *testing.T) {
	const size, rounds = 200 << 20, 20
	dir := realDir(t)
	path := filepath.Join(dir, "f")
	old := strings.Repeat("o", 1<<20)
	write := func() {
		t.Helper()
		_, err := Replace(t.Context(), Options{}, Target{Path: path, Root: dir}, Expect{Force: true}, content(old))
		must(t, err)
		wantNames(t, dir, "f")
	}
	write()
	start := time.Now()
	if out, err := child(t.Context(), path, size).Output(); err != nil || string(out) != "<nil>\n" {
		t.Fatalf("child alone: %q, %v", out, err)
	}
	full := time.Since(start)
	killed, left := 0, 0
	for range rounds {
		write()
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(full))
		err := child(ctx, path, size).Run()
		cancel()
		if err != nil {
			killed++
		}
		f, err := os.Open(path)
		must(t, err)
		want := byte('o')
		fi, err := f.Stat()
		must(t, err)
		if fi.Size() == size {
			want = 'n'
		} else if fi.Size() != int64(len(old)) {
			t.Errorf("file has %d bytes after a kill, want %d or %d", fi.Size(), len(old), size)
		}
		if n, err := countOther(f, want); err != nil || n > 0 {
			t.Errorf("file has %d bytes that are not %q after a kill, %v", n, want, err)
		}
		f.Close()
		entries, err := os.ReadDir(dir)
		must(t, err)
		left += len(entries) - 1
	}
	write()
	t.Logf("%d of %d killed, %d temporary files left and removed; alone it took %v", killed, rounds, left, full)
	if killed == 0 || left == 0 {
		t.Errorf("%d children were killed and %d temporary files were left, want some", killed, left)
	}
}

func countOther(r io.Reader, want byte) (n int, err error) {
	buf := make([]byte, 1<<20)
	for {
		got, err := r.Read(buf)
		n += got - bytes.Count(buf[:got], []byte{want})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// A write over the file size limit tells the system's reason and lives on.
func TestFileSizeLimit(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "f")
	old := strings.Repeat("o", 1<<10)
	must(t, os.WriteFile(path, []byte(old), 0o644))
	out, err := child(t.Context(), path, 10<<20, "sh", "-c", `ulimit -f 64 && exec "$0" "$@"`).CombinedOutput()
	if err != nil || !strings.Contains(string(out), syscall.EFBIG.Error()) {
		t.Errorf("child under ulimit -f 64: %q, %v, want it to say %q", out, err, syscall.EFBIG)
	}
	if got := readFile(t, path); got != old {
		t.Errorf("file has %d bytes afterwards, want the old %d", len(got), len(old))
	}
	wantNames(t, dir, "f")
}

// Temporary files are removed when their process is gone, and only then.
func TestSweep(t *testing.T) {
	dir := realDir(t)
	gone := exec.Command("true")
	must(t, gone.Run())
	dead, me := gone.Process.Pid, os.Getpid()
	yes := []string{fmt.Sprintf(".a.raw-tmp-%d", dead), fmt.Sprintf("..raw-tmp-x.raw-tmp-%d-3", dead)}
	no := []string{
		fmt.Sprintf(".a.raw-tmp-%d", me), fmt.Sprintf(".a.raw-tmp-%d", os.Getppid()),
		fmt.Sprintf("a.raw-tmp-%d", dead), ".a.raw-tmp-", ".a.raw-tmp-x", ".a.raw-tmp-12x", fmt.Sprintf(".a.raw-tmp-%d-x", dead),
	}
	for _, name := range append(yes, no...) {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf(".d.raw-tmp-%d", dead)), 0o755))
	held := filepath.Join(dir, fmt.Sprintf(".held.raw-tmp-%d", dead))
	f, err := os.Create(held) // by a process in another container, say
	must(t, err)
	defer f.Close()
	must(t, claim(f))

	// What was exchanged may be somebody else's: it is never removed, but shown
	// when nobody works on it.
	for pid, text := range map[int]string{dead: "theirs", me: "mine", os.Getppid(): "another's"} {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(".a.raw-swap-%d", pid)), []byte(text), 0o644))
	}
	no = append(no, fmt.Sprintf(".a.raw-swap-%d", me), fmt.Sprintf(".a.raw-swap-%d", os.Getppid()))

	out, err := Replace(t.Context(), Options{}, Target{Path: filepath.Join(dir, "f"), Root: dir}, Expect{}, content("x"))
	must(t, err)
	if want := filepath.Join(dir, fmt.Sprintf("a.raw-kept-%d", me)); len(out.Kept) != 1 || out.Kept[0] != want || readFile(t, want) != "theirs" {
		t.Errorf("Kept = %q, want %q with what was exchanged", out.Kept, want)
	}
	for _, name := range yes {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s of a dead process is still there", name)
		}
	}
	for _, name := range append(no, filepath.Base(held)) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s was removed: %v", name, err)
		}
	}
}

// An earlier process may have had our number: its files are older than we are.
func TestSweepReusedNumber(t *testing.T) {
	shell, err := exec.LookPath("sh") // surely older
	must(t, err)
	f, err := os.Open(shell)
	must(t, err)
	defer f.Close()
	st, err := statOf(f)
	must(t, err)
	if !abandoned(f, os.Getpid()) {
		t.Errorf("a file of %v counts as in use by this process, started %v", st.newest(), started)
	}
}
