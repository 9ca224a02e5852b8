package builtins

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldLine appends to key what a line has in common with one that looks alike:
// no blanks, no case, plain quotes and dashes, composed forms taken apart.
func foldLine[T string | []byte](key []byte, line T) []byte {
	for i := 0; i < len(line); {
		if c := line[i]; c < utf8.RuneSelf {
			key = foldRune(key, rune(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(line[i:min(len(line), i+utf8.UTFMax)]))
		key = foldRune(key, r)
		i += size
	}
	return key
}

// foldWithOffsets is foldLine with the offset in line that each byte came from.
func foldWithOffsets(line []byte) (key []byte, offsets []int) {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		key = foldRune(key, r)
		for len(offsets) < len(key) {
			offsets = append(offsets, i)
		}
		i += size
	}
	return key, offsets
}

func foldRune(key []byte, r rune) []byte {
	switch {
	case 'A' <= r && r <= 'Z':
		return append(key, byte(r)+'a'-'A')
	case isBlank(r):
		return key
	case r < utf8.RuneSelf:
		return append(key, byte(r))
	}
	if as := plain(r); as != 0 {
		return append(key, as)
	}
	for _, r := range norm.NFKD.String(string(r)) {
		if !isBlank(r) {
			key = utf8.AppendRune(key, unicode.ToLower(r))
		}
	}
	return key
}

// isBlank reports what shows as nothing: spaces, zero-width characters, byte
// order marks, and a CR that ends no line.
func isBlank(r rune) bool {
	return r <= ' ' || r >= 0x7f && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r))
}

// plain is the ASCII character that r is often put in place of, or 0.
func plain(r rune) byte {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ', '´':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	return 0
}

// runeName is a character with its number, and a name where its look tells
// little.
func runeName(r rune) string {
	name := map[rune]string{
		'\t': "tab", ' ': "blank", '\r': "CR", 0xa0: "NBSP", 0x202f: "narrow NBSP", 0x200b: "zero-width space", 0xfeff: "byte order mark",
		'‘': "left single quote", '’': "right single quote", '“': "left double quote", '”': "right double quote", '\'': "apostrophe", '"': "straight quote",
		'-': "hyphen", '‑': "non-breaking hyphen", '–': "en dash", '—': "em dash", '−': "minus sign",
		0xfffd: "replacement character",
	}[r]
	if name == "" {
		return fmt.Sprintf("%q (U+%04X)", r, r)
	}
	if isBlank(r) {
		return fmt.Sprintf("%s (U+%04X)", name, r)
	}
	return fmt.Sprintf("%q (%s, U+%04X)", r, name, r)
}

// clusters are the code points of the first letters with their marks, when those
// of both texts are the same letter in two spellings; else empty.
func clusters(a, b string) (string, string) {
	first, second := cluster(a), cluster(b)
	if norm.NFC.String(first) != norm.NFC.String(second) {
		return "", ""
	}
	return codePoints(first), codePoints(second)
}

// cluster is the letter at the start of a text with its marks.
func cluster(text string) string { return text[:max(0, norm.NFC.NextBoundaryInString(text, true))] }

// codePoints shows a text by its numbers.
func codePoints(text string) string {
	var numbers []string
	for _, r := range text {
		numbers = append(numbers, fmt.Sprintf("%U", r))
	}
	return fmt.Sprintf("%q (%s)", text, strings.Join(numbers, " "))
}

// cutBlank splits off the blanks at the start.
func cutBlank(text string) (blank, rest string) {
	rest = strings.TrimLeftFunc(text, isBlank)
	return text[:len(text)-len(rest)], rest
}

// blanks counts the blanks of a run by kind; rest is what follows it.
func blanks(run, rest string) string {
	where := " at the end of the line"
	if word := strings.FieldsFunc(rest, isBlank); len(word) > 0 {
		where = " before " + quoted([]byte(word[0]))
	}
	if run == "" {
		return "no blank" + where
	}
	var kinds []string
	for run != "" {
		r, _ := utf8.DecodeRuneInString(run)
		rest := strings.TrimLeft(run, string(r))
		n := utf8.RuneCountInString(run[:len(run)-len(rest)])
		run = rest
		switch r {
		case ' ':
			kinds = append(kinds, number(n, "blank"))
		case '\t':
			kinds = append(kinds, number(n, "tab"))
		default:
			kinds = append(kinds, fmt.Sprintf("%d × %s", n, runeName(r)))
		}
	}
	return strings.Join(kinds, " and ") + where
}
