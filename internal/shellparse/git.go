package shellparse

import (
	"path"
	"strings"
)

// git reads what git's own options and some of its commands run.
func (t text) git(args []word, d dirs) {
	p := gitOptions.parse(args)
	if !p.sure {
		t.hide()
	}
	for _, c := range p.values("c", "config-env") {
		t.gitConfig(c)
	}
	if len(p.operands) == 0 {
		return
	}
	rest := p.operands[1:]
	anywhere := dirs{unknown: true}
	switch p.operands[0].value {
	case "submodule":
		for i, w := range rest {
			if w.value == "foreach" {
				t.posix = true
				command := grammar{long: "recursive quiet"}.parse(rest[i+1:]).operands
				if len(command) > 0 {
					t.inner(command, anywhere)
				}
				return
			}
		}
	case "bisect":
		if len(rest) > 1 && rest[0].value == "run" {
			t.run(rest[1:], input{}, anywhere)
		}
	case "rebase":
		for _, x := range (grammar{short: "x:iprs:X:vnqf", long: "exec= onto= interactive strategy=", permute: true}).parse(rest).values("x", "exec") {
			t.posix = true
			t.inner([]word{x}, anywhere)
		}
	case "config":
		for i, w := range rest {
			if i+1 < len(rest) && strings.Contains(w.value, ".") {
				t.gitConfig(word{value: w.value + "=" + rest[i+1].value, literal: w.literal && rest[i+1].literal})
			}
		}
	}
}

// gitConfig reads a configuration value that git runs.
func (t text) gitConfig(c word) {
	key, value, _ := strings.Cut(c.value, "=")
	key = strings.ToLower(key)
	alias := strings.HasPrefix(key, "alias.")
	if !alias && !gitRuns(key) {
		if !c.literal && !c.begins(key) {
			t.hide()
		}
		return
	}
	if !c.literal {
		t.hide()
	}
	src, command := strings.CutPrefix(value, "!")
	if alias && !command {
		src = "git " + value
	}
	t.posix = true
	t.later(func() { t.nested(src, dirs{unknown: true}) })
}

// gitRuns reports whether git runs the value of a configuration key.
func gitRuns(key string) bool {
	switch key {
	case "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "sequence.editor",
		"diff.external", "gpg.program", "interactive.difffilter", "credential.helper":
		return true
	}
	section, _, _ := strings.Cut(key, ".")
	switch path.Ext(key) {
	case ".textconv", ".clean", ".smudge", ".process", ".driver", ".cmd":
		return true
	case ".command":
		return section == "diff"
	case ".helper":
		return section == "credential"
	}
	return section == "pager"
}
