//go:build linux

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnswer types answers to the question of a server.
func TestAnswer(t *testing.T) {
	home := t.TempDir()
	pid, decided := server(t, filepath.Join(home, "raw"))
	const (
		way  = "\nWay\n  1) left\n  2) right\\x1b[1m\na number> "
		why  = "\nWhy (may be left out)\n> "
		with = "\nWith (may be left out)\n  1) A\n  2) B\nnumbers, with commas between them> "
		send = "Send this answer? [Y/n] "
	)
	form := "Which way?\n" + way + why + with + send
	for _, tc := range []struct {
		name   string
		nobody bool
		args   string
		typed  string
		want   outcome
	}{
		{name: "all", args: "q-1", typed: "2\nso\n2, 1\n\n", want: outcome{0, "answered: Which way?\n", form}},
		{name: "least", args: pid + "/q-1", typed: "2\n\n\ny\n", want: outcome{0, "answered: Which way?\n", form}},
		{name: "mistyped", args: "q-1", typed: "\n3\n1 2\nx\n2\n\n\nyes\n", want: outcome{
			0, "answered: Which way?\n",
			"Which way?\n" + way + "this has to be answered\n" + way + "\"3\" is none of 1 to 2\n" + way + "choose one\n" + way + "\"x\" is none of 1 to 2\n" + way + why + with + send,
		}},
		{name: "not accepted", args: "q-1", typed: "1\n\n\ny\n2\n\n\ny\n", want: outcome{
			0, "answered: Which way?\n", form + "the answer was not accepted: /answers/way: left is closed\nonce more:\n" + form,
		}},
		{name: "not sent", args: "q-1", typed: "2\n\n\nn\n", want: outcome{1, "", form + "raw-test: not sent; the question waits\n"}},
		{name: "end of input", args: "q-1", typed: "2\nso", want: outcome{1, "", "Which way?\n" + way + why + "raw-test: the input has ended; nothing was sent\n"}},
		{name: "cancel", args: "q-1 --cancel", want: outcome{0, "cancelled: Which way?\n", ""}},
		{name: "no terminal", nobody: true, args: "q-1", want: outcome{2, "", "raw-test: answer answers for a person: run it in a terminal, with standard input and standard error connected to it\n"}},
		{name: "a call", args: "ap-1", want: outcome{1, "", "raw-test: ap-1 is no question (raw-test panels --follow shows them)\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := runCommand(t, home, !tc.nobody, tc.typed, append([]string{"answer"}, strings.Fields(tc.args)...)...)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("answer %s (-want +got):\n%s", tc.args, diff)
			}
		})
	}
	want := []string{
		`answer {"answers":{"way":"r","why":"so","with":["b","a"]},"expectedRevision":1,"requestId":"q-1"}`,
		`answer {"answers":{"way":"r"},"expectedRevision":1,"requestId":"q-1"}`,
		`answer {"answers":{"way":"r"},"expectedRevision":1,"requestId":"q-1"}`,
		`answer {"answers":{"way":"r"},"expectedRevision":1,"requestId":"q-1"}`,
		`answer {"cancel":true,"expectedRevision":1,"requestId":"q-1"}`,
	}
	if diff := cmp.Diff(want, decided()); diff != "" {
		t.Errorf("the server was told (-want +got):\n%s", diff)
	}
}
