//go:build linux

package proc

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLoginPath(t *testing.T) {
	folder := t.TempDir()
	shell := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	counted := filepath.Join(folder, "count")
	const bare = "PATH=/usr/bin:/bin"
	tests := []struct {
		name, shell, env, want string
	}{
		{"noise around it", shell("good", "echo hello; echo x >>"+counted+"\nPATH=/opt/bin:/bin; eval \"$2\"; echo bye"), bare, "/opt/bin:/bin"},
		{"no shell", "", bare, "/usr/bin:/bin"},
		{"missing shell", filepath.Join(folder, "missing"), bare, "/usr/bin:/bin"},
		{"shell fails", shell("bad", "exit 1"), bare, "/usr/bin:/bin"},
		{"not bare", shell("unasked", "PATH=/no; eval \"$2\""), "PATH=/home/x/bin:/bin", "/home/x/bin:/bin"},
	}
	r := testRunner(t)
	for _, test := range tests {
		l := &LoginPath{Runner: r, Shell: test.shell, Env: []string{test.env}}
		for range 2 {
			if got := l.Get(t.Context()); got != test.want {
				t.Errorf("%s: Get() = %q, want %q", test.name, got, test.want)
			}
		}
	}
	if count, err := os.ReadFile(counted); err != nil || string(count) != "x\n" {
		t.Errorf("shell was asked %q, %v, want once", count, err)
	}

	slow := &LoginPath{Runner: r, Shell: shell("slow", "sleep 2.3; PATH=/late; eval \"$2\""), Env: []string{bare}}
	began := time.Now()
	if got := slow.Get(t.Context()); got != "/usr/bin:/bin" || time.Since(began) > loginWait+200*time.Millisecond {
		t.Errorf("slow shell: Get() = %q after %v, want the bare PATH after 2 s", got, time.Since(began))
	}
	<-slow.done
	if got := slow.Get(t.Context()); got != "/late" {
		t.Errorf("slow shell: later Get() = %q, want /late", got)
	}
}
