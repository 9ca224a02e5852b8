package builtins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"raw/contract"
	"raw/internal/atomicfile"
)

// boundTo binds an approval to files as they are now: the returned function
// says which of them is another one later. A file that cannot be read is bound
// by that, and one that is not there by its absence. It is called before what
// is shown is read, so that a change in between is one, too.
func boundTo(paths ...contract.Path) func(context.Context) error {
	seen := make([]bound, len(paths))
	for i, p := range paths {
		seen[i] = look(p)
	}
	return func(ctx context.Context) error {
		for i, p := range paths {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := seen[i].still(p); err != nil {
				return err
			}
		}
		return nil
	}
}

// bound is what a file was when it was shown.
type bound struct {
	snapshot atomicfile.Snapshot
	missing  bool
	problem  string
}

func look(p contract.Path) bound {
	f, err := open(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return bound{missing: true}
	case err != nil:
		return bound{problem: err.Error()}
	}
	defer f.Close()
	s, err := atomicfile.Hash(f)
	if err != nil {
		return bound{problem: err.Error()}
	}
	return bound{snapshot: s}
}

// still says why the file is no longer what was shown.
func (b bound) still(p contract.Path) error {
	if b.missing {
		// The path was resolved when there was no file, so it is looked for by
		// name; links to it are none of ours.
		if _, err := os.Lstat(p.Real); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there now", visibleName(p.Lexical))
		}
		return nil
	}
	f, err := open(p)
	if err != nil {
		if err.Error() == b.problem {
			return nil
		}
		return fmt.Errorf("%s changed meanwhile: %w", visibleName(p.Lexical), err)
	}
	defer f.Close()
	if b.problem != "" {
		return fmt.Errorf("%s can be read now", visibleName(p.Lexical))
	}
	same, err := b.snapshot.Matches(f)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", visibleName(p.Lexical), err)
	case !same:
		return fmt.Errorf("%s changed meanwhile", visibleName(p.Lexical))
	}
	return nil
}
