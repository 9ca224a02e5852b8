// Package schema compiles JSON Schemas of tools and says in plain words what is
// wrong with a value. It never fetches anything: a schema is complete in itself
// or it does not compile. Which drafts and references count is its business;
// what a schema means for policy is not.
package schema

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"raw/contract/value"
)

// Source is the text of a JSON Schema, draft-07 or 2020-12.
type Source string

// Schema is a compiled schema of an object. It is immutable and safe for
// concurrent use.
type Schema struct {
	root  value.Value
	top   *jsonschema.Schema
	parts map[string]*part // by location
	paths bool             // some string has a path format
}

// part is one reachable subschema with what the library does not keep of it.
type part struct {
	*jsonschema.Schema
	format string
}

// base stands for the document in the library's locations. It resolves nowhere.
const base = "raw://schema/"

// draftOf is the draft that a $schema names, nil when it is none that we take.
func draftOf(id string) *jsonschema.Draft {
	switch strings.TrimSuffix(id, "#") {
	case "", "https://json-schema.org/draft/2020-12/schema":
		return jsonschema.Draft2020
	case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema":
		return jsonschema.Draft7
	default:
		return nil
	}
}

// Compile compiles src. Without $schema it is 2020-12. The root has type
// object; every $ref leads into the document itself. The error tells all
// faults of the schema with their pointers.
func Compile(src Source) (*Schema, error) {
	root, err := value.Parse([]byte(src))
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	if root.Kind() != value.ObjectKind {
		return nil, fmt.Errorf("compile schema: found %s, want an object", root.Kind())
	}
	if t, _ := root.Field("type").Str(); t != "object" {
		return nil, fmt.Errorf(`compile schema: /type: found %s, want "object" at the root`, show(root.Field("type")))
	}
	id, _ := root.Field("$schema").Str()
	draft := draftOf(id)
	if draft == nil {
		return nil, fmt.Errorf("compile schema: /$schema: found %q, want draft-07 or 2020-12", id)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(noLoader{})
	if err := c.AddResource(base, root.Tree()); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	top, err := c.Compile(base)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", plain(err, root))
	}
	s := &Schema{root: root, top: top, parts: map[string]*part{}}
	return s, s.collect(top)
}

// Root is the schema as it was written.
func (s *Schema) Root() value.Value { return s.root }

// Validate tells every fault of v, sorted by pointer; none means that v is
// accepted.
func (s *Schema) Validate(v value.Value) []Fault {
	if v.Kind() == value.Absent {
		return []Fault{{"", "missing"}}
	}
	err := s.top.Validate(v.Tree())
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Fault{{"", err.Error()}}
	}
	return explain(invalid, v, s.parts)
}

// OnlyString names the one required property when it is a string, so that a
// string alone can stand for the whole arguments.
func (s *Schema) OnlyString() (field string, ok bool) {
	required := s.top.Required
	if len(required) != 1 {
		return "", false
	}
	for _, n := range s.Node().Property(required[0]) {
		if n.IsString() {
			return required[0], true
		}
	}
	return "", false
}

// noLoader refuses whatever the library would load.
type noLoader struct{}

func (noLoader) Load(where string) (any, error) {
	return nil, remoteError(strings.TrimPrefix(where, base))
}

type remoteError string

func (e remoteError) Error() string {
	return fmt.Sprintf("$ref to %q leaves the document; only local references are followed, nothing is fetched", string(e))
}

// plain puts the library's errors in our words.
func plain(err error, root value.Value) error {
	var remote remoteError
	if errors.As(err, &remote) {
		return remote
	}
	var invalid *jsonschema.ValidationError
	if schemaError := (*jsonschema.SchemaValidationError)(nil); errors.As(err, &schemaError) && errors.As(schemaError.Err, &invalid) {
		_, at, _ := strings.Cut(schemaError.URL, "#")
		at, _ = url.PathUnescape(at)
		var faults []error
		for _, f := range explain(invalid, lookup(root, at), nil) {
			f.Pointer = at + f.Pointer
			faults = append(faults, errors.New(f.String()))
		}
		return errors.Join(faults...)
	}
	return errors.New(strings.ReplaceAll(err.Error(), base, ""))
}

// collect walks everything that top reaches.
func (s *Schema) collect(top *jsonschema.Schema) error {
	todo := []*jsonschema.Schema{top}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, seen := s.parts[next.Location]; seen {
			continue
		}
		document, fragment, _ := strings.Cut(next.Location, "#")
		if document != base {
			return fmt.Errorf("compile schema: %w", remoteError(document))
		}
		pointer, err := url.PathUnescape(fragment)
		if err != nil {
			return fmt.Errorf("compile schema: location %q: %w", next.Location, err)
		}
		format, _ := lookup(s.root, pointer).Field("format").Str()
		s.parts[next.Location] = &part{next, format}
		s.paths = s.paths || format == formatPath || format == formatMentioned
		todo = append(todo, children(next)...)
	}
	return nil
}
