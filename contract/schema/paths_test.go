package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPaths(t *testing.T) {
	const files = `{"type":"object","properties":{
		"cwd":{"$ref":"#/$defs/p"},
		"files":{"items":{"properties":{"path":{"type":"string","format":"path"},"operation":{"type":"string"}}}},
		"scripts":{"items":{"properties":{"path":{"type":"string","format":"mentioned-path"}}}},
		"by/name":{"additionalProperties":{"format":"path"}},
		"tuple":{"prefixItems":[{"format":"path"},{"type":"string"}],"items":{"format":"mentioned-path"}},
		"either":{"anyOf":[{"type":"string","pattern":"^/","format":"path"},{"type":"string"}]},
		"both":{"allOf":[{"format":"mentioned-path"},{"format":"path"}]},
		"kind":{"type":"string"}},
		"if":{"properties":{"kind":{"const":"file"}},"required":["kind"]},
		"then":{"properties":{"target":{"format":"path"}}},
		"$defs":{"p":{"properties":{"path":{"type":"string","format":"path"},"in":{"$ref":"#/$defs/p"}}}}}`
	opened := func(pointer, text string) PathString { return PathString{pointer, text, false} }
	named := func(pointer, text string) PathString { return PathString{pointer, text, true} }
	for _, c := range []struct {
		value string
		want  []PathString
	}{
		{`{}`, nil},
		{`{"files":[{"path":"/a","operation":"/x"},{"path":7},{"path":"/b"}]}`, []PathString{opened("/files/0/path", "/a"), opened("/files/2/path", "/b")}},
		{`{"scripts":[{"path":"/s"}],"files":[{"path":"/a"}],"cwd":{"path":"/w"}}`, []PathString{
			opened("/cwd/path", "/w"), opened("/files/0/path", "/a"), named("/scripts/0/path", "/s"),
		}},
		{`{"cwd":{"path":"/1","in":{"path":"/2","in":{"path":"/3"}}}}`, []PathString{
			opened("/cwd/in/in/path", "/3"), opened("/cwd/in/path", "/2"), opened("/cwd/path", "/1"),
		}},
		{`{"by/name":{"~":"/a"}}`, []PathString{opened("/by~1name/~0", "/a")}},
		{`{"tuple":["/a","/b","/c"]}`, []PathString{opened("/tuple/0", "/a"), named("/tuple/2", "/c")}},
		{`{"either":"/a"}`, []PathString{opened("/either", "/a")}},
		{`{"either":"a"}`, nil},
		{`{"both":"/a"}`, []PathString{opened("/both", "/a")}},
		{`{"kind":"file","target":"/a"}`, []PathString{opened("/target", "/a")}},
		{`{"kind":"url","target":"/a"}`, nil},
		{`{"files":[{"path":"/0"},{"path":"/1"},{"path":"/2"},{"path":"/3"},{"path":"/4"},{"path":"/5"},{"path":"/6"},{"path":"/7"},{"path":"/8"},{"path":"/9"},{"path":"/10"}]}`, []PathString{
			opened("/files/0/path", "/0"), opened("/files/1/path", "/1"), opened("/files/2/path", "/2"), opened("/files/3/path", "/3"),
			opened("/files/4/path", "/4"), opened("/files/5/path", "/5"), opened("/files/6/path", "/6"), opened("/files/7/path", "/7"),
			opened("/files/8/path", "/8"), opened("/files/9/path", "/9"), opened("/files/10/path", "/10"),
		}},
	} {
		got := compile(t, files).Paths(parse(t, c.value))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Paths(%s) (-want +got):\n%s", c.value, diff)
		}
	}
	if got := compile(t, readSchema).Paths(parse(t, `{"path":"/a"}`)); got != nil {
		t.Errorf("Paths without a path format = %v, want none", got)
	}
	const seven = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
		"l":{"items":[{"format":"path"}],"additionalItems":{"format":"mentioned-path"}},"m":{"items":{"format":"path"}}}}`
	got := compile(t, seven).Paths(parse(t, `{"l":["/a","/b"],"m":["/c"]}`))
	if diff := cmp.Diff([]PathString{opened("/l/0", "/a"), named("/l/1", "/b"), opened("/m/0", "/c")}, got); diff != "" {
		t.Errorf("Paths in draft-07 (-want +got):\n%s", diff)
	}
}

func BenchmarkPaths(b *testing.B) {
	s := compile(b, `{"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{
		"path":{"type":"string","format":"path"},"operation":{"type":"string"}}}}}}`)
	v := parse(b, `{"files":[{"path":"/src/main.go","operation":"read"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Paths(v)) != 1 {
			b.Fatal("not found")
		}
	}
}
