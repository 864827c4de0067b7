package sample

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

func TestFiguresHold(t *testing.T) {
	for _, p := range []*v1alpha1.Plan{Plan(), Later()} {
		for _, f := range p.Figures {
			if err := f.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestHostileIsEverywhere(t *testing.T) {
	b, err := json.Marshal(Hostile())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "alert(1)"); n < 500 {
		t.Errorf("only %d hostile texts", n)
	}
	if c := Plan(); strings.Contains(c.Metadata.Name, "alert") {
		t.Error("the plans share their texts")
	}
}
