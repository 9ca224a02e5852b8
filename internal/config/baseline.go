package config

import (
	"fmt"
	"slices"
	"strings"
)

// Classes are the classes of calls that [approval] baseline can list.
func Classes() []string {
	return []string{"network", "outside", "write", "exec", "agent", "external"}
}

// Baseline is which classes of calls are asked for without a rule. Nil is
// "auto": each program has its own list.
type Baseline []string

// UnmarshalTOML implements toml.Unmarshaler.
func (b *Baseline) UnmarshalTOML(v any) error {
	if v == "auto" {
		*b = nil
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf(`expected "auto" or an array of classes`)
	}
	classes := make(Baseline, 0, len(list))
	for _, e := range list {
		class, ok := e.(string)
		if !ok || !slices.Contains(Classes(), class) {
			return fmt.Errorf("expected one of %s", strings.Join(Classes(), ", "))
		}
		classes = append(classes, class)
	}
	if !slices.Contains(classes, "network") {
		return fmt.Errorf(`"network" cannot be left out`)
	}
	*b = classes
	return nil
}
