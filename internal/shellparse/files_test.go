package shellparse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a recursive copy or an archive puts somewhere is not in the text: the
// place stands for anything below it, and a plain copy for itself alone.
func TestFilesBelow(t *testing.T) {
	for command, want := range map[string]Effects{
		"cp a b":           {Files: []File{{"/w/b", opWrite}, {"/w/b/a", opWrite}}},
		"cp -r a b":        {Files: []File{{"/w/b", opWrite}, {"/w/b/a", opWrite}}, Unknown: []string{"files[0].path", "files[1].path"}},
		"cp -r a .":        {Files: []File{{"/w", opWrite}, {"/w/a", opWrite}}, Unknown: []string{"files[1].path"}},
		"cp -r a ~":        {Files: []File{{"/home/me", opWrite}, {"/home/me/a", opWrite}}, Unknown: []string{"programs[0].command:8", "files[1].path"}},
		"cp -r a/. .":      {Files: []File{{"/w", opWrite}}, Unknown: []string{"files[0].path"}},
		"cp -aT a b":       {Files: []File{{"/w/b", opWrite}}, Unknown: []string{"files[0].path"}},
		"cp -t b -r a c":   {Files: []File{{"/w/b", opWrite}, {"/w/b/a", opWrite}, {"/w/b/c", opWrite}}, Unknown: []string{"files[1].path", "files[2].path"}},
		"rsync -a a/ b":    {Files: []File{{"/w/b", opWrite}}, Unknown: []string{"files[0].path"}},
		"rsync -a a h:b":   {},
		"rsync -an a/ b":   {},
		"tar xfC a b":      {Files: []File{{"/w/b", opWrite}}, Unknown: []string{"files[0].path"}},
		"tar -tf a":        {},
		"tar czf a b":      {Files: []File{{"/w/a", opWrite}}},
		"unzip -qd b a":    {Files: []File{{"/w/b", opWrite}}, Unknown: []string{"files[0].path"}},
		"unzip -l a":       {},
		"wget -rP b u/v":   {Files: []File{{"/w/b", opWrite}}, Unknown: []string{"files[0].path"}},
		"wget -q 'u/v?w'":  {Files: []File{{"/w/v?w", opWrite}, {"/w/v", opWrite}}},
		"wget -qO- u/v":    {},
		"curl -sSL u/v":    {},
		"curl -fOL u/v":    {Files: []File{{"/w/v", opWrite}}},
		"gzip -dk a.tgz":   {Files: []File{{"/w/a.tar", opWrite}}},
		"perl -ne 1 a":     {},
		"sort a":           {},
		"split a b":        {Files: []File{{"/w/b", opWrite}}, Unknown: []string{unknownFiles}},
		"patch --dry-run":  {},
		"script a -qc :":   {Files: []File{{"/w/a", opWrite}}},
		"gzip -c a":        {},
		"xz -t a.xz":       {},
		"ssh-keygen -lf a": {},
	} {
		got := Parse(command, anywhere)
		got.Programs = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%q) without programs: -want +got\n%s", command, diff)
		}
	}
}

// A hard link's source is written with the link. What the same text opens
// through a symbolic link is unknown, and what it would be is listed.
func TestFilesThroughLinks(t *testing.T) {
	made := File{"/w/l", opWrite}
	for command, want := range map[string]Effects{
		"ln -T a l":              {Files: []File{{"/w/a", opWrite}, made}},
		"cp -lT a l":             {Files: []File{{"/w/a", opWrite}, made}},
		"ln -sT a l":             {Files: []File{made}},
		"ln -sT a l; > m":        {Files: []File{made, {"/w/m", opWrite}}},
		"ln -sT a l; rm l":       {Files: []File{made, {"/w/l", opDelete}}},
		"ln -sT a l; > l":        {Files: []File{made, {"/w/a", opWrite}}, Unknown: []string{unknownFiles}},
		"ln -sT ../a l; < l/x":   {Files: []File{made, {"/w/l/x", opRead}, {"/a/x", opRead}}, Unknown: []string{unknownFiles}},
		"> l/x; ln -sT /a l":     {Files: []File{{"/w/l/x", opWrite}, made, {"/a/x", opWrite}}, Unknown: []string{unknownFiles}},
		"ln -sT \"$a\" l; > l/x": {Files: []File{made, {"/w/l/x", opWrite}}, Unknown: []string{unknownFiles, "programs[0].command:7"}},
		"ln -sT a l; ./l/x":      {Files: []File{made}, Scripts: []string{"/w/l/x"}, Unknown: []string{unknownScripts}},
	} {
		got := Parse(command, anywhere)
		got.Programs = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%q) without programs: -want +got\n%s", command, diff)
		}
	}
}
