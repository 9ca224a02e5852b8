package builtins

import (
	"encoding/binary"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"raw/contract"
)

func utf16Of(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func utf32Of(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, r := range text {
		b = order.AppendUint32(b, uint32(r))
	}
	return string(b)
}

var iconv = regexp.MustCompile(`^\[(\d+) bytes are not shown: it is (UTF-(?:16|32)(?:LE|BE)) text.*; convert it first, for example with bash: (iconv -f \S+ -t UTF-8) `)

// B34: wide text is named, and the command that is given converts it.
func TestReadWideText(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	const text = "first\n\nlast\n"
	for _, tc := range []struct{ name, content, text, want string }{
		{"UTF-16LE, mark", "\xff\xfe" + utf16Of(text, le), text, "UTF-16LE"},
		{"UTF-16BE, mark", "\xfe\xff" + utf16Of(text, be), text, "UTF-16BE"},
		{"UTF-32LE, mark", "\xff\xfe\x00\x00" + utf32Of(text, le), text, "UTF-32LE"},
		{"UTF-32BE, mark", "\x00\x00\xfe\xff" + utf32Of(text, be), text, "UTF-32BE"},
		{"UTF-16LE", utf16Of(text, le), text, "UTF-16LE"},
		{"UTF-16BE", utf16Of(text, be), text, "UTF-16BE"},
		{"UTF-32LE", utf32Of(text, le), text, "UTF-32LE"},
		{"UTF-32BE", utf32Of(text, be), text, "UTF-32BE"},
		{"not Latin, mark", "\xff\xfe" + utf16Of("привет", le), "привет", "UTF-16LE"},
		{"some not Latin", utf16Of("name: привет, more of it 😀\r\n", le), "name: привет, more of it 😀\r\n", "UTF-16LE"},
		{"longer than the head", utf16Of(strings.Repeat("a line\n", 3000), be), strings.Repeat("a line\n", 3000), "UTF-16BE"},
		{"with an index", utf16Of(strings.Repeat("a line\n", 30_000), le), strings.Repeat("a line\n", 30_000), "UTF-16LE"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rt := newReadTest(t, 30_000)
			path := rt.file("f", tc.content)
			r := rt.read(path, 0, 0)
			m := iconv.FindStringSubmatch(rt.text(r))
			if m == nil || r.IsError() || m[2] != tc.want {
				t.Fatalf("read = %q, want %s named", rt.text(r), tc.want)
			}
			if out, err := exec.Command("bash", "-c", m[3]+" "+path).Output(); err != nil || string(out) != tc.text {
				t.Errorf("%s = %.100q, %v; want %.100q", m[3], out, err, tc.text)
			}
		})
	}
}

func TestReadBinary(t *testing.T) {
	numbers := ""
	for i := range 1000 {
		numbers += string(binary.LittleEndian.AppendUint16(nil, uint16(i+1)))
	}
	for _, tc := range []struct{ name, content, want string }{
		{"ELF", "\x7fELF\x02\x01\x01\x00\x00", "[binary file, ELF executable or library, 9 bytes; "},
		{"zip", "PK\x03\x04\x14\x00\x00", "zip archive"},
		{"tar", "f" + strings.Repeat("\x00", 256) + "ustar\x00", "tar archive"},
		{"heic", "\x00\x00\x00\x18ftypheic", "MP4, HEIC or AVIF"},
		{"sqlite", "SQLite format 3\x00\x10\x00", "SQLite database"},
		{"a NUL in text", "some text\x00and more", "unknown type, 18 bytes"},
		{"16-bit numbers", numbers, "unknown type, 2000 bytes"},
		{"the last byte of the head", strings.Repeat("x", sniffSize-1) + "\x00", "unknown type"},
		{"large", strings.Repeat("x", 100) + strings.Repeat("\x00", 2*wholeSize), "unknown type"},
	} {
		rt := newReadTest(t, 30_000)
		r := rt.read(rt.file("f", tc.content), 3, 0)
		if got := rt.text(r); r.IsError() || !strings.Contains(got, tc.want) || strings.Count(got, "\n") != 0 || !strings.HasPrefix(got, "[binary file, ") {
			t.Errorf("%s: read = %q, want one line with %q", tc.name, got, tc.want)
		}
	}
	rt := newReadTest(t, 30_000)
	late := strings.Repeat("x", sniffSize) + "\n\x00\n"
	if got := rt.text(rt.read(rt.file("f", late), 2, 0)); got != "     2\t\x00\n" {
		t.Errorf("a NUL behind the head: read = %q, want the line", got)
	}
}

func TestVisibleName(t *testing.T) {
	for name, want := range map[string]string{
		"plain name-1.txt": "plain name-1.txt",
		"ä 漢字 €":           "ä 漢字 €",
		"a\nb\r\t\x00":     `a\nb\r\t\x00`,
		"\x1b[31mred":      `\x1b[31mred`,
		"bad\xff":          `bad\xff`,
		"a\u202eb":         `a\u202eb`,
		"a\u2028b":         `a\u2028b`,
		"a\u202fb":         "a\u202fb",
		"a\ufffdb":         "a\ufffdb",
	} {
		if got := visibleName(name); got != want {
			t.Errorf("visibleName(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestReadMarkersShowNames: no name breaks out of its line.
func TestReadMarkersShowNames(t *testing.T) {
	rt := newReadTest(t, 30_000)
	for _, content := range []string{"a\x00b", strings.Repeat("x", 40_000), utf16Of("text", binary.LittleEndian)} {
		r := rt.read(rt.file("a\nb\x1b[2J", content), 0, 0)
		got := rt.text(r)
		if i := strings.LastIndex(got, "\n["); i >= 0 {
			got = got[i+1:]
		}
		if strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("a marker has a control character: %q", got)
		}
	}
	for _, r := range []contract.Result{rt.read("no\nsuch\x1b", 0, 0), rt.read("no\n/such", 0, 0)} {
		if got := rt.text(r); strings.Contains(got, "\x1b") || strings.Contains(got, "no\n") {
			t.Errorf("an error has a control character: %q", got)
		}
	}
}
