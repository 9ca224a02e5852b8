package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"raw/contract"
	"raw/internal/config"
	"raw/internal/shellparse"
	"raw/internal/workspace"
)

// A place is a workspace with law, beside the configuration and the state.
type place struct {
	t                      *testing.T
	root, conf, state, law string
	guard                  *guard
	space                  *workspace.Workspace
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, root: dir + "/root", conf: dir + "/conf", state: dir + "/state"}
	p.law = p.root + "/.raw/law.toml"
	for _, file := range []string{p.law, p.root + "/sub/a.txt", p.conf + "/config.toml", p.state + "/scratch/mine/x"} {
		p.file(file)
	}
	c := config.Default()
	c.Ledger.Folder = p.state
	p.guard = newGuard(Settings{
		Config: c, ConfigFile: p.conf + "/config.toml", Home: dir + "/home",
		Environ: []string{"XDG_CONFIG_HOME=" + dir + "/home"}, Log: slog.New(slog.DiscardHandler),
	})
	if p.space, err = workspace.New([]string{p.root}, ""); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) file(name string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// named is a path as the dispatcher hands it to the guard.
func (p *place) named(path, operation, pointer string) contract.Named {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.root, path)
	}
	at, err := p.space.Resolve(path)
	if err != nil { // a file in the place of a folder: the name counts
		at = workspace.Path{Lexical: path, Real: path}
	}
	return contract.Named{Path: contract.Path(at), Operation: operation, Pointer: pointer}
}

// touching is what the guard says of one path.
func (p *place) touching(path, operation string) string {
	p.t.Helper()
	i := contract.Intent{Class: contract.ClassWrite, Roots: p.space.Roots(), Named: []contract.Named{p.named(path, operation, "/files/0/path")}}
	return p.guard.refuses(i, p.state+"/scratch/mine")
}

// bash is what the guard says of a command.
func (p *place) bash(command string) string {
	p.t.Helper()
	e := shellparse.Parse(command, shellparse.Options{Cwd: p.root, Home: filepath.Dir(p.root) + "/home"})
	i := contract.Intent{Class: contract.ClassExec, Roots: p.space.Roots(), Unknown: e.Unknown}
	for _, c := range e.Programs {
		i.Programs = append(i.Programs, c.Command)
	}
	for k, f := range e.Files {
		i.Named = append(i.Named, p.named(f.Path, f.Operation, fmt.Sprintf("/files/%d/path", k)))
	}
	return p.guard.refuses(i, p.state+"/scratch/mine")
}

func TestGuardProtects(t *testing.T) {
	p := newPlace(t)
	tests := []struct {
		path, operation string
		refused         string // a part of the reason; empty when the call may be made
	}{
		{".raw/law.toml", "write", "is law"},
		{".raw/law.toml", "read", ""},
		{".raw", "delete", "is law"},
		{".raw/notes.md", "write", ""},
		{"sub/a.txt", "write", ""},
		{".", "write", ""},
		{".", "delete", "is law"},
		{p.conf + "/config.toml", "write", "configuration"},
		{p.conf + "/config.toml", "read", ""},
		{p.conf + "/other.toml", "write", ""},
		{filepath.Dir(p.root) + "/home/raw/hooks/x/hook.json", "write", "configuration, hooks or tools"},
		{filepath.Dir(p.root) + "/home", "rename_source", "configuration, hooks or tools"},
		{p.state + "/scratch/mine/x", "write", ""},
		{p.state + "/scratch/yours", "read", "own state"},
		{p.state, "read", "own state"},
	}
	for _, tt := range tests {
		why := p.touching(tt.path, tt.operation)
		if (why == "") != (tt.refused == "") || !strings.Contains(why, tt.refused) {
			t.Errorf("refuses(%s %s) = %q, want %q in it", tt.operation, tt.path, why, tt.refused)
		}
	}
}

// A second name of a protected file is as protected as the first.
func TestGuardHardLinks(t *testing.T) {
	p := newPlace(t)
	p.must(os.Link(p.law, p.root+"/h"))
	p.must(os.Link(p.conf+"/config.toml", p.root+"/c"))
	p.must(os.Link(p.root+"/sub/a.txt", p.root+"/free"))
	for _, tt := range []struct {
		path, operation string
		refused         bool
	}{
		{"h", "write", true},
		{"c", "write", true},
		{"c", "read", false},
		{"h", "delete", false},             // takes the name away, not the content
		{"h", "rename_destination", false}, // puts another file under it
		{"free", "write", false},
	} {
		if why := p.touching(tt.path, tt.operation); (why != "") != tt.refused {
			t.Errorf("refuses(%s %s) = %q, want refused = %t", tt.operation, tt.path, why, tt.refused)
		}
	}
}

// Law that is reached through a link is the file that it leads to.
func TestGuardLinkedLaw(t *testing.T) {
	file := newPlace(t)
	file.must(os.Rename(file.law, file.root+"/law2.toml"))
	file.must(os.Symlink("../law2.toml", file.law))
	folder := newPlace(t)
	folder.must(os.Rename(folder.root+"/.raw", folder.root+"/rules"))
	folder.must(os.Symlink("rules", folder.root+"/.raw"))
	for _, tt := range []struct {
		p               *place
		path, operation string
		refused         bool
	}{
		{file, "law2.toml", "write", true},
		{file, "law2.toml", "delete", true},
		{file, ".raw/law.toml", "write", true},
		{file, "sub/a.txt", "write", false},
		{folder, "rules/law.toml", "write", true},
		{folder, "rules", "rename_source", true},
		{folder, ".raw", "write", true}, // ln -sfn other .raw
		{folder, "rules/notes.md", "write", false},
	} {
		if why := tt.p.touching(tt.path, tt.operation); (why != "") != tt.refused {
			t.Errorf("refuses(%s %s) = %q, want refused = %t", tt.operation, tt.path, why, tt.refused)
		}
	}
}

func TestGuardCommands(t *testing.T) {
	p := newPlace(t)
	for _, command := range []string{
		"> .raw/law.toml", "ln .raw/law.toml h", "link .raw/law.toml h", "cp -l .raw/law.toml h", "cp -al .raw h",
		"cp -r t/. .raw", "cp -rT t .raw", "cp -a t/* .raw/", "cp -r t/. .", "rsync -a t/ .raw", "rsync -a --delete t .",
		"tar -xf x.tar -C .raw", "tar xf x.tar", "unzip -d .raw x.zip", "unzip x.zip", "install -D t .raw/law.toml",
		"ln -s ../conf d; echo > d/config.toml", "ln -sT ../conf d && cd d && echo > config.toml", "ln -s .raw/law.toml l; > l",
		"sort -o .raw/law.toml x", "curl -o .raw/law.toml x", "cd .raw && curl -O https://x/law.toml", "wget -O .raw/law.toml x",
		"wget -P .raw https://x/y/law.toml", "gzip .raw/law.toml", "gunzip .raw/law.toml.gz", "zstd -d x -o .raw/law.toml",
		"perl -pi -e 1 .raw/law.toml", "patch .raw/law.toml", "ed .raw/law.toml", "script .raw/law.toml -c true",
		"tar -cf .raw/law.toml x", "openssl rand -out .raw/law.toml 1", "ssh-keygen -f .raw/law.toml",
		"setpriv --nnp tee .raw/law.toml", "cp -r x ../home", "cp -r ../state x/; cat < ../state/ledger",
	} {
		if why := p.bash(command); why == "" {
			t.Errorf("the guard lets %q through, want it refused", command)
		}
	}
	for _, command := range []string{
		"cp a b", "cp a .", "cp a .raw/notes.md", "cp a .raw/", "cp -r t .", "cp -r t new", "cp -r t u ./", "cp -r t ..",
		"tar xf x.tar -C sub", "unzip -d sub x.zip", "rsync -a t/ sub", "tar cf x.tar .", "ln a b", "ln -s ../conf d",
		"gzip sub/a.txt", "cat < .raw/law.toml", "sort .raw/law.toml", "> $TMPDIR/x",
	} {
		if why := p.bash(command); why != "" {
			t.Errorf("the guard refuses %q: %s, want it let through", command, why)
		}
	}
	p.must(os.Remove(p.law))
	if why := p.bash("tar xf x.tar"); why != "" {
		t.Errorf("the guard refuses to unpack above law that is not there: %s", why)
	}
}

// What decides for a person is told by words, not by what a line contains.
func TestGuardDecidingCommands(t *testing.T) {
	p := newPlace(t)
	tests := []struct {
		command string
		refused bool
	}{
		{"raw-mcp approve x", true},
		{"/opt/raw-acp answer x", true},
		{"raw-mcp.exe approve x", true},
		{"env A=b raw-mcp --root /r --mode=work approve x", true},
		{"raw-mcp --root call approve x", true},
		{"raw-mcp --root 'a b' approve x", true},
		{`raw-mcp --root $'\n' approve x`, true},
		{"raw-mcp --unheard-of approve x", true},
		{"raw-mcp ledger --log-level debug resolve x", true},
		{"raw-mcp approvals revoke x", true},
		{"raw-mcp $X x", true},
		{`raw-mcp app"$X" x`, true},
		{"raw-mcp --root $X serve", true},
		{"raw-mcp ledger $X", true},
		{"echo approve x | xargs raw-mcp", true},

		{"raw-mcp approvals", false},
		{"raw-mcp ledger show x", false},
		{"raw-mcp call bash approve", false},
		{`raw-mcp call bash "$X"`, false},
		{"raw-mcp --mode plan explain bash approve", false},
		{"raw-mcp help approve", false},
		{"raw-mcp", false},
		{"raw-mcp-x approve x", false},
		{"raw-mcpx approve", false},
		{"echo raw-mcp approve x", false},
		{"echo x | xargs raw-mcp call", false},
		{"$X approve", false},
	}
	for _, tt := range tests {
		if why := p.bash(tt.command); (why != "") != tt.refused {
			t.Errorf("refuses(%q) = %q, want refused = %t", tt.command, why, tt.refused)
		}
	}
}

// The guard of a session sees what the effects of a call leave open.
func TestGuardOfSession(t *testing.T) {
	p := newPlace(t)
	c := config.Default()
	c.Ledger.Folder = p.state
	a, err := New(Settings{Config: c, Roots: []string{p.root}, Environ: os.Environ(), Home: p.root + "/sub", Cwd: p.root, Log: slog.New(slog.DiscardHandler)})
	p.must(err)
	t.Cleanup(func() { p.must(a.Close()) })
	s, err := a.Open(contract.Surface{})
	p.must(err)
	for _, command := range []string{"cp -r sub/. .raw", "raw-mcp $X x"} {
		r := s.Call(t.Context(), contract.Request{Name: "bash", Arguments: []byte(fmt.Sprintf(`{"command":%q}`, command))})
		if text := fmt.Sprint(r.Content); !strings.Contains(text, "a person") {
			t.Errorf("bash %q = %s, want it refused", command, text)
		}
	}
}
