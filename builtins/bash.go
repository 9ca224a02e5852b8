package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"raw/contract"
	"raw/contract/schema"
	"raw/contract/value"
	"raw/internal/proc"
	"raw/internal/proc/termtext"
	"raw/internal/shellparse"
	"raw/internal/workspace"
)

const (
	defaultCommandTimeout = 2 * time.Minute
	progressAfter         = time.Second
	progressEvery         = 5 * time.Second
)

type bashInput struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
	Cwd     string `json:"cwd"`
}

// bashTool runs one command in the foreground. What the command would run and
// touch is read from its text for rules and people; that is no sandbox.
func bashTool(h Host) contract.Tool {
	return contract.Define(contract.Tool{
		Identity: "builtin/bash",
		Name:     "bash",
		Title:    "Run a command",
		Description: "Run one shell command with bash -c; stdin is closed, there is no terminal. " +
			"cwd (default: the workspace) does not persist between calls. timeout is in seconds, default 120. " +
			"The answer has [stdout] and [stderr]; 1 MiB of each is kept, from start and end. " +
			"An error means: exit code not 0, killed by a signal, timed out or cancelled; the last line says which. " +
			"Whatever still runs when the command ends is ended.",
		Snippet: "run a shell command (no terminal, nothing stays running)",
		Guidelines: []string{
			"Read, write and edit files with read, write and edit; use bash for everything else.",
		},
		Class: contract.ClassExec,
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["command"],
			"properties": {
				"command": {"type": "string", "minLength": 1, "maxLength": 100000},
				"timeout": {"type": "integer", "minimum": 1, "maximum": 3600},
				"cwd": {"type": "string", "minLength": 1}
			}
		}`,
		Validate: func(args value.Object) []schema.Fault {
			if command, _ := args.Field("command").Str(); strings.ContainsRune(command, 0) {
				return []schema.Fault{{Pointer: "/command", Message: "holds a NUL character, which no command can"}}
			}
			return nil
		},
		EffectsSource: bashEffectsSchema,
		Preview:       previewBash,
	}, h.bashEffects, h.runBash)
}

// previewBash shows the command. An approval is bound to the scripts that it
// runs by name: another script is another command.
func previewBash(_ context.Context, c *contract.Call) (contract.Preview, error) {
	var scripts []contract.Path
	for _, n := range c.Named {
		if strings.HasPrefix(n.Pointer, "/scripts/") {
			scripts = append(scripts, n.Path)
		}
	}
	command, _ := c.Args.Field("command").Str()
	return contract.Preview{Text: "in " + c.Paths[0].Lexical + "\n$ " + command, Unchanged: boundTo(scripts...)}, nil
}

// bashEffects is what a command's text shows. cwd is opened; the other paths
// are only named.
type bashEffects struct {
	Cwd      folder    `json:"cwd"`
	Programs []program `json:"programs"`
	Files    []file    `json:"files"`
	Scripts  []folder  `json:"scripts"`
	Unknown  []string  `json:"unknown,omitempty"`
}

type folder struct {
	Path string `json:"path"`
}

type program struct {
	Name    string `json:"name"`
	Command string `json:"command"`
}

const bashEffectsSchema = `{
	"type": "object", "additionalProperties": false, "required": ["cwd", "programs", "files", "scripts"],
	"properties": {
		"cwd": {"type": "object", "additionalProperties": false, "required": ["path"],
			"properties": {"path": {"type": "string", "format": "path"}}},
		"programs": {"type": "array", "items": {
			"type": "object", "additionalProperties": false, "required": ["name", "command"],
			"properties": {"name": {"type": "string"}, "command": {"type": "string"}}}},
		"files": {"type": "array", "items": {
			"type": "object", "additionalProperties": false, "required": ["path", "operation"],
			"properties": {
				"path": {"type": "string", "format": "mentioned-path"},
				"operation": {"enum": ["read", "write", "delete", "rename_source", "rename_destination"]}}}},
		"scripts": {"type": "array", "items": {
			"type": "object", "additionalProperties": false, "required": ["path"],
			"properties": {"path": {"type": "string", "format": "mentioned-path"}}}},
		"unknown": {"type": "array", "items": {"type": "string"}}
	}
}`

func (h Host) bashEffects(in bashInput, cwd string) (any, error) {
	if in.Cwd != "" {
		var err error
		if cwd, err = workspace.Lexical(in.Cwd, cwd); err != nil {
			return nil, err
		}
	}
	shown := shellparse.Parse(in.Command, shellparse.Options{Cwd: cwd, Home: h.Home})
	e := bashEffects{Cwd: folder{cwd}, Programs: []program{}, Files: []file{}, Scripts: []folder{}, Unknown: shown.Unknown}
	for _, p := range shown.Programs {
		e.Programs = append(e.Programs, program(p))
	}
	for _, f := range shown.Files {
		e.Files = append(e.Files, file(f))
	}
	for _, s := range shown.Scripts {
		e.Scripts = append(e.Scripts, folder{s})
	}
	return e, nil
}

func (h Host) runBash(ctx context.Context, c *contract.Call, in bashInput) contract.Result {
	dir := c.Paths[0]
	folder, err := openDir(dir)
	if err != nil {
		return contract.FailedAs(contract.KindPrecondition, folderProblem(dir.Lexical, err))
	}
	defer folder.Close()
	timeout := h.CommandTimeout
	if timeout == 0 {
		timeout = defaultCommandTimeout
	}
	if in.Timeout > 0 {
		timeout = time.Duration(in.Timeout) * time.Second
	}
	var printed atomic.Int64
	stop := reporting(ctx, c, &printed)
	exit, err := h.startShell(ctx, proc.Spec{
		Args: []string{"-c", in.Command}, Dir: dir.Real, Folder: folder, Env: h.Environ(ctx), Timeout: timeout,
		OnOutput: func(_ int, p []byte) { printed.Add(int64(len(p))) },
	})
	stop()
	if err != nil {
		return contract.FailedAs(contract.KindPrecondition, err.Error())
	}
	return bashResult(exit, timeout)
}

func folderProblem(dir string, err error) string {
	dir = visibleName(dir)
	var special *workspace.SpecialError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the working folder %s does not exist; give another cwd", dir)
	case errors.As(err, &special):
		return fmt.Sprintf("the working folder %s is a %s; give a folder as cwd", dir, special.Kind)
	default:
		return fmt.Sprintf("enter the working folder %s: %s", dir, visibleName(err.Error()))
	}
}

// startShell runs the configured shell, or bash, or sh where there is no bash.
func (h Host) startShell(ctx context.Context, s proc.Spec) (proc.Exit, error) {
	if h.Shell != "" {
		s.Path = h.Shell
		return h.Runner.Run(ctx, s)
	}
	s.Path = "bash"
	exit, err := h.Runner.Run(ctx, s)
	if errors.Is(err, proc.ErrNotFound) {
		s.Path = "sh"
		if exit, second := h.Runner.Run(ctx, s); second == nil {
			return exit, nil
		}
		err = fmt.Errorf("%w; a person can name another shell in the configuration, [bash] shell", err)
	}
	return exit, err
}

// reporting sends progress until stop is called: after a second, then every
// five, so that hosts with a limit of their own see that the command lives.
func reporting(ctx context.Context, c *contract.Call, printed *atomic.Int64) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		timer := time.NewTimer(progressAfter)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
				seconds := time.Since(began).Round(time.Second).Seconds()
				c.Report(contract.Progress{Done: seconds, Message: fmt.Sprintf("running for %.0f s, %d bytes printed", seconds, printed.Load())})
				timer.Reset(progressEvery)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// bashResult is the answer for a command that was started.
func bashResult(exit proc.Exit, timeout time.Duration) contract.Result {
	var b strings.Builder
	section(&b, "[stdout]", exit.Stdout)
	section(&b, "[stderr]", exit.Stderr)
	if b.Len() == 0 {
		b.WriteString("(no output)\n")
	}
	cutNotice(&b, "stdout", exit.Stdout)
	cutNotice(&b, "stderr", exit.Stderr)
	if names := survivors(exit.Left); names != "" {
		fmt.Fprintf(&b, "[still running when the command had exited: %s]\n", names)
	}
	var failure *contract.Failure
	switch {
	case exit.TimedOut:
		fmt.Fprintf(&b, "[timed out after %d s]\n", int(timeout.Seconds()))
		failure = &contract.Failure{Kind: contract.KindTransient, Code: contract.CodeTimeout}
	case exit.Cancelled:
		b.WriteString("[cancelled]\n")
		failure = &contract.Failure{Kind: contract.KindTransient, Code: contract.CodeAborted}
	case exit.Signal != "":
		fmt.Fprintf(&b, "[killed by %s]\n", exit.Signal)
		failure = &contract.Failure{Kind: contract.KindFatal}
	case exit.Code != 0:
		fmt.Fprintf(&b, "[exit code: %d]\n", exit.Code)
		failure = &contract.Failure{Kind: contract.KindFatal}
	}
	res := contract.Succeeded(strings.TrimSuffix(b.String(), "\n"))
	res.Failure = failure
	return res
}

// section writes one stream as a terminal would show it.
func section(b *strings.Builder, title string, out proc.Captured) {
	if out.Total == 0 {
		return
	}
	text, bad := termtext.Plain(out.Head)
	if n := out.Omitted(); n > 0 {
		tail, more := termtext.Plain(out.Tail)
		text = fmt.Sprintf("%s\n[… %d bytes …]\n%s", strings.TrimSuffix(text, "\n"), n, tail)
		bad += more
	} else if len(out.Tail) > 0 {
		text, bad = termtext.Plain(append(append([]byte(nil), out.Head...), out.Tail...))
	}
	if text == "" {
		return
	}
	b.WriteString(title + "\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	if bad > 0 {
		fmt.Fprintf(b, "[%d bytes are not UTF-8 and are shown as U+FFFD]\n", bad)
	}
}

// cutNotice says what is missing of a stream. It stands behind the sections:
// what stands in the middle of a long answer is the first to be left out.
func cutNotice(b *strings.Builder, name string, out proc.Captured) {
	if n := out.Omitted(); n > 0 {
		fmt.Fprintf(b, "[%d of the %d bytes of %s were not kept: only %d KiB of its start and of its end are; write long output to a file]\n",
			n, out.Total, name, proc.DefaultKeep>>11)
	}
}

func survivors(left []proc.Survivor) string {
	names := make([]string, len(left))
	for i, s := range left {
		fate := "ended"
		switch {
		case !s.Ended:
			fate = "could not be ended"
		case s.Shared:
			fate = "ended; it may have been another command's"
		}
		names[i] = fmt.Sprintf("%s, process %d (%s)", s.Name, s.PID, fate)
	}
	return strings.Join(names, "; ")
}
