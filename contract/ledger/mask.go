package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Mask stands where something was masked.
const Mask = "[masked]"

// masker takes out what must not be recorded, in every string of an event, in
// names of members too:
//
//   - every occurrence of a given value;
//   - the value of a credential header, from behind the colon to the end of the
//     line or the closing quote (Authorization and Proxy-Authorization, any name
//     that ends in Api-Key or Auth-Token, Cookie and Set-Cookie);
//   - a token behind the word Bearer;
//   - a whole string whose member is named like such a header.
//
// Upper and lower case are the same in names. Line breaks inside a masked value
// stay, so that line numbers mean the same before and after.
type masker struct{ values []string }

// newMasker leaves out empty values: they occur everywhere.
func newMasker(values []string) (masker, error) {
	var m masker
	for _, v := range values {
		// As records spell it: invalid bytes are replaced in JSON.
		text, err := json.Marshal(v)
		if err != nil {
			return m, err
		}
		if err := json.Unmarshal(text, &v); err != nil {
			return m, err
		}
		if v != "" {
			m.values = append(m.values, v)
		}
	}
	return m, nil
}

// inJSON masks the strings of a compact JSON text.
func (m masker) inJSON(data []byte) ([]byte, error) {
	var out []byte // nil while nothing was masked
	done, name := 0, ""
	for i := 0; i < len(data); i++ {
		if data[i] == '}' {
			name = ""
		}
		if data[i] != '"' {
			continue
		}
		end := stringEnd(data, i)
		text, err := unquote(data[i:end])
		if err != nil {
			return nil, err
		}
		masked := m.inText(text)
		if end < len(data) && data[end] == ':' {
			name = text
		} else if text != "" && isHeader(name) {
			masked = Mask
		}
		if masked != text {
			literal, err := encodeData(masked)
			if err != nil {
				return nil, err
			}
			out = append(append(out, data[done:i]...), literal...)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return data, nil
	}
	return append(out, data[done:]...), nil
}

// stringEnd is the index behind the string literal that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

func unquote(literal []byte) (string, error) {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1]), nil
	}
	var s string
	err := json.Unmarshal(literal, &s)
	return s, err
}

// span is a part of a text, from inclusive, to exclusive.
type span struct{ from, to int }

func (m masker) inText(text string) string {
	var spans []span
	for _, v := range m.values {
		for at := 0; ; at++ { // occurrences may overlap
			i := strings.Index(text[at:], v)
			if i < 0 {
				break
			}
			at += i
			spans = append(spans, span{at, at + len(v)})
		}
	}
	spans = append(spans, credentials(text)...)
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	done := 0
	for i := 0; i < len(spans); {
		s := spans[i]
		for i++; i < len(spans) && spans[i].from < s.to; i++ {
			s.to = max(s.to, spans[i].to)
		}
		b.WriteString(text[done:s.from])
		b.WriteString(Mask)
		b.WriteString(strings.Repeat("\n", strings.Count(text[s.from:s.to], "\n")))
		done = s.to
	}
	b.WriteString(text[done:])
	return b.String()
}

// headerWords end the names of headers that carry credentials.
var headerWords = [...]string{"authorization", "api-key", "auth-token", "cookie"}

func isHeader(name string) bool {
	name = lower(name)
	return slices.ContainsFunc(headerWords[:], func(w string) bool { return strings.HasSuffix(name, w) })
}

// credentials finds header lines and bearer tokens. It looks for few fixed
// words before anything else: results are long, and hardly any holds one.
func credentials(text string) []span {
	var spans []span
	folded := lower(text)
	for _, word := range headerWords {
		for end := range after(folded, word) {
			if s, ok := headerValue(text, end); ok {
				spans = append(spans, s)
			}
		}
	}
	for end := range after(folded, "bearer") {
		from := end + leading(text[end:], blanks)
		to := from + tokenLength(text[from:])
		if from > end && to > from {
			spans = append(spans, span{from, to})
		}
	}
	return spans
}

// after yields the index behind each occurrence of word.
func after(text, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				return
			}
			at += i + len(word)
			if !yield(at) {
				return
			}
		}
	}
}

// headerValue is the value of a header whose name ends at i: what stands behind
// a colon, both perhaps in quotes.
func headerValue(text string, i int) (span, bool) {
	const quotes = `"'\` // with what escapes them in a text within a text
	i += leading(text[i:], quotes)
	i += leading(text[i:], blanks)
	if i == len(text) || text[i] != ':' {
		return span{}, false
	}
	i++
	i += leading(text[i:], blanks)
	i += leading(text[i:], quotes)
	length := strings.IndexAny(text[i:], "\"'\r\n")
	if length < 0 {
		length = len(text) - i
	}
	return span{i, i + length}, length > 0
}

const blanks = " \t"

// leading is how many bytes of text stand before the first that is not in set.
func leading(text, set string) int { return len(text) - len(strings.TrimLeft(text, set)) }

// tokenLength is the length of a token68 of RFC 9110.
func tokenLength(text string) int {
	i := strings.IndexFunc(text, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("-._~+/=", r))
	})
	if i < 0 {
		return len(text)
	}
	return i
}

// lower folds ASCII letters only, so that indexes mean the same in both texts.
func lower(text string) string {
	i := strings.IndexFunc(text, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	if i < 0 {
		return text
	}
	b := []byte(text)
	for ; i < len(b); i++ {
		if c := b[i]; 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
