package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// tempMark is in the name of a file that only we have written.
	tempMark = ".raw-tmp-"
	// swapMark is in the name of one that may have been exchanged since, and
	// so may be somebody else's. It is never removed for its name.
	swapMark = ".raw-swap-"
	// keptMark is in the visible name of what was kept.
	keptMark = ".raw-kept-"
	// nameMax is the longest file name of common file systems, in bytes.
	nameMax = 255
)

// started tells temporary files of this process from those of an earlier one
// with the same number, as every first process of a container has.
var started = time.Now()

// temp is a temporary file in the folder of its target.
type temp struct {
	dir  *folder
	name string
	file *os.File
	gone bool
}

// createTemp makes .<name>.raw-tmp-<pid>, with a counter behind it while another
// writer of this process has that name. The file is never open to more people
// than mode says.
func (d *folder) createTemp(name string, mode fs.FileMode) (*temp, error) {
	for n := 0; ; n++ {
		t := &temp{dir: d, name: "." + marked(name, tempMark, n)}
		var err error
		t.file, err = d.root.OpenFile(t.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// A second guard for writers whose numbers this process cannot see,
		// in other containers. File systems without such locks do without.
		_ = claim(t.file)
		return t, nil
	}
}

// marked is name with a mark, the number of this process, and a counter when it
// is not zero. It leaves room for a dot before it.
func marked(name, mark string, n int) string {
	suffix := mark + strconv.Itoa(os.Getpid())
	if n > 0 {
		suffix += "-" + strconv.Itoa(n)
	}
	return cut(name, nameMax-1-len(suffix)) + suffix
}

// renameMarked renames a file to the first free name with a mark.
func (d *folder) renameMarked(from, dot, name, mark string) (to string, err error) {
	for n := 0; ; n++ {
		to = dot + marked(name, mark, n)
		if err = renameNew(d.file, from, to); !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
}

// exchangeable gives the file a name under which no sweep removes it: from an
// exchange on it is somebody else's.
func (t *temp) exchangeable() error {
	at := strings.LastIndex(t.name, tempMark)
	name, err := t.dir.renameMarked(t.name, ".", t.name[1:at], swapMark)
	if err == nil {
		t.name = name
	}
	return err
}

// show gives a file a visible name that says whose place it was meant for.
func (d *folder) show(from, name string) (string, error) {
	return d.renameMarked(from, "", name, keptMark)
}

// cut shortens name to at most n bytes and splits no rune.
func cut(name string, n int) string {
	if len(name) <= n {
		return name
	}
	for n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

// discard removes what stands under the temporary name, once. The file stays
// open: after a swap it is the new file.
func (t *temp) discard() {
	if !t.gone {
		t.gone = true
		_ = t.dir.root.Remove(t.name)
	}
}

// close discards and closes the file.
func (t *temp) close() {
	t.discard()
	t.file.Close()
}

// take gives the file the name to, over whatever has it.
func (t *temp) take(to string) error {
	err := t.dir.root.Rename(t.name, to)
	t.gone = err == nil // from now on another writer may have the temporary name
	return err
}

// takeFree is take for a name that nobody has.
func (t *temp) takeFree(to string) error {
	root := t.dir.root
	err := renameNew(t.dir.file, t.name, to)
	if errors.Is(err, errors.ErrUnsupported) {
		if err = root.Link(t.name, to); err == nil {
			t.discard()
			return nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// No hard links either. The last look comes before the rename.
		if _, err = root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return t.take(to)
		}
		if err == nil {
			err = fs.ErrExist
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return conflict("it exists now")
	}
	t.gone = err == nil
	return err
}

// sweep removes temporary files of dead processes. What may be somebody else's
// gets a visible name instead, which is returned with the path. What cannot be
// removed is left for the next time.
func (d *folder) sweep() (kept []string) {
	names, err := d.file.Readdirnames(-1)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if _, pid, ok := markedBy(name, tempMark); ok && d.abandoned(name, pid) {
			_ = d.root.Remove(name)
		}
		if target, pid, ok := markedBy(name, swapMark); ok && d.abandoned(name, pid) {
			if shown, err := d.show(name, target); err == nil {
				kept = append(kept, filepath.Join(d.root.Name(), shown))
			}
		}
	}
	return kept
}

// markedBy returns the file for which, and the process by which, a hidden file
// got its name.
func markedBy(name, mark string) (target string, pid int, ok bool) {
	at := strings.LastIndex(name, mark)
	if at < 1 || name[0] != '.' {
		return "", 0, false
	}
	number, count, counted := strings.Cut(name[at+len(mark):], "-")
	if _, err := strconv.ParseUint(count, 10, 31); counted && err != nil {
		return "", 0, false
	}
	n, err := strconv.ParseUint(number, 10, 31)
	return name[1:at], int(n), err == nil && n > 0
}

// abandoned reports whether nobody works on the temporary file name of pid.
func (d *folder) abandoned(name string, pid int) bool {
	info, err := d.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := d.root.OpenFile(name, openRead, 0)
	if err != nil {
		return pid != os.Getpid() && !alive(pid)
	}
	defer f.Close()
	return abandoned(f, pid)
}

// abandoned is folder.abandoned for an open file.
func abandoned(f *os.File, pid int) bool {
	st, err := statOf(f)
	if err != nil {
		return false
	}
	if pid == os.Getpid() {
		// A second covers the coarse clock of the file system.
		if !st.newest().Before(started.Add(-time.Second)) {
			return false
		}
	} else if alive(pid) {
		return false
	}
	return claim(f) == nil
}

// fill writes the new content to f and syncs it.
func fill(ctx context.Context, f *os.File, write func(io.Writer) error) (sum uint64, size int64, err error) {
	s := &sink{ctx: ctx, file: f}
	s.hash.SetSeed(seed)
	buffered := bufio.NewWriterSize(s, 64<<10)
	if err := write(buffered); err != nil {
		return 0, 0, err
	}
	if err := buffered.Flush(); err != nil {
		return 0, 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, 0, err
	}
	return s.hash.Sum64(), s.size, context.Cause(ctx)
}

// written returns the snapshot of a file that was just written.
func written(st stat, sum uint64, size int64) Snapshot {
	s := st.snapshot(time.Now())
	s.whole, s.sum = true, sum
	if s.Size != size { // changed again already: what we wrote counts
		s.Size, s.settled = size, false
	}
	return s
}

// sink counts and sums what goes to a file, in pieces that stay in the
// processor's cache and between which a cancelled context is noticed.
type sink struct {
	ctx  context.Context
	file *os.File
	hash maphash.Hash
	size int64
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		if err := context.Cause(s.ctx); err != nil {
			return done, err
		}
		piece := p[done:min(len(p), done+512<<10)]
		_, _ = s.hash.Write(piece) // never fails
		n, err := s.file.Write(piece)
		done += n
		s.size += int64(n)
		if err != nil {
			return done, fmt.Errorf("after %d bytes: %w", s.size, err)
		}
	}
	return done, nil
}
