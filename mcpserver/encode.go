package mcpserver

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
)

// encodeResult writes a result as MCP's CallToolResult. It is written by hand
// because the text is most of the answer, and the library's encoder copies it
// several times. stamp is what the protocol era adds to every result.
func encodeResult(r contract.Result, stamp stamp) []byte {
	size := 256
	for _, b := range r.Content {
		if t, ok := b.(contract.Text); ok {
			size += len(t) + len(t)/16
		}
	}
	out := make([]byte, 0, size)
	out = append(out, `{"content":[`...)
	for i, b := range r.Content {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendBlock(out, b)
	}
	out = append(out, ']')
	if r.IsError() {
		out = append(out, `,"isError":true`...)
	}
	if stamp.resultType != "" {
		out = append(out, `,"resultType":`...)
		out = appendString(out, stamp.resultType)
	}
	if meta := resultMeta(r, stamp); len(meta) > 0 {
		out = append(out, `,"_meta":`...)
		out = append(out, meta...)
	}
	return append(out, '}')
}

func appendBlock(out []byte, b contract.Block) []byte {
	switch b := b.(type) {
	case contract.Text:
		return appendText(out, string(b))
	case contract.JSON:
		return appendText(out, string(b))
	case contract.Image:
		out = append(out, `{"type":"image","mimeType":`...)
		out = appendString(out, b.MIME)
		out = append(out, `,"data":"`...)
		out = base64.StdEncoding.AppendEncode(out, b.Data)
		return append(out, `"}`...)
	case contract.Opaque:
		if b.Protocol == "mcp" {
			return append(out, b.Raw...)
		}
		return appendText(out, b.Text)
	default:
		return appendText(out, "[a block that this protocol cannot show]")
	}
}

func appendText(out []byte, text string) []byte {
	out = append(out, `{"type":"text","text":`...)
	out = appendString(out, text)
	return append(out, '}')
}

// resultMeta is the result's _meta: the tool's own, what the outcome was, and
// what the era wants.
func resultMeta(r contract.Result, stamp stamp) []byte {
	meta := map[string]any{}
	for k, v := range r.Meta {
		meta[k] = v
	}
	if stamp.server != nil {
		meta[mcp.MetaKeyServerInfo] = stamp.server
	}
	if r.IsError() || len(r.Tags) > 0 {
		outcome := struct {
			Code      contract.Code `json:"code,omitempty"`
			Kind      contract.Kind `json:"kind,omitempty"`
			Tags      []string      `json:"tags,omitempty"`
			Execution string        `json:"execution,omitempty"`
		}{Code: r.Code(), Tags: r.Tags, Execution: r.Execution}
		if r.Failure != nil {
			outcome.Kind = r.Failure.Kind
		}
		meta["raw/result"] = outcome
	}
	if len(meta) == 0 {
		return nil
	}
	body, err := encode(meta)
	if err != nil { // a tool's own _meta that is not JSON
		return nil
	}
	return body
}

const hexDigits = "0123456789abcdef"

// appendString writes s as a JSON string. Invalid bytes become U+FFFD.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				out = append(append(out, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if b >= ' ' && b != '"' && b != '\\' && b != 0x7f {
			i++
			continue
		}
		out = append(out, s[from:i]...)
		switch b {
		case '"', '\\':
			out = append(out, '\\', b)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
		from = i
	}
	return append(append(out, s[from:]...), '"')
}

// stamp is what the protocol era adds to every result. The zero stamp is the
// old era's: nothing.
type stamp struct {
	resultType string
	server     any
}
