// Command schemagen writes the JSON Schema of the configuration file for
// editors. It is not part of the programs: they check with internal/config,
// from the same types and tags.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"raw/internal/config"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

// run is called by go generate, in the folder of internal/config.
func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: schemagen FILE")
	}
	schema, err := generate("config.go")
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], schema, 0o644)
}

// generate makes the schema; source is the file that declares the types, for
// its comments.
func generate(source string) ([]byte, error) {
	comments, err := fieldComments(source)
	if err != nil {
		return nil, fmt.Errorf("read the comments of the types: %w", err)
	}
	g := generator{comments}
	values, err := sample()
	if err != nil {
		return nil, fmt.Errorf("find the defaults: %w", err)
	}
	s := g.schema(reflect.ValueOf(values), "")
	s.Schema = "http://json-schema.org/draft-07/schema#" // what Taplo and Even Better TOML read
	s.Title = "raw configuration"
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the schema: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// sample is the default configuration with one of everything that a person
// names, so that the defaults of those tables can be read off as well.
func sample() (config.Config, error) {
	const text = `
[[tools.rules]]
match = ""
effect = "ask"
when = { source = "", any = "", regex = "" }
[mcp.servers.x]
command = "x"
[[mcp.servers.x.panels]]
tool = ""
id = ""
title = ""
[[mcp.servers.x.panels.actions]]
id = ""
label = ""
scope = "item"
kind = "tool"
when = {}
[agents.x]
command = "x"
`
	none := func(string) (string, bool) { return "", false }
	return config.Parse("sample", []byte(text), none)
}

// fieldComments maps "Type" and "Type.Field" to the comment there.
func fieldComments(source string) (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			spec, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			comments[spec.Name.Name] = oneLine(decl.Doc)
			if t, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range t.Fields.List {
					for _, name := range f.Names {
						comments[spec.Name.Name+"."+name.Name] = oneLine(f.Doc)
					}
				}
			}
		}
	}
	return comments, nil
}

func oneLine(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }

type generator struct{ comments map[string]string }

// schema describes v's type with the constraints of tag. v is a default value;
// what it has no value for gets none.
func (g generator) schema(v reflect.Value, tag reflect.StructTag) *jsonschema.Schema {
	t := v.Type()
	s := &jsonschema.Schema{}
	switch {
	case t == reflect.TypeFor[config.Duration]():
		s.Type, s.Pattern = "string", `^([0-9]+d)?([0-9.]+(ns|us|µs|ms|s|m|h))*$`
		s.Default = encode(v.Interface().(config.Duration).String())
	case t == reflect.TypeFor[config.Baseline]():
		classes := &jsonschema.Schema{Type: "string", Enum: anys(config.Classes())}
		network := any("network")
		s.OneOf = []*jsonschema.Schema{
			{Type: "string", Enum: []any{"auto"}},
			{Type: "array", Items: classes, Contains: &jsonschema.Schema{Const: &network}},
		}
		s.Default = encode("auto")
	case t.Kind() == reflect.Pointer:
		if v.IsNil() {
			v = reflect.New(t.Elem())
		}
		return g.schema(v.Elem(), tag)
	case t.Kind() == reflect.Struct:
		g.table(s, v)
	case t.Kind() == reflect.Map:
		s.Type = "object"
		if t.Elem().Kind() != reflect.Interface {
			s.AdditionalProperties = g.schema(first(v, t.Elem()), tag)
		}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Interface:
		s.Type, s.Items = "array", &jsonschema.Schema{Types: []string{"string", "object"}}
	case t.Kind() == reflect.Slice:
		s.Type, s.Items = "array", g.schema(first(v, t.Elem()), tag)
		if t.Elem().Kind() == reflect.String {
			s.Items.Default = nil
			s.Default = encode(append([]string{}, v.Interface().([]string)...))
		}
	case t.Kind() == reflect.Bool:
		s.Type, s.Default = "boolean", encode(v.Bool())
	case t.Kind() == reflect.Int:
		s.Type, s.Default = "integer", encode(v.Int())
		s.Minimum, s.Maximum = bound(tag, "min"), bound(tag, "max")
	default:
		s.Type = "string"
		if list := tag.Get("oneof"); list != "" && tag.Get("or") == "" {
			s.Enum = anys(strings.Split(list, "|"))
		}
		if v.String() != "" {
			s.Default = encode(v.String())
		}
	}
	return s
}

func (g generator) table(s *jsonschema.Schema, v reflect.Value) {
	t := v.Type()
	s.Type = "object"
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	s.Properties = map[string]*jsonschema.Schema{}
	for f, value := range v.Fields() {
		name := f.Tag.Get("toml")
		if name == "-" {
			continue
		}
		p := g.schema(value, f.Tag)
		p.Description = g.comments[t.Name()+"."+f.Name]
		if p.Description == "" && f.Type.Kind() == reflect.Struct {
			_, about, _ := strings.Cut(g.comments[f.Type.Name()], " ") // without the name of the type
			p.Description = strings.ToUpper(about[:1]) + about[1:]
		}
		if f.Tag.Get("required") == "true" {
			s.Required = append(s.Required, name)
			p.Default = nil
		}
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
}

// first is an element of v, a slice or map, or a zero value of type t.
func first(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Len() == 0 {
		return reflect.New(t).Elem()
	}
	if v.Kind() == reflect.Map {
		return v.MapIndex(v.MapKeys()[0])
	}
	return v.Index(0)
}

func bound(tag reflect.StructTag, name string) *float64 {
	n, err := strconv.ParseFloat(tag.Get(name), 64)
	if err != nil {
		return nil
	}
	return &n
}

func anys(list []string) []any {
	values := make([]any, len(list))
	for i, s := range list {
		values[i] = s
	}
	return values
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	return text
}
