package config

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// ManagedPath is where the machine's owner puts policy that nothing lifts. No
// variable moves it: Windows is asked for the folder that %ProgramData% names.
func ManagedPath() string {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		folder = `C:\ProgramData`
	}
	return filepath.Join(folder, "raw", "managed.toml")
}

func openNonblock(path string) (*os.File, error) { return os.Open(path) }
