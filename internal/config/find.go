package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Find says which file to load: flag (the value of --config), else the
// variable RAW_CONFIG, else config.toml in ConfigDir. A file that is named by
// flag or variable must exist; found is false when there is none by default,
// and the defaults serve.
func Find(flag string, env Env, home string) (path string, found bool, err error) {
	named := "--config"
	if path = flag; path == "" {
		named = "RAW_CONFIG"
		path, _ = env(named)
	}
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", false, fmt.Errorf("look for the file that %s names: %w", named, err)
		}
		return path, true, nil
	}
	folder := ConfigDir(env, home)
	if folder == "" {
		return "", false, nil
	}
	path = filepath.Join(folder, "config.toml")
	switch _, err := os.Stat(path); {
	case err == nil:
		return path, true, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", false, nil
	default:
		return "", false, fmt.Errorf("look for the configuration: %w", err)
	}
}

// ConfigDir is our folder for configuration: raw in $XDG_CONFIG_HOME, else in
// ~/.config, on Windows in %AppData%. It is "" when home is needed and empty.
func ConfigDir(env Env, home string) string {
	return ours(configBase(runtime.GOOS, env, home))
}

// StateDir is our folder for state: raw in $XDG_STATE_HOME, else in
// ~/.local/state, on Windows in %LocalAppData%. It is "" when home is needed
// and empty.
func StateDir(env Env, home string) string {
	return ours(stateBase(runtime.GOOS, env, home))
}

// WithFolders is c with the folders filled in that are empty in it, for which
// home is the person's home folder. It fails when a default cannot be known.
func (c Config) WithFolders(env Env, home string) (Config, error) {
	configDir, stateDir := ConfigDir(env, home), StateDir(env, home)
	if configDir == "" && (len(c.Hooks.Folders) == 0 || len(c.Tools.Folders) == 0) {
		return Config{}, errors.New("find the folders of hooks and tools: no home folder is known; set HOME, or hooks.folders and tools.folders")
	}
	if stateDir == "" && c.Ledger.Folder == "" {
		return Config{}, errors.New("find the folder of the ledger: no home folder is known; set HOME or ledger.folder")
	}
	if len(c.Hooks.Folders) == 0 {
		c.Hooks.Folders = []string{filepath.Join(configDir, "hooks")}
	}
	if len(c.Tools.Folders) == 0 {
		c.Tools.Folders = []string{filepath.Join(configDir, "tools")}
	}
	if c.Ledger.Folder == "" {
		c.Ledger.Folder = stateDir
	}
	return c, nil
}

func ours(base string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(base, "raw")
}

func configBase(goos string, env Env, home string) string {
	return base(goos, env, home, "XDG_CONFIG_HOME", ".config", "APPDATA")
}

func stateBase(goos string, env Env, home string) string {
	return base(goos, env, home, "XDG_STATE_HOME", ".local/state", "LOCALAPPDATA")
}

// base ignores a relative XDG folder, as the XDG specification demands.
func base(goos string, env Env, home, xdg, below, windows string) string {
	if v, _ := env(xdg); filepath.IsAbs(v) {
		return v
	}
	if goos == "windows" {
		v, _ := env(windows)
		return v
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, below)
}

func home(env Env) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	v, _ := env(name)
	return v
}
