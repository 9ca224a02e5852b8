package shellparse

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var anywhere = Options{Cwd: "/w", Home: "/home/me"}

func TestParse(t *testing.T) {
	hidden := []string{unknownName, unknownCommand, unknownFiles, unknownScripts}
	tests := []struct {
		command string
		want    Effects
	}{
		{"", Effects{}},
		{"# sudo id", Effects{}},
		{"x=1", Effects{}},
		{"ls -l 'a b'", Effects{Programs: []Program{{"ls", "ls -l a b"}}}},
		{"A=1 /usr/bin/su\\do \"i\"d", Effects{
			Programs: []Program{{"sudo", "sudo id"}, {"id", "id"}},
			Scripts:  []string{"/usr/bin/sudo"},
		}},
		{"$'\\x73u'do $'a\\tb'", Effects{Programs: []Program{{"sudo", "sudo a\tb"}, {"a\tb", "a\tb"}}}},
		{"ls $x *.go", Effects{
			Programs: []Program{{"ls", "ls $x *.go"}},
			Unknown:  []string{"programs[0].command:3"},
		}},
		{`git cl"ean$x"`, Effects{
			Programs: []Program{{"git", `git cl"ean$x"`}},
			Unknown:  []string{"programs[0].command:6"},
		}},
		{`git log"$x" y`, Effects{
			Programs: []Program{{"git", `git log"$x" y`}},
			Unknown:  []string{"programs[0].command:7"},
		}},
		{`ls; $X id`, Effects{
			Programs: []Program{{"ls", "ls"}, {"$X", "$X id"}},
			Unknown:  append(slices.Clone(hidden), "programs[1].command:0"),
		}},
		{"ls; )", Effects{Programs: []Program{{"ls", "ls"}}, Unknown: hidden}},
		{"curl x | sh", Effects{Programs: []Program{{"curl", "curl x"}, {"sh", "sh"}}, Unknown: hidden}},
		{"sh < x.sh", Effects{
			Programs: []Program{{"sh", "sh"}},
			Files:    []File{{"/w/x.sh", opRead}},
			Scripts:  []string{"/w/x.sh"},
		}},
		{"{rm,-{r,f}} ~/x", Effects{
			Programs: []Program{{"rm", "rm -r -f ~/x"}},
			Files:    []File{{"/home/me/x", opDelete}},
			Unknown:  []string{"programs[0].command:9"},
		}},
		{"echo x > $y", Effects{Programs: []Program{{"echo", "echo x"}}, Unknown: []string{unknownFiles}}},
		{"cd a && echo x > y", Effects{
			Programs: []Program{{"cd", "cd a"}, {"echo", "echo x"}},
			Files:    []File{{"/w/a/y", opWrite}},
		}},
		{"cd a; echo x > y", Effects{
			Programs: []Program{{"cd", "cd a"}, {"echo", "echo x"}},
			Files:    []File{{"/w/a/y", opWrite}, {"/w/y", opWrite}},
		}},
		{"(cd a && true); echo x > y", Effects{
			Programs: []Program{{"cd", "cd a"}, {"true", "true"}, {"echo", "echo x"}},
			Files:    []File{{"/w/y", opWrite}},
		}},
		{"cd $x; echo x > y > /z", Effects{
			Programs: []Program{{"cd", "cd $x"}, {"echo", "echo x"}},
			Files:    []File{{"/w/y", opWrite}, {"/z", opWrite}},
			Unknown:  []string{unknownFiles, "programs[0].command:3"},
		}},
		{"mv a b/ ; cp -t d c", Effects{
			Programs: []Program{{"mv", "mv a b/"}, {"cp", "cp -t d c"}},
			Files: []File{
				{"/w/a", opRenameFrom}, {"/w/b", opRenameTo}, {"/w/b/a", opRenameTo}, {"/w/d", opWrite}, {"/w/d/c", opWrite},
			},
		}},
		{"sudo sh -c 'echo x > ~/y'", Effects{
			Programs: []Program{{"sudo", "sudo sh -c echo x > ~/y"}, {"sh", "sh -c echo x > ~/y"}, {"echo", "echo x"}},
			Unknown:  []string{unknownFiles},
		}},
		{"ssh host rm x", Effects{Programs: []Program{{"ssh", "ssh host rm x"}, {"rm", "rm x"}}}},
		{"find . -exec rm {} +", Effects{
			Programs: []Program{{"find", "find . -exec rm {} +"}, {"rm", "rm {}"}},
			Unknown:  []string{unknownFiles, "programs[1].command:3"},
		}},
		{"echo a | xargs git add", Effects{
			Programs: []Program{{"echo", "echo a"}, {"xargs", "xargs git add"}, {"git", "git add"}},
			Unknown:  []string{"programs[2].command:7"},
		}},
		{"python3 -u a.py b; node ../c.js; . ./d; bash -x e.sh; ./f; perl -e 1 g", Effects{
			Programs: []Program{
				{"python3", "python3 -u a.py b"},
				{"node", "node ../c.js"},
				{".", ". ./d"},
				{"bash", "bash -x e.sh"},
				{"f", "f"},
				{"perl", "perl -e 1 g"},
			},
			Scripts: []string{"/w/a.py", "/c.js", "/w/d", "/w/e.sh", "/w/f"},
		}},
		{"sh \"$x\"", Effects{
			Programs: []Program{{"sh", `sh "$x"`}},
			Unknown:  append(slices.Clone(hidden), "programs[0].command:3"),
		}},
		{"python \"$x\"", Effects{
			Programs: []Program{{"python", `python "$x"`}},
			Unknown:  []string{unknownScripts, "programs[0].command:7"},
		}},
		{"git -c alias.c='clean -fd' c", Effects{
			Programs: []Program{{"git", "git -c alias.c=clean -fd c"}, {"git", "git clean -fd"}},
		}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Parse(tt.command, anywhere)); diff != "" {
			t.Errorf("Parse(%q): -want +got\n%s", tt.command, diff)
		}
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		command string
		o       Options
		want    []File
		unknown []string
	}{
		{"touch x", Options{}, nil, []string{unknownFiles}},
		{"touch /x", Options{}, []File{{"/x", opWrite}}, nil},
		{"touch x", Options{Cwd: "relative"}, nil, []string{unknownFiles}},
		{"touch ~/x", Options{Cwd: "/w"}, nil, []string{unknownFiles, "programs[0].command:6"}},
		{"> $HOME/x", Options{Cwd: "/w"}, nil, []string{unknownFiles}},
		{"> ~/x", anywhere, []File{{"/home/me/x", opWrite}}, nil},
		{"> \"$HOME\"/x", anywhere, []File{{"/home/me/x", opWrite}}, nil},
		{"> ${HOME}/../x", anywhere, []File{{"/home/x", opWrite}}, nil},
		{"> '~/x'", anywhere, []File{{"/w/~/x", opWrite}}, nil},
		{"> ~you/x", anywhere, nil, []string{unknownFiles}},
		{"HOME=/z; > ~/x", anywhere, nil, []string{unknownFiles}},
		{"> $HOME/x", Options{Cwd: "/w", Home: "/home/a b"}, nil, []string{unknownFiles}},
		{"> \"$HOME/x\"", Options{Cwd: "/w", Home: "/home/a b"}, []File{{"/home/a b/x", opWrite}}, nil},
	}
	for _, tt := range tests {
		e := Parse(tt.command, tt.o)
		if diff := cmp.Diff(tt.want, e.Files); diff != "" {
			t.Errorf("Parse(%q, %+v).Files: -want +got\n%s", tt.command, tt.o, diff)
		}
		if diff := cmp.Diff(tt.unknown, e.Unknown); diff != "" {
			t.Errorf("Parse(%q, %+v).Unknown: -want +got\n%s", tt.command, tt.o, diff)
		}
	}
}

// CASES.md B59: a denied command anywhere in a text is seen.
func TestChains(t *testing.T) {
	for _, command := range []string{
		"git fetch; git clean -fd",
		"true && git clean -fd",
		"x=$(git clean -fd)",
		"(git clean -fd)",
		"git status || { git log | git clean -fd; }",
		"for i in 1; do if true; then git clean -fd & fi; done",
		"cat <<E\n$(git clean -fd)\nE",
	} {
		e := Parse(command, anywhere)
		if !slices.Contains(e.Programs, Program{"git", "git clean -fd"}) {
			t.Errorf("Parse(%q).Programs = %q, want git clean -fd among them", command, e.Programs)
		}
		if len(e.Unknown) > 0 {
			t.Errorf("Parse(%q).Unknown = %q, want none", command, e.Unknown)
		}
	}
}

// CASES.md B61: no wrapper, path, prefix or quoting hides a program.
func TestHiddenSpellings(t *testing.T) {
	for _, command := range []string{
		"/usr/bin/sudo id", "env sudo id", "nohup sudo id", "xargs sudo", "sh -c 'sudo id'", `su\do id`, "X=sudo; $X id",
		"A=1 ../sudo id", `"su"'do' id`, `$'\163udo' id`,
		"env -i -- A=b /bin/sudo id", "sudo -n A=b -u me -- B=c sudo id", "timeout -k 1 5 nice -n5 sudo id", `find . -exec sudo id \;`,
		`bash -o pipefail -xec "true; sudo id"`, `eval "su"do id`, "bash <<< 'sudo id'",
	} {
		e := Parse(command, anywhere)
		listed := slices.ContainsFunc(e.Programs, func(p Program) bool {
			return p.Name == "sudo" && strings.HasPrefix(p.Command, "sudo")
		})
		if hides := slices.Contains(e.Unknown, unknownName); !listed && !hides || hides && listed && command != "xargs sudo" {
			t.Errorf("Parse(%q) = %q, unknown %q, want sudo or that programs are hidden", command, e.Programs, e.Unknown)
		}
	}
	for command, want := range map[string]string{
		"rm -fr x": "rm -fr x", "rm -r -f x": "rm -r -f x", "'rm' --recursive --force x": "rm --recursive --force x",
		`\rm -r"f" x`: "rm -rf x", "/bin/rm -{r,f} x": "rm -r -f x", "sudo -n rm $'-rf' x": "rm -rf x",
	} {
		e := Parse(command, anywhere)
		if !slices.Contains(e.Programs, Program{"rm", want}) || !slices.Contains(e.Files, File{"/w/x", opDelete}) {
			t.Errorf("Parse(%q) = %q, %q, want %q and x deleted", command, e.Programs, e.Files, want)
		}
	}
}

// CASES.md B62: every redirect and writing program is a write of its target.
func TestRedirectTargets(t *testing.T) {
	write, read := File{"/w/protected.txt", opWrite}, File{"/w/protected.txt", opRead}
	for _, command := range []string{
		"echo x > protected.txt", "echo x >> protected.txt", "echo x >| protected.txt", "echo x &> protected.txt",
		"tee protected.txt <<< x", "cp a protected.txt",
		"echo x &>> protected.txt", "ls 2> protected.txt", "echo x >& protected.txt", "cat 3<> protected.txt",
		"> ./sub/../protected.txt", "{ echo x; } 1>'protected'.txt", "while :; do break; done > protected.txt",
		"(sed -i s/a/b/ protected.txt)", "dd if=a of=protected.txt", "x=$(touch protected.txt)",
		"cd missing; echo x > protected.txt", "exec > protected.txt", "ln -s a /w/protected.txt",
	} {
		if e := Parse(command, anywhere); !slices.Contains(e.Files, write) {
			t.Errorf("Parse(%q).Files = %q, want a write of protected.txt", command, e.Files)
		}
	}
	for _, command := range []string{"cat < protected.txt", "while read x; do :; done < protected.txt", "sh 0< protected.txt"} {
		e := Parse(command, anywhere)
		if slices.Contains(e.Files, write) || !slices.Contains(e.Files, read) {
			t.Errorf("Parse(%q).Files = %q, want a read of protected.txt only", command, e.Files)
		}
	}
	for _, command := range []string{
		"cat protected.txt", "echo x > /dev/null 2>&1", "echo x >&2 3>&-", "echo '> protected.txt'", "cat < a > /dev/stderr",
	} {
		if e := Parse(command, anywhere); slices.ContainsFunc(e.Files, func(f File) bool { return f.Operation != opRead }) {
			t.Errorf("Parse(%q).Files = %q, want no write", command, e.Files)
		}
	}
}
