package schedulertest

import (
	"math/rand/v2"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// Mix says what a random session is made of.
type Mix struct {
	Name string
	Seed uint64
	// Nodes, pods and kinds of pods.
	Nodes, Pods, Classes int
	// Zones, and racks within a zone; 0 is none.
	Zones, Racks int
	// Load is what the pods request, in per cent of the nodes.
	Load int
	// Shuffled pods arrive in any order, the others class by class.
	Shuffled bool
	// Churn lets pods leave, and nodes come, go and be cordoned.
	Churn bool
	// Odds are n where one class in n uses each of what follows; at least 2.
	Odds int
	// What classes and nodes may have. Silent is containers without requests.
	Devices, Selectors, Tolerations, Spread, Affinity, Ports, Silent bool
	// Profile of the scheduler; the namespaces' labels are added.
	Profile scheduler.Profile
}

// Clusters are the mixes that are recorded: each rule by itself and together, on
// clusters from 10 to 2,000 nodes.
func Clusters() []Mix {
	most := scheduler.Profile{ScoringStrategy: "MostAllocated"}
	every := scheduler.Profile{PercentageOfNodesToScore: 100}
	list := []Mix{
		{Name: "plain-10", Nodes: 10, Pods: 900, Classes: 8, Load: 105, Shuffled: true},
		{Name: "plain-99", Nodes: 99, Pods: 3000, Classes: 12, Load: 95, Zones: 3},
		{Name: "plain-100", Nodes: 100, Pods: 3000, Classes: 12, Load: 95, Zones: 3, Shuffled: true},
		{Name: "plain-1000", Nodes: 1000, Pods: 10000, Classes: 20, Load: 70, Zones: 4, Shuffled: true},
		{Name: "plain-2000", Nodes: 2000, Pods: 8000, Classes: 20, Load: 40, Zones: 3},
		{Name: "plain-400-every", Nodes: 400, Pods: 3000, Classes: 16, Load: 80, Profile: every, Shuffled: true},
		{Name: "devices-60", Nodes: 60, Pods: 2500, Classes: 16, Load: 110, Devices: true, Silent: true, Shuffled: true},
		{Name: "devices-most-150", Nodes: 150, Pods: 3000, Classes: 20, Load: 100, Zones: 2, Devices: true, Profile: most,
			Shuffled: true},
		{Name: "devices-weighted-120", Nodes: 120, Pods: 2500, Classes: 20, Load: 90, Devices: true,
			Profile: weighted("LeastAllocated")},
		{Name: "devices-most-weighted-130", Nodes: 130, Pods: 2500, Classes: 20, Load: 100, Devices: true, Silent: true,
			Profile: weighted("MostAllocated"), Shuffled: true},
		{Name: "ratio-140", Nodes: 140, Pods: 3000, Classes: 16, Load: 90, Zones: 3, Profile: shaped(), Shuffled: true},
		{Name: "ratio-devices-90", Nodes: 90, Pods: 2500, Classes: 20, Load: 105, Devices: true, Silent: true,
			Profile: shapedDevices()},
		{Name: "silent-50", Nodes: 50, Pods: 2500, Classes: 10, Load: 70, Silent: true, Shuffled: true},
		{Name: "selectors-130", Nodes: 130, Pods: 4000, Classes: 40, Load: 70, Zones: 3, Racks: 4, Selectors: true,
			Shuffled: true},
		{Name: "tolerations-160", Nodes: 160, Pods: 4000, Classes: 40, Load: 70, Zones: 2, Tolerations: true, Shuffled: true},
		{Name: "spread-45", Nodes: 45, Pods: 3000, Classes: 20, Load: 80, Zones: 3, Racks: 3, Spread: true, Shuffled: true},
		{Name: "spread-240", Nodes: 240, Pods: 5000, Classes: 30, Load: 70, Zones: 5, Racks: 4, Spread: true, Selectors: true,
			Tolerations: true},
		{Name: "affinity-40", Nodes: 40, Pods: 3000, Classes: 20, Load: 80, Zones: 3, Racks: 2, Affinity: true,
			Shuffled: true},
		{Name: "affinity-220", Nodes: 220, Pods: 5000, Classes: 30, Load: 60, Zones: 4, Racks: 5, Affinity: true},
		{Name: "ports-30", Nodes: 30, Pods: 900, Classes: 20, Load: 60, Ports: true, Shuffled: true},
		{Name: "all-80", Nodes: 80, Pods: 4000, Classes: 60, Load: 100, Zones: 3, Racks: 3, Shuffled: true},
		{Name: "all-300", Nodes: 300, Pods: 6000, Classes: 60, Load: 80, Zones: 4, Racks: 5, Shuffled: true},
		{Name: "all-30-percent-500", Nodes: 500, Pods: 6000, Classes: 60, Load: 70, Zones: 3, Racks: 6,
			Profile: scheduler.Profile{PercentageOfNodesToScore: 30}},
		{Name: "all-weights-200", Nodes: 200, Pods: 5000, Classes: 50, Load: 80, Zones: 3, Racks: 4, Profile: reweighed(),
			Shuffled: true},
		{Name: "churn-70", Nodes: 70, Pods: 3000, Classes: 20, Load: 130, Zones: 3, Churn: true, Shuffled: true},
		{Name: "all-churn-110", Nodes: 110, Pods: 4000, Classes: 60, Load: 130, Zones: 3, Racks: 3, Churn: true,
			Shuffled: true},
		{Name: "all-1200", Nodes: 1200, Pods: 8000, Classes: 80, Load: 30, Zones: 5, Racks: 8, Shuffled: true},
	}
	for i := range list {
		list[i].Seed = uint64(1000 + i)
		if list[i].Name[:4] == "all-" {
			list[i].all()
		}
	}
	return list
}

func (m *Mix) all() {
	m.Odds = 4
	m.Devices, m.Selectors, m.Tolerations, m.Spread, m.Affinity, m.Ports, m.Silent = true, true, true, true, true,
		true, true
}

func weighted(strategy string) scheduler.Profile {
	return scheduler.Profile{ScoringStrategy: strategy, Resources: []v1alpha1.ResourceWeight{
		{Name: "cpu", Weight: 3}, {Name: "memory", Weight: 1}, {Name: gpu, Weight: 5},
		{Name: "ephemeral-storage", Weight: 2}}}
}

func shaped() scheduler.Profile {
	return scheduler.Profile{ScoringStrategy: "RequestedToCapacityRatio", Shape: []v1alpha1.ShapePoint{
		{Utilization: 0, Score: 2}, {Utilization: 35, Score: 9}, {Utilization: 80, Score: 10}, {Utilization: 100, Score: 1}}}
}

func shapedDevices() scheduler.Profile {
	p := shaped()
	p.Shape = []v1alpha1.ShapePoint{{Utilization: 10, Score: 0}, {Utilization: 95, Score: 10}}
	p.Resources = []v1alpha1.ResourceWeight{{Name: gpu, Weight: 7}, {Name: "hugepages-2Mi", Weight: 3},
		{Name: "cpu", Weight: 2}}
	return p
}

func reweighed() scheduler.Profile {
	return scheduler.Profile{Weights: map[string]int64{
		"NodeResourcesBalancedAllocation": 0, "PodTopologySpread": 5, "InterPodAffinity": 1, "TaintToleration": 1,
		"NodeResourcesFit": 4}}
}

// Random is a small session with everything in it, its size and rules drawn from
// the seed too.
func Random(seed uint64) Session {
	r := rand.New(rand.NewPCG(seed, 1))
	m := Mix{Name: "random", Seed: seed, Nodes: 3 + r.IntN(40), Classes: 3 + r.IntN(25), Zones: r.IntN(4),
		Racks: r.IntN(4), Load: 30 + r.IntN(90), Shuffled: r.IntN(3) > 0, Odds: 2 + r.IntN(4)}
	if r.IntN(4) == 0 {
		m.Nodes = 90 + r.IntN(250)
	}
	m.Pods = 50 + m.Nodes*(2+r.IntN(8))
	m.Profile = []scheduler.Profile{{}, {}, {}, {ScoringStrategy: "MostAllocated"}, weighted("LeastAllocated"),
		weighted("MostAllocated"), shaped(), shapedDevices(), reweighed()}[r.IntN(9)]
	m.Profile.PercentageOfNodesToScore = []int{0, 0, 1, 30, 100}[r.IntN(5)]
	for _, feature := range []*bool{&m.Devices, &m.Selectors, &m.Tolerations, &m.Spread, &m.Affinity, &m.Ports, &m.Silent,
		&m.Churn} {
		*feature = r.IntN(2) == 0
	}
	return m.Session()
}
