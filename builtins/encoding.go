package builtins

import (
	"bytes"
	"errors"
	"fmt"
)

// wideEncoding names the encoding of a text whose units are wider than a byte
// by its byte order mark; empty for every other text.
func wideEncoding(content []byte) string {
	for _, m := range [...]struct{ mark, name string }{
		{"\xff\xfe\x00\x00", "UTF-32LE"}, // before UTF-16LE, whose mark it begins with
		{"\x00\x00\xfe\xff", "UTF-32BE"},
		{"\xff\xfe", "UTF-16LE"},
		{"\xfe\xff", "UTF-16BE"},
	} {
		if bytes.HasPrefix(content, []byte(m.mark)) {
			return m.name
		}
	}
	return ""
}

// wideAdvice says what a wide encoding is and how to get rid of it.
func wideAdvice(encoding string) string {
	return fmt.Sprintf("it is %s text, not UTF-8; convert it first, for example with bash: iconv -f %s -t UTF-8 FILE > COPY",
		encoding, encoding[:len("UTF-16")])
}

// wide refuses text in wide characters, with a byte order mark or without. A
// whole content of an odd number of bytes has no wide characters.
func wide(content []byte) error {
	if e := wideEncoding(content); e != "" {
		return errors.New(wideAdvice(e))
	}
	if len(content) < sniffSize && len(content)%2 == 1 {
		return nil
	}
	if e := unmarkedWide(content[:min(len(content), sniffSize)]); e != "" {
		return fmt.Errorf("it is %s text without a byte order mark, not UTF-8; convert it first, for example with bash: iconv -f %s -t UTF-8 FILE > COPY", e, e)
	}
	return nil
}
