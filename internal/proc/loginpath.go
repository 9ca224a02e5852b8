package proc

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	loginWait  = 2 * time.Second  // how long a command waits for the login shell
	loginLimit = 10 * time.Second // how long the login shell may take at all
)

// bareFolders make up the PATH of a program that was started from a desktop
// and not from a shell.
var bareFolders = []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin"}

// IsBarePath reports whether a PATH says nothing about this person's machine:
// it is empty or has no other folders than /usr/bin, /bin, /usr/sbin and /sbin.
func IsBarePath(path string) bool {
	for _, folder := range filepath.SplitList(path) {
		if !slices.Contains(bareFolders, filepath.Clean(folder)) {
			return false
		}
	}
	return true
}

// LoginPath fetches the PATH of the person's login shell, once. The exported
// fields are set before the first call of Get and not changed after it. Get may
// be called at once.
type LoginPath struct {
	Runner *Runner
	// Shell is the login shell, normally the value of SHELL. Empty means that
	// there is none to ask.
	Shell string
	// Env is the environment the shell gets, with the bare PATH in it.
	Env []string

	mu    sync.Mutex
	began time.Time
	done  chan struct{} // closed when path is set; nil before the first Get
	path  string
}

// Get returns the login shell's PATH, or the PATH in Env when that is not bare,
// when there is no shell, or when the shell gives no answer. It waits at most
// 2 s from the first call on; a shell that needs longer is heard by later calls.
func (l *LoginPath) Get(ctx context.Context) string {
	bare := variable(l.Env, "PATH")
	if l.Shell == "" || !IsBarePath(bare) {
		return bare
	}
	l.mu.Lock()
	if l.done == nil {
		l.done, l.began = make(chan struct{}), time.Now()
		// It outlives this call for the sake of the next ones; Close ends it
		// and waits for it, as for every command.
		fetchCtx := context.WithoutCancel(ctx)
		go func() {
			defer close(l.done)
			l.path = l.fetch(fetchCtx)
		}()
	}
	left := loginWait - time.Since(l.began)
	l.mu.Unlock()

	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	select {
	case <-l.done:
		if l.path != "" {
			return l.path
		}
	default:
	}
	return bare
}

// fetch asks the shell. What its start files print stands around the markers.
func (l *LoginPath) fetch(ctx context.Context) string {
	const marker = "__raw_login_path__"
	exit, err := l.Runner.Run(ctx, Spec{
		Path:    l.Shell,
		Args:    []string{"-lc", "printf '" + marker + "%s" + marker + "' \"$PATH\""},
		Env:     l.Env,
		Timeout: loginLimit,
	})
	if err != nil {
		return ""
	}
	_, rest, ok1 := bytes.Cut(exit.Stdout.Head, []byte(marker))
	path, _, ok2 := bytes.Cut(rest, []byte(marker))
	if !ok1 || !ok2 {
		return ""
	}
	return string(path)
}
