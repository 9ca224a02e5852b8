//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestPipeDoesNotBlock(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "config.toml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Load(pipe, noEnv)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.HasSuffix(err.Error(), "it is a pipe, socket or device, not a regular file") {
			t.Errorf("Load of a pipe = %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Load of a pipe blocks")
	}
}
