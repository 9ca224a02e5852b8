package catalog

import (
	"encoding/json"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"raw/contract/schema"
)

// words are the lower-case words of a text and of names in it: fullPage and
// full_page are full and page, drop-down is drop, down and dropdown, base64 is
// base64 and base. Characters of scripts without blanks are words by themselves,
// single letters are none.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			start := strings.IndexFunc(text, isWord)
			if start < 0 {
				return
			}
			text = text[start:]
			end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) && r != '-' })
			if end < 0 {
				end = len(text)
			}
			if !compound(text[:end], yield) {
				return
			}
			text = text[end:]
		}
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// compound yields the words that hyphens join, and two together.
func compound(run string, yield func(string) bool) bool {
	first, second, joined := strings.Cut(strings.Trim(run, "-"), "-")
	if !joined {
		return parted(first, yield)
	}
	for part := range strings.SplitSeq(run, "-") {
		if !parted(part, yield) {
			return false
		}
	}
	return strings.Contains(second, "-") || yield(strings.ToLower(first+second))
}

// parted yields the words that case, digits and script set apart.
func parted(run string, yield func(string) bool) bool {
	word := func(s string) bool {
		return s == "" || len(s) == 1 && s[0] > '9' || yield(strings.ToLower(s))
	}
	start, digits := 0, false
	var before rune
	for i, here := range run {
		if i > 0 && borders(before, here, run[i+utf8.RuneLen(here):]) {
			if !word(run[start:i]) {
				return false
			}
			start = i
		}
		before = here
		digits = digits || unicode.IsDigit(here)
	}
	if !word(run[start:]) {
		return false
	}
	if start > 0 || !digits {
		return true
	}
	for letters := range strings.FieldsFuncSeq(run, unicode.IsDigit) {
		if !word(letters) {
			return false
		}
	}
	return true
}

// borders reports whether a new word begins here.
func borders(before, here rune, rest string) bool {
	switch {
	case unblanked(before) || unblanked(here):
		return true
	case !unicode.IsUpper(here):
		return false
	case !unicode.IsUpper(before):
		return true
	}
	// The last capital of HTMLPage begins a word; that of URLs does not.
	after, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(after) && rest != "s"
}

func unblanked(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// stem takes the commonest English endings off: enough to bring forms of one word
// together, and nothing that needs a dictionary.
func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	if plural(w) {
		w = w[:len(w)-1]
		if base, ok := strings.CutSuffix(w, "ie"); ok && len(base) > 2 {
			w = base + "y"
		}
		for _, hiss := range []string{"sse", "xe", "che", "she"} {
			if strings.HasSuffix(w, hiss) {
				w = w[:len(w)-1]
			}
		}
	}
	for _, ending := range []string{"ation", "ing", "ed", "ion", "er", "ment"} {
		base, ok := strings.CutSuffix(w, ending)
		if !ok || len(base) < 4 && ending != "ing" && ending != "ed" || len(base) < 3 || !strings.ContainsAny(base, "aeiouy") {
			continue
		}
		if n := len(base); base[n-1] == base[n-2] && !strings.ContainsRune("lsz", rune(base[n-1])) {
			base = base[:n-1]
		}
		w = base
		break
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	if len(w) > 3 && strings.HasSuffix(w, "y") {
		w = w[:len(w)-1] + "i"
	}
	return w
}

// eachText calls f with the texts of a tool.
func (d Doc) eachText(f func(field int, text string)) {
	f(inName, d.Name)
	lead, rest := firstSentence(d.Description)
	f(inLead, lead)
	f(inRest, rest)
	eachParameter(d.Schema, func(name, text string) {
		f(inParamNames, name)
		f(inParamTexts, text)
	})
}

// plural reports whether a word looks like more than one.
func plural(w string) bool {
	return len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is")
}

// number begins the terms of words in the plural or singular.
func number(word string) string {
	if plural(word) {
		return "+"
	}
	return "-"
}

// firstSentence cuts a description in two.
func firstSentence(text string) (lead, rest string) {
	text = strings.TrimSpace(text)
	at := len(text)
	for _, end := range []string{". ", ".\n", "\n"} {
		if i := strings.Index(text, end); i >= 0 {
			at = min(at, i)
		}
	}
	return text[:at], text[at:]
}

// eachParameter calls f with each property's name and each description of a
// schema, at any depth.
func eachParameter(of schema.Source, f func(name, text string)) {
	var tree any
	if json.Unmarshal([]byte(of), &tree) != nil {
		return
	}
	var walk func(node any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, item := range node {
				walk(item)
			}
		case map[string]any:
			for key, inner := range node {
				switch text, isText := inner.(string); {
				case key == "description" && isText:
					f("", text)
				case key == "properties":
					properties, _ := inner.(map[string]any)
					for name, property := range properties {
						f(name, "")
						walk(property)
					}
				case key == "enum":
					values, _ := inner.([]any)
					for _, v := range values {
						text, _ := v.(string)
						f("", text)
					}
				case key == "const" || key == "default" || key == "examples":
				default:
					walk(inner)
				}
			}
		}
	}
	walk(tree)
}
