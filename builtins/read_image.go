package builtins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"raw/contract"
	"raw/internal/atomicfile"
)

const (
	maxImageFile   = 64 << 20   // bytes of a file that is decoded at all
	maxImagePixels = 50_000_000 // decoded it takes up to eight bytes each
	maxImageSide   = 2000       // pixels of what is shown
	maxImageShown  = 5 << 20    // bytes of what is shown
)

// image shows an image whose first bytes say that it is of type mime. What
// cannot be shown becomes a note: a broken image would make a whole
// conversation unusable, so every image is decoded before it goes out.
func (r *reader) image(ctx context.Context, p contract.Path, f *os.File, mime string, seen atomicfile.Snapshot, size int64) contract.Result {
	note := func(format string, a ...any) contract.Result {
		return contract.Succeeded(fmt.Sprintf("[%s by its first bytes, %d bytes; not shown: %s]", mime, size, fmt.Sprintf(format, a...)))
	}
	if size > maxImageFile {
		return note("images over %d bytes are not decoded", int64(maxImageFile))
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return readFailed(ctx, p, err)
	} else if n < len(data) {
		return note("it became shorter while it was read")
	}
	config, err := imageCodec(mime).config(bytes.NewReader(data))
	if err != nil {
		return note("it cannot be decoded: %s", visibleName(err.Error()))
	}
	if int64(config.Width)*int64(config.Height) > maxImagePixels {
		return note("%d × %d pixels are over %d", config.Width, config.Height, maxImagePixels)
	}
	if ctx.Err() != nil {
		return readFailed(ctx, p, ctx.Err())
	}
	img, err := imageCodec(mime).decode(bytes.NewReader(data))
	if err != nil {
		return note("it cannot be decoded: %s", visibleName(err.Error()))
	}
	r.known.note(p.Real, seen.With(data))
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	marker := fmt.Sprintf("[%s, %d × %d, %d bytes]", mime, w, h, size)
	if max(w, h) <= maxImageSide && len(data) <= maxImageShown {
		return contract.Result{Content: []contract.Block{contract.Text(marker), contract.Image{MIME: mime, Data: data}}}
	}
	small, shownMIME, err := shrink(ctx, img, mime)
	if err != nil {
		return readFailed(ctx, p, err)
	}
	marker = fmt.Sprintf("[%s, %d × %d, %d bytes; shown as %s, at most %d pixels a side and %d bytes]",
		mime, w, h, size, shownMIME, maxImageSide, maxImageShown)
	return contract.Result{Content: []contract.Block{contract.Text(marker), contract.Image{MIME: shownMIME, Data: small}}}
}

// codec reads one type of image.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// imageCodec is for the types that imageType names. The registry of package
// image is not used: it would let a file of one type pass for another.
func imageCodec(mime string) codec {
	switch mime {
	case "image/png":
		return codec{png.DecodeConfig, png.Decode}
	case "image/jpeg":
		return codec{jpeg.DecodeConfig, jpeg.Decode}
	case "image/gif":
		return codec{gif.DecodeConfig, gif.Decode}
	default:
		return codec{webp.DecodeConfig, webp.Decode}
	}
}

// shrink encodes img within the bounds of what is shown. A photo stays JPEG;
// the rest is PNG, which keeps text sharp, unless that is too large.
func shrink(ctx context.Context, img image.Image, mime string) (data []byte, shownMIME string, err error) {
	for side := maxImageSide; ; side = side * 3 / 4 {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		scaled := scale(img, side)
		var b bytes.Buffer
		if mime != "image/jpeg" {
			if err := png.Encode(&b, scaled); err != nil {
				return nil, "", err
			}
			if b.Len() <= maxImageShown {
				return b.Bytes(), "image/png", nil
			}
			b.Reset()
		}
		if err := jpeg.Encode(&b, onWhite(scaled), &jpeg.Options{Quality: 85}); err != nil {
			return nil, "", err
		}
		if b.Len() <= maxImageShown {
			return b.Bytes(), "image/jpeg", nil
		}
	}
}

// scale makes img no longer than side, in its proportions.
func scale(img image.Image, side int) *image.RGBA {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if long := max(w, h); long > side {
		w, h = max(1, w*side/long), max(1, h*side/long)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// onWhite gives img the background that JPEG cannot do without.
func onWhite(img *image.RGBA) *image.RGBA {
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, image.Point{}, draw.Over)
	return out
}
