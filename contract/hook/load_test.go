package hook

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func named(name string) string {
	return `{"protocol_version": 2, "name": "` + name + `", "events": [{"name": "Stop"}], "command": "x"}`
}

func TestLoad(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"one/first/hook.json": named("first"), "two/second/hook.json": named("second"), "two/idle/hook.json": "not read",
	})
	s, err := Load([]string{filepath.Join(dir, "one"), filepath.Join(dir, "missing"), filepath.Join(dir, "two")}, []string{"local/second", "local/first"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range s.Manifests() {
		got = append(got, m.Name)
	}
	if diff := cmp.Diff([]string{"second", "first"}, got); diff != "" {
		t.Errorf("Load, in the order of use (-want +got):\n%s", diff)
	}
	if m := s.Find("first"); m == nil || m.Name != "first" {
		t.Errorf("Find(first) = %v", m)
	}
	if m := s.Find("idle"); m != nil {
		t.Errorf("Find(idle) = %v, want nil: it was not selected", m)
	}
}

func TestLoadTellsAll(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"one/guard/hook.json": `{"protocol_version": 2, "name": "guard", "events": [], "command": "x"}`,
		"one/both/hook.json":  named("both"), "two/both/hook.json": named("both"),
		"two/empty/readme": "", "two/file": "",
	})
	folders := []string{filepath.Join(dir, "one"), filepath.Join(dir, "two")}
	_, err := Load(folders, []string{"local/guard", "local/gaurd", "builtin/x", "local/../guard", "local/guard", "local/both", "local/empty", "local/file"})
	var all *FaultError
	if !errors.As(err, &all) {
		t.Fatalf("Load = %v, want a *FaultError", err)
	}
	want := []string{
		"…/one/guard/hook.json: /events: ",
		"hooks.use: /1: there is no gaurd in …/one, …/two; nearest: local/guard",
		`hooks.use: /2: found "builtin/x"; want local/<folder>`,
		`hooks.use: /3: found "local/../guard"; want local/<folder>`,
		`hooks.use: /4: "local/guard" is named twice`,
		"hooks.use: /5: both is in …/one/both and …/two/both; a hook has one folder",
		"…/two/empty/hook.json: read the manifest: no such file",
		"…/two/file: open the folder of the hook",
	}
	got := told(dir, all.Faults)
	if len(got) != len(want) {
		t.Fatalf("Load told\n%s\nwant %d faults", strings.Join(got, "\n"), len(want))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("fault %d is %q, want it to begin with %q", i, got[i], want[i])
		}
	}
}

// Links may lead anywhere inside the folder of a hook and nowhere else, and the
// folder itself may not be a link out of the folder of hooks.
func TestLinks(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		fault string // where; empty: none
	}{
		{"none", map[string]string{"guard.sh": ""}, ""},
		{"inside", map[string]string{"lib/real.sh": "", "guard.sh": "-> lib/real.sh", "lib/up": "-> ../guard.sh"}, ""},
		{"to nothing inside", map[string]string{"guard.sh": "-> later.sh"}, ""},
		{"script outside", map[string]string{"guard.sh": "-> ../../outside/evil.sh"}, "guard.sh"},
		{"script outside, absolute", map[string]string{"guard.sh": "-> /bin/sh"}, "guard.sh"},
		{"to nothing outside", map[string]string{"guard.sh": "-> ../../missing"}, "guard.sh"},
		{"by way of another link", map[string]string{"guard.sh": "-> lib/evil.sh", "lib": "-> ../../outside"}, "guard.sh"},
		{"a folder that is not the command", map[string]string{"lib/deep/data": "-> ../../../../outside"}, "lib/deep/data"},
		{"the folder above", map[string]string{"up": "-> .."}, "up"},
		{"in a circle", map[string]string{"a": "-> b", "b": "-> a"}, "a"},
		{"manifest outside", map[string]string{"hook.json": "-> ../../outside/hook.json"}, "hook.json"},
	}
	for _, tc := range cases {
		dir := write(t, t.TempDir(), map[string]string{"outside/evil.sh": "", "outside/hook.json": manifest("")})
		if _, ok := tc.files["hook.json"]; !ok {
			tc.files["hook.json"] = manifest("")
		}
		write(t, filepath.Join(dir, "hooks", "guard"), tc.files)
		_, faults := Read(filepath.Join(dir, "hooks", "guard"))
		if tc.fault == "" {
			if len(faults) > 0 {
				t.Errorf("%s: Read = %v, want no faults", tc.name, faults)
			}
			continue
		}
		if want := filepath.Join(dir, "hooks", "guard", tc.fault) + ": the link does not stay in the folder"; len(faults) == 0 || !strings.HasPrefix(faults[0].String(), want) {
			t.Errorf("%s: Read = %v, want %s…", tc.name, told(dir, faults), want)
		}
	}
}

func TestLinkedFolder(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"elsewhere/guard/hook.json": manifest(""), "hooks/guard": "-> ../elsewhere/guard",
		"hooks/real/guard/hook.json": manifest(""), "more/guard": "-> inner/guard", "more/inner/guard/hook.json": manifest(""),
	})
	_, faults := Read(filepath.Join(dir, "hooks", "guard"))
	if want := "…/hooks/guard: open the folder of the hook (a link out"; len(faults) != 1 || !strings.HasPrefix(told(dir, faults)[0], want) {
		t.Errorf("Read of a link out of the folder of hooks = %v, want %s…", faults, want)
	}
	if _, faults := Read(filepath.Join(dir, "more", "guard")); len(faults) > 0 {
		t.Errorf("Read of a link inside the folder of hooks = %v, want no faults", faults)
	}
}

func TestManifestBounds(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"guard/hook.json": manifest(strings.Repeat(" ", 1<<20)), "folder/hook.json/x": "",
	})
	for name, want := range map[string]string{"guard": "it has more than 1048576 bytes", "folder": "it is not a file"} {
		_, faults := Read(filepath.Join(dir, name))
		if len(faults) != 1 || !strings.HasSuffix(faults[0].What, want) {
			t.Errorf("Read(%s) = %v, want … %s", name, faults, want)
		}
	}
}
