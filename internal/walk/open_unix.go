//go:build unix

package walk

import (
	"os"
	"syscall"
)

// A pipe or terminal that took the place of a file does not block.
const (
	openFile   = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
	openFolder = openFile | syscall.O_DIRECTORY
)
