package builtins

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

// fixedWorkspace is a workspace whose roots never change.
type fixedWorkspace struct{ ws *contract.Workspace }

func (f fixedWorkspace) Workspace(context.Context) (*contract.Workspace, error) { return f.ws, nil }
func (f fixedWorkspace) RootsChanged()                                          {}

// bench is one session with the file tools over a folder of its own.
type bench struct {
	t       testing.TB
	dir     string
	session *contract.Session
	approve func(contract.Approval) contract.Answer // asked about every write when not nil
}

func newBench(t testing.TB) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir}
	b.session = b.open(new(atomicfile.Locks))
	return b
}

// open makes another session over the same folder.
func (b *bench) open(locks *atomicfile.Locks) *contract.Session {
	b.t.Helper()
	ws, err := workspace.New([]string{b.dir}, "")
	if err != nil {
		b.t.Fatal(err)
	}
	h := Host{Locks: locks, Pending: filepath.Join(b.t.TempDir(), "pending")}
	k := newKnown()
	s, err := contract.Open(contract.Options{
		Tools: []contract.Tool{readTool(h, k), writeTool(h, k), editTool(h, k)},
		Workspace: fixedWorkspace{&contract.Workspace{
			Cwd: ws.Cwd(), Roots: ws.Roots(),
			Resolve: func(path string) (contract.Path, error) {
				p, err := ws.Resolve(path)
				return contract.Path(p), err
			},
		}},
		Baseline: []string{contract.AskOutside},
		Surface: contract.Surface{Approve: func(_ context.Context, a contract.Approval) (contract.Answer, error) {
			if b.approve == nil {
				return contract.RejectOnce, nil
			}
			return b.approve(a), nil
		}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) put(name, content string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// holds checks the bytes of a file, and that nothing of ours lies beside it.
func (b *bench) holds(name, want string) {
	b.t.Helper()
	got, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	if string(got) != want {
		b.t.Errorf("%s holds %q, want %q", name, short(string(got)), short(want))
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(b.path(name)), ".*raw-tmp*"))
	if err != nil || len(left) > 0 {
		b.t.Errorf("beside %s lie %q (%v), want nothing", name, left, err)
	}
}

// call runs a tool and returns its text.
func (b *bench) call(tool string, args any) (string, contract.Result) {
	b.t.Helper()
	return b.callIn(b.session, tool, args)
}

func (b *bench) callIn(s *contract.Session, tool string, args any) (string, contract.Result) {
	b.t.Helper()
	res := s.Call(b.t.Context(), request(b.t, tool, args))
	text, ok := res.Content[0].(contract.Text)
	if !ok || len(res.Content) != 1 {
		b.t.Fatalf("%s answers %v, want one text", tool, res.Content)
	}
	return string(text), res
}

func request(t testing.TB, tool string, args any) contract.Request {
	t.Helper()
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		t.Fatal(err)
	}
	return contract.Request{Name: tool, Reached: true, Arguments: json.RawMessage(text.String())}
}

// edit runs edit with pairs of old and new text.
func (b *bench) edit(name string, pairs ...string) (string, contract.Result) {
	b.t.Helper()
	return b.call("edit", editArgs(name, pairs...))
}

func editArgs(name string, pairs ...string) editInput {
	in := editInput{Path: name}
	for i := 0; i < len(pairs); i += 2 {
		in.Edits = append(in.Edits, replacement{pairs[i], pairs[i+1]})
	}
	return in
}

func (b *bench) write(name, content string) (string, contract.Result) {
	b.t.Helper()
	return b.call("write", writeInput{Path: name, Content: content})
}

func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// outcome is a result in one word: its code, else its kind, else ok.
func outcome(r contract.Result) string {
	switch {
	case r.Failure == nil:
		return "ok"
	case r.Failure.Code != "":
		return string(r.Failure.Code)
	}
	return string(r.Failure.Kind)
}
