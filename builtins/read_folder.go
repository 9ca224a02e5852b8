package builtins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"raw/contract"
)

const (
	maxEntries  = 500
	folderBatch = 1024
)

// listFolder shows the first entries of a folder, folders before the rest. It
// follows no link, so a link to a folder is listed as a link.
func listFolder(ctx context.Context, c *contract.Call) contract.Result {
	p := c.Paths[0]
	f, err := openDir(p)
	if err != nil {
		return readFailed(ctx, p, err)
	}
	defer f.Close()
	var entries []fs.DirEntry
	total := 0
	for {
		batch, err := f.ReadDir(folderBatch)
		total += len(batch)
		// A folder may have millions of entries; only the first are kept.
		if entries = append(entries, batch...); len(entries) > maxEntries {
			slices.SortFunc(entries, foldersFirst)
			clear(entries[maxEntries:])
			entries = entries[:maxEntries]
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return readFailed(ctx, p, err)
		}
	}
	if total == 0 {
		return contract.Succeeded("[empty folder]")
	}
	slices.SortFunc(entries, foldersFirst)
	return contract.Succeeded(showEntries(entries, total, c))
}

func foldersFirst(a, b fs.DirEntry) int {
	if a.IsDir() != b.IsDir() {
		if a.IsDir() {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Name(), b.Name())
}

// showEntries lists as many entries as the budget of c allows.
func showEntries(entries []fs.DirEntry, total int, c *contract.Call) string {
	notice := func(shown int) string {
		if shown == total {
			return fmt.Sprintf("[%d entries]", total)
		}
		return fmt.Sprintf("[%d of %d entries, folders first. With bash, `find %s -maxdepth 1 -name 'PATTERN'` finds others.]", shown, total, shellWord(c.Paths[0].Lexical))
	}
	left := c.Budget - max(utf8.RuneCountInString(notice(-1)), utf8.RuneCountInString(notice(total))) - 20
	var b strings.Builder
	shown := 0
	for _, e := range entries {
		line := visibleName(e.Name()) + entryMark(e.Type()) + "\n"
		if left -= utf8.RuneCountInString(line); left < 0 {
			break
		}
		b.WriteString(line)
		shown++
	}
	return b.String() + notice(shown)
}

// entryMark says what an entry is that is no regular file.
func entryMark(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "/"
	case mode&fs.ModeSymlink != 0:
		return " (link)"
	case mode&fs.ModeNamedPipe != 0:
		return " (named pipe)"
	case mode&fs.ModeSocket != 0:
		return " (socket)"
	case mode&fs.ModeDevice != 0:
		return " (device)"
	}
	return ""
}
