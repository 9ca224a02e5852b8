package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// message is one JSON-RPC message that the program sent.
type message struct {
	id     string // as on the wire, so that 1, 1.0 and "1" differ; "" if absent
	method string // "" in an answer
	raw    json.RawMessage
	taken  bool // an expectation has been met by it
}

// parseMessage accepts what JSON-RPC 2.0 allows a server to send, one message
// to a line.
func parseMessage(line []byte) (*message, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	if v := string(fields["jsonrpc"]); v != `"2.0"` {
		return nil, fmt.Errorf(`"jsonrpc" is %q`, v)
	}
	m := &message{id: string(fields["id"]), raw: line}
	if method, ok := fields["method"]; ok {
		if err := json.Unmarshal(method, &m.method); err != nil || m.method == "" {
			return nil, fmt.Errorf(`"method" is %s`, method)
		}
		if m.id == "null" {
			return nil, errors.New("a request has the id null")
		}
		return m, nil
	}
	result, fault := fields["result"], fields["error"]
	if m.id == "" || (result == nil) == (fault == nil) {
		return nil, errors.New("neither a request, nor an answer with an id and one of result and error")
	}
	if fault != nil {
		var e struct {
			Code    *int    `json:"code"`
			Message *string `json:"message"`
		}
		if err := json.Unmarshal(fault, &e); err != nil || e.Code == nil || e.Message == nil {
			return nil, fmt.Errorf("the error lacks an integer code or a message: %s", fault)
		}
	}
	return m, nil
}

// decode reads one JSON value, numbers as they are written.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON value")
	}
	return v, nil
}
