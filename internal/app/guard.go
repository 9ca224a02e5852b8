package app

import (
	"fmt"
	"path/filepath"
	"regexp"

	"raw/contract"
	"raw/internal/config"
	"raw/internal/workspace"
)

// guard keeps calls from changing the rules that they are judged by
// (CONTRACT.md §6): our configuration, law, hooks and tools may be read but
// not written, our state not even read. It stops accidents and simple tricks;
// it is no sandbox.
type guard struct {
	written []string // folders and files that no call may write, every spelling
	state   []string // the folder that no call may touch
}

func newGuard(s Settings) *guard {
	c := s.Config
	g := &guard{state: spellings(c.Ledger.Folder)}
	protect := append(append([]string{}, c.Hooks.Folders...), c.Tools.Folders...)
	if s.ConfigFile != "" {
		protect = append(protect, s.ConfigFile)
	}
	if s.Managed != "" {
		protect = append(protect, filepath.Dir(s.Managed))
	}
	if dir := config.ConfigDir(s.Lookup, s.Home); dir != "" {
		protect = append(protect, dir)
	}
	for _, p := range protect {
		g.written = append(g.written, spellings(p)...)
	}
	return g
}

// spellings are a path as it is written and with its links resolved as far as
// it exists.
func spellings(path string) []string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return []string{path}
	}
	real, rest := abs, ""
	for {
		if resolved, err := filepath.EvalSymlinks(real); err == nil {
			real = filepath.Join(resolved, rest)
			break
		}
		parent := filepath.Dir(real)
		if parent == real {
			break
		}
		rest, real = filepath.Join(filepath.Base(real), rest), parent
	}
	if real == abs {
		return []string{abs}
	}
	return []string{abs, real}
}

// deciding are the commands of ours that decide for a person.
var deciding = regexp.MustCompile(`^raw-(mcp|acp)(\.exe)?\b.* (approve|answer|ledger( -\S+)* resolve)\b`)

// refuses says why a call may not be made, empty when it may.
func (g *guard) refuses(i contract.Intent, scratch string) string {
	for _, n := range i.Named {
		for _, path := range []string{n.Lexical, n.Real} {
			if why := g.touches(path, n, i, scratch); why != "" {
				return why
			}
		}
	}
	for _, command := range i.Programs {
		if deciding.MatchString(command) {
			return fmt.Sprintf("%q decides for a person; a person has to run it in a terminal", command)
		}
	}
	return ""
}

func (g *guard) touches(path string, n contract.Named, i contract.Intent, scratch string) string {
	removes := n.Operation == "delete" || n.Operation == "rename_source" || n.Operation == "rename_destination"
	for _, dir := range g.state {
		inside := workspace.Contains(dir, path) && !workspace.Contains(scratch, path)
		if inside || removes && workspace.Contains(path, dir) {
			return fmt.Sprintf("%s belongs to the server's own state %s, which no call may touch", path, dir)
		}
	}
	if !n.Writes(i.Class) {
		return ""
	}
	for _, root := range i.Roots {
		law := filepath.Join(root, ".raw", "law.toml")
		if path == law || removes && workspace.Contains(path, law) {
			return fmt.Sprintf("%s is law, which only a person changes", law)
		}
	}
	for _, dir := range g.written {
		if workspace.Contains(dir, path) || removes && workspace.Contains(path, dir) {
			return fmt.Sprintf("%s holds the server's own configuration, hooks or tools (%s), which only a person changes", path, dir)
		}
	}
	return ""
}
