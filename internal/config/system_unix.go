//go:build !windows

package config

import (
	"os"
	"runtime"
	"syscall"
)

// ManagedPath is where the machine's owner puts policy that nothing lifts. No
// variable moves it on this platform or any other.
func ManagedPath() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Raw/managed.toml"
	}
	return "/etc/raw/managed.toml"
}

// openNonblock does not wait for the writer of a pipe.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
