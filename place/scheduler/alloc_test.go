package scheduler

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// TestNoAllocation: once everything is in place, a decision allocates nothing,
// with constraints or without.
func TestNoAllocation(t *testing.T) {
	same := &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": "0"}}
	zone := v1alpha1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: ZoneLabel, LabelSelector: same}
	soft := zone
	soft.WhenUnsatisfiable = scheduleAnyway
	near := []v1alpha1.WeightedPodAffinityTerm{
		{Weight: 5, PodAffinityTerm: v1alpha1.PodAffinityTerm{LabelSelector: same, TopologyKey: ZoneLabel}},
	}
	for name, change := range map[string]func(*PodClass){
		"resources only": func(*PodClass) {},
		"spread":         func(c *PodClass) { c.TopologySpreadConstraints = []v1alpha1.TopologySpreadConstraint{zone, soft} },
		"default spread": func(c *PodClass) { c.DefaultSpread = same },
		"affinity": func(c *PodClass) {
			c.Affinity = &v1alpha1.Affinity{PodAffinity: &v1alpha1.PodAffinity{Preferred: near}}
		},
		"host port": func(c *PodClass) { c.HostPorts = []v1alpha1.HostPort{{Port: 80}} },
	} {
		s, err := New(Profile{}, benchNodes(200))
		if err != nil {
			t.Fatal(err)
		}
		c := benchClasses(1)[0]
		change(&c)
		id, err := s.Class(c)
		if err != nil {
			t.Fatal(err)
		}
		once := func() {
			if d := s.Schedule(id); d.Node < 0 || s.Unbind(id, d.Node) != nil {
				t.Fatalf("%s: a pod is on node %d", name, d.Node)
			}
		}
		for range 1000 {
			once()
		}
		if n := testing.AllocsPerRun(1000, once); n > 0 {
			t.Errorf("%s: %v allocations for each decision", name, n)
		}
	}
}
