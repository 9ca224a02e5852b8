package panelbridge

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the library
	"fmt"
	"io"
	"sync"
)

// packedMermaid is dist/mermaid.min.js of npm mermaid 11.17.2, made small with
// gzip -9 -n. Its license lies beside it.
//
//go:embed mermaid/mermaid.min.js.gz
var packedMermaid []byte

// Mermaid is the library with which the panel view draws diagrams, a script of
// 3.6 MB. It is unpacked when it is asked for first, and may be asked for by many
// at once.
func Mermaid() (string, error) { return unpackedMermaid() }

var unpackedMermaid = sync.OnceValues(func() (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedMermaid))
	if err != nil {
		return "", fmt.Errorf("unpack mermaid: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("unpack mermaid: %w", err)
	}
	return string(text), nil
})
