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

func TestHostilePlacementIsEverywhere(t *testing.T) {
	b, err := json.Marshal(HostilePlacement())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "alert(1)"); n < 200 {
		t.Errorf("only %d hostile texts", n)
	}
	if strings.Contains(NUMA().PodTypes[0].Name+Cluster().Losses[0].What, "alert") {
		t.Error("the placements share their texts")
	}
}

// TestPlacementsAddUp: pods by type and by node, and owners by CPU and by legend,
// are the same.
func TestPlacementsAddUp(t *testing.T) {
	for name, p := range Placements() {
		if name == "hostile" {
			continue // it points nowhere
		}
		for i, o := range p.PodTypes {
			n := 0
			for _, node := range p.Nodes {
				for _, x := range node.Pods {
					if x.PodType == i {
						n += x.Count * node.Count
					}
				}
			}
			if n != o.Placed || o.Placed+o.Pending != o.Wanted {
				t.Errorf("%s: %d of %s on nodes, %d placed, %d pending of %d", name, n, o.Name, o.Placed, o.Pending, o.Wanted)
			}
		}
		for _, r := range p.Resources {
			if r.Requested > r.Allocatable || r.Stranded > r.Allocatable-r.Requested {
				t.Errorf("%s: %+v", name, r)
			}
		}
		for _, m := range p.Machines {
			ownersAgree(t, m)
		}
	}
}

func ownersAgree(t *testing.T, m v1alpha1.MachineMap) {
	t.Helper()
	for _, n := range m.NUMANodes {
		for _, c := range n.Cores {
			for _, th := range c.Threads {
				if (th.Use == "exclusive") != (th.Owner > 0) || th.Owner > 0 && !m.Owners[th.Owner-1].CPUs.Has(th.CPU) {
					t.Errorf("%s: %+v", m.Node, th)
				}
			}
		}
	}
}
