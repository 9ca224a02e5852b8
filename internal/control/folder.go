//go:build linux || darwin

package control

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	socketSuffix = ".sock"
	// newSuffix is the name of a socket that does not listen yet, so that
	// whoever finds a socket under its last name that refuses knows it is dead.
	newSuffix = ".new"
)

// runFolder is where the servers of a state folder have their sockets.
func runFolder(stateFolder string) string { return filepath.Join(stateFolder, "run") }

// checkFolder makes sure that nobody else can put a socket into dir.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder of sockets: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s has to be a folder for sockets, and is none; remove it", dir)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("the folder of sockets %s belongs to another user; remove it, or set another ledger.folder", dir)
	}
	if mode := info.Mode().Perm(); mode != 0o700 {
		return fmt.Errorf("the folder of sockets %s has mode %o, and may have 700 only; run: chmod 700 %s", dir, mode, dir)
	}
	return nil
}

// listen makes a socket in dir and returns the name that it is found by.
func listen(dir string) (l *net.UnixListener, name string, err error) {
	name = fmt.Sprintf("%d-%s", os.Getpid(), strings.ToLower(rand.Text()[:8]))
	path := filepath.Join(dir, name+socketSuffix)
	if limit := len(syscall.RawSockaddrUnix{}.Path) - 1; len(path) > limit {
		return nil, "", fmt.Errorf("the path of the socket, %s, has %d bytes, and the system allows %d; set ledger.folder to a shorter path", path, len(path), limit)
	}
	first := filepath.Join(dir, name+newSuffix)
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: first, Net: "unix"})
	if err != nil {
		return nil, "", fmt.Errorf("listen for a person's commands: %w", err)
	}
	l.SetUnlinkOnClose(false) // it knows the first name only
	err = os.Chmod(first, 0o600)
	if err == nil {
		err = os.Rename(first, path)
	}
	if err != nil {
		return nil, "", fmt.Errorf("make the socket for a person's commands: %w", errors.Join(err, l.Close(), os.Remove(first)))
	}
	return l, name, nil
}

// sockets are the names of the servers in dir, dead ones too.
func sockets(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for servers: %w", err)
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), socketSuffix)
		if ok && e.Type() == fs.ModeSocket {
			names = append(names, name)
		}
	}
	return names, nil
}

// sweep removes the sockets that nobody listens on any more. Their process ids
// say nothing: they may be taken again, or belong to another container.
func sweep(dir string) error {
	names, err := sockets(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(dir, name+socketSuffix)
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		if err == nil {
			err = conn.Close()
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the socket of a dead server: %w", err)
		}
	}
	return nil
}

// pidOf is the process id in a server's name.
func pidOf(name string) string {
	pid, _, _ := strings.Cut(name, "-")
	return pid
}
