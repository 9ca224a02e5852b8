package contract_test

import (
	"slices"
	"testing"

	"raw/contract"
	"raw/contract/interaction"
	"raw/contract/panel"
)

// TestCodesOfLeaves holds the closed list to those of panels and questions: what
// is not in it, no adapter is checked to bring through, and counts as fatal.
func TestCodesOfLeaves(t *testing.T) {
	var leaves []contract.Code
	for _, c := range panel.Codes() {
		leaves = append(leaves, contract.Code(c))
	}
	for _, c := range interaction.Codes() {
		leaves = append(leaves, contract.Code(c))
	}
	for _, c := range leaves {
		if !slices.Contains(contract.Codes(), c) || c.Kind() == contract.KindFatal {
			t.Errorf("code %s is not in the list, or is fatal", c)
		}
	}
}
