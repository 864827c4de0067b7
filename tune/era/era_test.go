package era

import "testing"

func TestOf(t *testing.T) {
	for release, want := range map[string]struct {
		era   Era
		exact bool
	}{
		"4.1": {V43, false}, "4.3": {V43, true}, "4.3.40": {V43, true}, "4.4.12": {V44, true}, "4.5": {V45, true},
		"4.6": {Current, false}, "4.17": {Current, false}, "4.20": {Current, true},
	} {
		if e, exact, err := Of(release); e != want.era || exact != want.exact || err != nil {
			t.Errorf("%s: %v, %v, %v", release, e, exact, err)
		}
	}
	for _, release := range []string{"", "4", "3.11", "4.x", "4.0", "5.1"} {
		if _, _, err := Of(release); err == nil {
			t.Errorf("%q is taken for a release", release)
		}
	}
}

func TestParse(t *testing.T) {
	for _, e := range All() {
		if got, err := Parse(e.String()); got != e || err != nil {
			t.Errorf("%s: %v, %v", e, got, err)
		}
	}
	if _, err := Parse("4.6"); err == nil || err.Error() != `era "4.6" is not 4.3, 4.4, 4.5 or current` {
		t.Error(err)
	}
}

func TestRule(t *testing.T) {
	r := Rule[bool]{ID: "a.b", At: Since(V45)}
	if r.In(V44) || !r.In(V45) || !r.In(Current) {
		t.Errorf("since 4.5: %v", r.At)
	}
	if r.At = Until(V44); !r.In(V43) || !r.In(V44) || r.In(V45) {
		t.Errorf("until 4.4: %v", r.At)
	}
	if row := (Rule[int]{ID: "n", At: Same(7)}).Row(); row.At != [4]string{"7", "7", "7", "7"} {
		t.Errorf("row: %v", row)
	}
}
