package report

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// TestNoNoiseOfProofs: a plan that was made without comparison or certificates, or
// with other certificates of the same floors, says the same.
func TestNoNoiseOfProofs(t *testing.T) {
	for name, edit := range map[string]func(p *v1alpha1.Plan){
		"no certificates":      func(p *v1alpha1.Plan) { p.Proofs = nil },
		"other certificates":   func(p *v1alpha1.Plan) { p.Proofs[0].Packing = []byte(`{"effort":1}`) },
		"no comparison":        func(p *v1alpha1.Plan) { p.Options[0].Comparison = nil },
		"comparison elsewhere": func(p *v1alpha1.Plan) { p.Options[2].Comparison = p.Options[0].Comparison },
	} {
		if got := changesOf(t, edit); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNeededChangesAreSeen(t *testing.T) {
	got := changesOf(t, func(p *v1alpha1.Plan) { p.Options[0].Comparison.Needed[1].Nodes = 478 })
	if len(got) != 1 || got[0].ID != "option 1: scheduler, 1.17, shuffled" || got[0].By() != "+100 %" {
		t.Errorf("got %+v", got)
	}
	got = changesOf(t, func(p *v1alpha1.Plan) { p.Proofs[1].Bound-- })
	if len(got) != 1 || got[0].ID != "option 1: certificate, allocatable" ||
		got[0].Old != "option 1, system reserved: 167 nodes, none with fewer than 158 (by patterns)" {
		t.Errorf("got %+v", got)
	}
}
