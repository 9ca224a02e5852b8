package panel

import _ "embed" // for the schema

//go:embed raw-panel.schema.json
var schemaText string

// Schema is the JSON Schema (2020-12) of the protocol: of one update, and in
// $defs of declarations, declaration, action, document, block, every kind of
// block and every patch. It accepts whatever this package accepts; what it
// cannot refuse (totals, uniqueness, bytes) its comments say.
func Schema() string { return schemaText }
