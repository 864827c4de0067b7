//go:build unix

package scheduler

import (
	"fmt"
	"testing"
	"time"

	"plimsoll.dev/api/v1alpha1"
)

func BenchmarkSchedule(b *testing.B) {
	for _, size := range []struct{ pods, nodes, classes int }{{10_000, 1_000, 1}, {10_000, 1_000, 20},
		{150_000, 2_000, 50}, {1_000_000, 20_000, 50}} {
		for _, percent := range []int{0, 100} {
			for _, shuffled := range []bool{false, true} {
				if size.classes == 1 && shuffled {
					continue
				}
				name := fmt.Sprintf("pods=%d/nodes=%d/types=%d/percent=%d/shuffled=%v", size.pods, size.nodes, size.classes,
					percent, shuffled)
				b.Run(name, func(b *testing.B) {
					benchmark(b, Profile{PercentageOfNodesToScore: percent}, benchNodes(size.nodes), benchClasses(size.classes),
						arrivals(size.pods, size.classes, shuffled))
				})
			}
		}
	}
}

// benchmark places all pods anew in each round, and reports the rate.
func benchmark(b *testing.B, p Profile, nodes []Node, classes []PodClass, pods []ClassID) {
	empty, err := New(p, nodes)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range classes {
		if _, err := empty.Class(c); err != nil {
			b.Fatal(err)
		}
	}
	placed, used := 0, time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		s := empty.Clone()
		placed = 0
		used -= cpuTime()
		b.StartTimer()
		for _, c := range pods {
			if s.Schedule(c).Node >= 0 {
				placed++
			}
		}
		used += cpuTime()
	}
	rate := float64(len(pods)) * float64(b.N) / used.Seconds()
	b.ReportMetric(rate, "pods/cpu-s")
	b.ReportMetric(rate/plainRate(p, nodes, classes, pods), "x-plain")
	b.ReportMetric(float64(placed), "placed")
}

// plainRate is the rate of the naive twin with the first pods, when the nodes are
// still empty.
func plainRate(p Profile, nodes []Node, classes []PodClass, pods []ClassID) float64 {
	t := newPlain(p, nodes)
	few := pods[:min(len(pods), 20_000/len(nodes))]
	used := -cpuTime()
	for _, c := range few {
		t.schedule(&classes[c])
	}
	used += cpuTime()
	return float64(len(few)) / used.Seconds()
}

// BenchmarkConstraints has classes for which other nodes matter: one kind of rule
// for each run.
func BenchmarkConstraints(b *testing.B) {
	same := func(c *PodClass) *v1alpha1.LabelSelector { return &v1alpha1.LabelSelector{MatchLabels: c.Labels} }
	kinds := []struct {
		name  string
		apply func(c *PodClass)
	}{
		{"hardZone", func(c *PodClass) {
			c.TopologySpreadConstraints = []v1alpha1.TopologySpreadConstraint{
				{MaxSkew: 1, TopologyKey: ZoneLabel, LabelSelector: same(c)},
			}
		}},
		{"softZone", func(c *PodClass) {
			c.TopologySpreadConstraints = []v1alpha1.TopologySpreadConstraint{
				{MaxSkew: 1, TopologyKey: ZoneLabel, LabelSelector: same(c), WhenUnsatisfiable: scheduleAnyway},
			}
		}},
		{"defaultSpread", func(c *PodClass) { c.DefaultSpread = same(c) }},
		{"softHostAntiAffinity", func(c *PodClass) {
			c.Affinity = &v1alpha1.Affinity{
				PodAntiAffinity: &v1alpha1.PodAffinity{Preferred: []v1alpha1.WeightedPodAffinityTerm{
					{Weight: 100, PodAffinityTerm: v1alpha1.PodAffinityTerm{LabelSelector: same(c), TopologyKey: HostnameLabel}},
				}},
			}
		}},
		{"zoneAffinity", func(c *PodClass) {
			c.Affinity = &v1alpha1.Affinity{PodAffinity: &v1alpha1.PodAffinity{
				Required: []v1alpha1.PodAffinityTerm{{LabelSelector: same(c), TopologyKey: ZoneLabel}},
			}}
		}},
		{"preferredNodes", func(c *PodClass) {
			c.Affinity = &v1alpha1.Affinity{
				NodeAffinity: &v1alpha1.NodeAffinity{Preferred: []v1alpha1.PreferredSchedulingTerm{{Weight: 10,
					Preference: v1alpha1.NodeSelectorTerm{MatchExpressions: []v1alpha1.Requirement{equal(ZoneLabel, "zone-1")}}}}},
			}
		}},
		{"hostPort", func(c *PodClass) { c.HostPorts = []v1alpha1.HostPort{{Port: 80}} }},
	}
	for _, kind := range kinds {
		for _, nodes := range []int{1000, 20000} {
			b.Run(fmt.Sprintf("%s/nodes=%d", kind.name, nodes), func(b *testing.B) {
				classes := benchClasses(20)
				for i := range classes {
					kind.apply(&classes[i])
				}
				benchmark(b, Profile{}, benchNodes(nodes), classes, arrivals(10*nodes, 20, true))
			})
		}
	}
}
