package app

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"raw/internal/config"
	"raw/mcpserver"
)

// BenchmarkRead1K is a read of 1 KiB over the whole way, pipes included.
func BenchmarkRead1K(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(strings.Repeat("a line of 31 characters, really\n", 32)), 0o644); err != nil {
		b.Fatal(err)
	}
	a, err := New(Settings{Config: config.Default(), Roots: []string{dir}, Home: b.TempDir(), Cwd: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- mcpserver.Serve(b.Context(), a.Open, fromClient, toClient, mcpserver.Options{}) }()
	lines := bufio.NewReader(fromServer)
	n := 0
	for b.Loop() {
		n++
		fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{"path":"f"}}}`+"\n", n)
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, "really") {
			b.Fatalf("%q, %v", line, err)
		}
	}
	toServer.Close()
	if err := <-served; err != nil {
		b.Fatal(err)
	}
}
