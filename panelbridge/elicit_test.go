package panelbridge

import (
	"encoding/json"
	"testing"

	"raw/contract/interaction"
)

// TestSwitches asks for a list with switches, beside a text whose id is that of
// a switch, and reads the list back.
func TestSwitches(t *testing.T) {
	v := interaction.View{Form: interaction.Form{Fields: []interaction.Field{
		{ID: "m.x", Label: "Text", Kind: interaction.Text, Required: true},
		{ID: "m", Label: "List", Kind: interaction.MultiSelect, Options: []interaction.Option{{ID: "x", Label: "X"}, {ID: "y", Label: "Y"}}},
	}}}
	asked, err := json.Marshal(Elicitation(v, "", false)["requestedSchema"])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{"m.x":{"maxLength":8192,"minLength":1,"title":"Text","type":"string"},` +
		`"m.x.":{"default":false,"title":"List: X","type":"boolean"},"m.y":{"default":false,"title":"List: Y","type":"boolean"}},"required":["m.x"],"type":"object"}`
	if string(asked) != want {
		t.Errorf("asked\n%s\nwant\n%s", asked, want)
	}
	for content, want := range map[string]string{
		`{"m.x":"t","m.x.":true,"m.y":false}`:  `{"m":["x"],"m.x":"t"}`,
		`{"m.x":"t","m.x.":false,"m.y":false}`: `{"m.x":"t"}`,
		`{"m.x":"t","m":["y"]}`:                `{"m":["y"],"m.x":"t"}`,
	} {
		r, err := Elicited(v, json.RawMessage(`{"action":"accept","content":`+content+`}`))
		if err != nil || r.Answers.JSON() != want {
			t.Errorf("%s = %s, %v, want %s", content, r.Answers.JSON(), err, want)
		}
	}
}
