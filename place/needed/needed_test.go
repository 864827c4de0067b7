package needed_test

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/needed"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/unit"
)

// bare are pods without a controller, which nothing spreads, as those of the study.
func bare(c *cluster.Cluster) *cluster.Cluster {
	for i := range c.Kinds {
		c.Kinds[i].Pod.DefaultSpread = nil
	}
	return c
}

// nodes4x16 are n nodes of 4 CPUs and 16 GB with the table of OCP 9.4 to run: 500
// pods that request 550 cores and 450 GB. 500 millicores are reserved (OCP 6.1),
// and of the memory 25 % of the first 4 GiB, 20 % of the next 4 and 10 % of the
// next 8, as the study reckoned that found 175, 238 and 167 nodes.
func nodes4x16(n int) *cluster.Cluster {
	memory := 16 * unit.GB
	reserved := unit.GiB + 4*unit.GiB/5 + (memory-8*unit.GiB)/10
	s := &v1alpha1.Scenario{
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.4"},
		Hardware: v1alpha1.Hardware{NodeTypes: []v1alpha1.NodeType{{Name: "4-16", Role: "worker", CPUs: 4, Memory: memory,
			MaxPods:        250,
			SystemReserved: &v1alpha1.Reserved{CPU: 500, Memory: reserved}}}},
		Workload: v1alpha1.Workload{PodTypes: []v1alpha1.PodType{
			{Name: "apache", Replicas: 100, CPU: 500, Memory: 500 * unit.MB, Containers: 1},
			{Name: "node.js", Replicas: 200, CPU: 1000, Memory: unit.GB, Containers: 1},
			{Name: "postgresql", Replicas: 100, CPU: 2000, Memory: unit.GB, Containers: 1},
			{Name: "jboss", Replicas: 100, CPU: 1000, Memory: unit.GB, Containers: 1},
		}},
	}
	return cluster.Build(cluster.Input{Scenario: s, Pools: []v1alpha1.PoolDecision{{Type: "4-16", Count: n}},
		Facts: facts.Load()})
}

// TestStudy reproduces what was measured for OCP 9.4 with reserves on 4/16
// nodes: all nodes scored, the rule for balance up to 1.35. The study's runs
// began with PostgreSQL and Apache; in the document's own order 167 suffice.
func TestStudy(t *testing.T) {
	c := bare(nodes4x16(300))
	old := needed.Setting{Name: "old", Profile: scheduler.Profile{Release: "1.34", PercentageOfNodesToScore: 100}}
	got := map[string]v1alpha1.NeededNodes{}
	for _, n := range needed.Compare(c, old, 167) {
		got[n.Order] = n
	}
	if n := got[cluster.Runs]; n.Nodes != 167 || n.Least != 167 || n.Most < 175 {
		t.Errorf("in runs: %+v, want 167 as listed, and 175 among them", n)
	}
	if n := got[cluster.LargestFirst].Nodes; n != 167 {
		t.Errorf("largest first: %d nodes, want 167", n)
	}
	if n := got[cluster.Shuffled]; n.Least > 238 || n.Most < 238 {
		t.Errorf("shuffled: %d to %d nodes, want 238 among them", n.Least, n.Most)
	}
	runs := cluster.InRuns(c, []int{2, 0, 1, 3})
	if n, ok := needed.Nodes(c, old.Profile, runs, 160, 160); !ok || n != 175 {
		t.Errorf("in runs, PostgreSQL first: %d nodes, want 175", n)
	}
	most := old.Profile
	most.ScoringStrategy = "MostAllocated"
	for order, want := range map[string]int{cluster.Shuffled: 167, cluster.LargestFirst: 167} {
		if n, ok := needed.Nodes(c, most, cluster.Arrivals(c, order, 1), 160, 170); !ok || n != want {
			t.Errorf("MostAllocated, %s: %d nodes, want %d", order, n, want)
		}
	}
	if n, ok := needed.Nodes(c, most, runs, 160, 160); !ok || n != 178 {
		t.Errorf("MostAllocated, in runs: %d nodes, want 178", n)
	}
}

// TestNeverFits gives up on nodes that are too small, and on too few.
func TestNeverFits(t *testing.T) {
	if n, ok := needed.Nodes(nodes4x16(100), scheduler.Profile{Release: "1.36"},
		cluster.Arrivals(nodes4x16(100), cluster.Runs, 0), 1, 1); ok {
		t.Errorf("%d nodes hold what needs 167", n)
	}
}

// TestSearch finds a border wherever it begins: the number found holds the pods,
// one fewer does not.
func TestSearch(t *testing.T) {
	c := nodes4x16(300)
	p := scheduler.Profile{Release: "1.36"}
	order := cluster.Arrivals(c, cluster.Shuffled, 7)
	for _, start := range []int{1, 167, 200, 240, 260, 300, 400} {
		n, ok := needed.Nodes(c, p, order, 1, start)
		if !ok {
			t.Fatalf("from %d: nothing found", start)
		}
		// Searched between n-1 and n only: the border must be there again.
		if again, ok := needed.Nodes(c, p, order, n-1, n); !ok || again != n {
			t.Errorf("from %d: %d, but from there %d", start, n, again)
		}
	}
}
