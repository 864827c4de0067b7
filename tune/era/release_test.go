package era

import "testing"

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
