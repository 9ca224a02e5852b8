package shellparse

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var (
	entryUnknown = regexp.MustCompile(`^programs\[(\d+)\]\.command:(\d+)$`)
	belowUnknown = regexp.MustCompile(`^files\[(\d+)\]\.path$`)
)

// checkEffects checks what holds for any text.
func checkEffects(t *testing.T, command string, e Effects) {
	t.Helper()
	if len(e.Programs) > maxPrograms || len(e.Files) > maxFiles {
		t.Errorf("Parse(%.80q) has %d programs and %d files, want at most %d and %d",
			command, len(e.Programs), len(e.Files), maxPrograms, maxFiles)
	}
	for _, p := range e.Programs {
		if len(p.Command) > maxCommand || !strings.HasPrefix(p.Command, p.Name) {
			t.Errorf("Parse(%.80q) has %q, want a command of at most %d bytes that begins with the name", command, p, maxCommand)
		}
	}
	for _, f := range e.Files {
		if !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path {
			t.Errorf("Parse(%.80q) has file %q, want it absolute and clean", command, f.Path)
		}
	}
	for _, s := range e.Scripts {
		if !path.IsAbs(s) || path.Clean(s) != s {
			t.Errorf("Parse(%.80q) has script %q, want it absolute and clean", command, s)
		}
	}
	for _, u := range e.Unknown {
		if slices.Contains([]string{unknownName, unknownCommand, unknownFiles, unknownScripts}, u) {
			continue
		}
		if m := belowUnknown.FindStringSubmatch(u); m != nil {
			if i, _ := strconv.Atoi(m[1]); i >= len(e.Files) {
				t.Errorf("Parse(%.80q) has unknown %q, want one of %q", command, u, e.Files)
			}
			continue
		}
		m := entryUnknown.FindStringSubmatch(u)
		if m == nil {
			t.Errorf("Parse(%.80q) has unknown %q, want a known form", command, u)
			continue
		}
		i, _ := strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		if i >= len(e.Programs) || n > len(e.Programs[i].Command) {
			t.Errorf("Parse(%.80q) has unknown %q, want a prefix of one of %q", command, u, e.Programs)
		}
	}
	data, err := json.Marshal(e)
	if err != nil || len(data) > 64<<10 {
		t.Errorf("Parse(%.80q) takes %d bytes of JSON (%v), want at most 64 KiB", command, len(data), err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"ls -l", "a && b || c; d | e &", "x=$(a `b`)", "cat <<E\n$(a)\nE\n", "bash -xc 'a \"$b\"'", "find . -exec a {} +",
		"xargs -I{} sh -c 'a {}'", "env -S 'a b' c", "{a,b}{c..f}", "$'\\x41\\u00e4'", "cd a && rm -rf ~/x", "cp -t a b c",
		"ssh -p 1 h 'a'", "[[ a[$(b)] -eq 1 ]]", "((a=$(b)))", "!(a)", "git -c alias.x='!a' x", "trap 'a' EXIT; eval b",
		"sed -i.bak -e s/a/b/ c", "a >&$x <>y 3>&- {z}>w", "case x in (a) b;; esac", "f() { a; }; f", "\x00\r\xff",
		"cp -r a/. b; tar xfC c d", "ln -s /a b; > b/c", "curl -O a/b; wget c", "gzip -d a.tgz", "rsync -e a b c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		checkEffects(t, command, Parse(command, anywhere))
	})
}

func TestBounds(t *testing.T) {
	for _, part := range []string{
		"(", "{ ", "$(", "`", "\"$(", "${x:-", "$((", "((", "a[", "[[ (", "if ", "if a; then ", "while ", "! ", "time ", "case x in a) ",
		"a && ", "a | ", "f() ", "<(", "{", "{a,", "{a,b}", "x=(", "\\`", "!(", "a;", "a\n", "<<a ", "> a ", "elif a; then b; ", "$x", "'a'",
		"eval ", "env ", "env -S ", "sudo ", "nice -n 5 ", "bash -c ", "xargs ", "find . -exec ", "ssh h ", "watch ", "\"\" ", "'' ",
		"-S", "ü", "$'\\'", "rm <&> \" ", "echo '<<<>>>' ", "mv a$ ", "a/b/../", "cd a && ", "cd a;", "sed -i.x s/a/b/ ", "rmdir -p a/",
		"cp -r a b;", "ln -s a b; > b/c;", "tar xf ", "a/", "\\\n", "#\n", "A=b ", "*", "~/", "=~", "[[ ! ", "-exec ", ">(", "|& ", "&>a ", "${a[", "$[", "xargs -I{} ", "sh -c '",
	} {
		command := strings.Repeat(part, 100_000/len(part)) + "a"
		start := time.Now()
		e := Parse(command, anywhere)
		if d := time.Since(start); d > 3*time.Second { // far more than it takes, for slow machines
			t.Errorf("Parse(%q over and over, then a) took %v", part, d)
		}
		checkEffects(t, command, e)
	}
	if e := Parse("rmdir -p "+strings.Repeat("a/", 50_000), anywhere); !slices.Contains(e.Unknown, unknownFiles) {
		t.Errorf("Parse of a path over the bound: unknown %q, want %s", e.Unknown, unknownFiles)
	}
	nested := "sudo id"
	for range 14 {
		nested = "eval " + nested
	}
	if e := Parse(nested, anywhere); !slices.Contains(e.Programs, Program{"sudo", "sudo id"}) {
		t.Errorf("Parse(%q).Programs = %q, want sudo id", nested, e.Programs)
	}
}

func TestOverBounds(t *testing.T) {
	many := strings.Repeat("a;", maxPrograms)
	if e := Parse(many, anywhere); len(e.Programs) != maxPrograms || len(e.Unknown) != 0 {
		t.Errorf("Parse of %d programs has %d, unknown %q", maxPrograms, len(e.Programs), e.Unknown)
	}
	for name, command := range map[string]string{
		"programs": many + "sudo id",
		"bytes":    strings.Repeat("echo '"+strings.Repeat("<", 900)+"';", 100),
		"openers":  strings.Repeat("( ", maxOpeners+1) + "a" + strings.Repeat(" )", maxOpeners+1),
		"texts":    strings.Repeat("eval ", maxTexts) + "sudo id",
		"length":   strings.Repeat(" ", maxText) + "sudo id",
	} {
		if e := Parse(command, anywhere); !slices.Contains(e.Unknown, unknownName) {
			t.Errorf("Parse over the bound of %s: unknown %q, want %s", name, e.Unknown, unknownName)
		}
	}
	long := "echo " + strings.Repeat("ü", 600)
	e := Parse(long, anywhere)
	c := e.Programs[0].Command
	if len(c) != maxCommand-1 || !utf8.ValidString(c) {
		t.Errorf("Parse of a long command has %d bytes, want %d of whole characters", len(c), maxCommand-1)
	}
	if want := []string{fmt.Sprintf("programs[0].command:%d", len(c))}; !slices.Equal(e.Unknown, want) {
		t.Errorf("Parse of a long command has unknown %q, want %q", e.Unknown, want)
	}
}
