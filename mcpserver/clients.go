package mcpserver

import (
	"encoding/json"
	"strings"
	"time"
)

// Catalog is how deferred tools reach a client (MCP.md §3).
type Catalog string

// The catalogs. The zero Catalog means CatalogAuto.
const (
	CatalogAuto   Catalog = "auto"   // by the client's name and era
	CatalogNative Catalog = "native" // everything; the client defers by itself
	CatalogListed Catalog = "listed" // the head and what was activated
	CatalogCall   Catalog = "call"   // the head and tool_call
)

// client is what is known of one host. The facts were measured with the real
// programs; what is not known takes the safe side.
type client struct {
	prefix  string // of the name it gives, in lower case
	catalog Catalog
	lane    func(meta json.RawMessage) string
	limit   time.Duration // after which it gives a call up; zero: it does not, or nobody knows
}

// clients are tried in order; the last fits every name.
var clients = [...]client{
	{prefix: "claude-code", catalog: CatalogNative},
	{prefix: "opencode", catalog: CatalogListed},
	{prefix: "visual studio code", catalog: CatalogListed},
	{prefix: "zed", catalog: CatalogListed},
	{prefix: "claude-ai", catalog: CatalogCall, limit: 170 * time.Second},
	{prefix: "claude-desktop", catalog: CatalogCall, limit: 170 * time.Second},
	{prefix: "codex", catalog: CatalogCall, lane: codexThread, limit: 50 * time.Second},
	{prefix: "gemini", catalog: CatalogCall, limit: 590 * time.Second},
	{catalog: CatalogCall},
}

func clientNamed(name string) client {
	name = strings.ToLower(name)
	for _, c := range clients {
		if strings.HasPrefix(name, c.prefix) {
			return c
		}
	}
	return clients[len(clients)-1]
}

// catalogFor picks the catalog of one request.
func catalogFor(configured Catalog, clientName string, modern bool) Catalog {
	if configured != "" && configured != CatalogAuto {
		return configured
	}
	catalog := clientNamed(clientName).catalog
	if modern && catalog == CatalogListed {
		return CatalogCall // in that era the list may not depend on earlier calls
	}
	return catalog
}

// codexThread is the conversation of a Codex call: its one process serves
// several.
func codexThread(meta json.RawMessage) string {
	var m struct {
		Turn json.RawMessage `json:"x-codex-turn-metadata"`
	}
	if json.Unmarshal(meta, &m) != nil || len(m.Turn) == 0 {
		return ""
	}
	turn := []byte(m.Turn)
	var text string
	if json.Unmarshal(m.Turn, &text) == nil {
		turn = []byte(text)
	}
	var ids struct {
		ThreadID string `json:"thread_id"`
	}
	if json.Unmarshal(turn, &ids) != nil {
		return ""
	}
	return ids.ThreadID
}
