package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`null`, `null`},
		{" \t\r\n true ", `true`},
		{`{"b":1,"a":[1,2.50,-0,1E+2,{}]}`, `{"a":[1,2.50,-0,1E+2,{}],"b":1}`},
		{`9007199254740993`, `9007199254740993`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`},
		{`"a\/\"\\\b\f\n\r\tA\u00e9\ud83d\ude00"`, `"a/\"\\\b\f\n\r\tAé😀"`},
		{`"<&>` + "\u2028\x7f" + `\u0001"`, `"<&>` + "\u2028\x7f" + `\u0001"`},
		{`{"é":1,"z":2,"😀":3,"Z":4}`, `{"Z":4,"z":2,"é":1,"😀":3}`},
		{`{"":{"":""}}`, `{"":{"":""}}`},
		{`[]`, `[]`},
		{strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)},
	} {
		v, err := Parse([]byte(c.text))
		if err != nil || v.JSON() != c.want {
			t.Errorf("Parse(%.80q) = %.80q, %v, want %.80q", c.text, v.JSON(), err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		offset     int
		what       string
	}{
		{"empty", ``, 0, "end of text"},
		{"trailing value", `{} {}`, 3, "after the value"},
		{"byte order mark", "\ufeff{}", 0, "want a value"},
		{"invalid UTF-8", "{\"a\":\"x\xff\"}", 7, "invalid UTF-8"},
		{"half a surrogate pair", `["ab\ud800x"]`, 4, "bad escape"},
		{"low surrogate first", `"\udc00\ud800"`, 1, "bad escape"},
		{"pair of two high ones", `"\ud800\ud800"`, 1, "bad escape"},
		{"unknown escape", `"\x41"`, 1, "bad escape"},
		{"short escape", `"\u12"`, 1, "bad escape"},
		{"duplicate key", `{"a":1,"b":2,"a":3}`, 13, `duplicate key "a"`},
		{"duplicate key spelled otherwise", `{"a":1,"\u0061":3}`, 7, `duplicate key "a"`},
		{"duplicate key below", `[{"x":{"a":1,"a":null}}]`, 13, `duplicate key "a"`},
		{"too deep", strings.Repeat("[", maxDepth+1), maxDepth, "nested deeper than 512"},
		{"too deep in objects", strings.Repeat(`{"a":`, maxDepth+1), 5 * maxDepth, "nested deeper than 512"},
		{"control character", "\"a\nb\"", 2, "control character"},
		{"open string", `"abc`, 4, "without an end"},
		{"open string after a backslash", `"abc\`, 5, "without an end"},
		{"leading zero", `01`, 1, "after the value"},
		{"bare point", `1.`, 2, "want a digit"},
		{"bare minus", `-`, 1, "want a digit"},
		{"bare exponent", `1e+`, 3, "want a digit"},
		{"exponent out of bounds", `[1e1001]`, 1, "exponent beyond"},
		{"exponent that overflows", `1e99999999999999999999`, 0, "exponent beyond"},
		{"long number", strings.Repeat("1", maxNumber+1), 0, "characters"},
		{"comma at the end", `[1,]`, 3, "want a value"},
		{"key without quotes", `{a:1}`, 1, "want a field name"},
		{"comma at the end of an object", `{"a":1,}`, 7, "want a field name"},
		{"word", `nul`, 0, "want a value"},
		{"no colon", `{"a" 1}`, 5, "want a colon"},
		{"no comma", `{"a":1 "b":2}`, 7, "want a comma"},
		{"open array", `[1`, 2, "want a comma or ]"},
	} {
		v, err := Parse([]byte(c.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: Parse(%.80q) = %.80q, %v, want a *SyntaxError", c.name, c.text, v.JSON(), err)
			continue
		}
		if syntax.Offset != c.offset || !strings.Contains(syntax.What, c.what) {
			t.Errorf("%s: Parse(%.80q): byte %d: %s, want byte %d: …%s…", c.name, c.text, syntax.Offset, syntax.What, c.offset, c.what)
		}
	}
}

func TestValue(t *testing.T) {
	o, err := ParseObject([]byte(`{"path":"a.go","n":null,"list":[true,7],"sub":{"b":1,"a":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		v    Value
		kind Kind
		json string
		len  int
	}{
		{"path", o.Field("path"), String, `"a.go"`, 0},
		{"n", o.Field("n"), Null, `null`, 0},
		{"none", o.Field("none"), Absent, ``, 0},
		{"list", o.Field("list"), Array, `[true,7]`, 2},
		{"list[0]", o.Field("list").At(0), Bool, `true`, 0},
		{"list[1]", o.Field("list").At(1), Number, `7`, 0},
		{"list[2]", o.Field("list").At(2), Absent, ``, 0},
		{"list[-1]", o.Field("list").At(-1), Absent, ``, 0},
		{"a field of a string", o.Field("path").Field("x"), Absent, ``, 0},
		{"an item of an object", o.At(0), Absent, ``, 0},
		{"sub", o.Field("sub"), ObjectKind, `{"a":2,"b":1}`, 2},
		{"the zero object", Object{}.Value, Absent, ``, 0},
	} {
		if c.v.Kind() != c.kind || c.v.JSON() != c.json || c.v.Len() != c.len {
			t.Errorf("%s = %v %q of length %d, want %v %q of length %d", c.what, c.v.Kind(), c.v.JSON(), c.v.Len(), c.kind, c.json, c.len)
		}
	}
	if s, ok := o.Field("path").Str(); s != "a.go" || !ok {
		t.Errorf("Str() = %q, %v, want a.go", s, ok)
	}
	if s, ok := o.Field("n").Str(); s != "" || ok {
		t.Errorf("Str() of null = %q, %v, want none", s, ok)
	}
	var names []string
	for name := range o.Fields() {
		names = append(names, name)
		if name == "n" {
			break
		}
	}
	if diff := cmp.Diff([]string{"list", "n"}, names); diff != "" {
		t.Errorf("Fields() until n (-want +got):\n%s", diff)
	}
}

// What went in cannot be reached any more: that is the promise of the package.
func TestFrozen(t *testing.T) {
	text := []byte(`{"path":"a.go"}`)
	o, err := ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	copy(text, `{"path":"b.go"}`)
	if o.JSON() != `{"path":"a.go"}` || o.Source() != `{"path":"a.go"}` {
		t.Errorf("after the text changed: %s, source %s", o.JSON(), o.Source())
	}
	files := []string{"a"}
	x := map[string]any{"files": files, "html": "<&>", "n": json.Number("9007199254740993")}
	if o, err = Of(x); err != nil {
		t.Fatal(err)
	}
	files[0], x["n"] = "b", 1
	const want = `{"files":["a"],"html":"<&>","n":9007199254740993}`
	if o.JSON() != want || o.Source() != want {
		t.Errorf("after the original changed: %s, source %s, want %s", o.JSON(), o.Source(), want)
	}
}

func TestOfRefuses(t *testing.T) {
	for _, x := range []any{[]int{1}, "text", nil, make(chan int), map[string]any{"f": func() {}}} {
		if o, err := Of(x); err == nil {
			t.Errorf("Of(%T) = %s, want an error", x, o.JSON())
		}
	}
}

func TestDecode(t *testing.T) {
	const text = ` {"n": 9007199254740993, "any": 12345678901234567890, "list": [{"s": "\ud83d\ude00"}]} `
	o, err := ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	type item struct {
		S string `json:"s"`
	}
	type input struct {
		N    int64  `json:"n"`
		Any  any    `json:"any"`
		List []item `json:"list"`
	}
	var got input
	if err := o.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := input{9007199254740993, json.Number("12345678901234567890"), []item{{"😀"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Decode (-want +got):\n%s", diff)
	}
	if o.Source() != text {
		t.Errorf("Source() = %q, want %q", o.Source(), text)
	}
	if err := o.Decode(&struct{ N string }{}); err == nil {
		t.Error("Decode of a number into a string: no error")
	}
	wire, err := json.Marshal(map[string]any{"args": o})
	if want := `{"args":{"any":12345678901234567890,"list":[{"s":"😀"}],"n":9007199254740993}}`; err != nil || string(wire) != want {
		t.Errorf("Marshal = %s, %v, want %s", wire, err, want)
	}
}

// What a schema takes for an integer fits a Go integer, however it is written;
// what does not is told without the words of encoding/json.
func TestDecodeIntegers(t *testing.T) {
	for _, c := range []struct {
		number string
		want   int64
		err    string // part of it, "" for none
	}{
		{number: "2", want: 2},
		{number: "2.0", want: 2},
		{number: "2e0", want: 2},
		{number: "2E+3", want: 2000},
		{number: "-12.50e1", want: -125},
		{number: "200e-2", want: 2},
		{number: "0.000e-7", want: 0},
		{number: "-0.0", want: 0},
		{number: "0e1000", want: 0},
		{number: "9007199254740993.0", want: 9007199254740993},
		{number: "9223372036854775807.00", want: 9223372036854775807},
		{number: "-9223372036854775808e0", want: -9223372036854775808},
		{number: "9223372036854775808", err: "decode in.n: found number 9223372036854775808, want a whole number of at most 64 bits"},
		{number: "1e1000", err: "decode in.n: found number 1e1000, want a whole number"},
		{number: "1.5", err: "decode in.n: found number 1.5, want a whole number"},
		{number: "15e-1", err: "found number 15e-1, want a whole number"},
		{number: `"2"`, err: "decode in.n: found string, want a whole number"},
		{number: strings.Repeat("9", 900), err: "999…, want a whole number"},
	} {
		text := `{"in": {"n": ` + c.number + `}, "list": [7.0, 8], "any": 123456789012345678901.0}`
		o, err := ParseObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			In struct {
				N int64 `json:"n"`
			} `json:"in"`
			List []uint8 `json:"list"`
			Any  any     `json:"any"`
		}
		err = o.Decode(&got)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "Go ") || len(err.Error()) > 200 {
				t.Errorf("Decode of %.80s: %v, want …%s…", c.number, err, c.err)
			}
			continue
		}
		if err != nil || got.In.N != c.want || string(got.List) != "\x07\x08" || got.Any != json.Number("123456789012345678901.0") {
			t.Errorf("Decode of %s = %+v, %v, want %d", c.number, got, err, c.want)
		}
		if o.Source() != text {
			t.Errorf("Source() = %s after Decode, want it as received: %s", o.Source(), text)
		}
	}
}

// FuzzParse holds Parse against encoding/json: what it accepts is the same
// tree with the same numbers, the canonical text is stable, and what it refuses
// beyond encoding/json is on the list of the package.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e3,"\u00e9\ud83d\ude00"],"b":{"c":null}}`, `[true,false,9007199254740993]`, `"\\\/\t"`,
		`{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `1e1001`, ` [ ] `, `{"":0}`, `-`, `nul`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var want any
		theirs := dec.Decode(&want)
		if _, more := dec.Token(); theirs == nil && !errors.Is(more, io.EOF) {
			theirs = errors.New("trailing data")
		}
		if err != nil {
			ours := []string{"invalid UTF-8", "duplicate key", "bad escape", "nested deeper", "exponent beyond"}
			if theirs == nil && !containsAny(err.Error(), ours) {
				t.Errorf("Parse(%q): %v; encoding/json accepts it", text, err)
			}
			return
		}
		if theirs != nil {
			t.Fatalf("Parse(%q) = %s; encoding/json says %v", text, v.JSON(), theirs)
		}
		if diff := cmp.Diff(want, v.Tree()); diff != "" {
			t.Errorf("Parse(%q) differs (-encoding/json +ours):\n%s", text, diff)
		}
		again, err := Parse([]byte(v.JSON()))
		if err != nil || !again.Equal(v) || again.JSON() != v.JSON() {
			t.Errorf("Parse(%q): canonical %q reads back as %q, %v", text, v.JSON(), again.JSON(), err)
		}
	})
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func BenchmarkParseObject(b *testing.B) {
	big := strings.Repeat("x", 10<<20)
	for name, text := range map[string]string{
		"read":     `{"path":"internal/app/main.go","offset":200,"limit":100}`,
		"10MB":     `{"path":"a","content":"` + big + `"}`,
		"10MB-esc": `{"path":"a","content":"` + strings.Repeat(`line of text\n`, 10<<20/14) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(text)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseObject(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
