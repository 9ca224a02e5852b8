package builtins

import (
	"os"
	"sync"

	"raw/contract"
	"raw/internal/atomicfile"
	"raw/internal/workspace"
)

// open opens the regular file that the dispatcher resolved, and nothing else.
func open(p contract.Path) (*os.File, error) {
	return workspace.Open(workspace.Path(p))
}

// openDir is open for a folder.
func openDir(p contract.Path) (*os.File, error) {
	return workspace.OpenDir(workspace.Path(p))
}

// file is one entry of the effects that all file tools declare.
type file struct {
	Path      string `json:"path"`
	Operation string `json:"operation"`
}

// fileEffects is the effects object of the file tools.
type fileEffects struct {
	Files []file `json:"files"`
}

// filesSchema is the schema of fileEffects for paths that a tool opens.
const filesSchema = `{
	"type": "object", "additionalProperties": false, "required": ["files"],
	"properties": {"files": {"type": "array", "items": {
		"type": "object", "additionalProperties": false, "required": ["path", "operation"],
		"properties": {
			"path": {"type": "string", "format": "path"},
			"operation": {"enum": ["read", "write", "delete", "rename_source", "rename_destination"]}
		}
	}}}
}`

// maxKnown bounds how many files a session remembers.
const maxKnown = 10_000

// known is what a session saw of the files that it read or wrote. Its methods
// may be called at once.
type known struct {
	mu    sync.Mutex
	files map[string]atomicfile.Snapshot // by resolved path
}

func newKnown() *known { return &known{files: map[string]atomicfile.Snapshot{}} }

// note remembers the file at a resolved path. When too many are known, some
// are forgotten, and count as never read.
func (k *known) note(real string, s atomicfile.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.files[real]; !ok && len(k.files) >= maxKnown {
		for other := range k.files {
			delete(k.files, other)
			break
		}
	}
	k.files[real] = s
}

// of is what was last seen at a resolved path.
func (k *known) of(real string) (atomicfile.Snapshot, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.files[real]
	return s, ok
}
