package panel

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"raw/contract/schema"
	"raw/contract/value"
)

// schemaOf compiles the schema of one of $defs, of an object with it in "v".
func schemaOf(t *testing.T, name string) *schema.Schema {
	t.Helper()
	var whole object
	if err := json.Unmarshal([]byte(Schema()), &whole); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(object{
		"type": "object", "required": []any{"v"},
		"properties": object{"v": object{"$ref": "#/$defs/" + name}},
		"$defs":      whole["$defs"],
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(schema.Source(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seen is where the schema finds a fault, "" when it finds none. A fault that it
// sees at several places is a mistake of the schema.
func seen(t *testing.T, s *schema.Schema, v value.Value) string {
	t.Helper()
	faults := s.Validate(value.FromTree(object{"v": v.Tree()}))
	at := ""
	for i, f := range faults {
		p := strings.TrimPrefix(f.Pointer, "/v")
		if p == "" {
			p = "/"
		}
		if i > 0 && p != at {
			t.Errorf("the schema finds %v in %s, want one place", faults, clip(v.JSON()))
		}
		at = p
	}
	return at
}

func checkDeclarations(v value.Value) *Error {
	_, _, err := ParseDeclarations(v)
	found, _ := errors.AsType[*Error](err)
	return found
}

func checkDocument(v value.Value) *Error {
	_, err := ParseDocument(v)
	return err
}

func checkUpdate(v value.Value) *Error {
	_, err := ParseUpdate(v)
	return err
}

func TestSchemaAgreesWithCode(t *testing.T) {
	for _, c := range []struct {
		def    string
		seed   uint64
		make   func(m *maker) any
		check  func(value.Value) *Error
		faults []fault
	}{
		{"document", 1, func(m *maker) any { return m.document() }, checkDocument, documentFaults},
		{"update", 2, func(m *maker) any { return m.update() }, checkUpdate, updateFaults},
		{"declarations", 3, func(m *maker) any { return m.declarations() }, checkDeclarations, declarationFaults},
	} {
		t.Run(c.def, func(t *testing.T) {
			s := schemaOf(t, c.def)
			m := newMaker(c.seed)
			valid, all := 0, 0
			for _, f := range c.faults {
				met := 0
				for range 2000 {
					root := c.make(m)
					broken, want, ok := f.in(m, root)
					if !ok {
						continue // it has no such place
					}
					agree(t, s, c.check, root, fault{name: "valid"}, "")
					agree(t, s, c.check, broken, f, want)
					valid, all = valid+1, all+2
					if met++; met == 12 {
						break
					}
				}
				if met == 0 {
					t.Errorf("%q never occurred", f.name)
				}
			}
			if valid*10 < all*4 {
				t.Errorf("%d of %d are valid, want 40%%", valid, all)
			}
			t.Logf("%d of %d valid, %d faults", valid, all, len(c.faults))
		})
	}
}

// agree compares what schema and code find with what was done.
func agree(t *testing.T, s *schema.Schema, check func(value.Value) *Error, root any, f fault, want string) {
	t.Helper()
	v := valueOf(t, root)
	err := check(v)
	if got := pointerOf(err); got != want {
		t.Errorf("%s: the code finds %q, want %q: %v\n%s", f.name, got, want, err, v.JSON())
	}
	if f.unseen {
		want = ""
	}
	if got := seen(t, s, v); got != want {
		t.Errorf("%s: the schema finds %q, want %q\n%s", f.name, got, want, v.JSON())
	}
}
