package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"

	"raw/contract"
)

// callName is the tool that reaches what a client's list does not hold. It
// dispatches as the tool that it names.
const callName = "tool_call"

// served are the tools of a client's list: everything where the client defers
// by itself, else the head, and behind it what is active, and tool_call where the
// list cannot hold that.
func served(all []contract.Spec, catalog Catalog, active []string) []contract.Spec {
	if catalog == CatalogNative {
		return all
	}
	var list, deferred []contract.Spec
	for _, s := range all {
		if s.Deferred {
			deferred = append(deferred, s)
		} else {
			list = append(list, s)
		}
	}
	for _, name := range active {
		if at := slices.IndexFunc(deferred, func(s contract.Spec) bool { return s.Name == name }); at >= 0 {
			list = append(list, deferred[at])
		}
	}
	if catalog == CatalogCall && len(deferred) > 0 {
		list = append(list, callSpec(deferred))
	}
	return list
}

func callSpec(deferred []contract.Spec) contract.Spec {
	return contract.Spec{
		Identity: "builtin/" + callName, Name: callName, Title: "Call another tool", Class: contract.ClassExternal,
		// A client opens the view of panels for a call of this name only.
		Panels: slices.ContainsFunc(deferred, func(s contract.Spec) bool { return s.Panels }),
		Description: "Call a tool that is not in this list, under the same rules: one that tool_search found, or that a result names. " +
			"name is the tool, arguments its arguments; an error tells what they must be.",
		Input: `{
			"type": "object", "additionalProperties": false, "required": ["name"],
			"properties": {"name": {"type": "string"}, "arguments": {"type": "object"}}
		}`,
	}
}

// writer writes calls of deferred tools for a catalog; nil means by name.
func (c Catalog) writer() func(tool, arguments string) string {
	if c != CatalogCall {
		return nil
	}
	return func(tool, arguments string) string {
		return fmt.Sprintf(`%s {"name":%q,"arguments":%s}`, callName, tool, arguments)
	}
}

// unwrapped is the call that p makes: that of the tool it names when p calls
// tool_call. The result refuses arguments that name none.
func (p callParams) unwrapped() (callParams, *contract.Result) {
	if p.Name != callName {
		return p, nil
	}
	m, fault := members(p.Arguments)
	inner := p
	inner.Name, inner.Arguments = "", m["arguments"]
	if fault == nil && json.Unmarshal(m["name"], &inner.Name) == nil && inner.Name != "" {
		return inner, nil
	}
	res := contract.Failed(contract.CodeInvalidArguments, "arguments of tool_call are not valid:\n"+
		"/name: want the name of a tool, and beside it \"arguments\", the object of its arguments\n["+string(contract.CodeInvalidArguments)+"]")
	return p, &res
}
