package panelbridge

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestMermaid pins the library to the file that npm publishes.
func TestMermaid(t *testing.T) {
	text, err := Mermaid()
	if err != nil {
		t.Fatal(err)
	}
	const want = "581ed7d74bd9048d0e3a91363927d72ef22942d7722546b27f7cc29e35390eb8"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); got != want {
		t.Errorf("mermaid is %s, want %s", got, want)
	}
}
