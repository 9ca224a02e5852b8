package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	home, xdg := t.TempDir(), t.TempDir()
	file := func(parts ...string) string {
		path := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	flag, variable := file(home, "flag.toml"), file(home, "variable.toml")
	inHome, inXDG := file(home, ".config", "raw", "config.toml"), file(xdg, "raw", "config.toml")
	empty, missing := t.TempDir(), filepath.Join(home, "missing.toml")
	for _, c := range []struct {
		name       string
		flag       string
		env        Env
		home       string
		want       string
		wantAbsent bool // not even the named file
	}{
		{"flag first", flag, env("RAW_CONFIG", variable, "XDG_CONFIG_HOME", xdg), home, flag, false},
		{"then variable", "", env("RAW_CONFIG", variable, "XDG_CONFIG_HOME", xdg), home, variable, false},
		{"empty variable is none", "", env("RAW_CONFIG", "", "XDG_CONFIG_HOME", xdg), home, inXDG, false},
		{"then XDG", "", env("XDG_CONFIG_HOME", xdg), home, inXDG, false},
		{"relative XDG is ignored", "", env("XDG_CONFIG_HOME", "conf", "APPDATA", filepath.Join(home, ".config")), home, inHome, false},
		{"then home", "", env("APPDATA", filepath.Join(home, ".config")), home, inHome, false},
		{"XDG without a file hides home", "", env("XDG_CONFIG_HOME", empty), home, "", false},
		{"no home", "", noEnv, "", "", false},
		{"home is a file", "", noEnv, flag, "", false},
		{"missing flag", missing, env("RAW_CONFIG", variable), home, "", true},
		{"missing variable", "", env("RAW_CONFIG", missing, "XDG_CONFIG_HOME", xdg), home, "", true},
	} {
		got, found, err := Find(c.flag, c.env, c.home)
		if got != c.want || found != (c.want != "") || errors.Is(err, fs.ErrNotExist) != c.wantAbsent || (err != nil) != c.wantAbsent {
			t.Errorf("%s: Find = %q, %v, %v, want %q, error %v", c.name, got, found, err, c.want, c.wantAbsent)
		}
	}
}

func TestBase(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of the cases are not absolute on Windows")
	}
	appData := env("APPDATA", `C:\A`, "LOCALAPPDATA", `C:\L`)
	for _, c := range []struct {
		goos, home    string
		env           Env
		config, state string
	}{
		{"linux", "/h", noEnv, "/h/.config", "/h/.local/state"},
		{"darwin", "/h", noEnv, "/h/.config", "/h/.local/state"},
		{"windows", "/h", appData, `C:\A`, `C:\L`},
		{"windows", "/h", noEnv, "", ""},
		{"linux", "", noEnv, "", ""},
		{"linux", "", env("XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s"), "/c", "/s"},
		{"windows", "/h", env("XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s", "APPDATA", "x"), "/c", "/s"},
	} {
		if config, state := configBase(c.goos, c.env, c.home), stateBase(c.goos, c.env, c.home); config != c.config || state != c.state {
			t.Errorf("%s, home %q: folders %q, %q, want %q, %q", c.goos, c.home, config, state, c.config, c.state)
		}
	}
}

func TestWithFolders(t *testing.T) {
	xdg := env("XDG_CONFIG_HOME", t.TempDir(), "XDG_STATE_HOME", t.TempDir())
	got, err := Default().WithFolders(xdg, "")
	want := Default()
	want.Hooks.Folders = []string{filepath.Join(ConfigDir(xdg, ""), "hooks")}
	want.Tools.Folders = []string{filepath.Join(ConfigDir(xdg, ""), "tools")}
	want.Ledger.Folder = StateDir(xdg, "")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("WithFolders: %v (-want +got):\n%s", err, diff)
	}
	if again, err := got.WithFolders(noEnv, ""); err != nil || !cmp.Equal(got, again) {
		t.Errorf("WithFolders of filled folders = %+v, %v, want no change", again, err)
	}
	if _, err := Default().WithFolders(noEnv, ""); err == nil {
		t.Error("WithFolders without any home succeeded")
	}
}

func TestManagedPath(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "RAW_CONFIG", "ProgramData", "HOME"} {
		t.Setenv(name, t.TempDir())
	}
	want := map[string]string{"linux": "/etc/raw/managed.toml", "darwin": "/Library/Application Support/Raw/managed.toml"}[runtime.GOOS]
	if got := ManagedPath(); want != "" && got != want {
		t.Errorf("ManagedPath() = %q, want %q", got, want)
	}
}
