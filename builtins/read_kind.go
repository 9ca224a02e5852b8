package builtins

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"raw/contract"
	"raw/internal/atomicfile"
)

// otherThanText answers for a file whose head shows that it is no text that
// can be shown: an image, text in wide characters, anything with a NUL.
func (r *reader) otherThanText(ctx context.Context, p contract.Path, f *os.File, head []byte, seen atomicfile.Snapshot, size int64) (contract.Result, bool) {
	if mime := imageType(head); mime != "" {
		return r.image(ctx, p, f, mime, seen, size), true
	}
	if err := wide(head); err != nil {
		return contract.Succeeded(fmt.Sprintf("[%d bytes are not shown: %v]", size, err)), true
	}
	if bytes.IndexByte(head, 0) < 0 {
		return contract.Result{}, false
	}
	return contract.Succeeded(fmt.Sprintf("[binary file, %s, %d bytes; not shown. With bash, `xxd -l 256 %s` shows its first bytes]",
		binaryType(head), size, shellWord(p.Lexical))), true
}

// unmarkedWide names the encoding of wide text without a byte order mark; empty
// for other content. At least half of its characters are Latin, and none is a
// control, so no list of numbers passes for text. head is the start of a file.
func unmarkedWide(head []byte) string {
	if bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	for _, e := range []struct {
		name  string
		width int
		unit  func([]byte) uint32
	}{
		{"UTF-32LE", 4, binary.LittleEndian.Uint32},
		{"UTF-32BE", 4, binary.BigEndian.Uint32},
		{"UTF-16LE", 2, func(b []byte) uint32 { return uint32(binary.LittleEndian.Uint16(b)) }},
		{"UTF-16BE", 2, func(b []byte) uint32 { return uint32(binary.BigEndian.Uint16(b)) }},
	} {
		if looksWide(head, e.width, e.unit) {
			return e.name
		}
	}
	return ""
}

func looksWide(head []byte, width int, unit func([]byte) uint32) bool {
	units, latin := len(head)/width, 0
	for ; len(head) >= width; head = head[width:] {
		switch u := unit(head); {
		case u < ' ' && u != '\t' && u != '\n' && u != '\r' && u != '\f', u > 0x10ffff:
			return false
		case u <= 0xff:
			latin++
		}
	}
	return units > 0 && 2*latin >= units
}

// imageType is the MIME type of an image that models can be shown, by its
// first bytes; the name of a file says nothing. Empty means something else.
func imageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// binaryType names what is known by its first bytes.
func binaryType(head []byte) string {
	for _, magic := range []struct{ bytes, name string }{
		{"\x7fELF", "ELF executable or library"},
		{"MZ", "Windows executable"},
		{"\xcf\xfa\xed\xfe", "Mach-O executable or library"},
		{"\xca\xfe\xba\xbe", "Java class or Mach-O universal binary"},
		{"\x00asm", "WebAssembly module"},
		{"%PDF-", "PDF document"},
		{"PK\x03\x04", "zip archive (or a document or package in one)"},
		{"\x1f\x8b", "gzip data"},
		{"\x28\xb5\x2f\xfd", "zstd data"},
		{"\xfd7zXZ\x00", "xz data"},
		{"BZh", "bzip2 data"},
		{"7z\xbc\xaf\x27\x1c", "7-zip archive"},
		{"SQLite format 3\x00", "SQLite database"},
		{"!<arch>\n", "ar archive"},
		{"OggS", "Ogg media"},
		{"ID3", "MP3 audio"},
		{"fLaC", "FLAC audio"},
		{"RIFF", "RIFF media"},
		{"BM", "BMP image"},
		{"II*\x00", "TIFF image"},
		{"MM\x00*", "TIFF image"},
		{"\x00\x00\x01\x00", "icon"},
		{"wOF2", "WOFF2 font"},
	} {
		if bytes.HasPrefix(head, []byte(magic.bytes)) {
			return magic.name
		}
	}
	switch {
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return "MP4, HEIC or AVIF media"
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return "tar archive"
	}
	return "unknown type"
}
