package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// ErrNotFound is in the chain of Run's error when there is no such program.
var ErrNotFound = exec.ErrNotFound

// command is one started process with all that hangs on it.
type command struct {
	cmd            *exec.Cmd
	pid            int
	mark           mark
	born           uint64 // process table ticks, not after the process's own
	began          time.Time
	ended          time.Time // valid once exited is closed
	exited         chan struct{}
	stdout, stderr *stream
	tree           tree // platform state
	leaving        bool // guarded by Runner.mu: its end has begun
}

// start starts and registers a command.
func (r *Runner) start(s Spec) (*command, error) {
	path, err := lookUp(s.Path, s.Dir, s.Env)
	if err != nil {
		return nil, err
	}
	c := &command{mark: r.mark(), exited: make(chan struct{})}
	c.cmd = &exec.Cmd{
		Path:      path,
		Args:      append([]string{s.Path}, s.Args...),
		Dir:       s.workingFolder(),
		Env:       append(append(make([]string, 0, len(s.Env)+1), s.Env...), MarkVariable+"="+c.mark.String()),
		Stdin:     s.Stdin,
		WaitDelay: drainTime, // for a Stdin that blocks
	}
	isolate(c.cmd)
	keep := s.Keep
	if keep <= 0 {
		keep = DefaultKeep
	}
	outEnd, errEnd, err := c.openStreams()
	if err != nil {
		return nil, fmt.Errorf("start %s: open its output: %w", s.Path, err)
	}
	c.cmd.Stdout, c.cmd.Stderr = outEnd, errEnd

	started := make(chan error, 1)
	go hold(func() {
		if err := r.launch(c); err != nil {
			started <- err
			return
		}
		started <- nil
		awaitExit(c.cmd.Process)
		c.ended = time.Now()
		close(c.exited)
	})
	err = <-started
	outEnd.Close()
	errEnd.Close()
	if err != nil {
		c.stdout.file.Close()
		c.stderr.file.Close()
		return nil, startError(s, path, err)
	}
	for number, stream := range map[int]*stream{Stdout: c.stdout, Stderr: c.stderr} {
		var see func([]byte)
		if s.OnOutput != nil {
			see = func(p []byte) { s.OnOutput(number, p) }
		}
		go stream.read(keep, see)
	}
	return c, nil
}

func (c *command) openStreams() (outEnd, errEnd *os.File, err error) {
	if c.stdout, outEnd, err = openStream(); err != nil {
		return nil, nil, err
	}
	if c.stderr, errEnd, err = openStream(); err != nil {
		c.stdout.file.Close()
		outEnd.Close()
		return nil, nil, err
	}
	return outEnd, errEnd, nil
}

// launch starts the process and registers it in one step.
func (r *Runner) launch(c *command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.host.guard(r.owner)
	c.born = now()
	c.began = time.Now()
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.pid = c.cmd.Process.Pid
	c.tree.attach(c.cmd.Process)
	r.running[c] = struct{}{}
	return nil
}

// lookUp finds the program as the command itself would: in the PATH that it is
// going to have, with relative paths taken from its working folder.
func lookUp(name, dir string, env []string) (string, error) {
	if err := checkDir(dir); err != nil {
		return "", err
	}
	if name == "" {
		return "", errors.New("start a command: no program is named")
	}
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		// Absolute, since the command enters its folder before it looks.
		path, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("start %s: %w", name, err)
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("start %s: %w", name, reason(err))
		}
		return found, nil
	}
	search := variable(env, "PATH")
	for _, folder := range filepath.SplitList(search) {
		// A relative entry, the empty one too, would take programs from
		// wherever the command happens to run.
		if !filepath.IsAbs(folder) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("start %s: no such program in PATH=%s: %w", name, search, ErrNotFound)
}

// workingFolder is the path by which the command enters its folder.
func (s Spec) workingFolder() string {
	if s.Folder == nil {
		return s.Dir
	}
	return openFolderPath(s.Folder, s.Dir)
}

// checkDir tells a bad working folder apart from a missing program, which the
// system reports with the same error.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("working folder %s does not exist: %w", dir, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("working folder %s: %w", dir, reason(err))
	case !info.IsDir():
		return fmt.Errorf("working folder %s is not a folder", dir)
	}
	return nil
}

// startError says what the system refused. The folder may have gone between
// the check and the start, so it is looked at again.
func startError(s Spec, path string, err error) error {
	if errors.Is(err, ErrClosed) {
		return fmt.Errorf("start %s: %w", s.Path, err)
	}
	if err := checkDir(s.Dir); err != nil {
		return err
	}
	return fmt.Errorf("start %s (%s): %w", s.Path, path, reason(err))
}

// reason unwraps the innermost cause, whose wrappers repeat paths and system
// call names.
func reason(err error) error {
	var pathErr *fs.PathError
	var execErr *exec.Error
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &execErr):
		return execErr.Err
	}
	return err
}

// variable returns the last value of name in env, which is the one that counts.
func variable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		key, value, _ := strings.Cut(entry, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
