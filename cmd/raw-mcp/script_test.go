package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"raw/internal/wiretest"
)

func TestMain(m *testing.M) { wiretest.Main(m, map[string]func(){"raw-mcp": main}) }

// TestScripts plays hosts, models and people against the real program. Each
// script is a rule that they can see.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: wiretest.Commands(),
		Setup: func(e *testscript.Env) error {
			// A home of its own, and a workspace w that the scripts work in.
			for _, dir := range []string{"home", "w"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o755); err != nil {
					return err
				}
			}
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("W", filepath.Join(e.WorkDir, "w"))
			e.Setenv("SHELL", "")
			// Under the race detector a program sleeps for a second before
			// it exits, and the scripts start some hundreds.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			e.Setenv("X100K", strings.Repeat("x", 100<<10)) // eleven are over a megabyte
			return nil
		},
	})
}
