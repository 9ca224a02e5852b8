package schema

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"raw/contract/value"
)

const readSchema = `{
	"type": "object", "additionalProperties": false, "required": ["path"],
	"properties": {
		"path": {"type": "string", "minLength": 1},
		"offset": {"type": "integer", "minimum": 1},
		"limit": {"type": "integer", "minimum": 1, "maximum": 2000}
	}
}`

func compile(t testing.TB, src string) *Schema {
	t.Helper()
	s, err := Compile(Source(src))
	if err != nil {
		t.Fatalf("Compile(%s): %v", src, err)
	}
	return s
}

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func lines(faults []Fault) []string {
	var all []string
	for _, f := range faults {
		all = append(all, f.String())
	}
	return all
}

func TestValidate(t *testing.T) {
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	const forms = `{"type":"object","properties":{"do":{"oneOf":[
		{"type":"object","required":["kind","path"],"properties":{"kind":{"const":"write"},"path":{"type":"string"},"mode":{"enum":["a","b"]}}},
		{"type":"object","required":["kind"],"properties":{"kind":{"const":"list"},"depth":{"type":"integer"}}}]}}}`
	for _, c := range []struct {
		name, schema, value string
		want                []string
	}{
		{"accepted", readSchema, `{"path":"a","offset":1,"limit":2000}`, nil},
		{"a whole number with a fraction", readSchema, `{"path":"a","offset":2.0}`, nil},
		{"missing", readSchema, `{}`, []string{"/path: missing"}},
		{"null is a value", readSchema, `{"path":null}`, []string{"/path: found null, want a string"}},
		{"minimum", readSchema, `{"path":"a","limit":0}`, []string{"/limit: 0 is less than the minimum 1"}},
		{"maximum, exactly", readSchema, `{"path":"a","limit":9007199254740993}`, []string{"/limit: 9007199254740993 is more than the maximum 2000"}},
		{"type", readSchema, `{"path":"a","limit":"7"}`, []string{`/limit: found the string "7", want an integer`}},
		{"a fraction", readSchema, `{"path":"a","limit":1.5}`, []string{`/limit: found the number 1.5, want an integer`}},
		{"array", readSchema, `{"path":["a","b"]}`, []string{`/path: found an array of 2 items, want a string`}},
		{"empty", readSchema, `{"path":""}`, []string{`/path: "" has 0 characters, fewer than the minimum 1`}},
		{"unknown field", readSchema, `{"paht":"a"}`, []string{
			"/paht: unknown field; accepted: limit, offset, path; nearest: path", "/path: missing",
		}},
		{"unknown fields, one fault each", readSchema, `{"path":"a","zzzzzzzz":1,"Limit":2}`, []string{
			"/Limit: unknown field; accepted: limit, offset, path; nearest: limit",
			"/zzzzzzzz: unknown field; accepted: limit, offset, path",
		}},
		{"all faults, sorted", readSchema, `{"offset":0,"limit":-1,"path":7}`, []string{
			"/limit: -1 is less than the minimum 1", "/offset: 0 is less than the minimum 1", "/path: found the number 7, want a string",
		}},
		{"not an object", readSchema, `[]`, []string{"/: found an array of 0 items, want an object"}},
		{"escaped pointer", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"a/b~c":1}`, []string{"/a~1b~0c: found the number 1, want a string"}},
		{"nothing accepted", `{"type":"object","additionalProperties":false}`, `{"a":1}`, []string{"/a: unknown field; no field is accepted here"}},
		{"unevaluated", `{"type":"object","allOf":[{"properties":{"path":{}}}],"unevaluatedProperties":false}`, `{"paths":1}`, []string{
			"/paths: unknown field; accepted: path; nearest: path",
		}},
		{"unknown field below a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"additionalProperties":false,"properties":{"name":{}}}}}`, `{"a":{"nmae":1}}`, []string{
			"/a/nmae: unknown field; accepted: name; nearest: name",
		}},
		{"enum", object(`"status":{"enum":["pending","done",null,3]}`), `{"status":"doen"}`, []string{`/status: "doen" is not one of "pending", "done", null, 3`}},
		{"const", object(`"v":{"const":2}`), `{"v":1}`, []string{`/v: 1 is not 2`}},
		{"pattern", object(`"v":{"pattern":"^a$"}`), `{"v":"b"}`, []string{`/v: "b" does not match the pattern ^a$`}},
		{"long text is not repeated", object(`"v":{"maxLength":3}`), `{"v":"` + strings.Repeat("é", 50) + `"}`, []string{`/v: has 50 characters, more than the maximum 3`}},
		{"long text is clipped", object(`"v":{"type":"integer"}`), `{"v":"` + strings.Repeat("é", 50) + `"}`, []string{
			`/v: found the string "` + strings.Repeat("é", 32) + `…", want an integer`,
		}},
		{"items", object(`"v":{"minItems":1,"maxItems":2,"uniqueItems":true}`), `{"v":[]}`, []string{"/v: has 0 items, fewer than the minimum 1"}},
		{"same items", object(`"v":{"maxItems":2,"uniqueItems":true}`), `{"v":[1,2,1]}`, []string{"/v: has 3 items, more than the maximum 2", "/v: items 0 and 2 are equal, want each only once"}},
		{"fields", object(`"v":{"minProperties":2}`), `{"v":{"a":1}}`, []string{"/v: has 1 field, fewer than the minimum 2"}},
		{"contains", object(`"v":{"contains":{"const":1}}`), `{"v":[2]}`, []string{"/v: has no item of the wanted form"}},
		{"exclusive", object(`"v":{"exclusiveMinimum":0}`), `{"v":0}`, []string{"/v: 0 is not more than 0"}},
		{"multiple", object(`"v":{"multipleOf":0.5}`), `{"v":0.75}`, []string{"/v: 0.75 is not a multiple of 0.5"}},
		{"not", object(`"v":{"not":{"type":"string"}}`), `{"v":"x"}`, []string{`/v: "x" is of a form that is not accepted`}},
		{"dependent", `{"type":"object","dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{"/b: missing; needed because a is given"}},
		{"field names", `{"type":"object","propertyNames":{"pattern":"^[a-z]+$"}}`, `{"A":1}`, []string{`/A: this field name is not accepted: "A" does not match the pattern ^[a-z]+$`}},
		{"field names below", `{"type":"object","properties":{"a":{"propertyNames":{"maxLength":1}}}}`, `{"a":{"bb":1}}`, []string{`/a/bb: this field name is not accepted: has 2 characters, more than the maximum 1`}},
		{"the form that was meant", forms, `{"do":{"kind":"write","mode":"c"}}`, []string{
			`/do/mode: "c" is not one of "a", "b"`, "/do/path: missing",
		}},
		{"the form that was meant, simple", forms, `{"do":{"kind":"list","depth":"x"}}`, []string{`/do/depth: found the string "x", want an integer`}},
		{"no form", forms, `{"do":{"kind":"lisst"}}`, []string{
			`/do: fits none of the accepted forms: /kind "lisst" is not "write"; or /path missing; or /kind "lisst" is not "list"`,
		}},
		{"neither type", object(`"v":{"anyOf":[{"type":"string"},{"type":"array"}]}`), `{"v":1}`, []string{
			"/v: fits none of the accepted forms: found the number 1, want a string; or found the number 1, want an array",
		}},
		{"two forms", object(`"v":{"oneOf":[{"type":"integer"},{"minimum":3}]}`), `{"v":4}`, []string{"/v: 4 fits forms 1 and 2 at once, want exactly one"}},
		{"items of an array", object(`"v":{"items":{"required":["a"]}}`), `{"v":[{"a":1},{},{}]}`, []string{"/v/1/a: missing", "/v/2/a: missing"}},
		{"cycle", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{"nxet":1}}}`, []string{
			"/next/next/nxet: unknown field; accepted: next; nearest: next",
		}},
		{"cycle without end", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"a":1}`, []string{
			"/a: the schema refers to itself without end",
		}},
		{
			"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"p":{"type":"string"}},
			"properties":{"p":{"$ref":"#/definitions/p"},"t":{"items":[{"type":"string"}],"additionalItems":false}},"dependencies":{"p":["t"]}}`,
			`{"p":1,"t":["a",2]}`,
			[]string{"/p: found the number 1, want a string", "/t: has 1 item more than accepted"},
		},
	} {
		got := lines(compile(t, c.schema).Validate(parse(t, c.value)))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: Validate(%s) (-want +got):\n%s", c.name, c.value, diff)
		}
	}
	if got := lines(compile(t, readSchema).Validate(value.Value{})); len(got) != 1 {
		t.Errorf("Validate of an absent value = %q, want one fault", got)
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"not JSON", `{"type":"object",}`, "byte 17"},
		{"not an object", `true`, "found boolean, want an object"},
		{"no type", `{}`, `found nothing, want "object" at the root`},
		{"several types", `{"type":["object","null"]}`, `found an array of 2 items, want "object" at the root`},
		{"an older draft", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, "want draft-07 or 2020-12"},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object"}`, "want draft-07 or 2020-12"},
		{"faults with pointers", `{"type":"object","properties":{"a":{"type":"strong"},"b":{"minLength":-1}}}`, "/properties/a/type: "},
		{"all faults", `{"type":"object","properties":{"a":{"type":"strong"},"b":{"minLength":-1}}}`, "/properties/b/minLength: -1 is less than the minimum 0"},
		{"pattern", `{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`, "(?=x)"},
		{"dangling", `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`, "#/$defs/none"},
		{"another file", `{"type":"object","properties":{"a":{"$ref":"other.json"}}}`, `$ref to "other.json" leaves the document`},
		{"a metaschema", `{"type":"object","properties":{"a":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, "leaves the document"},
	} {
		s, err := Compile(Source(c.schema))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Compile(%s) = %v, %v, want …%s…", c.name, c.schema, s, err, c.want)
		}
	}
}

// No reference is ever followed out of the document: not over the network, not
// into a file, not by an absolute id, not by $schema.
func TestNothingIsFetched(t *testing.T) {
	var hits sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Store(r.URL.Path, true)
		fmt.Fprint(w, `{"type":"string"}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`read, and found not to be JSON`), 0o600); err != nil {
		t.Fatal(err)
	}
	const leaves = "leaves the document"
	for _, c := range []struct{ name, schema, want string }{
		{"http", `{"type":"object","properties":{"a":{"$ref":"` + server.URL + `/ref"}}}`, leaves},
		{"with fragment", `{"type":"object","properties":{"a":{"$ref":"` + server.URL + `/frag#/$defs/x"}}}`, leaves},
		{"relative to an id", `{"$id":"` + server.URL + `/base/","type":"object","properties":{"a":{"$ref":"rel"}}}`, leaves},
		{"dynamic", `{"type":"object","properties":{"a":{"$dynamicRef":"` + server.URL + `/dyn"}}}`, leaves},
		{"$schema", `{"$schema":"` + server.URL + `/meta","type":"object"}`, "want draft-07 or 2020-12"},
		{"$schema below", `{"type":"object","properties":{"a":{"$id":"x","$schema":"` + server.URL + `/submeta"}}}`, leaves},
		{"file", `{"type":"object","properties":{"a":{"$ref":"file://` + filepath.ToSlash(file) + `"}}}`, leaves},
		{"path", `{"type":"object","properties":{"a":{"$ref":"` + filepath.ToSlash(file) + `"}}}`, leaves},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"` + server.URL + `/seven"}}}`, leaves},
	} {
		if _, err := Compile(Source(c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Compile(%s) = %v, want …%s…", c.name, c.schema, err, c.want)
		}
	}
	hits.Range(func(path, _ any) bool {
		t.Errorf("%v was fetched", path)
		return true
	})
}

func TestLocalReferences(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#s"}},"$defs":{"s":{"$anchor":"s","type":"string"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"type":"string","format":"path"}}}`,
		`{"$id":"https://example.com/tool","type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`,
		`{"$id":"https://example.com/tool","type":"object","properties":{"a":{"$ref":"s"}},"$defs":{"s":{"$id":"s","type":"string"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema","type":"object","properties":{"a":{"$ref":"#s"}},"definitions":{"s":{"$id":"#s","type":"string"}}}`,
	} {
		s := compile(t, schema)
		if got := s.Validate(parse(t, `{"a":"x"}`)); got != nil {
			t.Errorf("%s: Validate of a string = %v, want none", schema, got)
		}
		if got := s.Validate(parse(t, `{"a":1}`)); len(got) != 1 {
			t.Errorf("%s: Validate of a number = %v, want one fault", schema, got)
		}
		if s.Root().JSON() != parse(t, schema).JSON() {
			t.Errorf("Root() = %s, want what was written", s.Root().JSON())
		}
	}
}

func TestOnlyString(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{readSchema, "path"},
		{`{"type":"object","required":["c"],"properties":{"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"string"}}}`, "c"},
		{`{"type":"object","required":["c"],"properties":{"c":{"type":"integer"}}}`, ""},
		{`{"type":"object","required":["c","d"],"properties":{"c":{"type":"string"},"d":{"type":"string"}}}`, ""},
		{`{"type":"object","properties":{"c":{"type":"string"}}}`, ""},
	} {
		got, ok := compile(t, c.schema).OnlyString()
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: OnlyString() = %q, %v, want %q", c.schema, got, ok, c.want)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	s, v := compile(b, readSchema), parse(b, `{"path":"internal/app/main.go","offset":200,"limit":100}`)
	b.ReportAllocs()
	for b.Loop() {
		if s.Validate(v) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		compile(b, readSchema)
	}
}
