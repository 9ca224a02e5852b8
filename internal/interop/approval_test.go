//go:build interop

package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestApprovals asks a person through each published client: what was allowed
// runs, what was not does not, in every era by its own means.
func TestApprovals(t *testing.T) {
	program := buildRawMCP(t)
	for _, era := range eras {
		for _, tc := range []struct {
			name, action, decision string
			want                   string // in the answer
			runs                   bool
		}{
			{"allowed", "accept", "allow_once", "created", true},
			{"rejected", "accept", "reject_once", "[approval_denied]", false},
			{"declined", "decline", "", "[approval_denied]", false},
			{"cancelled", "cancel", "", "[approval_dismissed]", false},
		} {
			t.Run(era.name+"/"+tc.name, func(t *testing.T) {
				tree := t.TempDir()
				target := filepath.Join(t.TempDir(), "outside.txt")
				answer := map[string]any{"action": tc.action}
				if tc.decision != "" {
					answer["content"] = map[string]string{"decision": tc.decision}
				}
				r := play(t, scenario{
					Era: era.name, Command: []string{program, "--root", tree}, Dir: tree, Env: isolated(t), Elicit: answer,
					Steps: []step{{Call: "write", Arguments: map[string]string{"path": target, "content": "written\n"}}},
				})
				if got := r.Steps[0].text(t); !strings.Contains(got, tc.want) {
					t.Errorf("answer = %q, want %q in it", got, tc.want)
				}
				if len(r.Asked) != 1 || !strings.Contains(r.Asked[0].Message, "Allow write (builtin/write)?") || !strings.Contains(r.Asked[0].Message, "+written") {
					t.Errorf("asked %+v, want one question with the diff", r.Asked)
				}
				if _, err := os.Stat(target); (err == nil) != tc.runs {
					t.Errorf("the file after it: %v, want it there: %v", err, tc.runs)
				}
				if len(r.Faults) > 0 {
					t.Errorf("faults = %q", r.Faults)
				}
			})
		}
	}
}
