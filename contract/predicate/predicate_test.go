package predicate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract/schema"
	"raw/contract/value"
)

// bashEffects is the shape that commands declare.
const bashEffects = `{"type":"object","properties":{
	"cwd":{"type":"object","properties":{"path":{"type":"string","format":"path"}}},
	"programs":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"command":{"type":"string"}}}},
	"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string","format":"mentioned-path"},"operation":{"enum":["read","write"]}}}},
	"unknown":{"type":"array","items":{"type":"string"}}}}`

func compile(t testing.TB, p Predicate) *Compiled {
	t.Helper()
	c, err := Compile(p)
	if err != nil {
		t.Fatalf("Compile(%+v): %v", p, err)
	}
	return c
}

func object(t testing.TB, text string) value.Object {
	t.Helper()
	o, err := value.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func schemaOf(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(schema.Source(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct {
		p    Predicate
		want string
	}{
		{Predicate{"", "a", "x"}, "source"},
		{Predicate{"result", "a", "x"}, `source "result"`},
		{Predicate{"effects", "", "x"}, "path of 0 characters"},
		{Predicate{"effects", strings.Repeat("a", 257), "x"}, "path of 257 characters"},
		{Predicate{"effects", strings.Repeat("a.", 16) + "a", "x"}, "17 parts"},
		{Predicate{"effects", "a..b", "x"}, `part ""`},
		{Predicate{"effects", "a.", "x"}, `part ""`},
		{Predicate{"effects", "1a", "x"}, `part "1a"`},
		{Predicate{"effects", "a-b", "x"}, `part "a-b"`},
		{Predicate{"effects", "a[0]", "x"}, `part "a[0]"`},
		{Predicate{"effects", "a[*][*]", "x"}, `part "a[*][*]"`},
		{Predicate{"effects", "[*]", "x"}, `part "[*]"`},
		{Predicate{"effects", "é", "x"}, `part "é"`},
		{Predicate{"effects", "a", ""}, "regex of 0 bytes"},
		{Predicate{"effects", "a", strings.Repeat("x", 1025)}, "regex of 1025 bytes"},
		{Predicate{"effects", "a", "(?=x)"}, "RE2"},
		{Predicate{"effects", "a", "x{2,1001}"}, "RE2"},
		{Predicate{"", "", ""}, "regex of 0 bytes"}, // all faults at once
	} {
		if _, err := Compile(c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Compile(%+v) = %v, want …%s…", c.p, err, c.want)
		}
	}
	for _, p := range []Predicate{
		{"arguments", strings.Repeat("a.", 15) + "a", "x"},
		{"effects", strings.Repeat("a", 256), strings.Repeat("x", 1024)},
		{"effects", "_A9[*].b[*]", `^\pL$`},
	} {
		compile(t, p)
	}
}

func TestBind(t *testing.T) {
	const input = `{"type":"object","properties":{
		"path":{"type":"string"},"n":{"type":"integer"},"maybe":{"type":["string","null"]},"word":{"enum":["a","b"]},"fixed":{"const":"x"},"number":{"const":1},
		"by_ref":{"$ref":"#/$defs/named"},
		"all":{"allOf":[{"properties":{"x":{"type":"integer"}}},{"properties":{"y":{"type":"string"}}}]},
		"any":{"anyOf":[{"type":"null"},{"properties":{"y":{"type":"string"}}}]},
		"one":{"oneOf":[{"$ref":"#/$defs/named"},{"items":{"type":"string"}}]},
		"list":{"items":{"type":"string"}},"tuple":{"prefixItems":[{"type":"integer"},{"type":"string"}]},
		"lists":{"items":{"properties":{"l":{"items":{"type":"string"}}}}},
		"map":{"additionalProperties":{"type":"string"}},"open":{"additionalProperties":true},"shut":{"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}},
		"tree":{"$ref":"#/$defs/tree"},"loop":{"$ref":"#/$defs/loop"},"untyped":{}},
		"$defs":{"named":{"properties":{"name":{"type":"string"}}},
			"tree":{"properties":{"name":{"type":"string"},"child":{"$ref":"#/$defs/tree"}}},
			"loop":{"anyOf":[{"$ref":"#/$defs/loop"},{"allOf":[{"$ref":"#/$defs/loop"}]}]}}}`
	sources := Sources{Arguments: schemaOf(t, input)}
	for _, c := range []struct {
		path string
		want string // "": binds
	}{
		{"path", ""},
		{"maybe", ""},
		{"word", ""},
		{"fixed", ""},
		{"by_ref.name", ""},
		{"all.y", ""},
		{"any.y", ""},
		{"one.name", ""},
		{"one[*]", ""},
		{"list[*]", ""},
		{"tuple[*]", ""},
		{"lists[*].l[*]", ""},
		{"map.whatever", ""},
		{"shut.other", ""},
		{"tree.child.child.child.name", ""},
		{"paht", `no field "paht"`},
		{"n", "leads to no string"},
		{"number", "leads to no string"},
		{"untyped", "leads to no string"},
		{"all.x", "leads to no string"},
		{"path.x", `no field "x"`},
		{"path[*]", "is no array"},
		{"list", "leads to no string"},
		{"list[*].x", `no field "x"`},
		{"lists[*].l", "leads to no string"},
		{"open.x", `no field "x"`},
		{"shut.a", "leads to no string"},
		{"loop", "leads to no string"},
		{"loop.x", `no field "x"`},
		{"tree.child", "leads to no string"},
	} {
		err := compile(t, Predicate{Arguments, c.path, "x"}).Bind(sources)
		if c.want == "" && err != nil {
			t.Errorf("Bind(%q) = %v, want none", c.path, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrUnbound)) {
			t.Errorf("Bind(%q) = %v, want ErrUnbound, …%s…", c.path, err, c.want)
		}
	}
	if err := compile(t, Predicate{Effects, "path", "x"}).Bind(sources); !errors.Is(err, ErrUnbound) {
		t.Errorf("Bind to effects that are no source = %v, want ErrUnbound", err)
	}
	seven := schemaOf(t, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
		"t":{"items":[{"type":"integer"}],"additionalItems":{"type":"string"}},"l":{"items":{"$ref":"#/definitions/s"}}},"definitions":{"s":{"type":"string"}}}`)
	for _, path := range []string{"t[*]", "l[*]"} {
		if err := compile(t, Predicate{Effects, path, "x"}).Bind(Sources{Effects: seven}); err != nil {
			t.Errorf("Bind(%q) in draft-07 = %v, want none", path, err)
		}
	}
}

// A reference chain longer than any real one is cut off instead of followed.
func TestBindDepth(t *testing.T) {
	chain := func(n int) *schema.Schema {
		var defs strings.Builder
		for i := range n {
			fmt.Fprintf(&defs, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
		}
		return schemaOf(t, fmt.Sprintf(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{%s"d%d":{"type":"string"}}}`, defs.String(), n))
	}
	c := compile(t, Predicate{Arguments, "a", "x"})
	if err := c.Bind(Sources{Arguments: chain(127)}); err != nil {
		t.Errorf("Bind through 128 references = %v, want none", err)
	}
	if err := c.Bind(Sources{Arguments: chain(128)}); err == nil {
		t.Error("Bind through 129 references: no error")
	}
}

func TestArguments(t *testing.T) {
	in := Input{Arguments: object(t, `{"path":"src/a.go","n":7,"list":["x","y"],"files":[{"path":"a"},{"path":"b"},{},{"path":3},"c"],"deep":[{"l":["p"]},{"l":["q","r"]}]}`)}
	for _, c := range []struct {
		path, regex string
		any, every  Finding
	}{
		{"path", `\.go$`, Finding{Yes, "path", "src/a.go"}, Finding{Yes, "path", "src/a.go"}},
		{"path", `^a`, Finding{}, Finding{}},
		{"none", `.*`, Finding{}, Finding{}},
		{"n", `.*`, Finding{}, Finding{}},
		{"path[*]", `.*`, Finding{}, Finding{}},
		{"list", `.*`, Finding{}, Finding{}},
		{"list[*]", `^y$`, Finding{Yes, "list[1]", "y"}, Finding{}},
		{"list[*]", `^[xy]$`, Finding{Yes, "list[0]", "x"}, Finding{Yes, "list[0]", "x"}},
		{"files[*].path", `^b$`, Finding{Yes, "files[1].path", "b"}, Finding{}},
		{"deep[*].l[*]", `^r$`, Finding{Yes, "deep[1].l[1]", "r"}, Finding{}},
	} {
		p := compile(t, Predicate{Arguments, c.path, c.regex})
		if diff := cmp.Diff(c.any, p.Any(in)); diff != "" {
			t.Errorf("Any of %s ~ %s (-want +got):\n%s", c.path, c.regex, diff)
		}
		if diff := cmp.Diff(c.every, p.Every(in)); diff != "" {
			t.Errorf("Every of %s ~ %s (-want +got):\n%s", c.path, c.regex, diff)
		}
	}
}

// B64, B66: a rule holds for the file, whichever name of it was written, and an
// allow rule only for the file.
func TestSpellings(t *testing.T) {
	lexical := object(t, `{"files":[{"path":"/w/link"},{"path":"/w/a"}]}`)
	resolved := object(t, `{"files":[{"path":"/out/secret"},{"path":"/w/a"}]}`)
	in := Input{Effects: []value.Object{lexical, resolved}}
	for _, c := range []struct {
		regex      string
		any, every Finding
	}{
		{`/link$`, Finding{Yes, "files[0].path", "/w/link"}, Finding{}},
		{`/secret$`, Finding{Yes, "files[0].path", "/out/secret"}, Finding{}},
		{`^/w/`, Finding{Yes, "files[0].path", "/w/link"}, Finding{}},
		{`^/(w|out)/`, Finding{Yes, "files[0].path", "/w/link"}, Finding{Yes, "files[0].path", "/out/secret"}},
		{`^/etc`, Finding{}, Finding{}},
	} {
		p := compile(t, Predicate{Effects, "files[*].path", c.regex})
		if diff := cmp.Diff(c.any, p.Any(in)); diff != "" {
			t.Errorf("Any of %s (-want +got):\n%s", c.regex, diff)
		}
		if diff := cmp.Diff(c.every, p.Every(in)); diff != "" {
			t.Errorf("Every of %s (-want +got):\n%s", c.regex, diff)
		}
	}
}

func TestUnknown(t *testing.T) {
	const (
		list = `"programs":[{"name":"ls","command":"ls *.go"},{"name":"git","command":"git $X -fd"}]`
		ls   = `{` + list + `,"unknown":["programs[0].command:3"]}`
		both = `{` + list + `,"unknown":["programs[0].command:3","programs[1].command:4"]}`
	)
	for _, c := range []struct {
		name, effects, path, regex string
		any, every                 Finding
	}{
		{"another path", `{` + list + `,"unknown":["files[*].path"]}`, "programs[*].name", `^rm$`, Finding{}, Finding{}},
		{"whole path", `{` + list + `,"unknown":["programs[*].name"]}`, "programs[*].name", `^rm$`, Finding{Unknown, "programs[*].name", "ls"}, Finding{}},
		{"whole path, but it matches", `{` + list + `,"unknown":["programs[*].name"]}`, "programs[*].name", `^git$`, Finding{Yes, "programs[1].name", "git"}, Finding{}},
		{"whole path, all match", `{` + list + `,"unknown":["programs[*].name"]}`, "programs[*].name", `.`, Finding{Yes, "programs[0].name", "ls"}, Finding{Unknown, "programs[*].name", "ls"}},
		{"no value at all", `{"unknown":["files[*].path"]}`, "files[*].path", `x`, Finding{Unknown, "files[*].path", ""}, Finding{Unknown, "files[*].path", ""}},
		{"a part above", `{` + list + `,"unknown":["programs"]}`, "programs[*].name", `^rm$`, Finding{Unknown, "programs", "ls"}, Finding{}},
		{"start excludes", ls, "programs[*].command", `^git clean`, Finding{}, Finding{}},
		{"start excludes whole words", ls, "programs[*].command", `^ls\.`, Finding{}, Finding{}},
		{"literal within the start", ls, "programs[*].command", `^ls -`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"start within the literal", both, "programs[*].command", `^git clean`, Finding{Unknown, "programs[1].command:4", "git $X -fd"}, Finding{}},
		{"literal is the start", ls, "programs[*].command", `^ls$`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"not anchored", ls, "programs[*].command", `clean`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"anchored in lines", ls, "programs[*].command", `(?m)^git`, Finding{Yes, "programs[1].command", "git $X -fd"}, Finding{}},
		{"anchored in lines, no match", ls, "programs[*].command", `(?m)^rm`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"alternatives that exclude", ls, "programs[*].command", `^(rm|dd) `, Finding{}, Finding{}},
		{"one alternative may", ls, "programs[*].command", `^(rm|l.*q)`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"alternatives, one not anchored", ls, "programs[*].command", `^rm|dd`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"case does not count, excludes", ls, "programs[*].command", `(?i)^LT`, Finding{}, Finding{}},
		{"optional start excludes", ls, "programs[*].command", `^(sudo )?lx -x`, Finding{}, Finding{}},
		{"signs outside ASCII fold", `{"programs":[{"command":"\u212aill $X"}],"unknown":["programs[0].command:7"]}`, "programs[*].command", `(?i)^KILL q`, Finding{Unknown, "programs[0].command:7", "\u212aill $X"}, Finding{}},
		{"case does not count", ls, "programs[*].command", `(?i)^LS -Z`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"case does not count, may", ls, "programs[*].command", `(?i)^L[sz] \*Q`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"case does not count, does not exclude", both, "programs[*].command", `(?i)^GIT CLEAN`, Finding{Unknown, "programs[1].command:4", "git $X -fd"}, Finding{}},
		{"optional start", ls, "programs[*].command", `^(sudo )?ls -x`, Finding{Unknown, "programs[0].command:3", "ls *.go"}, Finding{}},
		{"optional start may", both, "programs[*].command", `^(sudo )?git p`, Finding{Unknown, "programs[1].command:4", "git $X -fd"}, Finding{}},
		{"nothing fixed", `{` + list + `,"unknown":["programs[0].command"]}`, "programs[*].command", `^rm`, Finding{Unknown, "programs[0].command", "ls *.go"}, Finding{}},
		{"uncertain and matching", ls, "programs[*].command", `^(ls|git) `, Finding{Yes, "programs[0].command", "ls *.go"}, Finding{Unknown, "programs[0].command:3", "ls *.go"}},
		{"index without a value", `{` + list + `,"unknown":["programs[9].command:3"]}`, "programs[*].command", `^rm`, Finding{Unknown, "programs[9].command:3", "ls *.go"}, Finding{}},
		{"count that is none", `{` + list + `,"unknown":["programs[0].command:x"]}`, "programs[*].command", `^rm`, Finding{Unknown, "programs[0].command:x", "ls *.go"}, Finding{}},
		{"not a path", `{` + list + `,"unknown":["?"]}`, "programs[*].command", `^rm`, Finding{Unknown, "?", "ls *.go"}, Finding{}},
		{"count beyond the text", `{` + list + `,"unknown":["programs[0].command:99"]}`, "programs[*].command", `^rm`, Finding{}, Finding{}},
		{"without an array", `{"cwd":{"path":"/w/$X"},"unknown":["cwd.path:3"]}`, "cwd.path", `^/etc`, Finding{}, Finding{}},
		{"a part above, with a count", `{"cwd":{"path":"/w/$X"},"unknown":["cwd:3"]}`, "cwd.path", `^/etc`, Finding{Unknown, "cwd:3", "/w/$X"}, Finding{}},
		{"all values, with a count", `{` + list + `,"unknown":["programs[*].command:3"]}`, "programs[*].command", `^rm`, Finding{Unknown, "programs[*].command:3", "ls *.go"}, Finding{}},
		{"without an array, may", `{"cwd":{"path":"/w/$X"},"unknown":["cwd.path:3"]}`, "cwd.path", `^/w/q`, Finding{Unknown, "cwd.path:3", "/w/$X"}, Finding{}},
	} {
		p := compile(t, Predicate{Effects, c.path, c.regex})
		in := Input{Effects: []value.Object{object(t, c.effects)}}
		if err := p.Bind(Sources{Effects: schemaOf(t, bashEffects)}); err != nil {
			t.Errorf("%s: Bind: %v", c.name, err)
		}
		if diff := cmp.Diff(c.any, p.Any(in)); diff != "" {
			t.Errorf("%s: Any of %s in %s (-want +got):\n%s", c.name, c.regex, c.effects, diff)
		}
		if diff := cmp.Diff(c.every, p.Every(in)); diff != "" {
			t.Errorf("%s: Every of %s in %s (-want +got):\n%s", c.name, c.regex, c.effects, diff)
		}
	}
	p := compile(t, Predicate{Effects, "files[*].path", "x"})
	if got := p.Any(Input{}); got.Outcome != Unknown {
		t.Errorf("Any without effects = %+v, want Unknown", got)
	}
	if got := p.Every(Input{}); got.Outcome == Yes {
		t.Errorf("Every without effects = %+v, want not Yes", got)
	}
}
