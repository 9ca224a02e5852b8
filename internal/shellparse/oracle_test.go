//go:build unix

package shellparse

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The oracle of these tests is bash itself: it runs a command with a PATH of
// stub programs that log their own names, and every name in the log must be
// among the programs that Parse lists, or Parse must say that it hides some.

// stub logs its name. Its output is a program's name, so that a shell that
// runs the output is found out.
const stub = `#!/bin/sh
printf '%s\n' "${0##*/}" >> "$STUB_LOG"
echo hidden
`

// logged runs the real program of the same name.
const logged = `#!/bin/sh
printf '%s\n' "${0##*/}" >> "$STUB_LOG"
exec REAL "$@"
`

// transparent are the wrappers that are safe to run for real.
var transparent = []string{
	"bash", "cat", "dash", "env", "find", "flock", "nice", "nohup", "setsid", "sh", "stdbuf", "tee", "timeout", "xargs",
}

// standIns replace wrappers that need rights or another machine: they take
// their options off and run the rest.
var standIns = map[string]string{
	"sudo": `while :; do case "$1" in
--) shift; break ;;
-[ugpDChRrtTU] | -nu | --user | --group | --prompt | --chdir | --host | --role | --type) shift 2 ;;
-s | -i | --shell | --login) shell=1; shift ;;
-*) shift ;;
*=*) export "$1"; shift ;;
*) break ;;
esac; done
[ $# -eq 0 ] && { [ "$shell" ] && exec /bin/sh; exit 1; }
exec "$@"`,
	"doas": `while :; do case "$1" in -u | -nu | -C) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"ionice": `while :; do case "$1" in -c | -n | --class | --classdata) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"time": `while :; do case "$1" in -f | -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"chroot": `while :; do case "$1" in --) shift; break ;; -*) shift ;; *) break ;; esac; done
shift
[ $# -eq 0 ] && exec /bin/sh
exec "$@"`,
	"ssh": `options() { while :; do case "$1" in
--) shift; break ;;
-[poilFJ]) shift 2 ;;
-*) shift ;;
*) break ;;
esac; done; left=$#; }
options "$@"; shift $(($# - left)); shift
options "$@"; shift $(($# - left))
[ $# -eq 0 ] && exec /bin/sh
exec /bin/sh -c "$*"`,
	"su": `while [ $# -gt 0 ]; do case "$1" in -c) cmd=$2; shift 2 ;; -s) shift 2 ;; *) shift ;; esac; done
[ "$cmd" ] && exec /bin/sh -c "$cmd"
exec /bin/sh`,
	"runuser": `while [ $# -gt 0 ]; do case "$1" in
--) shift; break ;;
-c) exec /bin/sh -c "$2" ;;
-u) user=1; shift 2 ;;
-*) shift ;;
*) [ "$user" ] && break; shift ;;
esac; done
[ $# -gt 0 ] && exec "$@"`,
	"busybox": `case "$1" in sh) shift; exec /bin/sh "$@" ;; esac
exec "$@"`,
	"setpriv": `while :; do case "$1" in --) shift; break ;; --reuid) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"prlimit": `while :; do case "$1" in --) shift; break ;; -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"setarch": `case "$1" in -*) ;; *) shift ;; esac
while :; do case "$1" in --) shift; break ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"linux64":   `exec "$@"`,
	"linux32":   `while :; do case "$1" in -*) shift ;; *) break ;; esac; done; exec "$@"`,
	"chrt":      `while :; do case "$1" in -*) shift ;; *) break ;; esac; done; shift; exec "$@"`,
	"taskset":   `while :; do case "$1" in -*) shift ;; *) break ;; esac; done; shift; exec "$@"`,
	"eatmydata": `exec "$@"`,
	"dbus-run-session": `while :; do case "$1" in --) shift; break ;; --config-file) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"`,
	"fakeroot": `while :; do case "$1" in --) shift; break ;; -*) shift ;; *) break ;; esac; done; exec "$@"`,
	"xvfb-run": `while :; do case "$1" in -*) shift ;; *) break ;; esac; done; exec "$@"`,
	"script": `while [ $# -gt 0 ]; do case "$1" in -c | -qc) exec /bin/sh -c "$2" ;; *) shift ;; esac; done
exec /bin/sh`,
	"watch":  `while :; do case "$1" in -n) shift 2 ;; -*) shift ;; *) break ;; esac; done; exec /bin/sh -c "$*"`,
	"strace": `while :; do case "$1" in -o | -e) shift 2 ;; -*) shift ;; *) break ;; esac; done; exec "$@"`,
}

var programName = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_.+-]*`)

// stubs makes a folder of programs for every word of the commands.
func stubs(t *testing.T, commands []string) string {
	t.Helper()
	bin := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("stub", stub)
	for _, name := range transparent {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("the oracle needs %s: %v", name, err)
		}
		if name == "bash" {
			program += " --noprofile" // what a machine's profile runs is not in the text
		}
		write(name, strings.ReplaceAll(logged, "REAL", program))
	}
	for name, text := range standIns {
		write(name, strings.Replace(logged, `exec REAL "$@"`, text, 1))
	}
	for _, c := range append(commands, "hidden sudo id echo") {
		for _, name := range programName.FindAllString(c, -1) {
			if len(name) < 60 {
				_ = os.Symlink("stub", filepath.Join(bin, name)) // most are there already
			}
		}
	}
	return bin
}

// bash runs a command in dir and returns when it and what it left are gone.
func bash(t *testing.T, command, dir string, env ...string) {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("the oracle needs bash: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Dir = dir
	cmd.Env = append(env, "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	_ = cmd.Run() // many commands end with another status than 0, and may
	if ctx.Err() != nil {
		t.Errorf("bash -c %q does not end", command)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// folder is a scratch folder with some files in it, gone after the test even
// when a background program still writes to it.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "shellparse")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"w/sub/deep", "w/out", "w/empty", "w/root", "home/bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"a.txt": "alpha\n", "b.txt": "beta\n", "two words.txt": "x\n", "sub/c.txt": "c\n", "sub/deep/d.txt": "d\n",
		"list.txt": "id\n", "tools.txt": "one\ntwo\n", "script.sh": ":\n", "deploy.sh": ":\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "w", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// corpus reads commands, one a line or between {{{ and }}}.
func corpus(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var block []string
	in := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "{{{":
			in, block = true, nil
		case line == "}}}":
			in = false
			out = append(out, strings.Join(block, "\n"))
		case in:
			block = append(block, line)
		case line != "" && !strings.HasPrefix(line, "# "):
			out = append(out, line)
		}
	}
	return out
}

// checkPrograms runs a command with stubs and compares. It returns how many
// programs ran.
func checkPrograms(t *testing.T, bin, command string) int {
	t.Helper()
	dir := folder(t)
	log := filepath.Join(dir, "log")
	if err := os.Symlink(filepath.Join(bin, "stub"), filepath.Join(dir, "home/bin/tool")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	bash(t, command, filepath.Join(dir, "w"), "PATH="+bin, "HOME="+home, "STUB_LOG="+log)
	data, err := os.ReadFile(log)
	if err != nil {
		data = nil // nothing ran
	}
	e := Parse(command, Options{Cwd: filepath.Join(dir, "w"), Home: home})
	ran := strings.Fields(string(data))
	if slices.Contains(e.Unknown, unknownName) && slices.Contains(e.Unknown, unknownCommand) {
		return len(ran)
	}
	for _, name := range ran {
		if !slices.ContainsFunc(e.Programs, func(p Program) bool { return p.Name == name }) {
			t.Errorf("bash -c %q ran %q;\nParse has %q, unknown %q", command, name, e.Programs, e.Unknown)
		}
	}
	return len(ran)
}

func TestProgramsOfCorpus(t *testing.T) {
	commands := corpus(t, "commands.txt")
	if len(commands) < 300 {
		t.Fatalf("the corpus has %d commands, want at least 300", len(commands))
	}
	bin := stubs(t, commands)
	for _, c := range commands {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			checkPrograms(t, bin, c)
		})
	}
}

// TestCorpusIsMostlyFixed keeps "unknown" from being the answer to everything.
func TestCorpusIsMostlyFixed(t *testing.T) {
	commands := corpus(t, "commands.txt")
	hidden := 0
	for _, c := range commands {
		if slices.Contains(Parse(c, Options{Cwd: "/w", Home: "/home/me"}).Unknown, unknownName) {
			hidden++
		}
	}
	if limit := len(commands) / 3; hidden > limit {
		t.Errorf("%d of %d commands hide programs, want at most %d", hidden, len(commands), limit)
	}
}
