package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"unicode/utf8"
)

// frame is one JSON-RPC message, its parts as they were written.
type frame struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// JSON-RPC error codes.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// wireError is a JSON-RPC error object.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *wireError) encode() []byte {
	out := appendString(fmt.Appendf(nil, `{"code":%d,"message":`, e.Code), e.Message)
	return append(out, '}')
}

// parseFrame reads one line. On an error the frame holds the id if the line
// had a usable one.
func parseFrame(line []byte) (frame, *wireError) {
	var f frame
	text := bytes.TrimLeft(line, " \t\r")
	switch {
	case len(text) == 0:
		return f, &wireError{codeParse, "blank line; send one JSON-RPC message per line"}
	case text[0] == '[':
		return f, &wireError{codeInvalidRequest, "batches are not supported; send one JSON-RPC message per line"}
	case !utf8.Valid(text):
		return f, &wireError{codeParse, "the line is not valid UTF-8"}
	}
	m, err := members(text)
	if err != nil {
		return f, err
	}
	f.Params, f.Result, f.Error = m["params"], m["result"], m["error"]
	if id, ok := m["id"]; ok {
		if !validID(id) {
			return f, &wireError{codeInvalidRequest, "the id must be a string or a number"}
		}
		f.ID = id
	}
	if string(m["jsonrpc"]) != `"2.0"` {
		return f, &wireError{codeInvalidRequest, `"jsonrpc" must be "2.0"`}
	}
	if method, ok := m["method"]; ok && json.Unmarshal(method, &f.Method) != nil {
		return f, &wireError{codeInvalidRequest, `"method" must be a string`}
	}
	if f.Method == "" && f.Result == nil && f.Error == nil {
		return f, &wireError{codeInvalidRequest, "neither a method nor a result"}
	}
	return f, nil
}

// members are the members of an object, their names as they are written. Two
// of one name are refused: whoever stands between the host and us might read
// the other one.
func members(text []byte) (map[string]json.RawMessage, *wireError) {
	if !json.Valid(text) {
		var v any
		return nil, &wireError{codeParse, "the line is not JSON: " + json.Unmarshal(text, &v).Error()}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, &wireError{codeInvalidRequest, "a message must be a JSON object"}
	}
	m := make(map[string]json.RawMessage, 5)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, &wireError{codeParse, err.Error()}
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, &wireError{codeParse, err.Error()}
		}
		if _, twice := m[name.(string)]; twice {
			return nil, &wireError{codeInvalidRequest, fmt.Sprintf("the member %q stands there twice", name)}
		}
		m[name.(string)] = value
	}
	return m, nil
}

func validID(id json.RawMessage) bool {
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// errTooLong says that a line was over the limit and was skipped.
var errTooLong = errors.New("line too long")

// lineReader reads lines of bounded length. A last line without a newline
// counts.
type lineReader struct {
	r     *bufio.Reader
	limit int
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// next returns the next line without its end, in memory of its own. With
// errTooLong it returns the first and last kilobytes of the skipped line.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.limit+1 {
			return l.skip(line, part, err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}

// skip reads to the end of a line that is too long and keeps its ends, where
// the id stands.
func (l *lineReader) skip(head, part []byte, err error) ([]byte, error) {
	const keep = 1 << 10
	head = head[:min(len(head), keep)]
	tail := append([]byte(nil), part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		tail = append(tail[max(0, len(tail)-keep):], part...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return append(append([]byte(nil), head...), tail[max(0, len(tail)-keep):]...), errTooLong
}

// idPlaces are where an id stands in what is left of a skipped line: before
// the parameters, or behind them. They are compiled when a line is too long.
var idPlaces = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{
		regexp.MustCompile(`^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,|\s*"method"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`),
		regexp.MustCompile(`,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`),
	}
})

// idOfSkipped finds the id of a line of which only the ends are known; nil
// when it stands elsewhere.
func idOfSkipped(ends []byte) json.RawMessage {
	for _, re := range idPlaces() {
		if m := re.FindSubmatch(ends); m != nil {
			return m[1]
		}
	}
	return nil
}
