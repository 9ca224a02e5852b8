package contract_test

import (
	"fmt"
	"testing"

	"raw/contract"
	"raw/contract/policy"
	"raw/contract/predicate"
)

// BenchmarkDispatch is the way of a call around a handler that does nothing,
// without a journal: what the contract adds to the work itself.
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
			s, err := contract.Open(contract.Options{Tools: tools, Rules: set, Workspace: newWorld()})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d rules", tool.name, n), func(b *testing.B) {
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
