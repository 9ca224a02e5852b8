package proc

import (
	"runtime"
	"slices"
	"strings"
)

// passed are the variables that a command gets from the environment of the
// server. Everything else in it stays there: keys and tokens, and what a host
// puts there for itself.
var passed = strings.Fields(`
	PATH HOME USER LOGNAME SHELL LANG TZ SSH_AUTH_SOCK
	HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
	SSL_CERT_FILE SSL_CERT_DIR JAVA_HOME GOPATH GOFLAGS CARGO_HOME RUSTUP_HOME
	NVM_DIR VIRTUAL_ENV CONDA_PREFIX PNPM_HOME DOCKER_HOST`)

// passedPrefixes are the families that are passed.
var passedPrefixes = []string{"LC_", "XDG_"}

// passedWindows are needed there by nearly every program.
var passedWindows = []string{"SYSTEMROOT", "TEMP"}

// fixed keep programs from waiting for a person at a terminal.
var fixed = []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// Environment returns the environment for a command: of base ("NAME=value", as
// from os.Environ) the variables on the allow-list and those named in extra,
// and TERM=dumb, PAGER=cat, GIT_PAGER=cat and GIT_TERMINAL_PROMPT=0, which only a
// name in extra replaces by the value of base. The result is sorted. Of several
// equal names in base the last counts.
func Environment(base, extra []string) []string {
	return environment(base, extra, runtime.GOOS == "windows")
}

func environment(base, extra []string, windows bool) []string {
	values := map[string]string{}
	for _, entry := range fixed {
		name, _, _ := strings.Cut(entry, "=")
		values[name] = entry
	}
	for _, entry := range base {
		name, _, ok := strings.Cut(entry, "=")
		// Windows has names like "=C:"; no list has the empty name.
		if ok && name != "" && name != MarkVariable && wanted(name, extra, windows) {
			values[name] = entry
		}
	}
	env := make([]string, 0, len(values))
	for _, entry := range values {
		env = append(env, entry)
	}
	slices.Sort(env)
	return env
}

// wanted reports whether a variable passes. Names on Windows have no case.
func wanted(name string, extra []string, windows bool) bool {
	equal := func(other string) bool { return name == other }
	upper := name
	if windows {
		equal = func(other string) bool { return strings.EqualFold(name, other) }
		upper = strings.ToUpper(name)
	}
	if slices.ContainsFunc(extra, equal) || slices.ContainsFunc(passed, equal) {
		return true
	}
	if windows && slices.ContainsFunc(passedWindows, equal) {
		return true
	}
	return slices.ContainsFunc(passedPrefixes, func(prefix string) bool { return strings.HasPrefix(upper, prefix) })
}
