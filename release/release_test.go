package release

import (
	"encoding/json"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Release{"4.4": 4, "4.14.3": 14, "4.1": 1} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "4", "3.11", "4.x", "4.0", "5.1", "current"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	if _, err := Parse("4"); err == nil || err.Error() != `release "4" is not of the form 4.17` {
		t.Error(err)
	}
}

func TestParseName(t *testing.T) {
	for _, name := range Names() {
		if got, err := ParseName(name); err != nil || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := ParseName("now"); err == nil || err.Error() != `release "now" is not of the form 4.17, or current` {
		t.Error(err)
	}
}

func TestReleaseAsJSON(t *testing.T) {
	text, err := json.Marshal(struct {
		A Release `json:"a"`
		B Release `json:"b"`
		C Release `json:"c,omitzero"`
	}{A: 11})
	if string(text) != `{"a":"4.11","b":"current"}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

func TestSpan(t *testing.T) {
	grafana, still := Span{Since: 1, Until: 10}, Span{Since: 5}
	if !grafana.Has(1) || !grafana.Has(10) || grafana.Has(11) || grafana.Has(Current) {
		t.Error(grafana)
	}
	if still.Has(4) || !still.Has(5) || !still.Has(Newest) || !still.Has(Current) {
		t.Error(still)
	}
	if grafana.String() != "4.1 to 4.10" || still.String() != "since 4.5" {
		t.Error(grafana, still)
	}
}

func TestRules(t *testing.T) {
	const today = ", and of today where nothing else is known"
	for r, want := range map[Release]string{
		Current: "current", 1: "4.1, and of 4.3 where nothing else is known", V43: "4.3", V44: "4.4", V45: "4.5",
		6: "4.6" + today, 18: "4.18" + today, 19: "4.19", Newest: Newest.String(), Newest + 1: "4.24" + today,
	} {
		if got := r.Rules(); got != want {
			t.Errorf("%v: %q, want %q", r, got, want)
		}
	}
}
