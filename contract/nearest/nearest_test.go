package nearest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	tools := []string{"read", "write", "edit", "bash", "todo_write", "tool_search"}
	for _, tc := range []struct {
		name string
		n    int
		want []string
	}{
		{"wirte", 3, []string{"write"}},
		{"write", 3, []string{"write", "todo_write"}},
		{"Read", 3, []string{"read"}},
		{"writ", 1, []string{"write"}},
		{"search", 3, []string{"tool_search"}},
		{"xyzzy", 3, nil},
		{"", 3, nil},
	} {
		if d := cmp.Diff(tc.want, Names(tc.name, tools, tc.n)); d != "" {
			t.Errorf("Names(%q, …, %d) (-want +got):\n%s", tc.name, tc.n, d)
		}
	}
}
