package era

import (
	"encoding/json"
	"testing"
)

func TestRelease(t *testing.T) {
	for text, want := range map[string]Release{"4.4": 4, "4.14.3": 14, "4.1": 1} {
		if got, err := ParseRelease(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := ParseRelease("4"); err == nil || err.Error() != `release "4" is not of the form 4.17` {
		t.Error(err)
	}
}

// The release that stands for an era follows that era's rules exactly.
func TestReleaseOfEra(t *testing.T) {
	for _, e := range All() {
		if got, exact, err := Of(e.Release().String()); got != e || !exact || err != nil {
			t.Errorf("%v: %v, %v, %v", e, got, exact, err)
		}
	}
}

func TestReleaseAsJSON(t *testing.T) {
	text, err := json.Marshal(struct {
		A Release `json:"a"`
		B Release `json:"b,omitzero"`
	}{A: 11})
	if string(text) != `{"a":"4.11"}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

func TestSpan(t *testing.T) {
	grafana, still := Span{Since: 1, Until: 10}, Span{Since: 5}
	if !grafana.Has(1) || !grafana.Has(10) || grafana.Has(11) || still.Has(4) || !still.Has(5) || !still.Has(Newest) {
		t.Error(grafana, still)
	}
	if grafana.String() != "4.1 to 4.10" || still.String() != "since 4.5" {
		t.Error(grafana, still)
	}
	if got := In(still.Has); got != [4]bool{false, false, true, true} {
		t.Error(got)
	}
}

func TestText(t *testing.T) {
	const today = ", and of today where nothing else is known"
	for _, c := range []struct {
		era     Era
		release Release
		want    string
	}{
		{V44, 0, "4.4"}, {Current, 0, "current"}, {V43, 3, "4.3"}, {V45, 5, "4.5"}, {V43, 1, "4.1, and of 4.3 where nothing else is known"},
		{Current, 6, "4.6" + today}, {Current, 18, "4.18" + today}, {Current, 19, "4.19"}, {Current, Newest, Newest.String()}, {Current, Newest + 1, "4.24" + today},
		{V44, 11, "4.4"},
	} {
		if got := Text(c.era, c.release); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.era, c.release, got, c.want)
		}
	}
}
