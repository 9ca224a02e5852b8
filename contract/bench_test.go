package contract_test

import (
	"fmt"
	"testing"

	"raw/contract"
	"raw/contract/ledger"
	"raw/contract/policy"
	"raw/contract/predicate"
)

// BenchmarkDispatch is the way of a call around a handler that does nothing:
// what the contract adds to the work itself. It is counted without a ledger, with
// one that never syncs, and with one that does, so that what the disk asks stands
// apart.
func BenchmarkDispatch(b *testing.B) {
	args := []byte(`{"path":"some/file.txt"}`)
	for _, n := range []int{0, 100, 10_000} {
		list := make([]policy.Rule, n)
		for i := range list {
			list[i] = policy.Rule{Match: "builtin/write", Effect: policy.Ask, When: &predicate.Predicate{
				Source: "arguments", Any: "path", Regex: fmt.Sprintf("^never/%d/", i),
			}}
		}
		set, err := policy.Compile(policy.Rules, list)
		if err != nil {
			b.Fatal(err)
		}
		for _, tool := range []struct {
			name string
			tool contract.Tool
		}{
			{"plain", plainTool("plain", contract.ClassRead, nil)},
			{"effects", pathTool("write", contract.ClassWrite, nil)},
		} {
			tools := []contract.Tool{tool.tool}
			if n > 0 && tool.name == "plain" {
				tools = append(tools, pathTool("write", contract.ClassWrite, nil))
			}
			for _, journal := range []string{"off", "unsynced", "synced"} {
				b.Run(fmt.Sprintf("%s/%d rules/ledger %s", tool.name, n, journal), func(b *testing.B) {
					o := contract.Options{Tools: tools, Rules: set, Workspace: newWorld()}
					if journal != "off" {
						l, err := ledger.Open(ledger.Options{Folder: b.TempDir(), Session: "s", NoSync: journal == "unsynced"})
						if err != nil {
							b.Fatal(err)
						}
						defer l.Close()
						o.Journal = l
					}
					s, err := contract.Open(o)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if res := s.Call(b.Context(), contract.Request{Name: tool.tool.Name, Arguments: args}); res.IsError() {
							b.Fatal(res)
						}
					}
				})
			}
		}
	}
}
