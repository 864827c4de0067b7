package report

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// A document that is cited as a whole, and in places, is listed with its places alone.
func TestCitedAsAWhole(t *testing.T) {
	of := func(section string) []derive.Source { return []derive.Source{{Code: "Plimsoll", Section: section}} }
	ix := newIndex(&v1alpha1.Plan{Findings: []v1alpha1.Finding{{Sources: of("")}, {Sources: of("a week")}}}, Options{})
	if list := ix.cited(); len(list) != 1 || len(list[0].Sections) != 1 || list[0].Sections[0] != "a week" ||
		list[0].Title == "" {
		t.Errorf("%+v", list)
	}
}
