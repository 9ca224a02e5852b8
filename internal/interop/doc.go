// Package interop runs raw-mcp against MCP peers as others publish them: the
// TypeScript SDK's clients in both protocol eras, the Inspector, and the
// conformance suite. It has only tests, under the build tag interop, because
// they need node and the npm packages that package-lock.json pins:
//
//	npm ci --prefix internal/interop
//	go test -tags interop ./internal/interop/...
//
// Under the tag a missing peer is a failure, never a skip.
package interop
