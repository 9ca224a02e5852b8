package termtext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	tests := []struct {
		in, want string
		bad      int
	}{
		{"", "", 0},
		{"plain \t text, € 日本 \n\n  \n", "plain \t text, € 日本 \n\n  \n", 0},
		{"\x1b[2J\x1b]0;T\aok\rHIDDEN\n", "HIDDEN\n", 0},
		{"HIDDEN\rok\n", "okDDEN\n", 0},
		{"one\r\ntwo\r\n", "one\ntwo\n", 0},
		{"10%\r20%\r100%", "100%", 0},
		{"downloading\r\x1b[Kdone\n", "done\n", 0},
		{"downloading\x1b[2K\rdone\n", "done\n", 0},
		{"downloading\x1b[2Kdone\n", "done\n", 0},
		{"abcdef\x1b[3D\x1b[1K|\n", "abc|ef\n", 0},
		{"abcdef\x1b[2Gx\x1b[2Cy\n", "axcdyf\n", 0},
		{"ab\x1b[999999999999Cx\n", "abx\n", 0},
		{"ab\x1b[999999999999Dx\n", "xb\n", 0},
		{"ab\x1b[999999999999Gx\n", "abx\n", 0},
		{"ab\x1b[?25l\x1b[1;31mred\x1b[0m\x1b[?25h\n", "abred\n", 0},
		{"N\bNA\bAM\bM_\bx\n", "NAMx\n", 0},
		{"\b\bx\n", "x\n", 0},
		{"a\x00b\x01\vc\fd\x7f\x1ae\n", "abcde\n", 0},
		{"link \x1b]8;;http://x/\x1b\\here\x1b]8;;\x1b\\!\n", "link here!\n", 0},
		{"\x1bPq#0;2;0\x1b\\after\n", "after\n", 0},
		{"a\x1b]0;never ended\nb\n", "a\nb\n", 0},
		{"\x1b(Bascii\x1b=\x1b>\x1b7\x1b8\x1bM\n", "ascii\n", 0},
		{"\u009b31mred\u009b0m \u009d0;t\u009cx\u0085y\n", "red xy\n", 0},
		{"a\x1b[31\nb\n", "a\nb\n", 0},
		{"a\x1b[31é\n", "aé\n", 0},
		{"a\x1b", "a", 0},
		{"a\x1b[", "a", 0},
		{"a\x1b[12", "a", 0},
		{"a\x1b]", "a", 0},
		{"a\x1b(", "a", 0},
		{"\xff\xfe", "\uFFFD", 2},
		{"a\xffb\xe2\x82c", "a\uFFFDb\uFFFDc", 3},
		{"\uFFFD\xff", "\uFFFD\uFFFD", 1},
		{"\xf0\x9f\x98\x80", "😀", 0},
		{"日本\r本\n", "本本\n", 0},
		{"\x9b31m", "\uFFFD31m", 1}, // as a byte it is not UTF-8 and no CSI
	}
	for _, test := range tests {
		got, bad := Plain([]byte(test.in))
		if got != test.want || bad != test.bad {
			t.Errorf("Plain(%q) = %q, %d, want %q, %d", test.in, got, bad, test.want, test.bad)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		"plain\n", "\x1b[2J\x1b]0;T\aok\rHIDDEN\n", "a\bb\x1b[K", "\u009b1K\x9b\xff", "\x1bP\x1b\\", "\x1b[5;3\x18x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, bad := Plain(in)
		if !utf8.ValidString(out) {
			t.Errorf("Plain(%q) = %q, not UTF-8", in, out)
		}
		if i := strings.IndexFunc(out, func(c rune) bool { return c != '\t' && c != '\n' && isControl(c) }); i >= 0 {
			t.Errorf("Plain(%q) = %q, control character at %d", in, out, i)
		}
		if again, n := Plain([]byte(out)); again != out || n != 0 {
			t.Errorf("Plain(%q) = %q, %d, want it unchanged", out, again, n)
		}
		if got, want := strings.Count(out, "\n"), strings.Count(string(in), "\n"); got != want {
			t.Errorf("Plain(%q) has %d line ends, want %d", in, got, want)
		}
		if (bad > 0) != !utf8.Valid(in) && !strings.ContainsAny(string(in), "\x1b\u0090\u0098\u009d\u009e\u009f") {
			t.Errorf("Plain(%q) counts %d bad bytes, valid is %v", in, bad, utf8.Valid(in))
		}
		if limit := 3 * len(in); len(out) > limit {
			t.Errorf("Plain(%q) has %d bytes, want at most %d", in, len(out), limit)
		}
	})
}

func BenchmarkPlain(b *testing.B) {
	in := []byte(strings.Repeat("\x1b[32mok\x1b[0m  some/package/path 0.123s\n", 20000))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		Plain(in)
	}
}
