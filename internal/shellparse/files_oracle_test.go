//go:build unix

package shellparse

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// snapshot says what every file under dir is, by path.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			files[p] = "folder"
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			files[p] = "link to " + target
			return err
		default:
			data, err := os.ReadFile(p)
			files[p] = fmt.Sprint(info.ModTime(), string(data))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkFiles runs a command with the real programs and compares what changed
// with what Parse lists.
func checkFiles(t *testing.T, command string) {
	t.Helper()
	dir := folder(t)
	before := snapshot(t, dir)
	work, home := filepath.Join(dir, "w"), filepath.Join(dir, "home")
	bash(t, command, work, "PATH="+os.Getenv("PATH"), "HOME="+home)
	after := snapshot(t, dir)
	e := Parse(command, Options{Cwd: work, Home: home})
	if slices.Contains(e.Unknown, unknownFiles) {
		return
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for p := range all {
		if before[p] != after[p] && !covered(e.Files, p, after) {
			t.Errorf("bash -c %q changed %s;\nParse has %q, unknown %q", command, p, e.Files, e.Unknown)
		}
	}
}

// covered reports whether a changed path is a listed target, in one, or a
// folder made for one. A link that is written through is listed by its name.
func covered(files []File, changed string, after map[string]string) bool {
	for _, f := range files {
		if f.Operation == opRead {
			continue
		}
		target := f.Path
		if resolved, err := filepath.EvalSymlinks(target); err == nil {
			if changed == resolved {
				return true
			}
		}
		made := after[changed] == "folder" && strings.HasPrefix(target, changed+"/")
		if changed == target || made || strings.HasPrefix(changed, target+"/") {
			return true
		}
	}
	return false
}

func TestFilesOfCorpus(t *testing.T) {
	for _, c := range corpus(t, "writes.txt") {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			checkFiles(t, c)
		})
	}
}

// TestFilesAreMostlyFixed keeps "unknown" from being the answer to everything.
func TestFilesAreMostlyFixed(t *testing.T) {
	commands := corpus(t, "writes.txt")
	hidden := 0
	for _, c := range commands {
		if slices.Contains(Parse(c, Options{Cwd: "/w", Home: "/home/me"}).Unknown, unknownFiles) {
			hidden++
		}
	}
	if limit := len(commands) * 2 / 5; hidden > limit {
		t.Errorf("%d of %d commands hide files, want at most %d", hidden, len(commands), limit)
	}
}
