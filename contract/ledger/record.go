package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// maxInline is how long the data of a record may be beside it. Longer data
	// goes to a blob, so lines stay short and readers need little memory.
	maxInline = 8 << 10
	// maxLine is longer than any line that a Log writes.
	maxLine = 16 << 10
)

// Record is one line of a segment that was found to be intact.
type Record struct {
	Session string `json:"-"`
	File    string `json:"-"` // the segment's path
	Line    int    `json:"-"`
	Hash    string `json:"-"` // hexadecimal

	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"` // by the writer's clock, which may jump; Seq is the order
	Kind Kind      `json:"kind"`
	// Execution is the ex-<n> that the record belongs to, empty for none.
	Execution string `json:"execution,omitempty"`
	// Data is what Kind names, masked. It is empty when it lies in Blob;
	// Store.Data returns it in both cases.
	Data json.RawMessage `json:"data,omitempty"`
	Blob *Blob           `json:"blob,omitempty"`
}

// Blob names data that lies beside the segments, under its own hash.
type Blob struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// ExecutionID is the id of the execution whose started record has seq.
func ExecutionID(seq uint64) string { return "ex-" + strconv.FormatUint(seq, 10) }

// executionSeq is the other way round. It accepts the bare number.
func executionSeq(id string) (seq uint64, ok bool) {
	seq, err := strconv.ParseUint(strings.TrimPrefix(id, "ex-"), 10, 64)
	return seq, err == nil && seq > 0
}

// encodeData is the JSON of an event as it is recorded, but for the masks.
func encodeData(event any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(event); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// The line of a record is its JSON with the hash as the first member:
//
//	{"hash":"<64 digits>","seq":7,"at":"…","kind":"started","data":{…}}
//
// The hash is SHA-256 over the hash before and the JSON without that member, so
// that it is checked on the bytes as they stand. The first line of a segment has
// no hash before.
const (
	hashMember = `{"hash":"`
	hashDigits = 2 * sha256.Size
	bodyAt     = len(hashMember) + hashDigits + len(`",`)
)

// encode returns the line of a record and sets its hash.
func (r *Record) encode(previous string) []byte {
	line := make([]byte, bodyAt, bodyAt+len(r.Data)+256)
	line = append(line, `"seq":`...)
	line = strconv.AppendUint(line, r.Seq, 10)
	line = append(line, `,"at":"`...)
	line = r.At.AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","kind":"`...)
	line = append(line, r.Kind...)
	line = append(line, '"')
	if r.Execution != "" {
		line = append(line, `,"execution":"`...)
		line = append(line, r.Execution...)
		line = append(line, '"')
	}
	if r.Blob != nil {
		line = fmt.Appendf(line, `,"blob":{"sha256":"%s","bytes":%d}`, r.Blob.SHA256, r.Blob.Bytes)
	} else {
		line = append(line, `,"data":`...)
		line = append(line, r.Data...)
	}
	line = append(line, '}')
	r.Hash = chain(previous, line[bodyAt:])
	copy(line, hashMember+r.Hash+`",`)
	return append(line, '\n')
}

// decode reads a line without its newline, and returns the bytes that its hash
// covers: nil when it does not even have the form of a record.
func decode(line []byte) (r Record, body []byte, err error) {
	if len(line) <= bodyAt || string(line[:len(hashMember)]) != hashMember || string(line[bodyAt-2:bodyAt]) != `",` {
		return r, nil, fmt.Errorf("it does not begin with a hash")
	}
	body = line[bodyAt:]
	err = json.Unmarshal(append([]byte{'{'}, body...), &r)
	r.Hash = string(line[len(hashMember) : len(hashMember)+hashDigits])
	return r, body, err
}

func chain(previous string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(previous))
	h.Write([]byte{'{'})
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
