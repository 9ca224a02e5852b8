package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"raw/contract"
)

// The command line of our programs, as far as it matters who may run it.
// Names that are missing here are looked past, so that a command is refused
// rather than missed.
const (
	valueFlags = " root config mode posture catalog log-level log-format log-file "
	harmless   = " call check completion demo explain help hook serve tools version "
)

// decides says which command of ours, among those that a call would run,
// decides for a person; empty when there is none.
func decides(i contract.Intent) string {
	for n, command := range i.Programs {
		words, open := fixedWords(command, fixedBytes(i.Unknown, n))
		if len(words) == 0 || !isOurs(words[0]) {
			continue
		}
		decides, fixed := deciding(words[1:])
		switch {
		case decides:
			return fmt.Sprintf("%q decides for a person; a person has to run it in a terminal", command)
		case !fixed && open:
			return fmt.Sprintf("%q may decide for a person, for its text does not fix which command of %s it is; write the command out", command, words[0])
		}
	}
	return ""
}

func isOurs(program string) bool {
	name := strings.TrimSuffix(strings.ToLower(program), ".exe")
	return name == "raw-mcp" || name == "raw-acp"
}

// deciding reads the words behind our program's name: whether they are a
// command that decides for a person, and whether they fix that.
func deciding(words []string) (decides, fixed bool) {
	words = withoutFlags(words)
	for k, word := range words {
		rest := words[k+1:]
		switch {
		case word == "approve", word == "answer":
			return true, true
		case word == "ledger":
			return slices.Contains(rest, "resolve"), len(rest) > 0
		case word == "approvals":
			return slices.Contains(rest, "revoke"), len(rest) > 0
		case strings.Contains(harmless, " "+word+" "):
			return false, true
		}
	}
	return false, false
}

func withoutFlags(words []string) []string {
	var out []string
	for k := 0; k < len(words); k++ {
		flag, isFlag := strings.CutPrefix(words[k], "--")
		switch {
		case isFlag && strings.Contains(valueFlags, " "+flag+" "):
			k++ // its value
		case !isFlag:
			out = append(out, words[k])
		}
	}
	return out
}

// fixedBytes is how many bytes of command n the effects fix; -1 is all.
func fixedBytes(unknown []string, n int) int {
	entry := fmt.Sprintf("programs[%d].command:", n)
	for _, u := range unknown {
		if count, ok := strings.CutPrefix(u, entry); ok {
			if fixed, err := strconv.Atoi(count); err == nil {
				return fixed
			}
		}
	}
	return -1
}

// fixedWords are the words of a command that its effects fix, and whether
// others may follow.
func fixedWords(command string, fixed int) (words []string, open bool) {
	if fixed < 0 {
		return strings.Split(command, " "), false
	}
	words = strings.Split(command[:min(fixed, len(command))], " ")
	if fixed < len(command) && command[fixed] != ' ' { // the last word goes on
		words = words[:len(words)-1]
	}
	return words, true
}
