package contract

import (
	"errors"
	"fmt"
	"sync"

	"raw/contract/nearest"
	"raw/contract/policy"
	"raw/contract/predicate"
	"raw/contract/schema"
	"raw/contract/value"
)

// entry is a registered tool with what is compiled of it on first use.
type entry struct {
	Tool
	input   func() (*schema.Schema, error)
	action  func() (*schema.Schema, error) // of panel actions
	both    func() (*schema.Schema, error) // what a rule may look at of either
	effects func() (*schema.Schema, error) // nil when it declares none
}

// registry holds the tools of a session. It is not changed after it was made.
type registry struct {
	order      []*entry
	byName     map[string]*entry
	byIdentity map[Identity]*entry
}

func newRegistry(tools []Tool) (*registry, error) {
	r := &registry{byName: map[string]*entry{}, byIdentity: map[Identity]*entry{}}
	var faults []error
	for _, t := range tools {
		if err := t.check(); err != nil {
			faults = append(faults, err)
			continue
		}
		if r.byName[t.Name] != nil || r.byIdentity[t.Identity] != nil {
			faults = append(faults, fmt.Errorf("tool %s: the name %q or the identity is registered twice", t.Identity, t.Name))
			continue
		}
		e := &entry{Tool: t, input: sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(t.Input) })}
		e.action, e.both = e.input, e.input
		if t.ActionInput != "" {
			e.action = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(t.ActionInput) })
			either := schema.Source(`{"type":"object","anyOf":[` + string(t.Input) + `,` + string(t.ActionInput) + `]}`)
			e.both = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(either) })
		}
		if t.EffectsSource != "" {
			e.effects = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(t.EffectsSource) })
		}
		r.order = append(r.order, e)
		r.byName[t.Name] = e
		r.byIdentity[t.Identity] = e
	}
	return r, errors.Join(faults...)
}

// similar names up to three tools that a caller of an unknown name may have
// meant.
func (r *registry) similar(name string) []string {
	names := make([]string, 0, len(r.order))
	for _, e := range r.order {
		names = append(names, e.Name)
	}
	return nearest.Names(name, names, 3)
}

// policyTools describes the tools to the binder of rules. Schemas are compiled
// only when a rule looks at them.
func (r *registry) policyTools() []policy.Tool {
	tools := make([]policy.Tool, 0, len(r.order))
	for _, e := range r.order {
		tools = append(tools, policy.Tool{
			Identity: string(e.Identity), Sources: e.sources, OnlyString: e.onlyString, Prepare: e.example,
		})
	}
	return tools
}

// sources are the schemas that a rule on this tool may look at.
func (e *entry) sources() (s predicate.Sources, err error) {
	if s.Arguments, err = e.both(); err != nil || e.effects == nil {
		return s, err
	}
	s.Effects, err = e.effects()
	return s, err
}

func (e *entry) onlyString() string {
	s, err := e.input()
	if err != nil {
		return ""
	}
	field, _ := s.OnlyString()
	return field
}

// exampleCwd stands for the working folder where a rule's example is judged:
// rules are checked before there is a workspace.
const exampleCwd = "/workspace"

// example is what a call of a rule's example would be judged by.
func (e *entry) example(args value.Object) (in predicate.Input, err error) {
	in.Arguments = args
	s, err := e.input()
	if err != nil {
		return in, err
	}
	if faults := s.Validate(args.Value); len(faults) > 0 {
		return in, errors.New(faultLines(faults))
	}
	if e.Effects != nil {
		effects, err := e.describe(args, exampleCwd)
		if err != nil {
			return in, err
		}
		in.Effects = []value.Object{effects}
	}
	return in, nil
}

// describe runs the descriptor; a panic in it is an error like any other.
func (e *entry) describe(args value.Object, cwd string) (effects value.Object, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the descriptor panicked: %v", p)
		}
	}()
	return e.Effects(args, cwd)
}
