package proc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name        string
		base, extra []string
		windows     bool
		want        []string
	}{
		{
			name: "nothing to pass",
			base: []string{"ACME_API_KEY=s3cret", "GH_TOKEN=t", "CLAUDE_PROJECT_DIR=/p", "junk", "=C:=C:\\", "PATHEXT=x", "LC=x"},
			want: []string{"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "PAGER=cat", "TERM=dumb"},
		},
		{
			name: "listed names, families, both cases of proxies",
			base: []string{"PATH=/bin", "LC_ALL=C", "XDG_CACHE_HOME=/c", "http_proxy=a", "HTTP_PROXY=b", "path=no"},
			want: []string{
				"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "HTTP_PROXY=b", "LC_ALL=C", "PAGER=cat", "PATH=/bin", "TERM=dumb",
				"XDG_CACHE_HOME=/c", "http_proxy=a",
			},
		},
		{
			name:  "extra names, the last value counts, fixed ones only by name",
			base:  []string{"GH_TOKEN=old", "GH_TOKEN=a=b", "PAGER=less", "TERM=xterm", MarkVariable + "=x"},
			extra: []string{"GH_TOKEN", "TERM", "MISSING", MarkVariable},
			want:  []string{"GH_TOKEN=a=b", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "PAGER=cat", "TERM=xterm"},
		},
		{
			name:    "windows has no case",
			base:    []string{"Path=C:\\bin", "SystemRoot=C:\\Windows", "Temp=C:\\t", "SECRET=x"},
			windows: true,
			want:    []string{"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "PAGER=cat", "Path=C:\\bin", "SystemRoot=C:\\Windows", "TERM=dumb", "Temp=C:\\t"},
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, environment(test.base, test.extra, test.windows)); diff != "" {
			t.Errorf("%s: environment (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestIsBarePath(t *testing.T) {
	tests := map[string]bool{
		"": true, "/usr/bin:/bin:/usr/sbin:/sbin": true, "/bin": true, "/usr/bin/:/bin": true,
		"/usr/local/bin:/usr/bin": false, "/usr/bin:/home/x/bin": false,
	}
	for path, want := range tests {
		if got := IsBarePath(path); got != want {
			t.Errorf("IsBarePath(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestMark(t *testing.T) {
	m := mark{owner: owner{id{12, 345}, "678"}, runner: "ABC", command: 9}
	if got, ok := markIn("A=b\x00" + MarkVariable + "=" + m.String() + "\x00C=d\x00"); !ok || got != m {
		t.Errorf("markIn = %v, %v, want %v", got, ok, m)
	}
	for _, text := range []string{"", "x", MarkVariable + "=1.2.3.4", MarkVariable + "=1.x.3.4.5", "A=" + MarkVariable + "=1.2.3.4.5"} {
		if got, ok := markIn(text); ok {
			t.Errorf("markIn(%q) = %v, want none", text, got)
		}
	}
}
