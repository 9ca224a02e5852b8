package hookrun

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"raw/contract/hook"
	"raw/internal/proc"
)

// Ran is one run of a hook: its receipt, and what only a person at this
// machine may see.
type Ran struct {
	Receipt        hook.Receipt
	Stdout, Stderr []byte // the start, of more than hook.MaxOutput
	Err            error  // why it was not started, with paths; else nil
}

// Run runs a hook for an event that need not concern it, and judges what it
// did. It neither records nor logs.
func (r *Runner) Run(ctx context.Context, m *hook.Manifest, e hook.Event) Ran {
	notRun := func(c hook.Cause, err error) Ran {
		return Ran{Receipt: receipt(m.Fail(c), e), Err: err}
	}
	payload, err := e.Payload()
	if err != nil {
		return notRun(hook.NotStarted, err)
	}
	if cause, err := checkFolder(e.Cwd); err != nil {
		return notRun(cause, err)
	}
	path, cause, err := program(m)
	if err != nil {
		return notRun(cause, err)
	}

	// A flood is cut off, not read to its end.
	runCtx, cut := context.WithCancel(ctx)
	defer cut()
	var printed atomic.Int64
	exit, err := r.Proc.Run(runCtx, proc.Spec{
		Path: path, Args: m.Args, Dir: e.Cwd, Env: r.Environ(ctx),
		Stdin: bytes.NewReader(payload), Timeout: m.Timeout,
		Keep: 2 * hook.MaxOutput, // half of it from the start
		OnOutput: func(_ int, p []byte) {
			if printed.Add(int64(len(p))) > hook.MaxOutput {
				cut()
			}
		},
	})
	if err != nil {
		return notRun(startCause(err), err)
	}
	ran := Ran{Stdout: exit.Stdout.Head, Stderr: exit.Stderr.Head}
	ran.Receipt = receipt(m.Judge(e.Name, hook.Ending{
		Aborted: exit.Cancelled, TimedOut: exit.TimedOut,
		Flooded: exit.Stdout.Total+exit.Stderr.Total > hook.MaxOutput,
		Signal:  exit.Signal, Code: exit.Code, Stdout: exit.Stdout.Head,
	}), e)
	ran.Receipt.Code, ran.Receipt.Duration = exit.Code, exit.Duration
	return ran
}

// checkFolder looks at the folder that the hook is to run in: the system
// reports a missing one as it does a missing program.
func checkFolder(dir string) (hook.Cause, error) {
	if !filepath.IsAbs(dir) {
		return hook.NoFolder, errors.New("the event names no absolute folder")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return hook.NoFolder, err
	}
	if !info.IsDir() {
		return hook.NoFolder, &fs.PathError{Op: "run in", Path: dir, Err: syscall.ENOTDIR}
	}
	return "", nil
}

// program is what to start: a name for proc to look up, or the path of a
// script. The folder may have changed since it was loaded.
func program(m *hook.Manifest) (path string, cause hook.Cause, err error) {
	script := m.Script()
	if script == "" {
		return m.Command, "", nil
	}
	root, err := os.OpenRoot(m.Folder)
	if err != nil {
		return "", hook.MissingScript, err
	}
	defer root.Close()
	info, err := root.Stat(script)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", hook.MissingScript, err
	case err != nil:
		return "", hook.LinkOut, err
	case !info.Mode().IsRegular():
		return "", hook.NotExecutable, &fs.PathError{Op: "run", Path: script, Err: errors.New("not a file")}
	}
	return filepath.Join(m.Folder, filepath.FromSlash(script)), "", nil
}

// startCause tells apart why a process was not started. The program was there a
// moment ago.
func startCause(err error) hook.Cause {
	switch {
	case errors.Is(err, proc.ErrClosed):
		return hook.Aborted
	case errors.Is(err, proc.ErrNotFound):
		return hook.MissingProgram
	case errors.Is(err, fs.ErrPermission):
		return hook.NotExecutable
	case errors.Is(err, syscall.ENOEXEC):
		return hook.NoFormat
	case errors.Is(err, fs.ErrNotExist):
		return hook.MissingInterpreter
	default:
		return hook.NotStarted
	}
}
