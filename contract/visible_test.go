package contract

import "testing"

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a path/ä 漢字\n\tnext":     "a path/ä 漢字\n\tnext",
		"no\x1b[31m\x07\r":        `no\x1b[31m\a\r`,
		"\u202egpj.exe\u2028\x9b": `\u202egpj.exe\u2028\x9b`,
		"bad\xff \ufffd":          `bad\xff ` + "\ufffd",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
}
