package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wrapper is a process between the host and us that only starts us, as npx or
// "sh -c" do. When the host dies it may live on and keep our input open.
type wrapper struct {
	pid, parent int // zero: there is none
}

// wrapperOf looks at our parent.
func wrapperOf(pid int) wrapper {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !onlyStartsUs(strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")) {
		return wrapper{}
	}
	return wrapper{pid: pid, parent: parentOf(pid)}
}

// onlyStartsUs reports whether a command line is that of a shell with a
// command of ours, or of a package runner. A host may well name us among its
// arguments; it is none.
func onlyStartsUs(args []string) bool {
	name := filepath.Base(args[0])
	if name == "node" && len(args) > 1 {
		args = args[1:]
		name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(args[0]), ".js"), "-cli")
	}
	switch name {
	case "sh", "bash", "dash", "zsh", "ash":
		if len(args) < 3 || !strings.HasPrefix(args[1], "-") || !strings.HasSuffix(args[1], "c") {
			return false
		}
		words := strings.Fields(args[2])
		return len(words) > 0 && filepath.Base(words[0]) == "raw-mcp"
	case "npx", "npm", "pnpm", "bunx", "uvx", "env":
		return slices.ContainsFunc(args[1:], func(a string) bool { return strings.HasPrefix(filepath.Base(a), "raw-mcp") })
	}
	return false
}

// orphaned reports whether whoever started the wrapper is gone.
func (w wrapper) orphaned() bool {
	return w.pid != 0 && w.parent > 1 && parentOf(w.pid) != w.parent
}

// parentOf is the parent of a process, 0 when it is not known.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return parent
}
