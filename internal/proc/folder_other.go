//go:build !linux

package proc

import "os"

// openFolderPath is the path: there is no name for an open folder here.
func openFolderPath(_ *os.File, dir string) string { return dir }
