package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

// An error of a write is one sentence: what was being done, what was found, and
// what to do. The path is told once, as the model gave it, and never that of
// a temporary file.
func TestUnwritten(t *testing.T) {
	replacing := func(err error) error { return &fs.PathError{Op: "write", Path: "/w/d/f", Err: err} }
	temporary := func(err error) error {
		return replacing(fmt.Errorf("after 65536 bytes: %w", &fs.PathError{Op: "write", Path: "/w/d/.f.raw-tmp-7", Err: err}))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, path string
		ctx        context.Context
		err        error
		outcome    string
		want       string
	}{
		{
			name: "conflict", err: replacing(&atomicfile.ConflictError{Found: "its content is not what was read"}), outcome: "conflict",
			want: "edit d/f: its content is not what was read; nothing was written; read it again and decide anew",
		},
		{
			name: "another file", err: fmt.Errorf("open /w/d/f: %w", workspace.ErrChanged), outcome: "conflict",
			want: "edit d/f: another file has taken its place since this call began; nothing was written; read it again and decide anew",
		},
		{
			name: "kept", outcome: "conflict",
			err: replacing(&atomicfile.KeptError{Kept: "/w/d/f.raw-kept-7", Found: "its content is not what was read"}),
			want: "edit d/f: its content is not what was read; the file is as the other program left it, and what was written into the new content meanwhile is kept in " +
				filepath.Join("d", "f.raw-kept-7") + "; read both and decide anew",
		},
		{
			name: "kept and stuck", outcome: "conflict",
			err: replacing(&atomicfile.KeptError{Kept: "/w/d/f.raw-kept-7", Found: "its mode was changed", Err: syscall.EIO}),
			want: "edit d/f: its mode was changed; its content of then is kept in " + filepath.Join("d", "f.raw-kept-7") +
				", as it could not be put back: " + syscall.EIO.Error() + "; read both and decide anew",
		},
		{
			name: "limit", err: temporary(syscall.EFBIG), outcome: "fatal",
			want: "edit d/f: file too large for the limit of this process or file system; nothing was written and the old content stands; write less, or let a person raise the limit (ulimit -f)",
		},
		{
			name: "full disk", err: temporary(syscall.ENOSPC), outcome: "fatal",
			want: "edit d/f: no space left on device; nothing was written and the old content stands; free space, then try again",
		},
		{
			name: "quota", err: temporary(syscall.EDQUOT), outcome: "fatal",
			want: "edit d/f: disk quota exceeded; nothing was written and the old content stands; free space, then try again",
		},
		{
			name: "full disk in place", outcome: "fatal",
			err:  replacing(&atomicfile.InPlaceError{Copy: "/state/copy-1", Err: syscall.ENOSPC}),
			want: "edit d/f: stopped while writing in place; the complete new content is in /state/copy-1: " + syscall.ENOSPC.Error(),
		},
		{
			name: "long name", path: strings.Repeat("\u00e4", 300), err: replacing(&fs.PathError{Op: "lstat", Path: strings.Repeat("\u00e4", 300), Err: syscall.ENAMETOOLONG}), outcome: "precondition",
			want: "edit " + strings.Repeat("\u00e4", 100) + "… (600 bytes): file name too long; nothing was written; use a shorter name",
		},
		{
			name: "no permission", err: replacing(&fs.PathError{Op: "openat", Path: "f", Err: syscall.EACCES}), outcome: "precondition",
			want: "edit d/f: permission denied; nothing was written",
		},
		{
			name: "power", err: replacing(fmt.Errorf("the new content is in place but may not survive a power cut: %w", errors.New("sync"))), outcome: "fatal",
			want: "edit d/f: the new content is in place but may not survive a power cut: sync",
		},
		{name: "cancelled", ctx: cancelled, err: replacing(context.Canceled), outcome: "aborted", want: "edit d/f: cancelled; the file is as it was"},
	}
	for _, test := range tests {
		ctx, path := test.ctx, test.path
		if ctx == nil {
			ctx = t.Context()
		}
		if path == "" {
			path = "d/f"
		}
		r := unwritten(ctx, "edit", path, test.err)
		if got := r.Content[0]; got != contract.Text(test.want) || outcome(r) != test.outcome {
			t.Errorf("%s: unwritten = %s, %q\nwant %s, %q", test.name, outcome(r), got, test.outcome, test.want)
		}
	}
}

// What a killed write left is told with the next one.
func TestKeptNotice(t *testing.T) {
	out := atomicfile.Outcome{InPlace: "it has 2 hard links", Kept: []string{filepath.Join("w", "f.raw-kept-7")}}
	const want = "[written in place, as it has 2 hard links]\n" +
		"[beside it is f.raw-kept-7, left by a write that was killed; it may hold what another program wrote: compare it, then remove it]"
	if got := inPlaceNotice(out); got != want {
		t.Errorf("inPlaceNotice(%+v) = %q, want %q", out, got, want)
	}
}
