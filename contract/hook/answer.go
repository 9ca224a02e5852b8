package hook

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"raw/contract/value"
)

// Bounds of a decision, in bytes.
const (
	maxReason  = 1024
	maxMessage = 512
)

// answer is the decision that a hook printed.
type answer struct {
	deny            bool
	reason, message string
}

// parseAnswer reads one decision. Its errors quote nothing of the text: they
// are told to whoever made the call, and a hook may print secrets.
func parseAnswer(text []byte) (answer, error) {
	trimmed := bytes.TrimSpace(text)
	switch {
	case !utf8.Valid(text):
		return answer{}, errors.New("its output is not UTF-8")
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return answer{}, errors.New("its output begins with a byte order mark")
	case len(trimmed) == 0:
		return answer{}, errors.New("its output is blank, which is neither nothing nor a decision")
	case trimmed[0] != '{':
		return answer{}, errors.New("its output does not begin with the JSON object of a decision")
	}
	o, err := value.ParseObject(text)
	if err != nil {
		var syntax *value.SyntaxError
		if errors.As(err, &syntax) {
			return answer{}, fmt.Errorf("its output is not one JSON object (see byte %d)", syntax.Offset)
		}
		return answer{}, errors.New("its output is not one JSON object")
	}
	var a answer
	for name, v := range o.Fields() {
		s, ok := v.Str()
		switch name {
		case "decision":
			if s != "continue" && s != "deny" {
				return answer{}, errors.New("its decision is neither continue nor deny")
			}
			a.deny = s == "deny"
		case "reason":
			if !ok || len(s) > maxReason {
				return answer{}, fmt.Errorf("its reason is no string of at most %d bytes", maxReason)
			}
			a.reason = s
		case "message":
			if !ok || len(s) > maxMessage {
				return answer{}, fmt.Errorf("its message is no string of at most %d bytes", maxMessage)
			}
			a.message = s
		default:
			return answer{}, errors.New("its output has a field that is none of decision, reason and message")
		}
	}
	if o.Field("decision").Kind() == value.Absent {
		return answer{}, errors.New("its output has no decision")
	}
	return a, nil
}
