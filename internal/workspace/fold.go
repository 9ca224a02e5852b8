package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// storedName returns dir/name with the name as the folder stores it. On a disk
// that folds names, another spelling would slip past every rule on the stored
// one. A folder folds when the other spelling of a name is the same file; only
// then are its entries read, and an entry spelled exactly so wins, so that on a
// disk that does not fold nothing ever changes.
func storedName(dir, name string, stat info) string {
	path := filepath.Join(dir, name)
	other := respell(name)
	if !aliased(name) {
		if other == name {
			return path
		}
		if folded, err := lstat(filepath.Join(dir, other)); err != nil || !folded.same(stat) {
			return path
		}
	}
	entries, err := readNames(dir)
	if err != nil || slices.Contains(entries, name) {
		return path
	}
	// Those that look alike come first: the others are only for a folding
	// that we do not know (ß and ss) and for short names.
	want := key(name)
	for _, alike := range []bool{true, false} {
		for _, entry := range entries {
			if (key(entry) == want) != alike {
				continue
			}
			candidate := filepath.Join(dir, entry)
			if got, err := lstat(candidate); err == nil && got.same(stat) {
				return candidate
			}
		}
	}
	return path
}

// respell returns name with the case of each letter swapped; a name without
// case in its other composition; else name itself.
func respell(name string) string {
	other := strings.Map(func(r rune) rune {
		if up := unicode.ToUpper(r); up != r {
			return up
		}
		return unicode.ToLower(r)
	}, name)
	if other != name {
		return other
	}
	if other = norm.NFD.String(name); other != name {
		return other
	}
	return norm.NFC.String(name)
}

// key is what two names have in common that look alike: compatibility forms,
// case and every kind of blank are folded.
func key(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(name))
}

// readNames lists a folder without ever blocking on what is none.
func readNames(dir string) ([]string, error) {
	f, err := os.OpenFile(dir, openFolder, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
