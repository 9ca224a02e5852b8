// Package cli holds the commands that both programs have, and what starts
// them: flags, settings, log and exit codes. A program adds its own commands
// and its adapter.
package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"raw/contract/ledger"
	"raw/internal/app"
	"raw/internal/config"
)

// The exit codes.
const (
	ExitOK    = 0
	ExitError = 1 // the call failed or was refused
	ExitUsage = 2 // the command line or the configuration is wrong
)

// ExitCode is an error that only sets the exit code: everything was said.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Program is one of our two programs on a command line.
type Program struct {
	Name    string
	Version string
	Stdin   *os.File
	Stdout  io.Writer
	Stderr  *os.File
	Environ []string
	Crash   ledger.Crash // see app.Settings

	flags flags
}

// flags are accepted by every command; they win over the file.
type flags struct {
	roots                        []string
	config, mode, posture        string
	catalog                      string
	logLevel, logFormat, logFile string
}

// AddFlags adds the flags that every command takes.
func (p *Program) AddFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringArrayVar(&p.flags.roots, "root", nil, "folder to work in; may be given several times")
	f.StringVar(&p.flags.config, "config", "", "configuration file (default $RAW_CONFIG, then $XDG_CONFIG_HOME/raw/config.toml)")
	f.StringVar(&p.flags.mode, "mode", "", "plan, work or operate (default work)")
	f.StringVar(&p.flags.posture, "posture", "", "ask, auto-review or full-access (default ask)")
	f.StringVar(&p.flags.catalog, "catalog", "", "auto, native, listed or call (default auto)")
	f.StringVar(&p.flags.logLevel, "log-level", "", "debug, info, warn or error (default info)")
	f.StringVar(&p.flags.logFormat, "log-format", "", "text or json (default text)")
	f.StringVar(&p.flags.logFile, "log-file", "", "file for the log (default stderr)")
	for name, values := range map[string][]string{
		"mode": {"plan", "work", "operate"}, "posture": {"ask", "auto-review", "full-access"},
		"catalog": {"auto", "native", "listed", "call"}, "log-level": {"debug", "info", "warn", "error"}, "log-format": {"text", "json"},
	} {
		_ = root.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	}
}

// Settings reads the configuration and puts the flags over it. The log stays
// open until done is called.
func (p *Program) Settings() (s app.Settings, done func(), err error) {
	home, _ := os.UserHomeDir() // without one nothing stands for ~
	cwd, err := os.Getwd()
	if err != nil {
		return s, nil, fmt.Errorf("find the folder this was started in: %w", err)
	}
	s = app.Settings{Managed: config.ManagedPath(), Roots: p.flags.roots, Environ: p.Environ, Crash: p.Crash, Home: home, Cwd: cwd}
	file, found, err := config.Find(p.flags.config, s.Lookup, home)
	if err != nil {
		return s, nil, err
	}
	s.Config = config.Default()
	if found {
		s.ConfigFile = file
		if s.Config, err = config.Load(file, s.Lookup); err != nil {
			return s, nil, err
		}
	}
	if err := p.override(&s.Config); err != nil {
		return s, nil, err
	}
	s.Log, done, err = p.log(s.Config.Log)
	return s, done, err
}

// override puts the flags over the file, checked like it.
func (p *Program) override(c *config.Config) error {
	var faults []error
	for _, f := range []struct{ flag, key, value string }{
		{"--mode", "workspace.mode", p.flags.mode},
		{"--posture", "workspace.posture", p.flags.posture},
		{"--catalog", "mcp.catalog", p.flags.catalog},
		{"--log-level", "log.level", p.flags.logLevel},
		{"--log-format", "log.format", p.flags.logFormat},
		{"--log-file", "log.file", p.flags.logFile},
	} {
		if f.value == "" {
			continue
		}
		if err := c.Set(f.key, f.value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", f.flag, err))
		}
	}
	return errors.Join(faults...)
}

// log makes the log that the configuration asks for.
func (p *Program) log(c config.Log) (*slog.Logger, func(), error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return nil, nil, fmt.Errorf("log level %q: %w", c.Level, err)
	}
	out, done := p.Stderr, func() {}
	if c.File != "" {
		f, err := os.OpenFile(c.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("open the log: %w", err)
		}
		out, done = f, func() { _ = f.Close() }
	}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})), done, nil
	}
	plain := !isatty.IsTerminal(out.Fd()) || os.Getenv("NO_COLOR") != ""
	return slog.New(tint.NewTextHandler(out, &tint.Options{Level: level, NoColor: plain, TimeFormat: "15:04:05.000"})), done, nil
}

// Open starts the process's part of the product. done ends it.
func (p *Program) Open() (a *app.App, done func(), err error) {
	s, closeLog, err := p.Settings()
	if err != nil {
		return nil, nil, err
	}
	a, err = app.New(s)
	if err != nil {
		closeLog()
		return nil, nil, err
	}
	return a, func() {
		if err := a.Close(); err != nil {
			s.Log.Warn("end what was started", "error", err)
		}
		closeLog()
	}, nil
}
