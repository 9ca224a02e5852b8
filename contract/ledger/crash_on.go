//go:build crashpoints

package ledger

// Crash is called at each named point of a write, from the goroutine that
// writes: "blob-written" when a blob is in place and the record that names it is
// not, "before-write", "after-write", "before-sync" and "after-sync". A test
// ends the process there. Nil does nothing.
type Crash func(point string)

func (c Crash) at(point string) {
	if c != nil {
		c(point)
	}
}
