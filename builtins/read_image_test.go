package builtins

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"raw/contract"
)

func encoded(t testing.TB, mime string, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch mime {
	case "image/png":
		err = png.Encode(&b, img)
	case "image/jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "image/gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// oneWebp is a lossless picture of one pixel.
const oneWebp = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

// noise is an image that does not compress.
func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range img.Pix {
		img.Pix[i] = byte(rng.Uint32()) | 1
	}
	return img
}

// blank is an image that compresses well.
func blank(w, h int) image.Image {
	return image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
}

// shown returns the only image block of a result, decoded.
func shown(t testing.TB, r contract.Result) (mime string, size int, img image.Image) {
	t.Helper()
	if len(r.Content) != 2 || r.IsError() {
		t.Fatalf("the result has %d blocks, error %v: %.200v", len(r.Content), r.IsError(), r.Content[0])
	}
	block, ok := r.Content[1].(contract.Image)
	if !ok {
		t.Fatalf("the second block is %T, want an image", r.Content[1])
	}
	if got := imageType(block.Data); got != block.MIME {
		t.Errorf("the bytes are %s, the block says %s", got, block.MIME)
	}
	img, err := imageCodec(block.MIME).decode(bytes.NewReader(block.Data))
	if err != nil {
		t.Fatalf("the block cannot be decoded: %v", err)
	}
	return block.MIME, len(block.Data), img
}

// B33: the bytes say what it is, not the name.
func TestReadImage(t *testing.T) {
	webp, err := base64.StdEncoding.DecodeString(oneWebp)
	if err != nil {
		t.Fatal(err)
	}
	small := noise(20, 10)
	for _, tc := range []struct{ name, content, mime string }{
		{"a.png", encoded(t, "image/png", small), "image/png"},
		{"a.txt", encoded(t, "image/png", small), "image/png"},
		{"b.png", encoded(t, "image/jpeg", small), "image/jpeg"},
		{"c.jpg", encoded(t, "image/gif", small), "image/gif"},
		{"d.gif", string(webp), "image/webp"},
	} {
		rt := newReadTest(t, 30_000)
		r := rt.read(rt.file(tc.name, tc.content), 0, 0)
		mime, size, img := shown(t, r)
		if mime != tc.mime || size != len(tc.content) {
			t.Errorf("%s: %s of %d bytes is shown, want %s of %d", tc.name, mime, size, tc.mime, len(tc.content))
		}
		want := fmt.Sprintf("[%s, %d × %d, %d bytes]", tc.mime, img.Bounds().Dx(), img.Bounds().Dy(), len(tc.content))
		if got := rt.text(r); got != want {
			t.Errorf("%s: the marker is %q, want %q", tc.name, got, want)
		}
	}
}

func TestReadLargeImage(t *testing.T) {
	for _, tc := range []struct {
		name, content, mime string
		w, h                int
	}{
		{"wide", encoded(t, "image/png", blank(4000, 1000)), "image/png", 2000, 500},
		{"high", encoded(t, "image/jpeg", blank(300, 3001)), "image/jpeg", 199, 2000},
		{"a line", encoded(t, "image/gif", blank(8000, 1)), "image/png", 2000, 1},
		{"many bytes", encoded(t, "image/png", noise(1500, 1500)), "image/jpeg", 1500, 1500},
	} {
		rt := newReadTest(t, 30_000)
		r := rt.read(rt.file("f", tc.content), 0, 0)
		mime, size, img := shown(t, r)
		if b := img.Bounds(); mime != tc.mime || b.Dx() != tc.w || b.Dy() != tc.h || size > maxImageShown {
			t.Errorf("%s: %s %d × %d of %d bytes is shown, want %s %d × %d", tc.name, mime, b.Dx(), b.Dy(), size, tc.mime, tc.w, tc.h)
		}
		if got := rt.text(r); !strings.Contains(got, "; shown as "+tc.mime) {
			t.Errorf("%s: the marker is %q", tc.name, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := shrink(ctx, blank(10, 10), "image/png"); err == nil {
		t.Error("shrink goes on after a cancel")
	}
}

// pngHeader claims a size and has no pixels.
func pngHeader(w, h uint32) string {
	ihdr := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)...)
	ihdr = append(ihdr, 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr)))
}

// TestReadBadImage: what models would choke on becomes a note.
func TestReadBadImage(t *testing.T) {
	whole := encoded(t, "image/jpeg", noise(50, 50))
	for name, tc := range map[string]struct{ content, want string }{
		"nine bytes":   {"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "[image/jpeg by its first bytes, 11 bytes; not shown: it cannot be decoded"},
		"cut":          {whole[:len(whole)/2], "cannot be decoded"},
		"png and junk": {"\x89PNG\r\n\x1a\nhello", "cannot be decoded"},
		"no pixels":    {pngHeader(10, 10), "cannot be decoded"},
		"a bomb":       {pngHeader(60_000, 60_000), "60000 × 60000 pixels are over 50000000"},
		"gif, cut":     {"GIF89a", "cannot be decoded"},
		"webp, junk":   {"RIFF\x04\x00\x00\x00WEBPVP8 junk", "cannot be decoded"},
	} {
		rt := newReadTest(t, 30_000)
		r := rt.read(rt.file("a.png", tc.content), 0, 0)
		if got := rt.text(r); len(r.Content) != 1 || r.IsError() || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %d blocks, %q, want a note with %q", name, len(r.Content), got, tc.want)
		}
	}
}
