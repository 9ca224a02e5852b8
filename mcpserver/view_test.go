package mcpserver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"raw/contract"
)

// TestViewOpens says when a question may wait for the view: when one polled a
// moment ago, or polls soon.
func TestViewOpens(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before time.Duration // since the last poll; zero: there was none
		after  time.Duration // until the next; zero: there is none
		want   bool
		took   time.Duration
	}{
		{"never", 0, 0, false, viewOpens},
		{"open", time.Second, 0, true, 0},
		{"open a while ago", viewAlive + time.Second, 0, false, viewOpens},
		{"opens", 0, 2 * time.Second, true, 2 * time.Second},
		{"opens too late", 0, viewOpens + time.Second, false, viewOpens},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := newViews()
				if tc.before > 0 {
					v.poll()
					time.Sleep(tc.before)
				}
				if tc.after > 0 {
					go func() { time.Sleep(tc.after); v.poll() }()
				}
				began := time.Now()
				if got := v.awaits(t.Context()); got != tc.want || time.Since(began) != tc.took {
					t.Errorf("awaits = %t after %s, want %t after %s", got, time.Since(began), tc.want, tc.took)
				}
				time.Sleep(2 * viewOpens)
			})
		})
	}
}

// TestChanges tells of a resource once, however often it changed meanwhile, and
// of the list only when a panel is new.
func TestChanges(t *testing.T) {
	var c changes
	c.mark("panel://a/p", sessionURI)
	for range 100 {
		c.mark("panel://a/p")
	}
	<-c.woken()
	select {
	case <-c.woken():
		t.Error("woken twice before anybody looked")
	default:
	}
	updated, listed := c.take()
	if diff := cmp.Diff([]string{"panel://a/p", sessionURI}, updated); diff != "" || !listed {
		t.Errorf("listed %t, updated (-want +got):\n%s", listed, diff)
	}
	c.mark("panel://a/p")
	if updated, listed := c.take(); len(updated) != 1 || listed {
		t.Errorf("a known panel: updated %q, listed %t, want 1 and false", updated, listed)
	}
	if updated, listed := c.take(); len(updated) != 0 || listed {
		t.Errorf("nothing: updated %q, listed %t", updated, listed)
	}
}

func TestHasApps(t *testing.T) {
	extension := func(v any) *mcp.ClientCapabilities {
		return &mcp.ClientCapabilities{Extensions: map[string]any{uiExtension: v}}
	}
	for _, tc := range []struct {
		name string
		c    *mcp.ClientCapabilities
		want bool
	}{
		{"silent", nil, false},
		{"none", &mcp.ClientCapabilities{}, false},
		{"without types", extension(map[string]any{}), false},
		{"another type", extension(map[string]any{"mimeTypes": []any{"text/html"}}), false},
		{"not an object", extension(true), false},
		{"apps", extension(map[string]any{"mimeTypes": []any{"x", uiMIME}}), true},
	} {
		if got := hasApps(tc.c); got != tc.want {
			t.Errorf("%s: %t, want %t", tc.name, got, tc.want)
		}
	}
}

// TestCatalogDigest pins the one definition of the digest: blanks and the order
// of members in a schema do not count.
func TestCatalogDigest(t *testing.T) {
	a := []contract.Spec{{Name: "n", Description: "d", Input: `{"type":"object","a":1.0}`}}
	b := []contract.Spec{{Name: "n", Description: "d", Input: `{ "a": 1.0, "type": "object" }`}}
	// printf 'n\001d\001{"a":1.0,"type":"object"}\n' | sha256sum
	const want = "80c974b6aa42ca0794c6eca065755ecae607485cdfaf2a6d291ecef260fabd7a"
	if got := catalogDigest(a); got != want || got != catalogDigest(b) {
		t.Errorf("digests %s and %s, want %s", got, catalogDigest(b), want)
	}
	b[0].Description = "e"
	if catalogDigest(a) == catalogDigest(b) {
		t.Error("another description has the same digest")
	}
}
