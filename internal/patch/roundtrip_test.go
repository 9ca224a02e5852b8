package patch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func randomText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(14) {
		for range random.IntN(3) {
			b.WriteByte("ab +-*@\r"[random.IntN(8)])
		}
		b.WriteString([]string{"\n", "\n", "\n", "\r\n"}[random.IntN(4)])
	}
	if random.IntN(3) == 0 {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// changed is text with some lines changed.
func changed(random *rand.Rand, text string) string {
	lines := slices.Collect(strings.Lines(text))
	for range 1 + random.IntN(4) {
		at := random.IntN(len(lines) + 1)
		to := min(len(lines), at+random.IntN(3))
		lines = slices.Replace(lines, at, to, slices.Collect(strings.Lines(randomText(random)))...)
	}
	for i := range lines[:max(len(lines)-1, 0)] {
		if !strings.HasSuffix(lines[i], "\n") { // only the last may have no end
			lines[i] += "\n"
		}
	}
	return strings.Join(lines, "")
}

// between is a patch from one text to another: one hunk over all lines, in
// which those that both texts have at their start and end stay.
func between(before, after string) string {
	old, text := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	head, tail := 0, 0
	for head < min(len(old), len(text)) && old[head] == text[head] {
		head++
	}
	for tail < min(len(old), len(text))-head && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	lines := []string{"*** Update File: f", "@@"}
	put := func(op string, from []string) {
		for _, l := range from {
			bare, ended := strings.CutSuffix(l, "\n")
			lines = append(lines, op+bare)
			if !ended {
				lines = append(lines, noNewline)
			}
		}
	}
	put(" ", old[:head])
	put("-", old[head:len(old)-tail])
	put("+", text[head:len(text)-tail])
	put(" ", old[len(old)-tail:])
	return wrap(append(lines, endOfFile)...)
}

// A patch between two texts makes the second of the first, byte for byte.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		before := randomText(random)
		after := changed(random, before)
		if before == after {
			continue
		}
		got, err := applied(t, between(before, after), before)
		if err != nil || got != after {
			t.Fatalf("%q applied to %q = %q, %v; want %q", between(before, after), before, got, err, after)
		}
	}
}

// fromGit is a patch of ours for each file of a git diff, by name.
func fromGit(diff string) map[string]string {
	patches := map[string]string{}
	for section := range strings.SplitSeq("\n"+diff, "\ndiff --git ") {
		head, body, ok := strings.Cut(section, "\n@@ ")
		if !ok {
			continue
		}
		name := filepath.Base(head[:strings.Index(head, "\n")])
		lines := []string{"*** Update File: f"}
		for line := range strings.SplitSeq(strings.TrimSuffix("@@ "+body, "\n"), "\n") {
			switch line[:1] {
			case "@":
				line = openHunk
			case `\`:
				line = noNewline
			}
			lines = append(lines, line)
		}
		patches[name] = wrap(lines...)
	}
	return patches
}

// The diffs of git, without their line numbers, give the file that git saw, or
// are refused because their lines do not tell the place.
func TestGitDiffs(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	random := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	texts := map[string][2]string{}
	for i := range 400 {
		before := "first\n" + randomText(random)
		for line := range random.IntN(12) { // lines that tell a place
			before = fmt.Sprintf("line %d of %d\n", line, i) + before
		}
		name := fmt.Sprintf("f%d", i)
		texts[name] = [2]string{before, changed(random, before)}
		for side, text := range texts[name] {
			folder := filepath.Join(dir, []string{"a", "b"}[side])
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, around := range []int{3, 1000} {
		cmd := exec.Command("git", "-c", "core.autocrlf=false", "diff", "--no-index", "--no-color", "--text", fmt.Sprintf("-U%d", around), "a", "b")
		cmd.Dir = dir
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("git diff: %v", err)
		}
		done, refused := 0, 0
		for name, text := range fromGit(string(out)) {
			got, err := applied(t, text, texts[name][0])
			var place *PlaceError
			switch {
			case errors.As(err, &place) && len(place.Places) > 1 && around == 3:
				refused++
			case err != nil || got != texts[name][1]:
				t.Fatalf("%q applied to %q = %q, %v; git means %q", text, texts[name][0], got, err, texts[name][1])
			default:
				done++
			}
		}
		t.Logf("with %d lines of context %d diffs of git were applied and %d refused", around, done, refused)
		if done < 300 {
			t.Errorf("with %d lines of context only %d diffs of git were applied, want most of 400", around, done)
		}
	}
}
