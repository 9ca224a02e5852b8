//go:build !unix

package walk

import "os"

const (
	openFile   = os.O_RDONLY
	openFolder = os.O_RDONLY
)
