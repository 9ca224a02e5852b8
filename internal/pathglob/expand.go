package pathglob

import (
	"fmt"
)

// maxAlternatives bounds what the braces of a pattern stand for.
const maxAlternatives = 128

// expand writes a pattern without braces, once for each choice that they leave.
// A brace in brackets or behind a backslash is none. A pattern whose braces are
// not closed comes back as it is.
func expand(pattern string) ([]string, error) {
	open, closed, commas := braces(pattern)
	if closed < 0 {
		return []string{pattern}, nil
	}
	var out []string
	from := open + 1
	for _, comma := range append(commas, closed) {
		more, err := expand(pattern[:open] + pattern[from:comma] + pattern[closed+1:])
		if err != nil {
			return nil, err
		}
		if out = append(out, more...); len(out) > maxAlternatives {
			return nil, fmt.Errorf("its braces stand for more than %d patterns; use fewer", maxAlternatives)
		}
		from = comma + 1
	}
	return out, nil
}

// braces finds the first pair of braces and the commas between them; closed is
// -1 when there is none.
func braces(pattern string) (open, closed int, commas []int) {
	open, depth := -1, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			if end := bracketEnd(pattern[i:]); end > 0 {
				i += end
			}
		case '{':
			if depth++; open < 0 {
				open = i
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 {
				return open, i, commas
			}
		}
	}
	return open, -1, nil
}

// bracketEnd is where a bracket expression ends, zero for an open one.
func bracketEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			if i > 1 {
				return i
			}
		case '/':
			return 0
		}
	}
	return 0
}
